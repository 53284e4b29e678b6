"""The recurrent network of Elman (1990), trained by backpropagation through time; used by fit.py.

h_t = tanh(x_t W_x + h_{t-1} W_h + b), p = softmax(h_t W_o + b_o), where x_t is the
embedding of the word before (<s> first). Sentences, or streams of running text, go
through the recurrence side by side; all their time steps share one output product.
"""

from dataclasses import dataclass

import numpy as np

from . import batching, output_layer
from .embeddings import embedding_gradient
from .initial_weights import embedding_rows, hidden_matrix, output_matrix


@dataclass(frozen=True)
class Elman:
    """Sizes of the network, and how it reads text."""

    vocabulary_size: int  # V, with <unk> and </s>; <s> is row V of the embedding table
    embedding: int = 64
    hidden: int = 128
    reset_state: bool = True  # h_0 = 0 at each sentence; else the state runs on
    batch_size: int = 16  # sentences, or streams of running text
    steps_back: int = 16  # time steps to go back in running text (Werbos 1990, truncated)

    def initial_weights(self, random):
        """Float32 arrays by name; random is a numpy Generator."""
        return {
            "embedding": embedding_rows(random, self.vocabulary_size + 1, self.embedding, 0.7),
            "input_weights": hidden_matrix(random, self.embedding, self.hidden),
            "recurrent_weights": hidden_matrix(random, self.hidden, self.hidden),
            "hidden_bias": np.zeros(self.hidden, np.float32),
            "output_weights": output_matrix(random, self.hidden, self.vocabulary_size),
            "output_bias": np.zeros(self.vocabulary_size, np.float32),
        }

    def steps(self, weights, tokens, random):
        """One epoch over the tokens: yields (n_tokens, loss, gradients).

        The caller moves the weights between two steps.
        """
        state = None
        for batch in self._batches(tokens, random):
            loss, gradients, last = loss_and_gradients(weights, batch, state)
            state = None if self.reset_state else last
            yield int(batch.mask.sum()), loss, gradients

    def log_probabilities(self, weights, tokens):
        """Natural log-probability of each token of the text (N,), given those before it."""
        inputs = batching.previous(tokens, self.vocabulary_size, self.reset_state)
        hidden = np.empty((len(tokens), self.hidden), weights["embedding"].dtype)
        if self.reset_state:
            for positions, mask in batching.sentence_positions(tokens, batch_size=256):
                hidden[positions[mask]] = states(weights, inputs[positions])[mask]
        elif len(tokens):
            hidden[:] = states(weights, inputs[:, None])[:, 0]
        return output_layer.log_probabilities(
            hidden, weights["output_weights"], weights["output_bias"], tokens
        )

    def _batches(self, tokens, random):
        if self.reset_state:
            return batching.sentence_batches(
                tokens, self.vocabulary_size, self.batch_size, random
            )
        return batching.stream_batches(
            tokens, self.vocabulary_size, self.batch_size, self.steps_back
        )


def states(weights, inputs, state=None):
    """Hidden values (T, B, h) after each step of inputs (T, B); state (B, h) is h_0, zero if None."""
    hidden = weights["embedding"][inputs] @ weights["input_weights"]  # (T, B, h)
    hidden += weights["hidden_bias"]
    if state is None:
        state = np.zeros_like(hidden[0])
    for step in hidden:
        step += state @ weights["recurrent_weights"]
        np.tanh(step, out=step)
        state = step
    return hidden


def loss_and_gradients(weights, batch, state=None):
    """Mean loss in nats over the batch's real tokens, its gradients, and the last state (B, h).

    `batch` is a `batching.Batch`; padding stands at the end of a column, so nothing
    flows back from it. state (B, h) is h_0, a constant: zero if None.
    Works in the weights' dtype.
    """
    hidden = states(weights, batch.inputs, state)  # (T, B, h)
    loss, real_gradient, output_weights, output_bias = output_layer.cross_entropy(
        hidden[batch.mask], weights["output_weights"], weights["output_bias"],
        batch.targets[batch.mask],
    )  # fmt: skip
    delta = np.zeros_like(hidden)  # from the loss of step t itself, then in all
    delta[batch.mask] = real_gradient
    back = weights["recurrent_weights"].T
    slopes = 1 - hidden * hidden
    delta[-1] *= slopes[-1]
    for t in range(len(delta) - 2, -1, -1):
        delta[t] += delta[t + 1] @ back
        delta[t] *= slopes[t]

    before = np.zeros_like(hidden)  # h_{t-1}
    before[1:] = hidden[:-1]
    if state is not None:
        before[0] = state
    width = hidden.shape[2]
    delta_rows = delta.reshape(-1, width)
    ids = batch.inputs.reshape(-1)
    gradients = {
        "embedding": embedding_gradient(
            ids, delta_rows @ weights["input_weights"].T, len(weights["embedding"])
        ),
        "input_weights": weights["embedding"][ids].T @ delta_rows,
        "recurrent_weights": before.reshape(-1, width).T @ delta_rows,
        "hidden_bias": delta_rows.sum(axis=0),
        "output_weights": output_weights,
        "output_bias": output_bias,
    }
    return loss, gradients, hidden[-1].copy()
