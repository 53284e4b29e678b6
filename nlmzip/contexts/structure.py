"""What a text's structure suggests, for the slow levels: more of what stands before the next byte.

Older bytes, classes of characters, what followed the last bytes before, words with what is
between them, fields of a line, keys and their values, whole characters of UTF-8. Contexts are
made of these (registry.py).
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from .basic import (
    RECENT,
    WORD,
    WORD_BEFORE_THAT,
    WORD_LENGTH,
    in_word,
    mix_hash,
)

# Places in `marks` (uint64).
(
    OLDER,  # the eight bytes before the last eight
    CLASSES,  # classes of the last sixteen bytes, four bits each
    PLAIN,  # the last eight bytes in lower case, digits as 0
    LETTERS,  # the last eight bytes that belong to words, in lower case
    THIRD,  # hash of the word before the word before that
    GAP,  # hash of the bytes between this word and the one before
    ENDING,  # last three bytes of the word before
    ENDING_BEFORE,
    FIELD,  # hash of the field so far
    FIRST_WORD,  # hash of the line's first word
    TEXT,  # hash of the quoted text so far
    KEY,  # hash of the key whose value this is
    CHARACTER,  # the last character of UTF-8, perhaps unfinished
    BEFORE_1,  # the characters before it
    BEFORE_2,
    BEFORE_3,
) = range(16)
# Places in `counts` (int64): number of this line's field, where it begins, bytes that the
# character lacks, whether the line's indentation is over, its length, and the position.
FIELD_NUMBER, FIELD_BEGIN, LACKING, INDENTED, INDENTATION, POSITION = range(6)

MOST_FIELDS = 64
VALUES = 1 << 12

_U = np.uint64
_BYTE, _HALF_BYTE = _U(8), _U(4)
_MASK_1, _MASK_2 = _U(0xFF), _U(0xFFFF)
_VALUE_MASK = _U(VALUES - 1)
_ZERO = _U(0)
_ONE = _U(1)


class Structure(NamedTuple):
    marks: np.ndarray  # uint64 (16,)
    counts: np.ndarray  # int64 (6,)
    fields: np.ndarray  # int64 (2, MOST_FIELDS): where fields begin, in this line and above
    values: np.ndarray  # uint64 (VALUES,): hash of the last value of each key
    followers: np.ndarray  # uint64 (256,): the last bytes that followed each byte
    followers_2: np.ndarray  # uint64 (65536,): and each pair


def structure() -> Structure:
    """Of a text of which nothing was read."""
    return Structure(
        np.zeros(16, np.uint64),
        np.zeros(6, np.int64),
        np.zeros((2, MOST_FIELDS), np.int64),
        np.zeros(VALUES, np.uint64),
        np.zeros(256, np.uint64),
        np.zeros(1 << 16, np.uint64),
    )


@njit(borrowing=True)
def value_place(key):
    """Where the last value of this key (a hash, uint64) is kept."""
    return np.int64(key & _VALUE_MASK)


@njit(borrowing=True)
def _plain(byte):
    """The byte in lower case, a digit as 0."""
    if 48 <= byte <= 57:
        return np.int64(48)
    return byte + 32 if 65 <= byte <= 90 else byte


@njit(borrowing=True)
def _is_separator(byte):
    """Comma, semicolon, tabulator, bar."""
    return byte == 44 or byte == 59 or byte == 9 or byte == 124


@njit(borrowing=True)
def _learn_characters(marks, counts, byte):
    if 128 <= byte < 192:
        marks[CHARACTER] = marks[CHARACTER] << _BYTE | np.uint64(byte)
        counts[LACKING] = max(counts[LACKING] - 1, 0)
        return
    marks[BEFORE_3] = marks[BEFORE_2]
    marks[BEFORE_2] = marks[BEFORE_1]
    marks[BEFORE_1] = marks[CHARACTER]
    marks[CHARACTER] = np.uint64(byte)
    counts[LACKING] = 0 if byte < 192 else 1 if byte < 224 else 2 if byte < 240 else 3


@njit(borrowing=True)
def _learn_fields(known, byte, position):
    marks, counts = known.marks, known.counts
    if byte == 10:
        for number in range(MOST_FIELDS):
            known.fields[1, number] = known.fields[0, number] if number <= counts[FIELD_NUMBER] else 0
        counts[FIELD_NUMBER] = 0
        counts[INDENTED] = 0
        counts[INDENTATION] = 0
        marks[FIRST_WORD] = _ZERO
    elif _is_separator(byte):
        counts[FIELD_NUMBER] = min(counts[FIELD_NUMBER] + 1, MOST_FIELDS - 1)
    else:
        marks[FIELD] = mix_hash(marks[FIELD], np.uint64(byte))
        if counts[INDENTED] == 0:
            if byte == 32:
                counts[INDENTATION] += 1
            else:
                counts[INDENTED] = 1
        return
    marks[FIELD] = _ZERO
    counts[FIELD_BEGIN] = position + 1
    known.fields[0, counts[FIELD_NUMBER]] = position + 1


@njit(borrowing=True)
def _learn_values(known, byte):
    """Keys are what stands before a colon or an equals sign; a value ends at , } ] or the line's end."""
    marks = known.marks
    if byte == 58 or byte == 61:
        marks[KEY] = marks[TEXT]
        marks[TEXT] = _ZERO
    elif byte == 44 or byte == 10 or byte == 125 or byte == 93 or byte == 59:
        if marks[TEXT] != _ZERO:
            known.values[value_place(marks[KEY])] = marks[TEXT]
        marks[TEXT] = _ZERO
    elif byte != 32 and byte != 34:
        marks[TEXT] = mix_hash(marks[TEXT], np.uint64(byte))


@njit(borrowing=True)
def learn_structure(known, words, layout, classes, byte, position):
    """Take in the byte (int64) at `position`, before basic.learn_byte does."""
    marks = known.marks
    recent = words[RECENT]
    marks[OLDER] = marks[OLDER] << _BYTE | recent >> _U(56)
    marks[CLASSES] = marks[CLASSES] << _HALF_BYTE | np.uint64(classes[byte])
    marks[PLAIN] = marks[PLAIN] << _BYTE | np.uint64(_plain(byte))
    letter = in_word(byte)
    if letter >= 0:
        marks[LETTERS] = marks[LETTERS] << _BYTE | np.uint64(letter)
    else:
        if words[WORD] != _ZERO:
            marks[THIRD] = words[WORD_BEFORE_THAT]
            marks[ENDING_BEFORE] = marks[ENDING]
            length = min(layout[WORD_LENGTH], 3)
            marks[ENDING] = marks[LETTERS] & ((_ONE << np.uint64(8 * length)) - _ONE)
            if marks[FIRST_WORD] == _ZERO:
                marks[FIRST_WORD] = words[WORD]
            marks[GAP] = _ZERO
        marks[GAP] = mix_hash(marks[GAP], np.uint64(byte))
    _learn_characters(marks, known.counts, byte)
    _learn_fields(known, byte, position)
    _learn_values(known, byte)
    last = np.int64(recent & _MASK_1)
    pair = np.int64(recent & _MASK_2)
    known.followers[last] = known.followers[last] << _BYTE | np.uint64(byte)
    known.followers_2[pair] = known.followers_2[pair] << _BYTE | np.uint64(byte)
    known.counts[POSITION] = position + 1
