"""The bits of every token under every predictor, from the coder that makes archives.

The words codec runs over the text once for each predictor, as `nlmzip encode` would; what
it takes is told apart by token and by kind. Called by payload.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..codec.words import WordCoder, WordSettings
from ..entropy.range_coder import Encoder
from ..models.model_file import Model
from ..text.tokens import Token

#: Called with the bytes done and the bytes in all.
Progress = Callable[[int, int], None]

_TOKENS_PER_REPORT = 256


class PredictorBits(NamedTuple):
    """What a text takes under one predictor. The arrays are float64, one value a token.

    words: bits of the symbols; spelling: of unknown words' letters; other: of letter case
    and gaps. information: all of them, as the coder sums them. payload_bytes: what it wrote.
    """

    words: np.ndarray
    spelling: np.ndarray
    other: np.ndarray
    information: float
    payload_bytes: int

    @property
    def total(self) -> np.ndarray:
        """All bits of each token, float64 (T,)."""
        return self.words + self.spelling + self.other


class Reading(NamedTuple):
    """A text as a model reads it: its tokens, and their symbols (int64, (T,))."""

    tokens: list[Token]
    symbols: np.ndarray


def measure(
    data: bytes, model: Model, settings: WordSettings, progress: Progress
) -> tuple[Reading, PredictorBits]:
    """Encode `data` with the words codec and tell where the information went.

    Raises ModelError and OptionError where model and settings do not fit.
    """
    coder = Encoder()
    words = WordCoder(coder, model, settings)
    kinds = words.form.bits
    tokens, symbols, bits = [], [], []
    before = spelling_before = details_before = 0.0
    done = 0
    for token in words.form.tokens(data):
        _, symbol = words.code(token)
        after, spelling, details = coder.bits, kinds["spelling"], sum(kinds.values())
        spelled, detailed = spelling - spelling_before, details - details_before
        bits.append((after - before - detailed, spelled, detailed - spelled))
        before, spelling_before, details_before = after, spelling, details
        tokens.append(token)
        symbols.append(symbol)
        done += len(token.text)
        if len(tokens) % _TOKENS_PER_REPORT == 0:
            progress(done, len(data))
    columns = np.array(bits, np.float64).reshape(-1, 3).T
    made = PredictorBits(*columns, information=coder.bits, payload_bytes=len(coder.finish()))
    return Reading(tokens, np.array(symbols, np.int64)), made
