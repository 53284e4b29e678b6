"""The entropy coder: exact inverse, exact length, sound at the edges."""

import hashlib

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.entropy.frequencies import ProbabilityCoder, to_frequencies
from nlmzip.entropy.range_coder import LOW, POSITION, RANGE, Decoder, Encoder


def encode(tables, symbols):
    coder = Encoder()
    for table, symbol in zip(tables, symbols):
        assert coder.code(table, symbol) == symbol
        assert int(coder.state[RANGE]) >= 1 << 56
    return coder.finish(), coder.bits


def decode(payload, tables):
    coder = Decoder(payload)
    symbols = [coder.code(table, 0) for table in tables]
    return symbols, coder


def table(*frequencies):
    return np.array(frequencies, np.uint32)


def draws(n, frequencies, seed=1):
    generator = np.random.default_rng(seed)
    return generator.choice(len(frequencies), n, p=frequencies / frequencies.sum(dtype=float)).tolist()


CASES = {
    "nothing": ([], []),
    "one symbol of one": ([table(1)], [0]),
    "a run that is certain": ([table(1)] * 500, [0] * 500),
    "every byte value": ([np.ones(256, np.uint32)] * 256, list(range(256))),
    "the rarest symbol": ([table(2**31 - 2, 1)] * 40, [1] * 40),
    "the likeliest symbol": ([table(2**31 - 2, 1)] * 4000, [0] * 4000),
    "carries and underflow": ([table(2**30 - 1, 1, 2**30 - 1)] * 300, [1] * 300),
    "uniform": ([np.ones(97, np.uint32)] * 3000, draws(3000, np.ones(97, np.uint32))),
    "skewed": (
        [(1 + np.arange(300, dtype=np.uint32) ** 3)] * 3000,
        draws(3000, 1 + np.arange(300, dtype=np.uint32) ** 3),
    ),
}


@pytest.mark.parametrize("tables, symbols", CASES.values(), ids=CASES)
def test_decoding_undoes_encoding_within_a_byte_of_the_information(tables, symbols):
    payload, bits = encode(tables, symbols)
    decoded, coder = decode(payload, tables)
    assert decoded == symbols
    assert coder.finished and not coder.overrun
    ideal = naive.information(tables, symbols)
    assert bits == pytest.approx(ideal, abs=1e-6, rel=1e-12)
    assert ideal <= 8 * len(payload) <= ideal + 2 + 8


@given(st.lists(st.tuples(st.lists(st.integers(1, 2**20), min_size=1, max_size=20), st.integers(0)), max_size=60))
@settings(max_examples=60)
def test_any_frequencies_round_trip(rows):
    tables = [table(*frequencies) for frequencies, _ in rows]
    symbols = [pick % len(frequencies) for frequencies, pick in rows]
    payload, bits = encode(tables, symbols)
    assert decode(payload, tables)[0] == symbols
    assert 8 * len(payload) <= bits + 10


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(1, 999)), max_size=60))
@settings(max_examples=60)
def test_intervals_round_trip(pairs):
    coder = Encoder()
    parts = [(start, min(size, 1000 - start)) for start, size in pairs]
    for start, size in parts:
        assert coder.locate(1000, start) == start
        coder.narrow(start, size, 1000)
    decoder = Decoder(coder.finish())
    for start, size in parts:
        assert start <= decoder.locate(1000, 0) < start + size
        decoder.narrow(start, size, 1000)
    assert decoder.finished


def test_a_carry_runs_back_through_bytes_already_written():
    coder = Encoder()
    coder.buffer[:4] = [7, 255, 255, 255]
    coder.state[POSITION] = 4
    coder.state[LOW], coder.state[RANGE] = 2**64 - 2**57, 2**58
    coder.narrow(3, 1, 4)  # low moves by 3 * 2^56, past 2^64
    assert coder.buffer[:4].tolist() == [8, 0, 0, 0]
    assert int(coder.state[LOW]) == 2**56


def test_the_last_byte_may_carry_too():
    coder = Encoder()
    coder.buffer[:2] = [7, 255]
    coder.state[POSITION] = 2
    coder.state[LOW] = 2**64 - 1
    assert coder.finish() == bytes([8, 0, 0])


def test_a_cut_payload_is_seen():
    tables, symbols = CASES["uniform"]
    payload, _ = encode(tables, symbols)
    _, coder = decode(payload[:-3], tables)
    assert coder.overrun and not coder.finished


def test_the_payload_is_frozen():
    payload, _ = encode(*CASES["skewed"])
    assert hashlib.sha256(payload).hexdigest()[:16] == "98a9745bc0b695cb"


def test_frequencies_are_truncated_clamped_and_never_zero():
    probabilities = np.array([0, -1, 1, 2, 0.5, 1e-12, 2**-30, 3e-7, np.nextafter(np.float32(1), 0)], np.float32)
    out = np.zeros(probabilities.size, np.uint32)
    to_frequencies(probabilities, out)
    assert out.tolist() == naive.frequencies(probabilities)


@pytest.mark.parametrize("size", [2, 4096])
def test_integer_frequencies_cost_next_to_nothing(size):
    """Against the float model: at most 6e-6 * V / 4096 bits a symbol, on average."""
    generator = np.random.default_rng(3)
    coder, float_bits, n = Encoder(), 0.0, 300
    symbols = ProbabilityCoder(coder, size)
    for _ in range(n):
        logits = generator.standard_normal(size) * 3
        exact = np.exp(logits) / np.exp(logits).sum()
        probabilities = exact.astype(np.float32)
        symbol = int(generator.choice(size, p=exact))
        symbols.code(probabilities, symbol)
        float_bits -= np.log2(float(probabilities[symbol]))
    assert coder.bits / n - float_bits / n < 6e-6 * size / 4096 + 2e-7


@pytest.mark.parametrize("size", [0, (1 << 18) + 1])
def test_an_alphabet_that_could_overflow_is_refused(size):
    with pytest.raises(ValueError, match="symbols"):
        ProbabilityCoder(Encoder(), size)


def test_frequencies_whose_total_is_too_large_are_refused():
    for coder in (Encoder(), Decoder(bytes(8))):
        with pytest.raises(ValueError, match="2\\^31"):
            coder.code(table(2**30, 2**30), 0)
