"""The only border between float probabilities and the integers that are coded.

frequency = truncate(clamp(p * 2^30, 0, 2^30)) + 1, so every symbol can be coded, and a
float that is wrong by rounding costs bits but never a round trip. The coder's total is
the actual sum of the frequencies; nothing forces it to a power of two. Vocabularies up
to 2^18 keep that total below 2^31. Called by the codecs.
"""

import numpy as np

from ..kernels import njit
from .range_coder import RangeCoder, code_symbol

#: Most symbols that an alphabet may have.
MAXIMUM_SYMBOLS = 1 << 18

#: A probability of one is this frequency, plus one.
RESOLUTION = 1 << 30

_SCALE = np.float32(RESOLUTION)
_ZERO = np.float32(0.0)
_ONE = np.uint32(1)


@njit
def to_frequencies(probabilities, frequencies):
    """Fill `frequencies` (uint32, n) from `probabilities` (float32, n)."""
    for index in range(probabilities.size):
        scaled = probabilities[index] * _SCALE
        scaled = scaled if scaled > _ZERO else _ZERO  # what is no number is zero, too
        scaled = scaled if scaled < _SCALE else _SCALE
        frequencies[index] = np.uint32(np.int32(scaled)) + _ONE


@njit
def _code_probabilities(state, buffer, information, probabilities, frequencies, symbol):
    to_frequencies(probabilities, frequencies)
    return code_symbol(state, buffer, information, frequencies, symbol)


class ProbabilityCoder:
    """Codes symbols under float32 distributions over one alphabet.

    Raises ValueError for an alphabet that could overflow the coder's total.
    """

    def __init__(self, coder: RangeCoder, n_symbols: int):
        if not 1 <= n_symbols <= MAXIMUM_SYMBOLS:
            raise ValueError(f"an alphabet has 1 to {MAXIMUM_SYMBOLS} symbols, not {n_symbols}")
        self._coder = coder
        self._frequencies = np.empty(n_symbols, np.uint32)

    def code(self, probabilities: np.ndarray, symbol: int) -> int:
        """Code `symbol` (ignored when decoding) under float32 probabilities (n,)."""
        coder = self._coder
        coder.reserve(1)
        return _code_probabilities(
            coder.state, coder.buffer, coder.information,
            probabilities, self._frequencies, symbol,
        )  # fmt: skip
