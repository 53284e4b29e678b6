"""The body of the Elman network (Elman 1990; Mikolov et al. 2010).

    h_t = tanh(x_t W_x + h_(t-1) W_h + b)

with x_t the embedding of the previous symbol, h_0 = 0, row vectors throughout.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import LANES, add_product, affine, descend, dot, tanh_in_place
from ...kernels.elementary import ONE
from .recurrent import Recurrent, descend_inputs


class ElmanWeights(NamedTuple):
    """float32: (V + 1, d), (d, h), (h, h), (h,)."""

    embedding: np.ndarray
    input_weights: np.ndarray
    recurrent_weights: np.ndarray
    hidden_bias: np.ndarray

    @property
    def width(self) -> int:
        """Numbers that the head reads."""
        return self.hidden_bias.size

    def shapes(self, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be, given their own widths."""
        dimension, width = self.embedding.shape[1], self.width
        return [(vocabulary_size + 1, dimension), (dimension, width), (width, width), (width,)]


class ElmanTrace(NamedTuple):
    """Activations of the window: (T + 2,) int64, (T + 1, d), (T + 2, h), (32,)."""

    previous: np.ndarray  # id of the symbol read at each step
    inputs: np.ndarray
    hidden: np.ndarray  # row 0 is the state before the window
    lanes: np.ndarray


@njit
def elman_step(weights, trace, time):
    """Fill the trace's hidden row of step `time` from its state before it."""
    hidden = trace.hidden[time + 1]
    trace.inputs[time] = weights.embedding[trace.previous[time]]
    affine(trace.inputs[time], weights.input_weights, weights.hidden_bias, hidden)
    add_product(trace.hidden[time], weights.recurrent_weights, hidden)
    tanh_in_place(hidden)


@njit
def elman_learn(weights, trace, delta, step):
    """One step of gradient descent by backpropagation through the window (Werbos 1990).

    delta_t = (g_t + delta_(t+1) W_h^T) * (1 - h_t^2) replaces the gradients g, (T, h),
    that the head gives; the state before the window is a constant.
    """
    times = delta.shape[0]
    hidden = trace.hidden[1 : times + 1]
    for time in range(times - 1, -1, -1):
        for unit in range(delta.shape[1]):
            if time + 1 < times:
                delta[time, unit] += dot(weights.recurrent_weights[unit], delta[time + 1], trace.lanes)
            delta[time, unit] *= ONE - hidden[time, unit] * hidden[time, unit]
    descend(weights.recurrent_weights, trace.hidden[:times], delta, step)
    descend_inputs(weights, trace, delta, step)


class Elman(Recurrent):
    """An Elman network's body; owns and may move its weights."""

    Weights = ElmanWeights
    step_kernel, learn_kernel = staticmethod(elman_step), staticmethod(elman_learn)

    def __init__(self, weights: ElmanWeights, window: int):
        trace = ElmanTrace(
            previous=np.zeros(window + 2, np.int64),
            inputs=np.zeros((window + 1, weights.embedding.shape[1]), np.float32),
            hidden=np.zeros((window + 2, weights.width), np.float32),
            lanes=np.zeros(LANES, np.float32),
        )
        super().__init__(weights, trace, [trace.hidden])
