"""What stands between words: how often each byte begins a gap, goes on in it, or ends it.

The word models say nothing of gaps but whether a sentence ends in one. So the first
byte is learnt apart for gaps that end a sentence and for those that do not, and the rest
by the byte before. Read by word_bytes.py.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit, part
from ...kernels.elementary import ONE

#: The symbol after the bytes, that a word begins; before the first byte, that a gap begins.
WORD = 256

_MOST = 1 << 15
_PRIOR = np.float32(0.02)
_NOTHING = np.float32(0.0)
_STEP = 32


class Gaps(NamedTuple):
    """Counts in steps of 32, and the shares that follow from them."""

    first: np.ndarray  # int32 (2, 256): in a gap without, and with, the end of a sentence
    following: np.ndarray  # int32 (257, 257): after each byte of a gap, or nothing
    first_shares: np.ndarray  # float32 (2, 256)
    shares: np.ndarray  # float32 (257,): of the next byte or word in this gap


def gaps(is_plain: bool) -> Gaps:
    """Before any text: a space, and at a sentence's end a line feed or a full stop."""
    made = Gaps(
        np.zeros((2, 256), np.int32),
        np.zeros((257, 257), np.int32),
        np.zeros((2, 256), np.float32),
        np.zeros(257, np.float32),
    )
    made.first[0, ord(" ")] = _STEP
    made.first[1, ord("\n" if is_plain else ".")] = _STEP
    made.following[:, WORD] = _STEP
    return made


@part
def _share(counts, in_word, shares):
    """Fill shares from counts; bytes of words have none."""
    total = _NOTHING
    for symbol in range(counts.size):
        count = np.float32(counts[symbol]) + _PRIOR
        if symbol < 256 and in_word[symbol]:
            count = _NOTHING
        shares[symbol] = count
        total += count
    scale = ONE / total
    for symbol in range(counts.size):
        shares[symbol] *= scale


@njit(borrowing=True)
def share_first(gaps, in_word):
    """The shares of a gap's first byte, in both kinds of gaps."""
    for kind in range(2):
        _share(gaps.first[kind], in_word, gaps.first_shares[kind])


@njit(borrowing=True)
def share_following(gaps, before, in_word):
    """The shares of what follows `before`, a byte of a gap or WORD."""
    _share(gaps.following[before], in_word, gaps.shares)


@part
def count(counts, symbol):
    """Count a symbol; the past fades."""
    counts[symbol] += _STEP
    if counts[symbol] > _MOST:
        for each in range(counts.size):
            counts[each] >>= 1
