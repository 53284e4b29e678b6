"""The contexts of the next byte: what stands before it, in it, and above it.

Byte contexts of orders 1 to 6; the word so far, with the word before, with the one
before that, and with both; the column, with the character above; the characters above and
to the upper right. For models of text that repeats itself also the word so far with the last
three and the last four words, and byte contexts of orders 7 and 8. A word is a run of letters, digits and bytes from 0x80, in
lower case. Each context is hashed to 64 bits at the byte's beginning.
"""

import numpy as np

from ..kernels import njit

CONTEXTS = 12

# Places in `words` (uint64): the last eight bytes, and hashes of the word so far, the
# word before it, the word before that, and the two before these.
RECENT, WORD, WORD_BEFORE, WORD_BEFORE_THAT, WORD_3, WORD_4 = range(6)
WORDS = 6
#: Kinds of context after three and after four words, and of orders 7 and 8.
AFTER_THREE, AFTER_FOUR, ORDER_7, ORDER_8 = range(38, 42)
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
_TWO_BYTES = np.uint64(16)
_LOW_BYTE = np.uint64(0xFF)
_LONGEST_LINE = 255
_LINE_FEED = 10


@njit
def mix_hash(value, more):
    """A hash of two 64-bit numbers (uint64), in the manner of splitmix64."""
    mixed = (value + _MULTIPLIER) * _SECOND + more * _THIRD
    mixed = (mixed ^ (mixed >> _SHIFT)) * _MULTIPLIER
    return mixed ^ (mixed >> _LAST_SHIFT)


@njit
def last_bytes(words, n):
    """The last n bytes, 1 to 7, as a number."""
    return words[RECENT] & ((np.uint64(1) << np.uint64(8 * n)) - np.uint64(1))


@njit
def set_contexts(words, layout, data, hashes):
    """Fill the first CONTEXTS of `hashes` (uint64) for the byte that comes next."""
    for order in range(1, 7):
        hashes[order - 1] = mix_hash(last_bytes(words, order), np.uint64(order))
    word, before, before_that = words[WORD], words[WORD_BEFORE], words[WORD_BEFORE_THAT]
    hashes[6] = mix_hash(word, np.uint64(7))
    hashes[7] = mix_hash(word, before + _BYTE)
    hashes[8] = mix_hash(word, before_that + np.uint64(9))
    hashes[9] = mix_hash(mix_hash(word, before), before_that + np.uint64(10))
    above = np.uint64(0)
    upper_right = np.uint64(0)
    place = layout[LINE_ABOVE] + layout[COLUMN]
    if place < layout[LINE]:
        above = np.uint64(data[place])
        if place + 1 < layout[LINE]:
            upper_right = np.uint64(data[place + 1])
    column = np.uint64(min(layout[COLUMN], _LONGEST_LINE))
    hashes[10] = mix_hash(column | above << _BYTE, np.uint64(11))
    around = above | upper_right << _BYTE | last_bytes(words, 1) << _TWO_BYTES
    hashes[11] = mix_hash(around, np.uint64(12))


@njit
def set_long_contexts(words, hashes):
    """Fill hashes[AFTER_THREE] to hashes[ORDER_8] (uint64) for the byte that comes next."""
    two = mix_hash(mix_hash(words[WORD], words[WORD_BEFORE]), words[WORD_BEFORE_THAT])
    hashes[AFTER_THREE] = mix_hash(two, words[WORD_3] + np.uint64(39))
    hashes[AFTER_FOUR] = mix_hash(mix_hash(two, words[WORD_3]), words[WORD_4] + np.uint64(40))
    hashes[ORDER_7] = mix_hash(last_bytes(words, 7), np.uint64(7))
    hashes[ORDER_8] = mix_hash(words[RECENT], np.uint64(8))


@njit
def in_word(byte):
    """The byte in lower case if it belongs to words, else -1."""
    if byte >= 128 or 48 <= byte <= 57 or 97 <= byte <= 122:
        return byte
    return byte + 32 if 65 <= byte <= 90 else -1


@njit
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
