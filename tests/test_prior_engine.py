"""The engine with prior knowledge: its naive twin bit for bit, both directions, nothing seen too early."""

import random

import naive_prior
import numpy as np
import pytest
from engines import fresh
from hypothesis import given, settings
from hypothesis import strategies as st
from test_mixing import CODE, PROSE, TABLE, arrays

import nlmzip
from nlmzip.codec import mix
from nlmzip.counts.store import empty
from nlmzip.engine import byte_model
from nlmzip.engine.byte_model import Beginning
from nlmzip.engine.loop import code_bytes
from nlmzip.engine.profiles import (
    DEFAULT_DESIGN,
    LONG_DESIGN,
    LONGEST_DESIGN,
    MOST_SLOTS_BESIDE_COUNTS,
)
from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.models import model_file

KNOWN = naive_prior.text_of(60_000, 1)[200:400]
TEXTS = {
    "the training text": KNOWN,
    "another": naive_prior.text_of(150, 9),
    "prose": PROSE[:90] + PROSE[-110:],
    "table": TABLE[:150],
    "binary": random.Random(4).randbytes(70) + b"\0" * 30 + b"The cow ate",
    "one byte": b"x",
}
ANY = TEXTS | {
    "empty": b"",
    "a run": b"\0" * 20_000,
    "every byte value": bytes(range(256)) * 4,
    "random": random.Random(5).randbytes(3000),
    "UTF-16": PROSE.decode().encode("utf-16"),
    "code": CODE * 10,
    "line feeds": b"\n" * 400,
    "CRLF": PROSE.replace(b"\n", b"\r\n"),
    "more than a stretch": naive_prior.text_of(30_000, 3),
}
# Level 2 has fewer contexts than are counted, level 6 slots of 64 numbers.
DESIGNS = {"short": (2, 6, 5), "fast": (2, 6, 2), "finer": (2, 6, 6), "long": (4, 6, 5), "longest": (4, 8, 5)}
every_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)


def model(words, orders, level):
    return model_file.read(naive_prior.model_bytes(words, (level,), orders=orders))


def beginning(design) -> Beginning:
    """What a model begins with, as if its file had been decoded."""
    words, orders, level = design
    card = {"counts": {"words": words, "orders": orders}}
    of = byte_model.design_of(card, level)
    _, store = naive_prior.coded(words, words < 3, orders)
    return Beginning(naive_prior.start_of(of), of, MOST_SLOTS_BESIDE_COUNTS, store)



def bits_of(data, begin) -> np.ndarray:
    """What each byte cost, in bits."""
    coder, mixing, bits = Encoder(), fresh(len(data), begin), [0.0]
    known = np.frombuffer(data, np.uint8).copy()
    for place in range(len(data)):
        code_bytes(coder, mixing, known, place, place + 1)
        bits.append(coder.bits)
    return np.array(bits)


@every_design
@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_the_payload_is_that_of_the_naive_twin(data, design):
    begin, data = beginning(design), data[: 60 if design == DESIGNS["finer"] else 150]  # a slow twin
    assert mix.encode(data, begin) == naive_prior.encode(data, begin)


def test_the_twin_agrees_where_slots_are_taken_from_one_another():
    begin = beginning(DESIGNS["short"])
    data = random.Random(3).randbytes(240) + KNOWN[:100]
    assert mix.encode(data, begin) == naive_prior.encode(data, begin)


def test_the_twin_agrees_with_learning_rates_of_the_start_s_own():
    begin = beginning(DESIGNS["short"])
    rates = np.array((0.008, 0.0079, 0.002), np.float32)
    begin = begin._replace(start=begin.start._replace(rate=rates))
    assert mix.encode(KNOWN, begin) == naive_prior.encode(KNOWN, begin)


def test_the_long_design_is_of_models_of_more_than_two_words():
    assert byte_model.design_of({"counts": {"words": 4}}, 5) == LONG_DESIGN
    assert byte_model.design_of({"counts": {"words": 3}}, 5) == LONG_DESIGN
    assert byte_model.design_of({"counts": {"words": 2}}, 5) == DEFAULT_DESIGN
    assert byte_model.design_of({"counts": {"words": 4, "orders": 8}}, 5) == LONGEST_DESIGN


