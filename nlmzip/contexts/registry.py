"""Every context of the next byte: its name, its number, what it hashes, and whether it can be counted.

A context is one row below and one branch of `context_hash`. Designs (engine/profiles.py) say by
name which contexts they look at. Its number is also its salt, which tells equal values of two
contexts apart. Number and branch never change once archives were written: a better context
gets a new number. Those that can be counted are in the trie of counts (counts/trie.py), too,
and have a number there. Called by engine/loop.py, counts/ and training/counts/.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from .basic import (
    COLUMN,
    LINE,
    LINE_ABOVE,
    RECENT,
    WORD,
    WORD_3,
    WORD_4,
    WORD_BEFORE,
    WORD_BEFORE_THAT,
    last_bytes,
    mix_hash,
)
from .structure import (
    BEFORE_1,
    BEFORE_2,
    CHARACTER,
    CLASSES,
    ENDING,
    ENDING_BEFORE,
    FIELD,
    FIELD_BEGIN,
    FIELD_NUMBER,
    FIRST_WORD,
    GAP,
    INDENTATION,
    KEY,
    LACKING,
    LETTERS,
    OLDER,
    PLAIN,
    POSITION,
    TEXT,
    THIRD,
    value_place,
)


class Context(NamedTuple):
    """structural: whether it needs a text's structure, which finer designs alone follow;
    counted: its number in the trie of counts, None if it is never counted."""

    name: str
    number: int
    structural: bool
    counted: int | None


#: All contexts by name.
CONTEXTS: dict[str, Context] = {}


def _context(number: int, name: str, structural: bool = False, counted: int | None = None) -> int:
    CONTEXTS[name] = Context(name, number, structural, counted)
    return number


# The last bytes.
ORDER_1 = _context(0, "order 1", counted=0)
ORDER_2 = _context(1, "order 2", counted=1)
ORDER_3 = _context(2, "order 3", counted=2)
ORDER_4 = _context(3, "order 4", counted=3)
ORDER_5 = _context(4, "order 5", counted=4)
ORDER_6 = _context(5, "order 6", counted=5)
ORDER_7 = _context(40, "order 7", counted=14)
ORDER_8 = _context(41, "order 8", counted=15)
# The word so far (basic.py), alone or with words before it.
SINGLE_WORD = _context(6, "word", counted=6)
AFTER_ONE = _context(7, "after one word", counted=7)
SKIPPING_ONE = _context(8, "skipping one word", counted=8)
AFTER_TWO = _context(9, "after two words", counted=9)
AFTER_THREE = _context(38, "after three words", counted=11)
AFTER_FOUR = _context(39, "after four words", counted=12)
# The column and the character above; the ones above and to the upper right, and the last byte.
IN_COLUMN = _context(10, "column", counted=10)
ABOVE = _context(11, "above")
# Longer and gapped orders, by how far back the bytes are; the first is that of order 8 hashed
# otherwise than where it can be counted.
EIGHT_BYTES = _context(12, "eight bytes", structural=True)
TWELVE_BYTES = _context(13, "twelve bytes", structural=True)
BYTES_2_TO_3 = _context(14, "bytes 2 to 3", structural=True)
BYTES_2_TO_4 = _context(15, "bytes 2 to 4", structural=True)
BYTES_1_AND_3 = _context(16, "bytes 1 and 3", structural=True)
BYTES_3_TO_4 = _context(17, "bytes 3 to 4", structural=True)
# Classes of characters; lower case with digits as 0.
TWELVE_CLASSES = _context(18, "twelve classes", structural=True)
SIXTEEN_CLASSES = _context(36, "sixteen classes", structural=True)
SIX_PLAIN = _context(19, "six in lower case", structural=True)
# What followed the last byte, or the last two, the three times before (Mahoney's paq8: indirect).
FOLLOWERS_1 = _context(20, "followers of one byte", structural=True)
FOLLOWERS_2 = _context(21, "followers of two bytes", structural=True)
# More of words.
THREE_WORDS = _context(22, "three words", structural=True)
WORD_GAP = _context(23, "gap before the word", structural=True)
ENDINGS = _context(24, "endings of words", structural=True)
WORDS_BEFORE = _context(37, "words before this one", structural=True)
# Fields of a line, keys and their values, how the line begins.
IN_FIELD = _context(25, "field", structural=True)
ABOVE_IN_FIELD = _context(26, "above in the field", structural=True)
AFTER_KEY = _context(27, "key", structural=True)
KEY_AND_PLAIN = _context(42, "key and three in lower case", structural=True)
LAST_VALUE = _context(28, "last value of the key", structural=True)
LINES_FIRST_WORD = _context(29, "first word of the line", structural=True)
INDENTED = _context(35, "indentation", structural=True)
# Whole characters of UTF-8 where the last byte is none of ASCII, else what letters say.
CHARACTERS_1 = _context(30, "character", structural=True)
CHARACTERS_2 = _context(31, "two characters", structural=True)
CHARACTERS_3 = _context(32, "three characters", structural=True)
CHARACTER_SKIPPED = _context(33, "skipping one character", structural=True)
# The byte that the longest match expects.
MATCHED = _context(34, "match", structural=True)

#: Numbers of those that can be counted, by their number in the trie.
COUNTED = {context.counted: context.number for context in CONTEXTS.values() if context.counted is not None}

_U = np.uint64
_BYTE, _TWO, _THREE = _U(8), _U(16), _U(24)
_MASK_1, _MASK_2, _MASK_3 = _U(0xFF), _U(0xFFFF), _U(0xFFFFFF)
_MASK_4, _MASK_5, _MASK_6 = _U(0xFFFFFFFF), _U(0xFFFFFFFFFF), _U(0xFFFFFFFFFFFF)
_FIRST_AND_THIRD = _U(0xFF00FF)
_ASCII = _U(128)
_FOUND = _U(256)  # tells a byte above from none
_ZERO = _U(0)
_LONGEST_LINE = 255


def numbers(names: tuple[str, ...]) -> np.ndarray:
    """The numbers of contexts by their names, int64 (n,). Raises KeyError for a name that is none."""
    return np.array([CONTEXTS[name].number for name in names], np.int64)


@njit(borrowing=True)
def _salt(number):
    """The salt of a context, uint64."""
    return np.uint64(number + 1)


@njit(borrowing=True)
def hash_of_order(order, recent):
    """Of the last bytes, as many as the order says; recent: uint64, these alone."""
    return mix_hash(recent, np.uint64(order))


@njit(borrowing=True)
def hash_of_words(number, word, first, second, third, fourth):
    """Of a word so far alone, or with some of the four before it, the last one first; all uint64."""
    salt = _salt(number)
    if number == SINGLE_WORD:
        return mix_hash(word, salt)
    if number == AFTER_ONE:
        return mix_hash(word, first + salt)
    if number == SKIPPING_ONE:
        return mix_hash(word, second + salt)
    one = mix_hash(word, first)
    if number == AFTER_TWO:
        return mix_hash(one, second + salt)
    two = mix_hash(one, second)
    if number == AFTER_THREE:
        return mix_hash(two, third + salt)
    return mix_hash(mix_hash(two, third), fourth + salt)


@njit(borrowing=True)
def hash_of_column(column_and_above):
    """Of the column, at most 255, with the character above it in the next eight bits, uint64."""
    return mix_hash(column_and_above, _salt(IN_COLUMN))


@njit(borrowing=True)
def _above(layout, data):
    """The characters above and to the upper right, uint64 each, 0 where there is none."""
    above, upper_right = _ZERO, _ZERO
    place = layout[LINE_ABOVE] + layout[COLUMN]
    if place < layout[LINE]:
        above = np.uint64(data[place])
        if place + 1 < layout[LINE]:
            upper_right = np.uint64(data[place + 1])
    return above, upper_right


@njit(borrowing=True)
def _hash_of_characters(marks, lacking, n):
    """Of the last n whole characters of UTF-8 and what there is of the next one."""
    hashed = mix_hash(marks[CHARACTER], np.uint64(n))
    whole = n if lacking else n - 1
    for index in range(whole):
        hashed = mix_hash(hashed, marks[BEFORE_1 + index])
    return hashed


@njit(inline=True, borrowing=True)
def context_hash(number, words, layout, data, known, expected):
    """The hash, uint64, of the context of this number for the byte that comes next.

    words, layout: see basic.py; data: uint8, the text so far; known: Structure, or None, with
    which a structural context is none; expected: uint64, the match's byte with its trust, or 0.
    """
    if number <= ORDER_6:
        return hash_of_order(number + 1, last_bytes(words, number + 1))
    if number == ORDER_7:
        return hash_of_order(7, last_bytes(words, 7))
    if number == ORDER_8:
        return hash_of_order(8, words[RECENT])
    word, before, before_that = words[WORD], words[WORD_BEFORE], words[WORD_BEFORE_THAT]
    if SINGLE_WORD <= number <= AFTER_TWO or number == AFTER_THREE or number == AFTER_FOUR:
        return hash_of_words(number, word, before, before_that, words[WORD_3], words[WORD_4])
    salt, last = _salt(number), words[RECENT] & _MASK_1
    if number == IN_COLUMN:
        above, _ = _above(layout, data)
        return hash_of_column(np.uint64(min(layout[COLUMN], _LONGEST_LINE)) | above << _BYTE)
    if number == ABOVE:
        above, upper_right = _above(layout, data)
        return mix_hash(above | upper_right << _BYTE | last << _TWO, salt)
    if known is not None:
        return _structural_hash(number, words, layout, data, known, expected)
    return _ZERO


@njit(inline=True, borrowing=True)
def _structural_hash(number, words, layout, data, known, expected):
    marks, counts = known.marks, known.counts
    recent, salt = words[RECENT], _salt(number)
    word, before, before_that = words[WORD], words[WORD_BEFORE], words[WORD_BEFORE_THAT]
    last = recent & _MASK_1
    # Beside the last byte or two, the salt stands above them.
    beside_last, beside_two = last + (salt << _BYTE), (recent & _MASK_2) + (salt << _THREE)
    if number == EIGHT_BYTES:
        return mix_hash(recent, salt)
    if number == TWELVE_BYTES:
        return mix_hash(mix_hash(recent, marks[OLDER] & _MASK_4), salt)
    if number == BYTES_2_TO_3:
        return mix_hash(recent >> _BYTE & _MASK_2, salt)
    if number == BYTES_2_TO_4:
        return mix_hash(recent >> _BYTE & _MASK_3, salt)
    if number == BYTES_1_AND_3:
        return mix_hash(recent & _FIRST_AND_THIRD, salt)
    if number == BYTES_3_TO_4:
        return mix_hash(recent >> _TWO & _MASK_2, salt)
    if number == TWELVE_CLASSES:
        return mix_hash(marks[CLASSES] & _MASK_6, beside_last)
    if number == SIXTEEN_CLASSES:
        return mix_hash(marks[CLASSES], beside_two)
    if number == SIX_PLAIN:
        return mix_hash(marks[PLAIN] & _MASK_6, salt)
    if number == FOLLOWERS_1:
        return mix_hash(known.followers[np.int64(last)] & _MASK_3, beside_last)
    if number == FOLLOWERS_2:
        return mix_hash(known.followers_2[np.int64(recent & _MASK_2)] & _MASK_3, beside_last)
    if number == THREE_WORDS:
        return mix_hash(mix_hash(mix_hash(word, before), before_that), marks[THIRD] + salt)
    if number == WORD_GAP:
        return mix_hash(mix_hash(word, marks[GAP]), before + salt)
    if number == ENDINGS:
        return mix_hash(mix_hash(word, marks[ENDING]), marks[ENDING_BEFORE] + salt)
    if number == WORDS_BEFORE:
        return mix_hash(mix_hash(before, before_that), beside_last)
    field_number = np.uint64(counts[FIELD_NUMBER])
    if number == IN_FIELD:
        return mix_hash(mix_hash(marks[FIELD], field_number), salt)
    if number == ABOVE_IN_FIELD:
        above = _ZERO
        begin = known.fields[1, counts[FIELD_NUMBER]]
        place = begin + counts[POSITION] - counts[FIELD_BEGIN]
        if place < layout[LINE] and begin > 0:
            above = np.uint64(data[place]) | _FOUND
            if place + 1 < layout[LINE]:
                above |= np.uint64(data[place + 1]) << _TWO
        return mix_hash(mix_hash(above, last), field_number + (salt << _BYTE))
    if number == AFTER_KEY:
        return mix_hash(mix_hash(marks[KEY], marks[TEXT]), salt)
    if number == KEY_AND_PLAIN:
        return mix_hash(mix_hash(marks[KEY], marks[PLAIN] & _MASK_3), salt)
    if number == LAST_VALUE:
        previous = known.values[value_place(marks[KEY])]
        return mix_hash(mix_hash(marks[KEY], previous), marks[TEXT] + salt)
    if number == LINES_FIRST_WORD:
        return mix_hash(mix_hash(marks[FIRST_WORD], word), beside_last)
    if number == INDENTED:
        return mix_hash(np.uint64(counts[INDENTATION]), beside_two)
    ascii, lacking = last < _ASCII, counts[LACKING] > 0
    if number == CHARACTERS_1:
        if ascii:
            return mix_hash(marks[PLAIN] & _MASK_4, salt)
        return mix_hash(_hash_of_characters(marks, lacking, 1), salt)
    if number == CHARACTERS_2:
        if ascii:
            return mix_hash(marks[LETTERS] & _MASK_5, beside_last)
        return mix_hash(_hash_of_characters(marks, lacking, 2), salt)
    if number == CHARACTERS_3:
        if ascii:
            return mix_hash(marks[LETTERS], beside_last)
        return mix_hash(_hash_of_characters(marks, lacking, 3), salt)
    if number == CHARACTER_SKIPPED:
        if ascii:
            return mix_hash(recent >> _BYTE & _MASK_4, salt)
        skipped = marks[BEFORE_2] if lacking else marks[BEFORE_1]
        partial = marks[CHARACTER] if lacking else _ZERO
        return mix_hash(mix_hash(skipped, partial), salt)
    if number == MATCHED:
        return mix_hash(expected, beside_last)
    return _ZERO


@njit(borrowing=True)
def set_contexts(numbers, words, layout, data, known, expected, hashes):
    """Fill `hashes` (uint64 (n,)) of the contexts of these numbers (int64 (n,)); see context_hash."""
    for place in range(numbers.size):
        hashes[place] = context_hash(numbers[place], words, layout, data, known, expected)
