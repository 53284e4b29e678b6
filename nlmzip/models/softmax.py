"""The softmax head: one layer of logits, p = softmax(h W_o + b_o)."""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from ..kernels.dense import LANES, affine, descend, descend_bias, multiply_transposed, softmax_in_place
from ..kernels.elementary import ONE


class SoftmaxWeights(NamedTuple):
    """float32: (h, V), (V,)."""

    output_weights: np.ndarray
    output_bias: np.ndarray

    def shapes(self, width: int, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be for hidden rows of `width` numbers."""
        return [(width, vocabulary_size), (vocabulary_size,)]


@njit
def softmax_predict(weights, hidden, lanes, probabilities):
    """probabilities = softmax(hidden @ W_o + b_o): (h,) -> (V,)."""
    affine(hidden, weights.output_weights, weights.output_bias, probabilities)
    softmax_in_place(probabilities, lanes)


@njit
def softmax_learn(weights, hidden, targets, step, lanes, probabilities, back):
    """One step of gradient descent; the gradient at `hidden` in `back`, both (T, h).

    With p the predictions (T, V) and y the targets, the gradient of the summed loss at
    the logits is p - e_y, and it replaces the predictions.
    """
    for time in range(targets.size):
        probabilities[time, targets[time]] -= ONE
    multiply_transposed(probabilities, weights.output_weights, lanes, back)
    descend(weights.output_weights, hidden, probabilities, step)
    descend_bias(weights.output_bias, probabilities, step)


class Softmax:
    """The head of most networks (models/network.py says what a head does)."""

    def __init__(self, weights: SoftmaxWeights, window: int):
        self.weights = weights
        self.probabilities = np.zeros((window + 1, weights.output_bias.size), np.float32)
        self._rows = list(self.probabilities)
        self._lanes = np.zeros(LANES, np.float32)

    def predict(self, hidden: np.ndarray, time: int) -> None:
        softmax_predict(self.weights, hidden, self._lanes, self._rows[time])

    def learn(self, hidden: np.ndarray, targets: np.ndarray, step_size: np.float32) -> np.ndarray:
        back = np.empty(hidden.shape, np.float32)
        probabilities = self.probabilities[: targets.size]
        softmax_learn(self.weights, hidden, targets, step_size, self._lanes, probabilities, back)
        return back
