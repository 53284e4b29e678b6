"""The spelling cache: an unknown word that was spelled before is a pointer to its spelling.

Method C of Moffat (1990), "Implementing the PPM data compression scheme": with C words
spelled so far, D of them different, a word spelled c times before is a pointer of
probability c / (C + D); a new one is an escape of probability D / (C + D), and its
letters follow. The integers c, D and C + D are themselves the frequencies. An empty
cache codes nothing. Called by forms.py.
"""

import numpy as np

from ..entropy.range_coder import MAXIMUM_TOTAL
from ..kernels import njit


@njit
def _add(tree, index):
    """Add one to the count of `index` in a Fenwick tree (Fenwick 1994), counted from 1."""
    while index < tree.size:
        tree[index] += 1
        index += index & -index


@njit
def _count_before(tree, index):
    """The sum of the counts of 1 .. index - 1."""
    index -= 1
    total = 0
    while index > 0:
        total += tree[index]
        index -= index & -index
    return total


@njit
def _find(tree, target):
    """The index whose interval of the cumulated counts holds `target`."""
    index = 0
    step = tree.size >> 1
    while step > 0:
        if index + step < tree.size and tree[index + step] <= target:
            index += step
            target -= tree[index]
        step >>= 1
    return index + 1


class SpellingCache:
    """All words spelled so far, numbered from 1 as they came, with their counts."""

    def __init__(self):
        self._words = [b""]
        self._numbers: dict[bytes, int] = {}
        self._tree = np.zeros(1 << 10, np.int64)  # a power of two
        self._spelled = 0  # C

    def code(self, coder, word: bytes | None) -> bytes | None:
        """Code a pointer to `word` (None when decoding) or an escape: the word, or None."""
        different = len(self._numbers)
        if not different:
            return None
        total = self._spelled + different
        number = self._numbers.get(word, 0)
        target = different + int(_count_before(self._tree, number)) if number else 0
        target = coder.locate(total, target)
        if target < different:
            coder.narrow(0, different, total)
            return None
        number = int(_find(self._tree, target - different))
        start = int(_count_before(self._tree, number))
        count = int(_count_before(self._tree, number + 1)) - start
        coder.narrow(different + start, count, total)
        return self._words[number]

    def add(self, word: bytes) -> None:
        """Count one more occurrence of `word`; at 2^31 the cache stays as it is."""
        if self._spelled + len(self._numbers) + 2 >= MAXIMUM_TOTAL:
            return
        number = self._numbers.setdefault(word, len(self._words))
        if number == len(self._words):
            self._words.append(word)
            if number == self._tree.size:
                self._grow()
        _add(self._tree, number)
        self._spelled += 1

    def _grow(self) -> None:
        """Double the tree. Only its new middle node, in the doubled tree, covers old counts."""
        size = self._tree.size
        grown = np.zeros(2 * size, np.int64)
        grown[:size] = self._tree
        grown[size] = self._spelled
        self._tree = grown
