"""Constants that the engine looks up: the logistic domain, learning rates, bit histories.

All are made of integers and single IEEE operations, so they are the same everywhere.
"""

import numpy as np

from ..kernels import njit
from ..kernels.elementary import ONE, exp
from .geometry import HISTORIES

#: Observations after which a probability's learning rate stays as it is.
MOST_OBSERVATIONS = 62

_MOST_SEEN = 7
# What is left of a count of the other bit: old evidence is worth little once it fails.
_AFTER_SURPRISE = (0, 1, 2, 2, 3, 3, 3, 4)


def reciprocal_table() -> np.ndarray:
    """65536 / (n + 3/2), int64 (64,): the learning rate after n observations."""
    return np.array([(1 << 17) // (2 * n + 3) for n in range(64)], np.int64)


def history_table() -> np.ndarray:
    """The history after each bit, uint16 (1024, 2).

    A history holds how often 0 and 1 were seen, each up to 7 and cut when the other one
    comes, and the last three bits in order (a leading one marks how many there are).
    """
    table = np.zeros((HISTORIES, 2), np.uint16)
    for history in range(HISTORIES):
        counts, recent = [history >> 7, history >> 4 & 7], history & 15
        for bit in (0, 1):
            after = [_AFTER_SURPRISE[count] for count in counts]
            after[bit] = min(counts[bit] + 1, _MOST_SEEN)
            bits = max(recent, 1) << 1 | bit
            bits = bits if bits < 16 else 8 | bits & 7
            table[history, bit] = after[0] << 7 | after[1] << 4 | bits
    return table


def first_history_probabilities() -> np.ndarray:
    """What a history says before anything is known of it, uint16 (1024,): (n1 + 1/2) / (n + 1)."""
    zeros, ones = np.arange(HISTORIES) >> 7, np.arange(HISTORIES) >> 4 & 7
    return (65536 * (2 * ones + 1) // (2 * (zeros + ones) + 2)).astype(np.uint16)


def character_classes() -> np.ndarray:
    """A class from 0 to 7 for each byte, int64 (256,)."""
    classes = np.zeros(256, np.int64)
    classes[128:] = 7
    for letter in b"abcdefghijklmnopqrstuvwxyz":
        classes[letter] = 2 if letter in b"aeiou" else 1
        classes[letter - 32] = 3
    classes[list(b"0123456789")] = 4
    classes[ord(" ")] = 5
    classes[[10, 13]] = 6
    return classes


@njit(borrowing=True)
def squash(logit):
    """1 / (1 + e^-logit), the inverse of stretch."""
    return ONE / (ONE + exp(-logit))
