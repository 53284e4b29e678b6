"""The body of the minimal gated unit (Zhou et al. 2016, equation 5): one gate forgets and updates.

    f_t = sigmoid(x_t W_x + h_(t-1) W_h + b)                      the first halves of W_x, b
    n_t = tanh(x_t W_x + (f_t * h_(t-1)) W_n + b)                 the second halves
    h_t = (1 - f_t) * h_(t-1) + f_t * n_t

with x_t the embedding of the previous symbol, h_0 = 0, row vectors throughout.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import (
    add_product,
    affine,
    descend,
    dot,
    sigmoid_in_place,
    tanh_in_place,
)
from ...kernels.elementary import ONE
from .recurrent import Recurrent, candidate_trace, descend_inputs


class MguWeights(NamedTuple):
    """float32: (V + 1, d), (d, 2 h), (h, h), (h, h), (2 h,); f and n side by side."""

    embedding: np.ndarray
    input_weights: np.ndarray
    recurrent_weights: np.ndarray
    candidate_weights: np.ndarray
    hidden_bias: np.ndarray

    @property
    def width(self) -> int:
        """Numbers that the head reads."""
        return self.recurrent_weights.shape[0]

    def shapes(self, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be, given their own widths."""
        dimension, width = self.embedding.shape[1], self.width
        return [
            (vocabulary_size + 1, dimension), (dimension, 2 * width), (width, width), (width, width), (2 * width,),
        ]  # fmt: skip


@njit
def mgu_step(weights, trace, time):
    """Fill the trace's gates and hidden row of step `time` from the state before it."""
    gates, kept, before, hidden = (
        trace.gates[time], trace.kept[time], trace.hidden[time], trace.hidden[time + 1],
    )  # fmt: skip
    width = hidden.size
    trace.inputs[time] = weights.embedding[trace.previous[time]]
    affine(trace.inputs[time], weights.input_weights, weights.hidden_bias, gates)
    add_product(before, weights.recurrent_weights, gates[:width])
    sigmoid_in_place(gates[:width])
    for unit in range(width):
        kept[unit] = gates[unit] * before[unit]
    add_product(kept, weights.candidate_weights, gates[width:])
    tanh_in_place(gates[width:])
    for unit in range(width):
        f = gates[unit]
        hidden[unit] = (ONE - f) * before[unit] + f * gates[width + unit]


@njit
def mgu_learn(weights, trace, back, step):
    """One step of gradient descent by backpropagation through the window (Werbos 1990).

    `back` (T, h) brings the gradients at the hidden rows that the head gives, to which
    those from later steps are added; the state before the window is a constant.
    """
    times, width = back.shape
    at_gates = np.empty((times, width), np.float32)  # before sigmoid
    at_candidate = np.empty((times, width), np.float32)  # before tanh
    for time in range(times - 1, -1, -1):
        gates, before = trace.gates[time], trace.hidden[time]
        for unit in range(width):
            f, n = gates[unit], gates[width + unit]
            at_candidate[time, unit] = back[time, unit] * f * (ONE - n * n)
        for unit in range(width):
            f, n = gates[unit], gates[width + unit]
            at_kept = dot(weights.candidate_weights[unit], at_candidate[time], trace.lanes)
            at_f = back[time, unit] * (n - before[unit]) + at_kept * before[unit]
            at_gates[time, unit] = at_f * (f * (ONE - f))
            if time:
                back[time - 1, unit] += back[time, unit] * (ONE - f) + at_kept * f
        if time:
            for unit in range(width):
                back[time - 1, unit] += dot(weights.recurrent_weights[unit], at_gates[time], trace.lanes)
    delta = np.empty((times, 2 * width), np.float32)
    delta[:, :width] = at_gates
    delta[:, width:] = at_candidate
    descend(weights.recurrent_weights, trace.hidden[:times], at_gates, step)
    descend(weights.candidate_weights, trace.kept[:times], at_candidate, step)
    descend_inputs(weights, trace, delta, step)


class Mgu(Recurrent):
    """A minimal gated unit's body; owns and may move its weights."""

    Weights = MguWeights
    step_kernel, learn_kernel = staticmethod(mgu_step), staticmethod(mgu_learn)

    def __init__(self, weights: MguWeights, window: int):
        trace = candidate_trace(weights, window)
        super().__init__(weights, trace, [trace.hidden])
