"""What stands before the next byte: the last bytes, words, and the place in the line.

A word is a run of letters, digits and bytes from 0x80, in lower case. Contexts are made of
these (registry.py); what only the slow levels follow is in structure.py.
"""

import numpy as np

from ..kernels import njit

# Places in `words` (uint64): the last eight bytes, and hashes of the word so far, the
# word before it, the word before that, and the two before these.
RECENT, WORD, WORD_BEFORE, WORD_BEFORE_THAT, WORD_3, WORD_4 = range(6)
WORDS = 6
# Places in `layout` (int64): the column, where this line and the line above begin, and
# the length of the word so far.
COLUMN, LINE, LINE_ABOVE, WORD_LENGTH = range(4)

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
_THIRD = np.uint64(0x94D049BB133111EB)
_SHIFT = np.uint64(31)
_LAST_SHIFT = np.uint64(29)
_ZERO = np.uint64(0)
_BYTE = np.uint64(8)
_LINE_FEED = 10


@njit(borrowing=True)
def mix_hash(value, more):
    """A hash of two 64-bit numbers (uint64), in the manner of splitmix64."""
    mixed = (value + _MULTIPLIER) * _SECOND + more * _THIRD
    mixed = (mixed ^ (mixed >> _SHIFT)) * _MULTIPLIER
    return mixed ^ (mixed >> _LAST_SHIFT)


@njit(borrowing=True)
def last_bytes(words, n):
    """The last n bytes, 1 to 7, as a number."""
    return words[RECENT] & ((np.uint64(1) << np.uint64(8 * n)) - np.uint64(1))


@njit(borrowing=True)
def in_word(byte):
    """The byte in lower case if it belongs to words, else -1."""
    if byte >= 128 or 48 <= byte <= 57 or 97 <= byte <= 122:
        return byte
    return byte + 32 if 65 <= byte <= 90 else -1


@njit(borrowing=True)
def learn_byte(words, layout, byte, position):
    """Take in the byte (int64) at `position`."""
    words[RECENT] = words[RECENT] << _BYTE | np.uint64(byte)
    letter = in_word(byte)
    if letter >= 0:
        words[WORD] = mix_hash(words[WORD], np.uint64(letter))
        layout[WORD_LENGTH] += 1
    elif words[WORD] != _ZERO:
        words[WORD_4] = words[WORD_3]
        words[WORD_3] = words[WORD_BEFORE_THAT]
        words[WORD_BEFORE_THAT] = words[WORD_BEFORE]
        words[WORD_BEFORE] = words[WORD]
        words[WORD] = _ZERO
        layout[WORD_LENGTH] = 0
    if byte == _LINE_FEED:
        layout[LINE_ABOVE] = layout[LINE]
        layout[LINE] = position + 1
        layout[COLUMN] = 0
    else:
        layout[COLUMN] += 1
