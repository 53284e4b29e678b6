"""What recurrent networks share when they are trained: batches, and truncated backpropagation.

Sentences, or streams of running text, go through the recurrence side by side; all their
time steps share one output product. Base of elman.py, lstm.py and gru.py.
"""

from dataclasses import dataclass

import numpy as np

from . import batching
from .embeddings import embedding_gradient
from .initial_weights import TIED_SCALE, embedding_rows
from .softmax import Softmax
from .tying import Tied, summed


STEPS_AT_ONCE = 1 << 12  # of running text, whose activations would take much memory


@dataclass(frozen=True)
class Recurrent:
    """Sizes of a network, and how it reads text.

    A subclass gives `recurrent_weights(random)`; `run(weights, inputs, state)`, the
    activations of every step, of which `.states` are the first; and
    `back(weights, activations, state, back)`, the gradients of its weights.
    A state is a tuple of arrays (B, h), the first of which the head reads; None is zeros.
    """

    vocabulary_size: int  # V, with <unk> and </s>; <s> is row V of the embedding table
    embedding: int = 64
    hidden: int = 128
    reset_state: bool = True  # a zero state at each sentence; else the state runs on
    batch_size: int = 16  # sentences, or streams of running text
    steps_back: int = 16  # time steps to go back in running text (Werbos 1990, truncated)
    head: Softmax | Tied = Softmax()

    def initial_weights(self, random):
        """Float32 arrays by name; random is a numpy Generator."""
        scale = TIED_SCALE if self.head.tied else 0.7
        return {
            "embedding": embedding_rows(random, self.vocabulary_size + 1, self.embedding, scale),
            **self.recurrent_weights(random),
            **self.head.initial_weights(random, self.hidden, self.vocabulary_size, self.embedding),
        }

    def steps(self, weights, tokens, random):
        """One epoch over the tokens: yields (n_tokens, loss, gradients).

        The caller moves the weights between two steps.
        """
        state = None
        for batch in self._batches(tokens, random):
            loss, gradients, last = self.loss_and_gradients(weights, batch, state)
            state = None if self.reset_state else last
            yield int(batch.mask.sum()), loss, gradients

    def loss_and_gradients(self, weights, batch, state=None):
        """Mean loss in nats over the batch's real tokens, its gradients, and the last state.

        `batch` is a `batching.Batch`; padding stands at the end of a column, so nothing
        flows back from it. The state before the batch is a constant. Works in the
        weights' dtype.
        """
        activations = self.run(weights, batch.inputs, state)
        hidden = activations.states[0]  # (T, B, h)
        loss, real_gradient, of_head = self.head.cross_entropy(
            weights, hidden[batch.mask], batch.targets[batch.mask]
        )
        back = np.zeros_like(hidden)  # at the hidden values, from the loss of step t itself
        back[batch.mask] = real_gradient
        delta, of_body = self.back(weights, activations, state, back)

        delta_rows = delta.reshape(-1, delta.shape[2])
        ids = batch.inputs.reshape(-1)
        of_body["embedding"] = embedding_gradient(
            ids, delta_rows @ weights["input_weights"].T, len(weights["embedding"])
        )
        of_body["input_weights"] = weights["embedding"][ids].T @ delta_rows
        of_body["hidden_bias"] = delta_rows.sum(axis=0)
        last = tuple(values[-1].copy() for values in activations.states)
        return loss, summed(weights, of_body, of_head), last

    def log_probabilities(self, weights, tokens):
        """Natural log-probability of each token of the text (N,), given those before it."""
        inputs = batching.previous(tokens, self.vocabulary_size, self.reset_state)
        hidden = np.empty((len(tokens), self.hidden), weights["embedding"].dtype)
        if self.reset_state:
            for positions, mask in batching.sentence_positions(tokens, batch_size=256):
                hidden[positions[mask]] = self.run(weights, inputs[positions]).states[0][mask]
        else:
            state = None
            for start in range(0, len(tokens), STEPS_AT_ONCE):
                block = slice(start, start + STEPS_AT_ONCE)
                states = self.run(weights, inputs[block, None], state).states
                hidden[block] = states[0][:, 0]
                state = tuple(values[-1] for values in states)
        return self.head.log_probabilities(weights, hidden, tokens)

    def _batches(self, tokens, random):
        if self.reset_state:
            return batching.sentence_batches(
                tokens, self.vocabulary_size, self.batch_size, random
            )
        return batching.stream_batches(
            tokens, self.vocabulary_size, self.batch_size, self.steps_back
        )


def of_inputs(weights, inputs):
    """What the words before, (T, B) ids, bring to each step: x_t W_x + b, (T, B, n)."""
    values = weights["embedding"][inputs] @ weights["input_weights"]
    values += weights["hidden_bias"]
    return values


def step_before(values, first):
    """Each step's values one step later, `first` (B, h) or zeros in front: (T, B, h)."""
    before = np.zeros_like(values)
    before[1:] = values[:-1]
    if first is not None:
        before[0] = first
    return before


def summed_products(values, delta):
    """Gradient of weights between `values` (T, B, m) and where `delta` (T, B, n) is: (m, n)."""
    return values.reshape(-1, values.shape[2]).T @ delta.reshape(-1, delta.shape[2])


def sigmoid(values):
    """1 / (1 + e^-x), by a function that cannot overflow."""
    return (1 + np.tanh(values / 2)) / 2
