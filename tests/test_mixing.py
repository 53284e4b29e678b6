"""The mixing engine: its naive twin bit for bit, both directions, and no damage unnoticed."""

import itertools
import random

import naive_mixing
import numpy as np
import pytest
from archives import is_stored
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import TEXT

import nlmzip
from nlmzip.codec import mix
from nlmzip.engine import primed
from nlmzip.engine.geometry import n_slots
from nlmzip.engine.loop import code_bytes
from nlmzip.engine.memory import engine, learnt
from nlmzip.engine.profiles import DEFAULT, LEVELS
from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.errors import ArchiveError, ModelError, NlmzipError, OptionError
from nlmzip.models import model_file

PROSE = (
    b'"The cow," said Mr. Fox, "ate the hay!" And then... (see p. 12) it GRAZED.\r\n\r\n'
    b"On the hill near the river the sheep grazed; the fox, he said, hunted the hen.\n"
    b"Die K\xc3\xbche a\xc3\x9fen \xc3\xbcber dem Gr\xc3\xa4s. The cow, said Mr. Fox, ate the hay again.\n"
)
TABLE = b"".join(b"%5d  %-8s %8.2f %s\n" % (i, b"cow" * (i % 3), i**3 / 7, b"-" * (i % 5)) for i in range(20))
CODE = b"def f(x):\n    for i in range(9):\n        if x[i] != y[i]:\n            return x[i] + 0x1F\n\n"
SMALL = {
    "prose": PROSE * 4,
    "table": TABLE,
    "code": CODE * 4,
    "runs": b"a" * 300 + b"\n" * 20 + b"ab" * 40,
    "random": random.Random(2).randbytes(150),
    "one byte": b"x",
}
TEXTS = SMALL | {
    "every byte value": bytes(range(256)),
    "every byte value often": bytes(range(256)) * 40,
    "CRLF": PROSE.replace(b"\n", b"\r\n"),
    "UTF-16": PROSE.decode().encode("utf-16"),
    "a long line": b"a long line, " * 100,
    "line feeds": b"\n" * 1000,
    "a run of one byte": b"\x00" * 100_000,
    "random": random.Random(1).randbytes(3000),
    "more than a stretch": (PROSE + TABLE + CODE) * 12,
}
UNTRAINED, SHIPPED = primed.untrained(), primed.shipped()
either_start = pytest.mark.parametrize("begin", [UNTRAINED, SHIPPED], ids=["untrained", "shipped"])


def run(coder, data, begin=SHIPPED, stretch=1 << 13):
    """The engine after all of `data` (an array), and the bits that each stretch came to."""
    level = LEVELS[DEFAULT]
    mixing = engine(n_slots(data.size, len(level.design.kinds), level.most_slots), begin)
    bits = [0.0]
    for place in range(0, data.size, stretch):
        code_bytes(coder, mixing, data, place, min(place + stretch, data.size))
        bits.append(coder.bits)
    return mixing, np.diff(bits)


def array(data):
    return np.frombuffer(data, np.uint8).copy()


def encode(data, **options):
    coder = Encoder()
    run(coder, array(data), **options)
    return coder.finish()


def arrays(state):
    """All arrays of an engine, depth first."""
    if isinstance(state, tuple):
        return itertools.chain(*map(arrays, state))
    return [] if state is None else [state]


# --- the naive twin


@pytest.mark.parametrize("data", SMALL.values(), ids=SMALL)
@either_start
def test_the_payload_is_that_of_the_naive_twin(data, begin):
    payload = naive_mixing.encode(data, begin)
    assert encode(data, begin=begin) == payload
    if begin is SHIPPED:
        assert mix.encode(data, mix.START) == payload


def test_the_twin_agrees_where_slots_are_taken_from_one_another():
    data = random.Random(3).randbytes(380) + PROSE
    assert encode(data) == naive_mixing.encode(data, SHIPPED)


def test_the_twin_agrees_down_to_the_last_learning_rate():
    begin = UNTRAINED._replace(rate=np.full(1, 0.00201, np.float32))
    assert encode(PROSE, begin=begin) == naive_mixing.encode(PROSE, begin)


@pytest.mark.parametrize("data", SMALL.values(), ids=SMALL)
def test_each_context_hashes_what_it_says(data):
    mixing, known = engine(1 << 12, SHIPPED), array(data)
    for place in range(known.size):
        code_bytes(Encoder(), mixing, known, place, place + 1)
        assert mixing.moving.hashes.tolist() == naive_mixing.context_hashes(data[:place])


