"""The tokens of plain and general text: lossless, never empty, bounded in length."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.text.letter_case import FIXED, has_case, join_case, split_case
from nlmzip.text.tokens import (
    MAXIMUM_LENGTH,
    Token,
    general_tokens,
    is_plain,
    plain_tokens,
)
from tests import naive_text

SPECIAL = {
    "empty": b"",
    "one letter": b"a",
    "one space": b" ",
    "one zero byte": b"\0",
    "every byte": bytes(range(256)),
    "every byte twice, backwards": bytes(range(255, -1, -1)) * 2,
    "crlf": b"One line.\r\nAnother line.\r\n\r\nA third",
    "no final newline": b"the end",
    "only newlines": b"\n" * 200,
    "byte order mark": "\ufeffThe text.".encode(),
    "invalid utf-8": b"caf\xc3 \xff\xfe na\xefve \xe2\x82",
    "latin-1": "Ein schöner Tag. Übermäßig!\n".encode("latin-1"),
    "utf-16": "Hello, World.\nÄ".encode("utf-16"),
    "long word": b"x" * 1000,
    "longest word": b"x" * MAXIMUM_LENGTH + b" " + b"y" * (MAXIMUM_LENGTH + 1),
    "long gap": b"a" + b"-" * 1000 + b"b",
    "longest gap": b"a" + b" " * MAXIMUM_LENGTH + b"b" + b" " * (MAXIMUM_LENGTH + 1) + b"c",
    "gaps around": b"  (a. b)  ",
    "cases": b"the The THE tHe X x 3rd 3RD 3Rd iPhone McDonald's U.S.",
}
TEXT_LIKE = st.lists(
    st.sampled_from(
        [b"the", b"The", b"THE", b"iPhone", b"3D", b"x", b" ", b" ", b"  ", b"\n", b"\r\n", b". "]
        + [b", ", b"\n\n", b"-" * 70, b"z" * 70, b"\xc3\xa4", b"\0", b'." ']
    )
).map(b"".join)


def joined(tokens) -> bytes:
    return b"".join(token.text for token in tokens)


@pytest.mark.parametrize("data", SPECIAL.values(), ids=SPECIAL)
def test_general_tokens_lose_nothing_of_special_texts(data):
    assert joined(general_tokens(data)) == data


@given(st.binary(max_size=300) | TEXT_LIKE)
def test_general_tokens_lose_nothing(data):
    assert joined(general_tokens(data)) == data


@given(st.binary(max_size=300) | TEXT_LIKE)
def test_general_tokens_are_the_runs_of_word_and_other_bytes(data):
    tokens = list(general_tokens(data))
    parts = [
        (is_word, part)
        for token in tokens
        for is_word, part in ((False, token.gap), (True, token.word))
        if part
    ]
    assert parts == naive_text.runs(data)


@given(st.binary(max_size=300) | TEXT_LIKE)
def test_general_tokens_are_bounded_and_leave_no_gap_after_a_sentence_end(data):
    at_start = True
    for token in general_tokens(data):
        assert token.text
        assert len(token.gap) <= MAXIMUM_LENGTH and len(token.word) <= MAXIMUM_LENGTH
        if token.word:
            assert not (at_start and token.gap)
        at_start = not token.word


def test_sentences_end_at_full_stops_and_empty_lines():
    text = b'(Mr A went\nhome. "He" said 3.5, then?) Left\n \nThe end.'
    ends = [token.gap for token in general_tokens(text) if not token.word]
    assert ends == [b"(", b'. "', b"?) ", b"\n \n", b"."]


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"a\n", b"a b\n\nc\n", b"\xff \x00\n", b"y" * MAXIMUM_LENGTH + b"\n"],
)
def test_plain_text_is_told(data):
    assert is_plain(data)


@pytest.mark.parametrize(
    "data",
    [b" ", b"a", b"a ", b"a \n", b" a\n", b"a  b\n", b"a\n b\n", b"a\nb", b"y" * 65 + b"\n"],
)
def test_text_that_is_not_plain_is_told(data):
    assert not is_plain(data)


LINE = st.lists(st.text("ab.\x00\t\r\u00e4", min_size=1).map(str.encode)).map(b" ".join)


@given(st.lists(LINE.map(lambda line: line + b"\n")).map(b"".join))
def test_plain_tokens_lose_nothing(data):
    assert is_plain(data)
    assert joined(plain_tokens(data)) == data


@given(st.text("ab \n").map(str.encode))
def test_plain_is_exactly_what_the_words_alone_tell(data):
    lines = [[token.word for token in plain_tokens(line + b"\n")] for line in data.split(b"\n")]
    rebuilt = b"".join(b" ".join(word for word in line if word) + b"\n" for line in lines[:-1])
    empty_word = any(b"" in line.split(b" ") for line in data.split(b"\n") if line)
    assert is_plain(data) == (rebuilt == data and not empty_word)


def test_plain_tokens_of_a_line():
    assert list(plain_tokens(b"a b\n\n")) == [
        Token(b"", b"a"),
        Token(b" ", b"b"),
        Token(b"\n", b""),
        Token(b"\n", b""),
    ]


@given(st.binary(max_size=8) | st.text("aB3\u00e4", max_size=5).map(str.encode))
def test_case_is_split_off_and_joined_again(word):
    key, case = split_case(word)
    assert join_case(key, case) == word
    assert (case != FIXED) == has_case(key)


@pytest.mark.parametrize("word", [b"the", b"The", b"THE"])
def test_words_of_any_case_share_a_key(word):
    assert split_case(word)[0] == b"the"


@pytest.mark.parametrize("word", [b"iPhone", b"McDonald", b"42", b"\xc3\x84", b"3Rd"])
def test_words_without_one_case_are_their_own_key(word):
    assert split_case(word) == (word, FIXED)


@pytest.mark.parametrize("text", [b"word ", b"a", b" "], ids=["one line", "one letter", "spaces"])
def test_ten_megabytes_lose_nothing(text):
    data = text * (10_000_000 // len(text))
    assert joined(general_tokens(data)) == data


def test_random_bytes_lose_nothing():
    data = random.Random(1).randbytes(300_000)
    assert joined(general_tokens(data)) == data
