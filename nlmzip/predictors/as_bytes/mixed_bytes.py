"""Networks of bytes as a source of the mixture: each distribution is a tree as it stands.

The kernel stops after every byte, and the predictors plant the trees of the next one. Called by
prepare.py; codec/mix.py has it take part.
"""

from typing import NamedTuple

import numpy as np

from ...engine.inputs.byte_trees import plant
from ...engine.inputs.sources import LIGHT, begin_source, end_source
from ...kernels import part
from ...models.model_file import Model
from ...text.vocabulary import FIRST_WORD
from .distributions import Distributions, PreparedDistributions

_COME = np.int64(1)  # what is told: that a byte has come
_ONE = np.float32(1)


class Bytes(NamedTuple):
    """The kernel's part: which byte has come."""

    byte: np.ndarray  # int64 (1,)


@begin_source.of(Bytes)
@part
def _begin(source):
    pass  # the trees are planted


@end_source.of(Bytes)
@part
def _end(source, byte, position):
    source.byte[0] = byte
    return _COME


class PreparedBytes(PreparedDistributions):
    """A model of bytes as symbols that takes part: what all texts share.

    It always begins with little weight: on the first 20 KB of four dev texts an LSTM of books
    then took 12.5% off, with the weights of words 11.9%.
    """

    def __init__(self, model: Model, predictor: str, dynamic: bool):
        super().__init__(model, predictor, dynamic, LIGHT)

    def taking_part(self, trees: np.ndarray, trust: np.ndarray) -> "MixedBytes":
        """What moves while a text is coded; see engine/inputs/sources.py."""
        return MixedBytes(self, trees, trust)


class MixedBytes:
    """The predictors of a text, and the trees that they plant."""

    def __init__(self, prepared: PreparedBytes, trees: np.ndarray, trust: np.ndarray):
        self.prepared, self.trees = prepared, trees
        self.kernel = Bytes(np.zeros(1, np.int64))
        self._distributions = Distributions(prepared)
        trust[:] = _ONE
        self._plant()

    def perceive(self, told: int, data: np.ndarray) -> None:
        self._distributions.perceive(FIRST_WORD + int(self.kernel.byte[0]))
        self._plant()

    def _plant(self) -> None:
        for tree, probabilities in zip(self.trees, self._distributions.predict(), strict=True):
            plant(probabilities[FIRST_WORD:], tree)