# --- both directions


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_any_text_round_trips(data):
    payload = mix.encode(data, mix.START)
    assert mix.decode(payload, len(data), mix.START) == data
    coded = nlmzip.compress(data, model="none")
    assert nlmzip.decompress(coded) == data
    assert len(coded) <= len(data) + 12


@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=120).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.sampled_from([*TEXT.split(), b"\n", b" ", b".", b"THE", b"\r\n", b"\x00"]), max_size=60).map(b" ".join),
        st.lists(st.tuples(st.integers(0, 999), st.sampled_from(TEXT.split())), max_size=30).map(
            lambda rows: b"".join(b"%8d | %-9s |\n" % row for row in rows)
        ),
        st.tuples(st.binary(max_size=20), st.integers(1, 40)).map(lambda part: part[0] * part[1]),
    )
)  # fmt: skip
@settings(max_examples=40)
def test_any_bytes_round_trip(data):
    assert mix.decode(mix.encode(data, mix.START), len(data), mix.START) == data
    assert nlmzip.decompress(nlmzip.compress(data, model="none")) == data


@pytest.mark.parametrize("n_bytes", [0, 5, 200, 70_000])
def test_random_bytes_are_stored(n_bytes):
    data = random.Random(1).randbytes(n_bytes)
    coded = nlmzip.compress(data, model="none")
    assert is_stored(coded)
    assert len(coded) <= n_bytes + 12 and nlmzip.decompress(coded) == data


def test_a_run_costs_next_to_nothing():
    assert len(mix.encode(TEXTS["a run of one byte"], mix.START)) < 20


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_the_payload_is_as_long_as_its_information(data):
    coder = Encoder()
    run(coder, array(data))
    assert -0.01 <= 8 * len(coder.finish()) - coder.bits <= 8.01


@pytest.mark.parametrize("stretch", [1, 7, 100])
def test_how_the_text_is_cut_into_stretches_changes_nothing(stretch):
    assert encode(PROSE, stretch=stretch) == encode(PROSE)


