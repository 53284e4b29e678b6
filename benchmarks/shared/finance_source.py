"""The source of the finance corpus as a contestant: what a coder that knows it would need.

Called by heldout_table.py, networks.py and training_starts.py.
"""

import math
from typing import NamedTuple

import numpy as np


class SourceBits(NamedTuple):
    """expected: bits, characters and tokens of a sentence; token_bits: -log2 P, float64 (N,)."""

    expected: tuple[float, float, float]
    token_bits: np.ndarray


def source_bits(data: bytes) -> SourceBits | None:
    """The text under its true source; None for a text that the source cannot say."""
    from corpora.finance import source

    bits = []
    for line in data.decode(errors="replace").splitlines():
        bits.extend(-each for each in source.word_log2_probabilities(line.split()))
        if math.isinf(bits[-1]):
            return None
    return SourceBits(source.finance_source().expectations(), np.array(bits))
