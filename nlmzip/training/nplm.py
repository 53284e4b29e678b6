"""The neural probabilistic language model of Bengio et al. (2003), trained; used by fit.py.

The context's words are looked up in one embedding table and stacked, oldest first:
a = tanh(x W_1 + b_1), p = softmax(a W_2 + b_2). No direct connections from x to the output.
"""

from dataclasses import dataclass

import numpy as np

from . import batching, output_layer
from .embeddings import embedding_gradient
from .initial_weights import embedding_rows, hidden_matrix, output_matrix


@dataclass(frozen=True)
class Nplm:
    """Sizes of the network, and how it reads text."""

    vocabulary_size: int  # V, with <unk> and </s>; <s> is row V of the embedding table
    embedding: int = 64
    hidden: int = 128
    context: int = 2
    reset_state: bool = True  # contexts begin anew with each sentence
    batch_size: int = 256  # tokens

    def initial_weights(self, random):
        """Float32 arrays by name; random is a numpy Generator."""
        return {
            "embedding": embedding_rows(random, self.vocabulary_size + 1, self.embedding, 0.1),
            "hidden_weights": hidden_matrix(random, self.context * self.embedding, self.hidden),
            "hidden_bias": np.zeros(self.hidden, np.float32),
            "output_weights": output_matrix(random, self.hidden, self.vocabulary_size),
            "output_bias": np.zeros(self.vocabulary_size, np.float32),
        }

    def steps(self, weights, tokens, random):
        """One epoch over the tokens in random order: yields (n_tokens, loss, gradients).

        The caller moves the weights between two steps.
        """
        contexts = self._contexts(tokens)
        order = random.permutation(len(tokens))
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            yield len(batch), *loss_and_gradients(weights, contexts[batch], tokens[batch])

    def log_probabilities(self, weights, tokens):
        """Natural log-probability of each token of the text (N,), given those before it."""
        hidden, _ = _forward(weights, self._contexts(tokens))
        return output_layer.log_probabilities(
            hidden, weights["output_weights"], weights["output_bias"], tokens
        )

    def _contexts(self, tokens):
        return batching.contexts(tokens, self.context, self.vocabulary_size, self.reset_state)


def loss_and_gradients(weights, contexts, targets):
    """Mean loss in nats and its gradient for every weight.

    contexts (n, context) and targets (n,) are symbol ids. Works in the weights' dtype.
    """
    hidden, stacked = _forward(weights, contexts)
    loss, hidden_gradient, output_weights, output_bias = output_layer.cross_entropy(
        hidden, weights["output_weights"], weights["output_bias"], targets
    )
    delta = hidden_gradient * (1 - hidden * hidden)  # (n, h)
    stacked_gradient = delta @ weights["hidden_weights"].T  # (n, context * d)
    n_rows, width = weights["embedding"].shape
    return loss, {
        "embedding": embedding_gradient(
            contexts.reshape(-1), stacked_gradient.reshape(-1, width), n_rows
        ),
        "hidden_weights": stacked.T @ delta,
        "hidden_bias": delta.sum(axis=0),
        "output_weights": output_weights,
        "output_bias": output_bias,
    }


def _forward(weights, contexts):
    """Hidden values (n, h) and stacked embeddings (n, context * d)."""
    stacked = weights["embedding"][contexts].reshape(len(contexts), -1)
    return np.tanh(stacked @ weights["hidden_weights"] + weights["hidden_bias"]), stacked
