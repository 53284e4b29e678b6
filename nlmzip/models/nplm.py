"""The neural probabilistic language model (Bengio et al. 2003) as a predictor.

    x = [E[u_1]; ...; E[u_n]],   a = tanh(x W_1 + b_1),   p = softmax(a W_2 + b_2)

over the n symbols before, oldest first; without the paper's direct connections.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from ..kernels.dense import LANES, affine, descend, descend_bias, descend_row
from ..kernels.dense import multiply_transposed, tanh_in_place
from ..kernels.elementary import ONE
from .network import Network, learn_output, output_probabilities


class NplmWeights(NamedTuple):
    """float32: (V + 1, d), (n * d, h), (h,), (h, V), (V,)."""

    embedding: np.ndarray
    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray

    def shapes(self, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be, given their own widths."""
        size, dimension, width = vocabulary_size, self.embedding.shape[1], self.hidden_bias.size
        context = max(1, self.hidden_weights.shape[0] // max(1, dimension))
        return [
            (size + 1, dimension), (context * dimension, width), (width,), (width, size), (size,),
        ]  # fmt: skip


class NplmTrace(NamedTuple):
    """Activations of the window: (T + n,) int64, (T, n * d), (T, h), (T, V), (32,)."""

    history: np.ndarray  # the context of step t is history[t : t + n]
    inputs: np.ndarray
    hidden: np.ndarray
    probabilities: np.ndarray
    lanes: np.ndarray


@njit
def nplm_predict(weights, trace, time):
    """Fill the trace's probabilities at `time` from its history."""
    dimension = weights.embedding.shape[1]
    inputs = trace.inputs[time]
    for position in range(inputs.size // dimension):
        first = position * dimension
        inputs[first : first + dimension] = weights.embedding[trace.history[time + position]]
    hidden = trace.hidden[time]
    affine(inputs, weights.hidden_weights, weights.hidden_bias, hidden)
    tanh_in_place(hidden)
    output_probabilities(
        hidden, weights.output_weights, weights.output_bias, trace.lanes, trace.probabilities[time]
    )


@njit
def nplm_learn(weights, trace, targets, step):
    """One step of gradient descent on the window's summed loss; overwrites predictions."""
    times = targets.size
    dimension = weights.embedding.shape[1]
    hidden = trace.hidden[:times]
    delta = np.empty(hidden.shape, np.float32)
    learn_output(
        hidden, weights.output_weights, weights.output_bias,
        trace.probabilities[:times], targets, step, trace.lanes, delta,
    )  # fmt: skip
    for time in range(times):
        for unit in range(hidden.shape[1]):
            delta[time, unit] *= ONE - hidden[time, unit] * hidden[time, unit]
    inputs = trace.inputs[:times]
    back = np.empty(inputs.shape, np.float32)
    multiply_transposed(delta, weights.hidden_weights, trace.lanes, back)
    descend(weights.hidden_weights, inputs, delta, step)
    descend_bias(weights.hidden_bias, delta, step)
    for time in range(times):
        for position in range(inputs.shape[1] // dimension):
            first = position * dimension
            row = weights.embedding[trace.history[time + position]]
            descend_row(row, back[time, first : first + dimension], step)


class Nplm(Network):
    """Bengio's network over the symbols of a vocabulary; owns and may move its weights."""

    def __init__(self, weights: NplmWeights, window: int, reset_state: bool):
        n_rows, dimension = weights.embedding.shape
        super().__init__(n_rows - 1, window, reset_state)
        self.weights = weights
        n_inputs = weights.hidden_weights.shape[0]
        self.context = n_inputs // dimension
        self.trace = NplmTrace(
            history=np.zeros(window + 1 + self.context, np.int64),
            inputs=np.zeros((window + 1, n_inputs), np.float32),
            hidden=np.zeros((window + 1, weights.hidden_bias.size), np.float32),
            probabilities=self.probabilities,
            lanes=np.zeros(LANES, np.float32),
        )
        self._restart()

    def _restart(self) -> None:
        self.trace.history[: self.context] = self.vocabulary_size

    def _predict(self, time: int) -> None:
        nplm_predict(self.weights, self.trace, time)

    def _append(self, time: int, symbol: int) -> None:
        self.trace.history[time + self.context] = symbol

    def _learn(self, count: int, step_size: np.float32) -> None:
        nplm_learn(self.weights, self.trace, self.targets[:count], step_size)

    def _roll(self, count: int) -> None:
        history = self.trace.history
        history[: self.context] = history[count : count + self.context].copy()
