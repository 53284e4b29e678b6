"""Heads whose output weights are the embeddings (Inan, Khosravi and Socher 2017; Press and Wolf 2017).

What a word is to the words after it is then also what it is to the words before it. A
mixture projects to as many numbers as an embedding has; before one softmax stands a linear
projection where hidden values are not as many.
"""

from dataclasses import dataclass

import numpy as np

from .softmax import Softmax


@dataclass(frozen=True)
class Tied:
    """`head` with the rows of the embedding table as columns of its output weights, all but <s>'s."""

    head: Softmax

    tied = True

    def initial_weights(self, random, width, vocabulary_size, embedding):
        """Float32 arrays by name; random is a numpy Generator, `embedding` the length of a word's."""
        return {
            **self.head.before_output(random, width, embedding),
            "output_bias": np.zeros(vocabulary_size, np.float32),
        }

    def cross_entropy(self, weights, hidden, targets):
        """As Softmax.cross_entropy; among the gradients is that of the embeddings as outputs."""
        loss, back, gradients = self.head.cross_entropy(_with_outputs(weights), hidden, targets)
        of_table = np.zeros_like(weights["embedding"])
        of_table[:-1] = gradients.pop("output_weights").T
        return loss, back, gradients | {"embedding": of_table}

    def log_probabilities(self, weights, hidden, targets):
        """As Softmax.log_probabilities."""
        return self.head.log_probabilities(_with_outputs(weights), hidden, targets)


def _with_outputs(weights):
    return {**weights, "output_weights": weights["embedding"][:-1].T}


def summed(weights, of_body, of_head):
    """Gradients by name in the weights' order: of what body and head both have, the sum."""
    return {
        name: of_body[name] + of_head[name]
        if name in of_body and name in of_head
        else of_body.get(name, of_head.get(name))
        for name in weights
    }
