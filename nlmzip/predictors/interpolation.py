"""Linear interpolation of predictors (Jelinek and Mercer 1980), and the uniform floor."""

import numpy as np

from ..kernels import njit

_ONE = np.float32(1.0)


@njit
def mix(weight, first, second, out):
    """out = weight * first + (1 - weight) * second, all (V,); `out` may be `second`."""
    for symbol in range(out.size):
        out[symbol] = weight * first[symbol] + (_ONE - weight) * second[symbol]


class Interpolation:
    """A mixture of predictors with fixed weights.

    `weights[i]` is the share of predictor i in the mixture of it with all after it, so
    one weight is missing: the last predictor takes what the others leave.
    """

    def __init__(self, predictors: list, weights: list[float]):
        if len(weights) != len(predictors) - 1:
            raise ValueError("one weight for each predictor but the last")
        self.predictors = predictors
        self._weights = [np.float32(weight) for weight in weights]
        self._probabilities = np.empty(predictors[0].vocabulary_size, np.float32)
        self.vocabulary_size = self._probabilities.size

    def predict(self) -> np.ndarray:
        """Distribution of the next symbol, float32 (V,); valid until the next call."""
        mixture = self.predictors[-1].predict()
        for predictor, weight in zip(self.predictors[-2::-1], self._weights[::-1]):
            mix(weight, predictor.predict(), mixture, self._probabilities)
            mixture = self._probabilities
        return mixture

    def perceive(self, symbol: int) -> None:
        """Take in the symbol that was coded."""
        for predictor in self.predictors:
            predictor.perceive(symbol)


class Uniform:
    """Every symbol equally likely: what a model must beat."""

    def __init__(self, vocabulary_size: int):
        self.vocabulary_size = vocabulary_size
        self._probabilities = np.full(vocabulary_size, _ONE / np.float32(vocabulary_size))

    def predict(self) -> np.ndarray:
        """The uniform distribution, float32 (V,)."""
        return self._probabilities

    def peek(self, symbol: int) -> np.ndarray:
        """The uniform distribution."""
        return self._probabilities

    def perceive(self, symbol: int) -> None:
        """Nothing changes."""
