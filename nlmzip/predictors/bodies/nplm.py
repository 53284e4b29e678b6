"""The body of the neural probabilistic language model (Bengio et al. 2003).

    x = [E[u_1]; ...; E[u_n]],   a = tanh(x W_1 + b_1)

over the n symbols before, oldest first. The head reads a or, with the paper's direct
connections from the embeddings to the output (its W), [a; x].
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import (
    LANES,
    affine,
    descend,
    descend_bias,
    descend_row,
    multiply_transposed,
    tanh_in_place,
)
from ...kernels.elementary import ONE


class NplmWeights(NamedTuple):
    """float32: (V + 1, d), (n * d, h), (h,)."""

    embedding: np.ndarray
    hidden_weights: np.ndarray
    hidden_bias: np.ndarray

    @property
    def width(self) -> int:
        """Numbers that the head reads."""
        return self.hidden_bias.size

    def shapes(self, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be, given their own widths."""
        dimension, width = self.embedding.shape[1], self.hidden_bias.size
        context = max(1, self.hidden_weights.shape[0] // max(1, dimension))
        return [(vocabulary_size + 1, dimension), (context * dimension, width), (width,)]


class NplmTrace(NamedTuple):
    """Activations: (T + 1 + n,) int64, (T + 1, n * d), (T + 1, h) or (T + 1, h + n * d), (32,)."""

    history: np.ndarray  # the context of step t is history[t : t + n]
    inputs: np.ndarray
    hidden: np.ndarray  # what the head reads
    lanes: np.ndarray


@njit
def nplm_step(weights, trace, time):
    """Fill the trace's hidden row of step `time` from its history."""
    dimension = weights.embedding.shape[1]
    inputs = trace.inputs[time]
    for position in range(inputs.size // dimension):
        first = position * dimension
        inputs[first : first + dimension] = weights.embedding[trace.history[time + position]]
    width = weights.hidden_bias.size
    read = trace.hidden[time]
    hidden, direct = read[:width], read[width:]
    affine(inputs, weights.hidden_weights, weights.hidden_bias, hidden)
    tanh_in_place(hidden)
    for column in range(direct.size):
        direct[column] = inputs[column]


@njit
def nplm_learn(weights, trace, at_hidden, step):
    """One step of gradient descent; at_hidden (T, h), or (T, h + n * d), is what the head gives."""
    times = at_hidden.shape[0]
    dimension, width = weights.embedding.shape[1], weights.hidden_bias.size
    hidden, inputs = trace.hidden[:times], trace.inputs[:times]
    delta = np.empty((times, width), np.float32)
    for time in range(times):
        for unit in range(width):
            delta[time, unit] = at_hidden[time, unit] * (ONE - hidden[time, unit] * hidden[time, unit])
    back = np.empty(inputs.shape, np.float32)
    multiply_transposed(delta, weights.hidden_weights, trace.lanes, back)
    for time in range(times):
        for column in range(hidden.shape[1] - width):
            back[time, column] += at_hidden[time, width + column]
    descend(weights.hidden_weights, inputs, delta, step)
    descend_bias(weights.hidden_bias, delta, step)
    for time in range(times):
        for position in range(inputs.shape[1] // dimension):
            first = position * dimension
            row = weights.embedding[trace.history[time + position]]
            descend_row(row, back[time, first : first + dimension], step)


class Nplm:
    """The body of Bengio's network; owns and may move its weights (predictors/bodies/network.py).

    direct: whether the head reads the embeddings, too.
    """

    Weights = NplmWeights

    def __init__(self, weights: NplmWeights, window: int, direct: bool = False):
        self.weights = weights
        n_inputs = weights.hidden_weights.shape[0]
        self.context = n_inputs // weights.embedding.shape[1]
        self.trace = NplmTrace(
            history=np.zeros(window + 1 + self.context, np.int64),
            inputs=np.zeros((window + 1, n_inputs), np.float32),
            hidden=np.zeros((window + 1, weights.width + (n_inputs if direct else 0)), np.float32),
            lanes=np.zeros(LANES, np.float32),
        )
        self.hidden = self.trace.hidden

    def restart(self) -> None:
        """<s> in every place of the context."""
        self.trace.history[: self.context] = self.weights.embedding.shape[0] - 1

    def step(self, time: int) -> None:
        nplm_step(self.weights, self.trace, time)

    def append(self, time: int, symbol: int) -> None:
        self.trace.history[time + self.context] = symbol

    def learn(self, back: np.ndarray, step_size: np.float32) -> None:
        nplm_learn(self.weights, self.trace, back, step_size)

    def roll(self, count: int) -> None:
        history = self.trace.history
        history[: self.context] = history[count : count + self.context].copy()