def test_encoder_and_decoder_end_in_the_same_state():
    data = array(PROSE + TABLE + CODE)
    encoder = Encoder()
    encoding, _ = run(encoder, data)
    decoder, decoded = Decoder(encoder.finish()), np.zeros_like(data)
    decoding, _ = run(decoder, decoded, stretch=100)
    assert decoder.finished and (decoded == data).all()
    assert encoder.bits == decoder.bits
    pairs = list(zip(arrays(encoding), arrays(decoding), strict=True))
    assert len(pairs) > 20
    assert all(np.array_equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("data", [PROSE, TABLE], ids=["prose", "table"])
def test_no_prediction_looks_ahead(data):
    """Whatever follows a byte, it costs what it cost."""
    _, bits = run(Encoder(), array(data), stretch=1)
    for known in (*range(1, len(data), 97), len(data) - 1):
        other = array(data)
        other[known:] = ~other[known:]
        _, other_bits = run(Encoder(), other, stretch=1)
        assert (bits[:known] == other_bits[:known]).all()
        assert bits[known] != other_bits[known]


# --- damage


def decoded(coded):
    """What an archive decodes to, None where it is refused with an error of ours."""
    try:
        return nlmzip.decompress(coded)
    except NlmzipError as error:
        assert "\n" not in str(error) and ";" in str(error)
        return None


HAY = b"the hay, the hay, the hay"


def test_every_flipped_bit_is_noticed_or_changes_nothing():
    coded = nlmzip.compress(HAY, model="none")
    assert not is_stored(coded)
    for place, bit in itertools.product(range(len(coded)), range(8)):
        damaged = bytearray(coded)
        damaged[place] ^= 1 << bit
        assert decoded(bytes(damaged)) in (None, HAY)


def test_every_truncation_is_refused():
    coded = nlmzip.compress(HAY, model="none")
    assert [n for n in range(len(coded)) if decoded(coded[:n]) is not None] == []


@pytest.mark.parametrize("change", [lambda p: p[:-1], lambda p: p + b"\0", lambda p: p + p, lambda p: b""])
def test_a_payload_of_another_length_is_refused(change):
    with pytest.raises(ArchiveError):
        mix.decode(change(mix.encode(PROSE, mix.START)), len(PROSE), mix.START)


@pytest.mark.parametrize("length", [1 << 26, 1 << 40, 1 << 62])
def test_an_impossible_length_is_refused_before_memory_is_taken(length):
    with pytest.raises(ArchiveError, match="length"):
        mix.decode(b"1234", length, mix.START)


def test_a_start_that_the_package_lacks_is_named():
    with pytest.raises(ModelError, match="start 250;"):
        mix.encode(b"x", 250)
    with pytest.raises(ModelError, match="start 250;"):
        mix.decode(b"x", 1, 250)


@pytest.mark.parametrize(
    "damage",
    [
        lambda arrays: arrays.pop("rate"),
        lambda arrays: arrays.update(weights=arrays["weights"][:16]),
        lambda arrays: arrays.update(history_seen=arrays["history_seen"] | 128),
        lambda arrays: arrays.update(by_byte=np.full_like(arrays["by_byte"], 0x7E00)),  # NaN
    ],
)
def test_a_start_that_does_not_fit_is_refused_before_a_kernel_reads_it(tmp_path, monkeypatch, damage):
    arrays = primed.pack(SHIPPED)
    damage(arrays)
    (tmp_path / "1.nlm").write_bytes(model_file.write({"name": "1", "kind": "engine start"}, arrays))
    monkeypatch.setattr(primed, "FOLDER", tmp_path)
    with pytest.raises(ModelError, match="1.nlm is damaged; install nlmzip again"):
        primed.shipped.__wrapped__(1)


def test_a_start_that_fits_is_read(tmp_path, monkeypatch):
    arrays = primed.pack(SHIPPED)
    (tmp_path / "1.nlm").write_bytes(model_file.write({"name": "1", "kind": "engine start"}, arrays))
    monkeypatch.setattr(primed, "FOLDER", tmp_path)
    read = primed.shipped.__wrapped__(1)
    assert all((one == other).all() for one, other in zip(read, SHIPPED, strict=True))


def test_the_decoder_s_output_grows_to_any_length(monkeypatch):
    monkeypatch.setattr(mix, "_FIRST_BYTES", 1 << 13)
    for length in (1 << 13, 20_001, (1 << 14) + 1):
        data = (PROSE * 200)[:length]
        assert mix.decode(mix.encode(data, mix.START), length, mix.START) == data


def test_random_bytes_that_repeat_are_not_stored():
    data = random.Random(3).randbytes(1 << 14) * 8
    assert len(nlmzip.compress(data)) < len(data) / 4


def test_options_of_words_are_refused_without_a_model():
    for option in ({"predictor": "kn"}, {"dynamic": False}, {"spelling_cache": True}):
        with pytest.raises(OptionError):
            nlmzip.compress(b"x", model="none", **option)


def test_progress_ends_with_the_text():
    data, reports = TEXTS["more than a stretch"], []
    payload = mix.encode(data, mix.START, lambda *report: reports.append(report))
    decoding = []
    mix.decode(payload, len(data), mix.START, lambda *report: decoding.append(report))
    assert reports == decoding == sorted(reports)
    assert len(reports) > 1 and reports[-1] == (len(data), len(data))


# --- starts


def test_the_shipped_start_is_of_the_untrained_start_s_kind():
    for name, array_, other in zip(primed.Start._fields, SHIPPED, UNTRAINED):
        assert array_.shape == other.shape, name
        assert array_.dtype == other.dtype, name


def in_range(of):
    assert all(np.isfinite(values).all() for values in of)
    assert max(of.history_seen.max(), of.order_0_seen.max()) <= 62
    for values in (of.history, of.run, of.match, of.order_0):
        assert values.min() >= 16 and values.max() <= 65519
    assert of.by_byte.min() >= 0 and of.by_byte.max() <= 1


@either_start
def test_a_start_is_in_range(begin):
    in_range(begin)


def test_what_was_learnt_begins_the_next_text_better():
    mixing, _ = run(Encoder(), array((PROSE + TABLE + CODE) * 4), begin=UNTRAINED)
    after = learnt(mixing)
    in_range(after)
    assert [a.shape for a in after] == [a.shape for a in UNTRAINED]
    bits = []
    for begin in (UNTRAINED, after):
        coder, data = Encoder(), array(PROSE)
        code_bytes(coder, engine(1 << 12, begin), data, 0, data.size)
        bits.append(coder.bits)
    assert bits[1] < 0.95 * bits[0]


def test_a_start_survives_its_file():
    mixing, _ = run(Encoder(), array(PROSE), begin=UNTRAINED)
    after = learnt(mixing)
    packed = primed.pack(after)
    unpacked = primed.unpack(packed)
    for before, read in zip(after, unpacked, strict=True):
        assert read.dtype == (np.float32 if before.dtype.kind == "f" else before.dtype)
        assert (read == before.astype(np.float16 if before.dtype.kind == "f" else before.dtype)).all()
    again = primed.pack(unpacked)
    assert all((again[name] == packed[name]).all() for name in packed)
