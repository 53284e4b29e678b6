"""The adaptive model against its naive twin: probabilities, learning, both directions."""

import math
import random

import numpy as np
import pytest

from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.text.adaptive import (
    COUNT_LIMIT,
    WAYS,
    adaptive_model,
    code_adaptive,
    mix_hash,
)
from tests import naive_text

LEVELS = 3


def code_all(coder, alphabet, slots, symbols) -> list[int]:
    """Code symbols in the slots (n, LEVELS) given for each with a new model."""
    model = adaptive_model(alphabet, LEVELS, slot_bits=4)
    coded = []
    for place, symbol in zip(slots, symbols, strict=True):
        coder.reserve(1)
        arguments = (coder.state, coder.buffer, coder.information)
        coded.append(code_adaptive(*arguments, model, place, alphabet, symbol))
    return coded


@pytest.fixture(params=[3, 257])
def source(request):
    """Symbols that depend on the slots, enough of them to halve counts and evict symbols."""
    alphabet, rng = request.param, random.Random(request.param)
    slots = np.array([[0, rng.randrange(2), rng.randrange(16)] for _ in range(2500)], np.int64)
    symbols = [
        int(place[2] * rng.randrange(2)) % alphabet
        if rng.random() < 0.9
        else rng.randrange(alphabet)
        for place in slots
    ]
    return alphabet, slots, symbols


def test_symbols_cost_what_the_naive_twin_says(source):
    alphabet, slots, symbols = source
    naive = naive_text.AdaptiveModel(alphabet, LEVELS, WAYS, COUNT_LIMIT, rate=0.03)
    bits = 0.0
    for place, symbol in zip(slots.tolist(), symbols, strict=True):
        bits -= math.log2(naive.probability(place, symbol))
        naive.learn(place, symbol)
    coder = Encoder()
    code_all(coder, alphabet, slots, symbols)
    assert coder.bits == pytest.approx(bits, rel=1e-5)
    assert bits < 0.8 * len(symbols) * math.log2(alphabet)


def test_symbols_round_trip(source):
    alphabet, slots, symbols = source
    encoder = Encoder()
    assert code_all(encoder, alphabet, slots, symbols) == symbols
    decoder = Decoder(encoder.finish())
    assert code_all(decoder, alphabet, slots, [0] * len(symbols)) == symbols


def test_frequencies_sum_to_one(source):
    alphabet, slots, symbols = source
    model = adaptive_model(alphabet, LEVELS, slot_bits=4)
    coder = Encoder()
    for place, symbol in zip(slots[:300], symbols[:300], strict=True):
        coder.reserve(1)
        arguments = (coder.state, coder.buffer, coder.information)
        code_adaptive(*arguments, model, place, alphabet, symbol)
        assert model.frequencies.min() >= 1
        assert model.frequencies.sum(dtype=np.int64) == pytest.approx(2**30 + alphabet, rel=1e-6)


def test_hashes_of_small_pairs_differ_in_their_high_bits():
    pairs = [(first, second) for first in range(40) for second in range(40)]
    hashes = {int(mix_hash(np.uint64(a), np.uint64(b))) >> 32 for a, b in pairs}
    assert len(hashes) == len(pairs)


def test_symbols_that_cannot_be_are_not_decoded():
    model = adaptive_model(5, LEVELS, slot_bits=4)
    slots = np.zeros(LEVELS, np.int64)
    encoder = Encoder()
    for _ in range(50):  # 4 is all that was ever seen
        encoder.reserve(1)
        code_adaptive(encoder.state, encoder.buffer, encoder.information, model, slots, 5, 4)
    decoder = Decoder(b"\xff" * 50)
    arguments = (decoder.state, decoder.buffer, decoder.information)
    assert all(code_adaptive(*arguments, model, slots, 4, 0) < 4 for _ in range(20))
