"""The bijection between byte strings and sequences of tokens.

A token is a word with the gap before it, or the end of a sentence, </s>: an empty word
with the gap that it stands for. The text is all gaps and words in turn, so any
tokeniser below is undone by joining them. No token is empty as a whole. Called by
forms.py.

Plain text: every line is words separated by one space, and every line ends in a line
feed. Its gaps follow from its words. General text: anything. A word is a maximal run of
ASCII letters, digits and bytes from 0x80, so that words of any superset of ASCII stay
together; a gap is everything between two words. Both are cut at MAXIMUM_LENGTH bytes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

#: Longest word and longest gap, in bytes (archive format 1).
MAXIMUM_LENGTH = 64


class Token(NamedTuple):
    """The bytes of a gap and of the word that follows it; the word of </s> is empty."""

    gap: bytes
    word: bytes

    @property
    def text(self) -> bytes:
        return self.gap + self.word


_GAP_AND_WORD = re.compile(rb"([^0-9A-Za-z\x80-\xff]{0,64})([0-9A-Za-z\x80-\xff]{0,64})")
_SENTENCE_END = re.compile(rb"[.!?][\"')\]]*\s|\n[ \t\r]*\n")


def is_plain(data: bytes) -> bool:
    """Whether `data` has the plain form: single spaces, whole lines, no overlong word."""
    if not data:
        return True
    if data[-1:] != b"\n" or data[:1] == b" ":
        return False
    if b"  " in data or b"\n " in data or b" \n" in data:
        return False
    words = data.replace(b"\n", b" ").split(b" ")
    return max(map(len, words)) <= MAXIMUM_LENGTH


def plain_tokens(data: bytes) -> Iterator[Token]:
    """The tokens of plain text: words, and a </s> at the end of every line."""
    for line in data.split(b"\n")[:-1]:
        gap = b""
        for word in line.split(b" ") if line else ():
            yield Token(gap, word)
            gap = b" "
        yield Token(b"\n", b"")


def general_tokens(data: bytes) -> Iterator[Token]:
    """The tokens of any bytes.

    A gap is a </s> if it ends a sentence, if it begins the text, and if no word follows
    it (the text ends, or the gap is longer than MAXIMUM_LENGTH and goes on). So the
    word after a </s>, and only a word, has an empty gap for certain.
    """
    at_start = True
    for match in _GAP_AND_WORD.finditer(data):
        gap, word = match.groups()
        if gap and (at_start or not word or ends_sentence(gap)):
            yield Token(gap, b"")
            gap, at_start = b"", True
        if word:
            yield Token(gap, word)
            at_start = False


@lru_cache(maxsize=1 << 12)
def ends_sentence(gap: bytes) -> bool:
    """Whether a sentence ends in this gap: a full stop and white space, or an empty line."""
    return _SENTENCE_END.search(gap) is not None
