"""What recurrent networks share when they are trained: batches, and truncated backpropagation.

Sentences, or streams of running text, go through the recurrence side by side; all their
time steps share one output product. Base of elman.py, lstm.py, gru.py and mgu.py, whose single steps
explain/recurrence.py takes, too.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..fit import batching
from ..fit.initial_weights import TIED_SCALE, embedding_rows
from ..heads.softmax import Softmax
from ..heads.tying import Tied, summed
from .embeddings import embedding_gradient

STEPS_AT_ONCE = 1 << 12  # of running text, whose activations would take much memory


class Activations(NamedTuple):
    """What `run` leaves, (T, B, .) each: states, and what x_t W_x + b became with the state's share.

    states: as many arrays (T, B, h) as a state has, after each step; gates (T, B, n) after
    sigmoid and tanh.
    """

    states: tuple[np.ndarray, ...]
    gates: np.ndarray


@dataclass(frozen=True)
class Recurrent:
    """Sizes of a network, and how it reads text.

    A state is a tuple of arrays (B, h), the first of which the head reads; None is zeros.
    A subclass gives

        recurrent_weights(random)           arrays by name
        run(weights, inputs, state)         the Activations of every step
        step_back(weights, states, gates, before, at_states)
            of gradients at the states after a step, that at x_t W_x + b, and what of them
            comes to the states before it, but not through `recurrent_weights`; states,
            gates and before are those of the step, and axes in front of the last broadcast
    """

    # Of bytes, longer stretches, since a word is several of them. On 2.4 MB of books an LSTM of 128
    # units came in one epoch to 3.06 bits with 32 streams of 64 bytes at a time, to 2.78 with 16 of
    # 64, to 2.65 with 16 of 32: what counts is how often weights move.
    BATCHES_OF_BYTES: ClassVar = {"batch_size": 16, "steps_back": 32}

    vocabulary_size: int  # V, with <unk> and </s>; <s> is row V of the embedding table
    embedding: int = 64
    hidden: int = 128
    reset_state: bool = True  # a zero state at each sentence; else the state runs on
    batch_size: int = 16  # sentences, or streams of running text
    steps_back: int = 16  # time steps to go back in running text (Werbos 1990, truncated)
    head: Softmax | Tied = Softmax()

    @classmethod
    def own_design(cls, options) -> dict:
        """What a card says of this network beside the sizes that all have, of TrainingOptions."""
        return {}

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
        delta, of_body = self._back(weights, activations, state, back)
        delta_rows = delta.reshape(-1, delta.shape[2])
        ids = batch.inputs.reshape(-1)
        of_body["embedding"] = embedding_gradient(
            ids, delta_rows @ weights["input_weights"].T, len(weights["embedding"])
        )
        of_body["input_weights"] = weights["embedding"][ids].T @ delta_rows
        of_body["hidden_bias"] = delta_rows.sum(axis=0)
        last = tuple(values[-1].copy() for values in activations.states)
        return loss, summed(weights, of_body, of_head), last

    def _back(self, weights, activations, state, back):
        """Gradient at x_t W_x + b (T, B, n), and by name; `back` (T, B, h) is at the hidden values."""
        states, gates = activations
        first = state or (None,) * len(states)
        before = [step_before(values, start) for values, start in zip(states, first)]
        delta = np.empty_like(gates)
        at_states = tuple(np.zeros_like(values[0]) for values in states)  # from the steps after t
        for t in reversed(range(len(gates))):
            at_states = (back[t] + at_states[0], *at_states[1:])
            delta[t], aside = self.step_back(
                weights, [s[t] for s in states], gates[t], [s[t] for s in before], at_states
            )
            if t:
                at_states = at_states_before(weights, delta[t], aside)
        return delta, self.state_gradients(weights, activations, before, delta)

    def state_gradients(self, weights, activations, before, delta):
        """Of the weights that states go through, by name.

        before: the states before each step, (T, B, h) each; delta: the gradients at
        x_t W_x + b, (T, B, n).
        """
        gates = delta[:, :, : weights["recurrent_weights"].shape[1]]
        return {"recurrent_weights": summed_products(before[0], gates)}

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


def at_states_before(weights, delta, aside):
    """Gradients at the states before a step, of what `step_back` returned, (..., h) each.

    W_h (h, k) brings the state to the first k of the gates (..., n).
    """
    matrix = weights["recurrent_weights"]
    at_hidden, *others = aside
    return (at_hidden + delta[..., : matrix.shape[1]] @ matrix.T, *others)


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
