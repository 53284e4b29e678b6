"""Bit histories that begin with counts: what a training text saw, and the bits since.

Ordinary histories (tables.py) reach only a few of the codes that there are; the free
ones stand for a class of the zeros counted in training, a class of the ones, and up to
two bits seen since. Each has an adaptive probability like any other, so how far such
counts are to be trusted is learnt, not assumed.
"""

import numpy as np

from .. import tables

#: Least count of each class but the first.
_BORDERS = (1, 2, 3, 4, 5, 7, 11, 19, 41, 151)
#: A count that stands for each class.
_TYPICAL = (0.0, 1.0, 2.0, 3.0, 4.0, 5.5, 8.5, 14.0, 28.0, 80.0, 300.0)
#: What each outcome counts for beside what was seen.
_UNSEEN = 0.4

CLASSES = len(_TYPICAL)
#: Counts that are told apart; greater ones are of the last class.
LARGEST_COUNT = _BORDERS[-1]
# The bits since training in order behind a leading one: none, one or the last two.
_SINCE = range(1, 8)


def count_classes() -> np.ndarray:
    """The class of each count up to LARGEST_COUNT, int64."""
    return np.searchsorted(_BORDERS, np.arange(LARGEST_COUNT + 1), side="right").astype(np.int64)


def _codes() -> dict[tuple[int, int, int], int]:
    """The code of each history that begins with counts: (zeros' class, ones' class, bits since)."""
    table = tables.history_table()
    reached, waiting = {0}, [0]
    while waiting:
        for history in table[waiting.pop()].tolist():
            if history not in reached:
                reached.add(history)
                waiting.append(history)
    free = iter([history for history in range(tables.HISTORIES) if history not in reached])
    return {
        (zeros, ones, since): next(free)
        for zeros in range(CLASSES)
        for ones in range(CLASSES)
        if zeros + ones
        for since in _SINCE
    }


def history_table() -> np.ndarray:
    """The history after each bit, uint16 (HISTORIES, 2), of ordinary and counted ones."""
    table, codes = tables.history_table(), _codes()
    for (zeros, ones, since), code in codes.items():
        for bit in (0, 1):
            bits = since << 1 | bit
            table[code, bit] = codes[zeros, ones, bits if bits < 8 else 4 | bits & 3]
    return table


def first_codes() -> np.ndarray:
    """The history that begins with counts of these classes, uint16 (zeros, ones); 0 without any."""
    first = np.zeros((CLASSES, CLASSES), np.uint16)
    for (zeros, ones, since), code in _codes().items():
        if since == 1:
            first[zeros, ones] = code
    return first


def with_first_probabilities(history: np.ndarray) -> np.ndarray:
    """A copy of history maps, uint16 (..., HISTORIES), in which counted histories say what they count."""
    maps = history.copy()
    for (zeros, ones, _), code in _codes().items():
        seen = _TYPICAL[zeros] + _TYPICAL[ones] + 2 * _UNSEEN
        maps[..., code] = int(65535 * (_TYPICAL[ones] + _UNSEEN) / seen)
    return maps
