"""What the bodies of recurrent networks share: they read one symbol a step, and keep a state.

Row 0 of the symbols and states is what the window begins with, row t + 1 what step t leaves.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import LANES, descend, descend_bias, descend_row, multiply_transposed


class CandidateTrace(NamedTuple):
    """Activations of gru.py and mgu.py, whose g gates, the candidate n the last of them, are h wide each.

    (T + 2,) int64, (T + 1, d), (T + 1, g h), (T + 1, h), (T + 2, h), (32,).
    """

    previous: np.ndarray  # id of the symbol read at each step
    inputs: np.ndarray
    gates: np.ndarray  # side by side, after sigmoid, and tanh of the candidate
    kept: np.ndarray  # of the state before, what the candidate is made from
    hidden: np.ndarray  # row 0 is the state before the window
    lanes: np.ndarray


def candidate_trace(weights, window: int) -> CandidateTrace:
    """One of zeros; weights: GruWeights or MguWeights."""
    dimension, gate_widths = weights.input_weights.shape
    return CandidateTrace(
        previous=np.zeros(window + 2, np.int64),
        inputs=np.zeros((window + 1, dimension), np.float32),
        gates=np.zeros((window + 1, gate_widths), np.float32),
        kept=np.zeros((window + 1, weights.width), np.float32),
        hidden=np.zeros((window + 2, weights.width), np.float32),
        lanes=np.zeros(LANES, np.float32),
    )


@njit
def descend_inputs(weights, trace, delta, step):
    """One gradient step of embeddings, input weights and bias.

    delta (T, n): the gradients where x_t W_x + b, all T rows of the trace's inputs, goes.
    """
    times = delta.shape[0]
    back = np.empty((times, trace.inputs.shape[1]), np.float32)
    multiply_transposed(delta, weights.input_weights, trace.lanes, back)
    descend(weights.input_weights, trace.inputs[:times], delta, step)
    descend_bias(weights.hidden_bias, delta, step)
    for time in range(times):
        descend_row(weights.embedding[trace.previous[time]], back[time], step)


class Recurrent:
    """Base of elman.py, lstm.py, gru.py and mgu.py; predictors/bodies/network.py says what a body does.

    `trace` has `previous`, int64 (T + 2,), the symbol read at each step, and states, float32
    (T + 2, h) each, the first of which is what the head reads.

    A subclass names the type of its Weights, and its kernels:

        step_kernel(weights, trace, time)                  fill the trace's row of step `time`
        learn_kernel(weights, trace, back, step_size)      one gradient step; `back` may change
    """

    def __init__(self, weights, trace, states: list[np.ndarray]):
        self.weights, self.trace = weights, trace
        self._states = states
        self.hidden = states[0][1:]

    def restart(self) -> None:
        """A state of zeros, and <s> before the first symbol."""
        self.trace.previous[0] = self.weights.embedding.shape[0] - 1
        for state in self._states:
            state[0] = 0.0

    def step(self, time: int) -> None:
        self.step_kernel(self.weights, self.trace, time)

    def append(self, time: int, symbol: int) -> None:
        self.trace.previous[time + 1] = symbol

    def learn(self, back: np.ndarray, step_size: np.float32) -> None:
        self.learn_kernel(self.weights, self.trace, back, step_size)

    def roll(self, count: int) -> None:
        self.trace.previous[0] = self.trace.previous[count]
        for state in self._states:
            state[0] = state[count]
