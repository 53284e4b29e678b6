"""The neural probabilistic language model of Bengio et al. (2003), trained; used by designs.py.

The context's words are looked up in one embedding table and stacked, oldest first:
a = tanh(x W_1 + b_1). The head reads a or, with direct connections, [a; x].
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..fit import batching
from ..fit.initial_weights import TIED_SCALE, embedding_rows, hidden_matrix
from ..heads.softmax import Softmax
from ..heads.tying import Tied, summed
from .embeddings import embedding_gradient


@dataclass(frozen=True)
class Nplm:
    """Sizes of the network, and how it reads text."""

    BATCHES_OF_BYTES: ClassVar = {"batch_size": 1024}

    vocabulary_size: int  # V, with <unk> and </s>; <s> is row V of the embedding table
    embedding: int = 64
    hidden: int = 128
    context: int = 2
    reset_state: bool = True  # contexts begin anew with each sentence
    batch_size: int = 256  # tokens
    head: Softmax | Tied = Softmax()
    direct: bool = False  # the paper's direct connections from the embeddings to the output

    @classmethod
    def own_design(cls, options) -> dict:
        """What a card says of this network beside the sizes that all have, of TrainingOptions."""
        return {"context": options.context}

    def initial_weights(self, random):
        """Float32 arrays by name; random is a numpy Generator."""
        scale, n_inputs = TIED_SCALE if self.head.tied else 0.1, self.context * self.embedding
        width = self.hidden + (n_inputs if self.direct else 0)
        return {
            "embedding": embedding_rows(random, self.vocabulary_size + 1, self.embedding, scale),
            "hidden_weights": hidden_matrix(random, n_inputs, self.hidden),
            "hidden_bias": np.zeros(self.hidden, np.float32),
            **self.head.initial_weights(random, width, self.vocabulary_size, self.embedding),
        }

    def steps(self, weights, tokens, random):
        """One epoch over the tokens in random order: yields (n_tokens, loss, gradients).

        The caller moves the weights between two steps.
        """
        contexts = self.contexts(tokens)
        order = random.permutation(len(tokens))
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            yield len(batch), *self.loss_and_gradients(weights, contexts[batch], tokens[batch])

    def log_probabilities(self, weights, tokens):
        """Natural log-probability of each token of the text (N,), given those before it."""
        read = self._read(*_forward(weights, self.contexts(tokens)))
        return self.head.log_probabilities(weights, read, tokens)

    def contexts(self, tokens):
        """The words before each token, (N, context) symbol ids."""
        return batching.contexts(tokens, self.context, self.vocabulary_size, self.reset_state)

    def loss_and_gradients(self, weights, contexts, targets):
        """Mean loss in nats and its gradient for every weight.

        contexts (n, context) and targets (n,) are symbol ids. Works in the weights' dtype.
        """
        hidden, stacked = _forward(weights, contexts)
        read = self._read(hidden, stacked)
        loss, read_gradient, of_head = self.head.cross_entropy(weights, read, targets)
        delta = read_gradient[:, : self.hidden] * (1 - hidden * hidden)  # (n, h)
        stacked_gradient = delta @ weights["hidden_weights"].T  # (n, context * d)
        if self.direct:
            stacked_gradient += read_gradient[:, self.hidden :]
        n_rows, width = weights["embedding"].shape
        of_body = {
            "embedding": embedding_gradient(
                contexts.reshape(-1), stacked_gradient.reshape(-1, width), n_rows
            ),
            "hidden_weights": stacked.T @ delta,
            "hidden_bias": delta.sum(axis=0),
        }
        return loss, summed(weights, of_body, of_head)

    def _read(self, hidden, stacked):
        """What the head reads, (n, width)."""
        return np.concatenate([hidden, stacked], axis=1) if self.direct else hidden


def _forward(weights, contexts):
    """Hidden values (n, h) and stacked embeddings (n, context * d)."""
    stacked = weights["embedding"][contexts].reshape(len(contexts), -1)
    return np.tanh(stacked @ weights["hidden_weights"] + weights["hidden_bias"]), stacked
