"""The distributions of a model that takes part in the mixture: each part's, and their mixture.

Shared by the kinds of source, mixed_words.py and mixed_bytes.py.
"""

import numpy as np

from ...engine.inputs.sources import FirstWeights
from ...models.model_file import Model
from ...models.settings import tuned
from ..build import prepare_parts
from ..interpolation import mix

#: Steps that a static network keeps, so that what a look ahead has found can stay.
_WINDOW = 16


class PreparedDistributions:
    """What all texts share. Raises ModelError and OptionError where model and predictor do not fit."""

    def __init__(self, model: Model, predictor: str, dynamic: bool, first_weights: FirstWeights):
        settings = tuned(model, predictor, dynamic)
        self.first_weights = first_weights
        self.parts = prepare_parts(model, predictor, dynamic, settings, _WINDOW)
        self.weights = [np.float32(weight) for weight in settings.get("weights", [])]
        self.n_symbols = int(model.card["vocabulary_size"])
        #: Distributions that are inputs: each part's, and their mixture.
        self.n_trees = len(self.parts) + (len(self.parts) > 1)
        for make in self.parts:
            make()  # so that what the model lacks is told now


class Distributions:
    """What moves of them while a text is coded: the predictors."""

    def __init__(self, prepared: PreparedDistributions):
        self.parts = [make() for make in prepared.parts]
        self.weights = prepared.weights
        self._mixture = np.empty(prepared.n_symbols, np.float32)

    def perceive(self, symbol: int) -> None:
        for part in self.parts:
            part.perceive(symbol)

    def predict(self) -> list[np.ndarray]:
        """Each part's distribution of the next symbol, and their mixture."""
        answer = [part.predict() for part in self.parts]
        if len(answer) > 1:
            mixture = answer[-1]
            for weight, probabilities in zip(self.weights[::-1], answer[-2::-1], strict=True):
                mix(weight, probabilities, mixture, self._mixture)
                mixture = self._mixture
            answer.append(mixture)
        return answer
