"""The softmax head: one layer of logits, p = softmax(h W_o + b_o).

Output weights may have one column more than there are symbols, for <s>, which is never
predicted: that is how they are the embeddings' table where these are tied to them (Inan,
Khosravi and Socher 2017; Press and Wolf 2017). Where a hidden row is not as long as an
embedding, it goes through a linear projection first: p = softmax(h W_t W_o + b_o).
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import (
    LANES,
    add_product,
    affine,
    descend,
    descend_bias,
    multiply_transposed,
    softmax_in_place,
)
from ...kernels.elementary import ONE

_ZERO = np.float32(0.0)


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
    """The head of most networks (predictors/bodies/network.py says what a head does)."""

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


class ProjectedWeights(NamedTuple):
    """float32: (h, m), (m, V), (V,)."""

    tie_weights: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray

    def shapes(self, width: int, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be for hidden rows of `width` numbers."""
        projected = self.output_weights.shape[0]
        return [(width, projected), (projected, vocabulary_size), (vocabulary_size,)]


@njit
def projected_predict(weights, hidden, lanes, projected, probabilities):
    """projected = hidden @ W_t, and the softmax of that: (h,) -> (m,) -> (V,)."""
    for unit in range(projected.size):
        projected[unit] = _ZERO
    add_product(hidden, weights.tie_weights, projected)
    softmax_predict(weights, projected, lanes, probabilities)


@njit
def projected_learn(weights, hidden, projected, targets, step, lanes, probabilities, back):
    """As softmax_learn, and the projection with it; projected: (T, m)."""
    at_projected = np.empty(projected.shape, np.float32)
    softmax_learn(weights, projected, targets, step, lanes, probabilities, at_projected)
    multiply_transposed(at_projected, weights.tie_weights, lanes, back)
    descend(weights.tie_weights, hidden, at_projected, step)


class ProjectedSoftmax:
    """One softmax after a linear projection (predictors/bodies/network.py says what a head does)."""

    def __init__(self, weights: ProjectedWeights, window: int):
        self.weights = weights
        self.probabilities = np.zeros((window + 1, weights.output_bias.size), np.float32)
        self._projected = np.zeros((window + 1, weights.output_weights.shape[0]), np.float32)
        self._lanes = np.zeros(LANES, np.float32)

    def predict(self, hidden: np.ndarray, time: int) -> None:
        projected, probabilities = self._projected[time], self.probabilities[time]
        projected_predict(self.weights, hidden, self._lanes, projected, probabilities)

    def learn(self, hidden: np.ndarray, targets: np.ndarray, step_size: np.float32) -> np.ndarray:
        back = np.empty(hidden.shape, np.float32)
        projected, probabilities = self._projected[: targets.size], self.probabilities[: targets.size]
        projected_learn(
            self.weights, hidden, projected, targets, step_size, self._lanes, probabilities, back
        )
        return back