@every_design
def test_the_engine_s_hashes_are_those_under_which_counts_are_kept(design):
    begin = beginning(design)
    mixing, known = fresh(len(KNOWN), begin), np.frombuffer(KNOWN, np.uint8).copy()
    kinds = {name: kind for kind, name in enumerate(naive_prior.COUNTED)}
    for place in range(len(KNOWN)):
        code_bytes(Encoder(), mixing, known, place, place + 1)
        contexts = naive_prior.contexts_of(KNOWN[:place])
        for name, found in zip(begin.design.kinds, mixing.moving.hashes.tolist()):
            if name in kinds:
                kind = kinds[name]
                assert found == naive_prior.hash_of(kind, contexts[kind])


@every_design
def test_what_training_saw_makes_texts_smaller(design):
    begin, data = beginning(design), naive_prior.text_of(2000, 9)
    without = len(mix.encode(data, begin._replace(store=empty())))
    assert len(mix.encode(data, begin)) < 0.75 * without


@every_design
def test_an_empty_store_changes_nothing(design):
    begin = beginning(design)
    nothing = begin._replace(store=None)
    assert mix.encode(PROSE, nothing) == mix.encode(PROSE, begin._replace(store=empty()))


# --- both directions


@pytest.mark.parametrize("design", [(2, 6, 5), (4, 6, 5), (4, 8, 5)], ids=["short", "long", "longest"])
@pytest.mark.parametrize("data", ANY.values(), ids=ANY)
def test_any_text_round_trips(data, design):
    of = model(*design)
    coded = nlmzip.compress(data, model=of)
    assert nlmzip.decompress(coded, model=of) == data
    assert len(coded) <= len(data) + 12
    begin = beginning(design)
    assert mix.decode(mix.encode(data, begin), len(data), begin) == data


@pytest.mark.parametrize("design", [(2, 6, 2), (2, 6, 6)], ids=["fast", "finer"])
def test_other_levels_round_trip(design):
    of = model(*design)
    for data in TEXTS.values():
        coded = nlmzip.compress(data, model=of, level=design[1])
        assert nlmzip.decompress(coded, model=of) == data


@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(st.sampled_from([*KNOWN.split(b" "), b"\n", b"", b"\x80", b"THE"]), max_size=40).map(b" ".join),
        st.tuples(st.integers(0, 250), st.binary(max_size=9)).map(lambda cut: KNOWN[: cut[0]] + cut[1]),
    )
)
@settings(max_examples=25)
def test_any_bytes_round_trip(data):
    for design in ((2, 6, 5), (4, 8, 5)):
        begin = beginning(design)
        assert mix.decode(mix.encode(data, begin), len(data), begin) == data


@every_design
def test_encoder_and_decoder_end_in_the_same_state(design):
    begin = beginning(design)
    data = np.frombuffer(PROSE + KNOWN, np.uint8).copy()
    encoder, encoding = Encoder(), fresh(data.size, begin)
    code_bytes(encoder, encoding, data, 0, data.size)
    decoder, decoded = Decoder(encoder.finish()), np.zeros_like(data)
    decoding = fresh(data.size, begin)
    for place in range(0, data.size, 100):
        code_bytes(decoder, decoding, decoded, place, min(place + 100, data.size))
    assert decoder.finished and (decoded == data).all()
    pairs = zip(arrays(encoding), arrays(decoding), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)


@every_design
def test_no_prediction_looks_ahead(design):
    """Whatever follows a byte, it costs what it cost."""
    begin = beginning(design)
    bits = bits_of(KNOWN, begin)
    for known in (1, 77, len(KNOWN) - 1):
        other = KNOWN[:known] + bytes(255 - byte for byte in KNOWN[known:])
        assert (bits[: known + 1] == bits_of(other, begin)[: known + 1]).all()


def test_reading_leaves_the_store_as_it_was():
    begin = beginning(DESIGNS["short"])
    before = begin.store.starts.tobytes(), begin.store.data.tobytes()
    mix.encode(PROSE + KNOWN, begin)
    assert (begin.store.starts.tobytes(), begin.store.data.tobytes()) == before
