"""The speller and the spelling cache: right probabilities, both directions, damaged input."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.errors import ModelError
from nlmzip.text import speller as speller_module
from nlmzip.text.speller import Speller, spelling_probabilities, train
from nlmzip.text.spelling_cache import SpellingCache
from nlmzip.text.tokens import MAXIMUM_LENGTH
from tests import naive_text

TRAINING_WORDS = [b"banana", b"banana", b"bandana", *[b"an"] * 5, b"can", b"\xc3\xa4b"]
SPELLER = Speller(train(TRAINING_WORDS))
NAIVE_SPELLER = naive_text.Speller(TRAINING_WORDS)
#: Bits that integer frequencies (quanta of 2^-28) and float32 may change in one symbol
#: of probability 2^-18 or more.
TOLERANCE = 1e-3


def context_number(symbols) -> int:
    number = 0
    for symbol in symbols:
        number = number * 257 + symbol
    return number


@pytest.mark.parametrize("word", [b"", b"b", b"ban", b"banan", b"zzz", b"\xc3", b"a\xff"])
def test_speller_probabilities_are_those_of_the_naive_twin(word):
    context = context_number([256, 256, 256, *word][-3:])
    probabilities = np.empty(257, np.float32)
    spelling_probabilities(SPELLER.table, context, probabilities)
    symbols = [*range(256), "end"]
    naive = [NAIVE_SPELLER.probability(word, len(word), symbol) for symbol in symbols]
    np.testing.assert_allclose(probabilities, naive, rtol=1e-5)
    assert probabilities.astype(np.float64).sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("word", [b"banana", b"an", b"x", b"\xc3\xa4b", b"nab\x00\xff " * 9])
def test_spelling_costs_what_the_naive_twin_says(word):
    coder = Encoder()
    SPELLER.code(coder, word)
    bits = -math.log2(NAIVE_SPELLER.word_probability(word))
    assert coder.bits == pytest.approx(bits, abs=TOLERANCE * (len(word) + 1))


def test_the_end_of_a_word_of_greatest_length_costs_nothing():
    longest, shorter = b"a" * MAXIMUM_LENGTH, b"a" * (MAXIMUM_LENGTH - 1)
    costs = []
    for word in (longest, shorter):
        coder = Encoder()
        SPELLER.code(coder, word)
        costs.append(coder.bits)
    letter = -math.log2(NAIVE_SPELLER.probability(shorter, len(shorter), ord("a")))
    end = -math.log2(NAIVE_SPELLER.probability(shorter, len(shorter), "end"))
    assert costs[0] - costs[1] == pytest.approx(letter - end, abs=TOLERANCE)


@given(st.lists(st.binary(min_size=1, max_size=MAXIMUM_LENGTH)))
def test_spellings_round_trip(words):
    encoder = Encoder()
    assert [SPELLER.code(encoder, word) for word in words] == words
    decoder = Decoder(encoder.finish())
    assert [SPELLER.code(decoder, None) for _ in words] == words
    assert decoder.bits == encoder.bits


@given(st.binary(max_size=50))
def test_any_payload_spells_bounded_words(payload):
    decoder = Decoder(payload)
    assert all(1 <= len(SPELLER.code(decoder, None)) <= MAXIMUM_LENGTH for _ in range(5))


def test_a_speller_that_saw_no_word_is_uniform():
    coder = Encoder()
    word = Speller(train([])).code(coder, b"ab")
    assert word == b"ab"
    assert coder.bits == pytest.approx(math.log2(256) + 2 * math.log2(257), abs=TOLERANCE)


def test_arrays_of_a_speller_are_compact():
    arrays = train(TRAINING_WORDS)
    assert {name: array.dtype for name, array in arrays.items()} == {
        "speller.contexts": "uint32",
        "speller.symbols": "uint16",
        "speller.counts": "uint16",
    }
    rows = list(zip(arrays["speller.contexts"], arrays["speller.symbols"], strict=True))
    assert rows == sorted(set(rows))


@pytest.mark.parametrize(
    ("name", "value"),
    [("symbols", 257), ("contexts", 257**3), ("counts", 0)],
)
def test_impossible_arrays_are_refused(name, value):
    arrays = train(TRAINING_WORDS)
    arrays[f"speller.{name}"][1] = value
    with pytest.raises(ModelError):
        Speller(arrays)


def test_missing_and_unequal_arrays_are_refused():
    arrays = train(TRAINING_WORDS)
    with pytest.raises(ModelError, match="counts"):
        Speller({name: array for name, array in arrays.items() if name != "speller.counts"})
    with pytest.raises(ModelError, match="length"):
        Speller({**arrays, "speller.counts": arrays["speller.counts"][1:]})


def test_large_counts_are_kept_within_their_type():
    arrays = train([b"a"] * 70_000)
    assert arrays["speller.counts"].tolist() == [65535, 65535]


def cache_words(coder, words, n_words: int) -> list[bytes]:
    """Code words through a cache alone; a new one is told by its place."""
    cache, coded = SpellingCache(), []
    for place in range(n_words):
        found = cache.code(coder, words[place] if words else None)
        coded.append(b"new %d" % place if found is None else found)
        cache.add(coded[-1])
    return coded


@given(st.lists(st.integers(0, 10), max_size=60))
def test_the_cache_codes_method_c(choices):
    # The word of choice k is new if it is 0, or else that k places back.
    words: list[bytes] = []
    for place, choice in enumerate(choices):
        words.append(b"new %d" % place if not choice or choice > place else words[-choice])
    naive, bits = naive_text.SpellingCache(), 0.0
    for word in words:
        event = naive.event(word)
        bits += math.log2(event[1] / event[0]) if event else 0
        naive.add(word)
    encoder = Encoder()
    assert cache_words(encoder, words, len(words)) == words
    assert encoder.bits == pytest.approx(bits, abs=1e-9)
    assert cache_words(Decoder(encoder.finish()), None, len(words)) == words


def test_many_words_round_trip_in_the_cache():
    rng = random.Random(2)
    words: list[bytes] = []
    for place in range(5000):  # beyond two doublings of the tree
        words.append(b"new %d" % place if not words or rng.random() < 0.6 else rng.choice(words))
    assert len(set(words)) > 2048
    encoder = Encoder()
    cache_words(encoder, words, len(words))
    assert cache_words(Decoder(encoder.finish()), None, len(words)) == words


def test_an_empty_cache_codes_nothing():
    coder = Encoder()
    assert SpellingCache().code(coder, b"word") is None
    assert coder.bits == 0


def test_a_full_cache_stays_as_it_is(monkeypatch):
    cache = SpellingCache()
    monkeypatch.setattr("nlmzip.text.spelling_cache.MAXIMUM_TOTAL", 6)
    for word in (b"a", b"b", b"c", b"a"):
        cache.add(word)
    coder = Encoder()
    assert cache.code(coder, b"b") == b"b"
    assert coder.bits == 2  # 1 of 4: two words spelled, two different
    assert cache.code(coder, b"c") is None


@given(st.binary(max_size=40))
@settings(max_examples=50)
def test_any_payload_points_into_the_cache(payload):
    decoder = Decoder(payload)
    words = cache_words(decoder, None, 30)
    assert set(words) <= {b"new %d" % place for place in range(30)}


def test_the_longest_word_is_the_same_for_speller_and_tokens():
    assert speller_module.MAXIMUM_LENGTH == MAXIMUM_LENGTH == 64
