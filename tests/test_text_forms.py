"""Both forms through the coder: any bytes, both directions, damaged payloads."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.text.forms import General, Plain, choose_form, count_words, sentences
from nlmzip.text.history import COLUMN, LAST_CASE, History
from nlmzip.text.letter_case import FIXED, split_case
from nlmzip.text.speller import Speller, train
from nlmzip.text.tokens import MAXIMUM_LENGTH, Token
from nlmzip.text.vocabulary import SENTENCE_END, UNKNOWN, Vocabulary
from tests.test_text_tokens import SPECIAL, TEXT_LIKE

OF_WORDS = (Plain, General)
VOCABULARY = Vocabulary([b"the", b"a", b"xx", b"iPhone"])
SPELLER = Speller(train([b"the", b"there", b"x"]))
FREQUENCIES = np.full(len(VOCABULARY), 7, np.uint32)  # stands in for a word model

PLAIN_TEXT = st.lists(
    st.lists(st.sampled_from([b"the", b"a", b"new", b"newer", b"The", b"\xff"])).map(b" ".join)
).map(lambda lines: b"".join(line + b"\n" for line in lines))


def encode(form, data: bytes) -> tuple[bytes, float]:
    coder = Encoder()
    for token in form.tokens(data):
        symbol = coder.code(FREQUENCIES, form.symbol(token))
        assert form.code_details(coder, symbol, token) == token
    return coder.finish(), coder.bits


def decode(form, payload: bytes, size: int) -> bytes:
    coder, decoded = Decoder(payload), bytearray()
    while len(decoded) < size:
        token = form.code_details(coder, coder.code(FREQUENCIES, 0), None)
        assert 0 < len(token.text) <= 2 * MAXIMUM_LENGTH
        decoded += token.text
    return bytes(decoded)


def round_trip(form, data: bytes, spelling_cache: bool) -> None:
    payload, _ = encode(form(VOCABULARY, SPELLER, spelling_cache), data)
    assert decode(form(VOCABULARY, SPELLER, spelling_cache), payload, len(data)) == data


@pytest.mark.parametrize("spelling_cache", [True, False])
@pytest.mark.parametrize("data", SPECIAL.values(), ids=SPECIAL)
def test_special_texts_round_trip(data, spelling_cache):
    round_trip(General, data, spelling_cache)


@given(st.binary(max_size=200) | TEXT_LIKE, st.booleans())
@settings(max_examples=60)
def test_any_bytes_round_trip(data, spelling_cache):
    round_trip(General, data, spelling_cache)


@given(PLAIN_TEXT, st.booleans())
@settings(max_examples=60)
def test_plain_text_round_trips(data, spelling_cache):
    round_trip(Plain, data, spelling_cache)


def test_plain_text_of_known_words_costs_its_words_alone():
    data = b"the a xx\n\nthe\n"
    form = Plain(VOCABULARY, SPELLER, True)
    _, bits = encode(form, data)
    tokens = 4 + 3  # words and line ends
    assert bits == pytest.approx(tokens * np.log2(len(VOCABULARY)))
    assert form.bits == {"spelling": 0, "case": 0, "gaps": 0}


@pytest.mark.parametrize("form", OF_WORDS, ids=lambda form: form.name)
def test_every_bit_is_attributed(form):
    data = b"the new the newer\nThe There iPhone\n" * 5
    coded = form(VOCABULARY, SPELLER, True)
    _, bits = encode(coded, data)
    n_tokens = sum(1 for _ in form.tokens(data))
    details = sum(coded.bits.values())
    assert details > 0
    assert bits == pytest.approx(n_tokens * np.log2(len(VOCABULARY)) + details)


@pytest.mark.parametrize("form", OF_WORDS, ids=lambda form: form.name)
def test_a_word_spelled_before_is_cheap_with_the_cache_only(form):
    data = b"unspeakable\n" * 9
    costs = []
    for spelling_cache in (True, False):
        coded = form(VOCABULARY, SPELLER, spelling_cache)
        encode(coded, data)
        costs.append(coded.bits["spelling"])
    assert costs[0] < costs[1] / 3


@pytest.mark.parametrize("form", OF_WORDS, ids=lambda form: form.name)
@given(payload=st.binary(max_size=200), spelling_cache=st.booleans())
@settings(max_examples=40)
def test_any_payload_decodes_to_an_end(form, payload, spelling_cache):
    size = 500
    decoded = decode(form(VOCABULARY, SPELLER, spelling_cache), payload, size)
    assert size <= len(decoded) < size + 2 * MAXIMUM_LENGTH


def test_a_flipped_bit_decodes_to_an_end():
    data = b"The first sentence. A second one; with the iPhone, 3.14 and more!\n" * 3
    payload, _ = encode(General(VOCABULARY, SPELLER, True), data)
    for place in range(0, 8 * len(payload), 5):
        damaged = bytearray(payload)
        damaged[place // 8] ^= 1 << place % 8
        decoded = decode(General(VOCABULARY, SPELLER, True), bytes(damaged), len(data))
        assert len(decoded) < len(data) + 2 * MAXIMUM_LENGTH


def test_known_words_are_known_in_every_case():
    form = General(VOCABULARY, SPELLER, True)
    known = [form.symbol(Token(b"", word)) for word in (b"the", b"The", b"THE")]
    assert set(known) == {VOCABULARY.symbol(b"the")}
    assert form.symbol(Token(b" ", b"tHe")) == UNKNOWN
    assert form.symbol(Token(b". ", b"")) == SENTENCE_END
    assert form.symbol(Token(b" ", b"iPhone")) == VOCABULARY.symbol(b"iPhone")


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"the a\n", Plain),
        (b"", Plain),
        (b"the new a\n", Plain),
        (b"The A\n", General),  # plain, but its words are known in lower case only
        (b"the, a\n", General),
        (b"the a", General),
    ],
)
def test_the_form_is_chosen_by_what_is_possible_and_known(data, form):
    assert choose_form(data, VOCABULARY) is form


def test_words_are_counted_by_their_keys():
    data = b"The the iPhone, THE.\n"
    assert count_words(General, data) == {b"the": 3, b"iPhone": 1}
    assert count_words(Plain, data) == {b"The": 1, b"the": 1, b"iPhone,": 1, b"THE.": 1}


def test_sentences_end_in_their_end():
    the, a = VOCABULARY.symbol(b"the"), VOCABULARY.symbol(b"a")
    found = list(sentences(General, b"The a. New a", VOCABULARY))
    assert [sentence.tolist() for sentence in found] == [[the, a, 1], [UNKNOWN, a, 1]]
    assert {sentence.dtype for sentence in found} == {np.dtype(np.int32)}
    found = list(sentences(Plain, b"the a\n\n", VOCABULARY))
    assert [sentence.tolist() for sentence in found] == [[the, a, 1], [1]]


def details_of(data: bytes) -> dict[str, float]:
    form = General(Vocabulary(count_words(General, data)), SPELLER, True)
    frequencies, coder = np.ones(1 << 12, np.uint32), Encoder()
    for token in form.tokens(data):
        form.code_details(coder, coder.code(frequencies, form.symbol(token)), token)
    return form.bits


def random_words(n_words: int, capitals: bool = False) -> list[bytes]:
    rng = random.Random(3)
    words = [bytes(rng.choices(b"abcdef", k=rng.randint(2, 9))) for _ in range(200)]
    chosen = rng.choices(words, k=n_words)
    return [word.capitalize() if capitals else word for word in chosen]


def test_line_ends_of_wrapped_text_are_foreseen():
    lines, line = [], b""
    for word in random_words(6000):
        if len(line) + 1 + len(word) > 50:
            lines.append(line)
            line = word
        else:
            line = line + b" " + word if line else word
    gaps = details_of(b"\n".join(lines))["gaps"]
    by_frequency = -sum(p * np.log2(p) for p in (len(lines) / 6000, 1 - len(lines) / 6000)) * 6000
    assert gaps < by_frequency / 2


@pytest.mark.parametrize("decisive", ["word before", "word after"])
def test_gaps_that_follow_from_a_word_are_learnt(decisive):
    words, kinds = random_words(6000), [b" ", b", ", b"--", b" (", b"\t"]
    gaps = [kinds[sum(word) % 5] for word in words]
    if decisive == "word before":
        data = b"".join(word + gap for word, gap in zip(words, gaps, strict=True))
    else:
        data = b"".join(gap + word for word, gap in zip(words, gaps, strict=True))
    assert details_of(data)["gaps"] < 0.3 * 6000


def test_case_that_follows_from_the_text_is_learnt():
    upper = [b" ".join(random_words(3000)), b" ".join(random_words(3000, capitals=True))]
    assert details_of(b". ".join(upper))["case"] < 0.1 * 6000
    sentence = b" ".join(random_words(7)).capitalize() + b". "
    assert details_of(sentence * 300)["case"] < 100


@pytest.mark.parametrize("first_byte", range(0, 256, 15))
def test_a_sentence_end_is_never_empty(first_byte):
    form, coder = General(VOCABULARY, SPELLER, True), Encoder()
    for token in form.tokens(b"a" * 6000):  # almost all gaps are empty
        form.code_details(coder, form.symbol(token), token)
    decoder = Decoder(bytes([first_byte]) * 40)
    assert all(form.code_details(decoder, SENTENCE_END, None).gap for _ in range(5))


def test_history_knows_the_case_a_word_had_last():
    history = History()
    known = []
    for word in (b"a", b"THE", b"the", b"b", b"The", b"tHE", b"the"):
        key, case = split_case(word)
        history.set_key(key)
        known.append(int(history.numbers[LAST_CASE]))
        history.set_case(case)
        history.finish(Token(b" ", word), key, case)
    never, lower, capitalised, upper = known[0], known[4], known[6], known[2]
    assert known == [never, never, upper, never, lower, never, capitalised]
    assert len({never, lower, capitalised, upper}) == 4


def test_history_knows_the_column():
    history, columns = History(), []
    for token in General.tokens(b"one two\nthree. \n  Four"):
        key, case = split_case(token.word) if token.word else (b"", FIXED)
        history.set_key(key)
        columns.append(int(history.numbers[COLUMN]))
        history.finish(token, key, case)
    assert columns == [0, 3, 7, 5, 2]
    assert history.numbers[COLUMN] == 6
