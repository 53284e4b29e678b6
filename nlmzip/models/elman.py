"""The Elman network (Elman 1990; Mikolov et al. 2010) as a predictor.

    h_t = tanh(x_t W_x + h_(t-1) W_h + b),   p = softmax(h_t W_o + b_o)

with x_t the embedding of the previous symbol, h_0 = 0, row vectors throughout.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from ..kernels.dense import LANES, add_product, affine, descend, descend_bias, descend_row
from ..kernels.dense import dot, multiply_transposed, tanh_in_place
from ..kernels.elementary import ONE
from .network import Network, learn_output, output_probabilities


class ElmanWeights(NamedTuple):
    """float32: (V + 1, d), (d, h), (h, h), (h,), (h, V), (V,)."""

    embedding: np.ndarray
    input_weights: np.ndarray
    recurrent_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray

    def shapes(self, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be, given their own widths."""
        size, dimension, width = vocabulary_size, self.embedding.shape[1], self.hidden_bias.size
        return [
            (size + 1, dimension), (dimension, width), (width, width), (width,),
            (width, size), (size,),
        ]  # fmt: skip


class ElmanTrace(NamedTuple):
    """Activations of the window: (T,) int64, (T, d), (T + 1, h), (T, V), (32,)."""

    previous: np.ndarray  # id of the symbol read at each step
    inputs: np.ndarray
    hidden: np.ndarray  # row 0 is the state before the window
    probabilities: np.ndarray
    lanes: np.ndarray


@njit
def elman_predict(weights, trace, time):
    """Fill the trace's probabilities at `time` from its state before it."""
    hidden = trace.hidden[time + 1]
    trace.inputs[time] = weights.embedding[trace.previous[time]]
    affine(trace.inputs[time], weights.input_weights, weights.hidden_bias, hidden)
    add_product(trace.hidden[time], weights.recurrent_weights, hidden)
    tanh_in_place(hidden)
    output_probabilities(
        hidden, weights.output_weights, weights.output_bias, trace.lanes, trace.probabilities[time]
    )


@njit
def elman_learn(weights, trace, targets, step):
    """One step of gradient descent by backpropagation through the window (Werbos 1990).

    delta_t = (g_t + delta_(t+1) W_h^T) * (1 - h_t^2); the state before the window is a
    constant. Predictions in the trace are overwritten.
    """
    times = targets.size
    width = weights.hidden_bias.size
    hidden = trace.hidden[1 : times + 1]
    delta = np.empty((times, width), np.float32)
    learn_output(
        hidden, weights.output_weights, weights.output_bias,
        trace.probabilities[:times], targets, step, trace.lanes, delta,
    )  # fmt: skip
    for time in range(times - 1, -1, -1):
        for unit in range(width):
            if time + 1 < times:
                delta[time, unit] += dot(weights.recurrent_weights[unit], delta[time + 1], trace.lanes)
            delta[time, unit] *= ONE - hidden[time, unit] * hidden[time, unit]
    back = np.empty((times, trace.inputs.shape[1]), np.float32)
    multiply_transposed(delta, weights.input_weights, trace.lanes, back)
    descend(weights.recurrent_weights, trace.hidden[:times], delta, step)
    descend(weights.input_weights, trace.inputs[:times], delta, step)
    descend_bias(weights.hidden_bias, delta, step)
    for time in range(times):
        descend_row(weights.embedding[trace.previous[time]], back[time], step)


class Elman(Network):
    """An Elman network over the symbols of a vocabulary; owns and may move its weights."""

    def __init__(self, weights: ElmanWeights, window: int, reset_state: bool):
        n_rows, embedding = weights.embedding.shape
        super().__init__(n_rows - 1, window, reset_state)
        self.weights = weights
        self.trace = ElmanTrace(
            previous=np.zeros(window + 2, np.int64),
            inputs=np.zeros((window + 1, embedding), np.float32),
            hidden=np.zeros((window + 2, weights.hidden_bias.size), np.float32),
            probabilities=self.probabilities,
            lanes=np.zeros(LANES, np.float32),
        )
        self._restart()

    def _restart(self) -> None:
        self.trace.previous[0] = self.vocabulary_size
        self.trace.hidden[0] = 0.0

    def _predict(self, time: int) -> None:
        elman_predict(self.weights, self.trace, time)

    def _append(self, time: int, symbol: int) -> None:
        self.trace.previous[time + 1] = symbol

    def _learn(self, count: int, step_size: np.float32) -> None:
        elman_learn(self.weights, self.trace, self.targets[:count], step_size)

    def _roll(self, count: int) -> None:
        self.trace.previous[0] = self.trace.previous[count]
        self.trace.hidden[0] = self.trace.hidden[count]
