"""The vocabulary: which words, in which order, and how they are stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.errors import ModelError
from nlmzip.text.vocabulary import (
    FIRST_WORD,
    MAXIMUM_SIZE,
    SENTENCE_END,
    UNKNOWN,
    Vocabulary,
)

WORDS = st.sets(st.binary(min_size=1, max_size=4).filter(lambda word: b"\n" not in word))


@given(WORDS)
def test_words_survive_packing(words):
    vocabulary = Vocabulary(words)
    packed = vocabulary.pack()
    assert packed.dtype == "uint8"
    assert Vocabulary.unpack(packed).words == vocabulary.words


@given(WORDS)
def test_symbols_follow_the_order_of_bytes(words):
    vocabulary = Vocabulary(words)
    assert len(vocabulary) == vocabulary.sentence_start == FIRST_WORD + len(words)
    assert [vocabulary.symbol(word) for word in sorted(words)] == list(
        range(FIRST_WORD, len(vocabulary))
    )
    assert all(vocabulary.words[vocabulary.symbol(word)] == word for word in words)


def test_other_words_are_unknown():
    vocabulary = Vocabulary([b"a", b"c"])
    assert vocabulary.symbol(b"b") == UNKNOWN
    assert vocabulary.symbol(b"") == UNKNOWN
    assert b"a" in vocabulary and b"b" not in vocabulary


def test_the_most_frequent_words_are_chosen_then_the_first():
    counts = {b"rare": 1, b"z": 5, b"b": 2, b"a": 2, b"c": 2}
    assert Vocabulary.of_counts(counts, maximum_size=5).words[FIRST_WORD:] == [b"a", b"b", b"z"]
    assert Vocabulary.of_counts(counts, least_count=2).words[FIRST_WORD:] == [
        b"a",
        b"b",
        b"c",
        b"z",
    ]


def test_no_words_are_a_vocabulary():
    vocabulary = Vocabulary.of_counts({}, maximum_size=1)
    assert len(vocabulary) == FIRST_WORD
    assert len(Vocabulary.unpack(vocabulary.pack())) == FIRST_WORD
    assert vocabulary.symbol(b"a") == UNKNOWN != SENTENCE_END


@pytest.mark.parametrize("words", [[b""], [b"a", b"a"]])
def test_words_that_cannot_be_are_refused(words):
    with pytest.raises(ModelError):
        Vocabulary(words)


def test_a_word_with_a_line_feed_is_not_stored():
    with pytest.raises(ValueError, match="line feed"):
        Vocabulary([b"a\nb"]).pack()


def test_bytes_are_words_in_their_order():
    vocabulary = Vocabulary.of_bytes()
    assert [vocabulary.symbol(bytes([byte])) - FIRST_WORD for byte in range(256)] == list(range(256))
    assert len(vocabulary) == FIRST_WORD + 256


def test_too_many_words_are_refused():
    with pytest.raises(ModelError, match=str(MAXIMUM_SIZE)):
        Vocabulary(str(number).encode() for number in range(MAXIMUM_SIZE))
