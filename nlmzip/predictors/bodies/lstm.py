"""The body of the long short-term memory (Hochreiter and Schmidhuber 1997) with forget gate.

    [i, f, o, g]_t = x_t W_x + h_(t-1) W_h + b     sigmoid of i, f and o, tanh of g
    c_t = f_t * c_(t-1) + i_t * g_t                (Gers, Schmidhuber and Cummins 2000)
    h_t = o_t * tanh(c_t)

with x_t the embedding of the previous symbol, c_0 = h_0 = 0, no peepholes, row vectors.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import (
    LANES,
    add_product,
    affine,
    descend,
    dot,
    sigmoid_in_place,
    tanh_in_place,
)
from ...kernels.elementary import ONE, tanh
from .recurrent import Recurrent, descend_inputs


class LstmWeights(NamedTuple):
    """float32: (V + 1, d), (d, 4 h), (h, 4 h), (4 h,); i, f, o and g side by side."""

    embedding: np.ndarray
    input_weights: np.ndarray
    recurrent_weights: np.ndarray
    hidden_bias: np.ndarray

    @property
    def width(self) -> int:
        """Numbers that the head reads."""
        return self.recurrent_weights.shape[0]

    def shapes(self, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be, given their own widths."""
        dimension, width = self.embedding.shape[1], self.width
        return [
            (vocabulary_size + 1, dimension), (dimension, 4 * width), (width, 4 * width), (4 * width,),
        ]  # fmt: skip


class LstmTrace(NamedTuple):
    """Activations: (T + 2,) int64, (T + 1, d), (T + 1, 4 h), (T + 2, h), (T + 2, h), (32,)."""

    previous: np.ndarray  # id of the symbol read at each step
    inputs: np.ndarray
    gates: np.ndarray  # after sigmoid and tanh
    hidden: np.ndarray  # row 0 is the state before the window
    cell: np.ndarray  # and so it is here
    lanes: np.ndarray


@njit
def lstm_step(weights, trace, time):
    """Fill the trace's gates, cell and hidden row of step `time` from the state before it."""
    gates, before, cell, hidden = (
        trace.gates[time], trace.cell[time], trace.cell[time + 1], trace.hidden[time + 1],
    )  # fmt: skip
    width = hidden.size
    trace.inputs[time] = weights.embedding[trace.previous[time]]
    affine(trace.inputs[time], weights.input_weights, weights.hidden_bias, gates)
    add_product(trace.hidden[time], weights.recurrent_weights, gates)
    sigmoid_in_place(gates[: 3 * width])
    tanh_in_place(gates[3 * width :])
    for unit in range(width):
        i, f, o, g = gates[unit], gates[width + unit], gates[2 * width + unit], gates[3 * width + unit]
        cell[unit] = f * before[unit] + i * g
        hidden[unit] = o * tanh(cell[unit])


@njit
def lstm_learn(weights, trace, back, step):
    """One step of gradient descent by backpropagation through the window (Werbos 1990).

    `back` (T, h) brings the gradients at the hidden rows that the head gives; the state
    before the window is a constant.
    """
    times, width = back.shape
    delta = np.empty((times, 4 * width), np.float32)  # before sigmoid and tanh
    at_cell = np.zeros(width, np.float32)  # what later steps say of c_t, then in all
    for time in range(times - 1, -1, -1):
        gates, before = trace.gates[time], trace.cell[time]
        for unit in range(width):
            i, f, o, g = gates[unit], gates[width + unit], gates[2 * width + unit], gates[3 * width + unit]
            at_hidden = back[time, unit]
            if time + 1 < times:
                at_hidden += dot(weights.recurrent_weights[unit], delta[time + 1], trace.lanes)
            bent = tanh(trace.cell[time + 1, unit])
            at_cell[unit] += at_hidden * o * (ONE - bent * bent)
            delta[time, unit] = at_cell[unit] * g * (i * (ONE - i))
            delta[time, width + unit] = at_cell[unit] * before[unit] * (f * (ONE - f))
            delta[time, 2 * width + unit] = at_hidden * bent * (o * (ONE - o))
            delta[time, 3 * width + unit] = at_cell[unit] * i * (ONE - g * g)
            at_cell[unit] *= f
    descend(weights.recurrent_weights, trace.hidden[:times], delta, step)
    descend_inputs(weights, trace, delta, step)


class Lstm(Recurrent):
    """An LSTM's body; owns and may move its weights."""

    Weights = LstmWeights
    step_kernel, learn_kernel = staticmethod(lstm_step), staticmethod(lstm_learn)

    def __init__(self, weights: LstmWeights, window: int):
        width = weights.width
        trace = LstmTrace(
            previous=np.zeros(window + 2, np.int64),
            inputs=np.zeros((window + 1, weights.embedding.shape[1]), np.float32),
            gates=np.zeros((window + 1, 4 * width), np.float32),
            hidden=np.zeros((window + 2, width), np.float32),
            cell=np.zeros((window + 2, width), np.float32),
            lanes=np.zeros(LANES, np.float32),
        )
        super().__init__(weights, trace, [trace.hidden, trace.cell])
