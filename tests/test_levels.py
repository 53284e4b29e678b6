"""Levels of the mixing engine: each one's twin, round trips, start and options."""

import os
import random
import subprocess
import sys
from pathlib import Path

import naive_finer
import naive_mixing
import numpy as np
import pytest
import tiny
from archives import coding, described
from test_mixing import SMALL, arrays
from tiny import TEXT

import nlmzip
from nlmzip.codec import mix
from nlmzip.contexts.registry import CONTEXTS
from nlmzip.engine import geometry, primed
from nlmzip.engine.loop import code_bytes
from nlmzip.engine.memory import engine, learnt
from nlmzip.engine.profiles import (
    DEFAULT,
    LEVELS,
    SELECTOR_SIZES,
    Design,
    of_start,
)
from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.errors import ModelError, OptionError

JSON = (
    '{"title": "山の上、川の下。", "year": 1999, "n": [1, 22, 333]},\n'
    '{"title": "川の上、山の下。", "year": 2001, "n": [1, 23, 334]},\n'
).encode()
CSV = b"".join(
    b"%d,%s,%d.%02d;\t%s|x\n" % (i, b"abc"[i % 3 : i % 3 + 1] * (i % 4), i * 7, i * 13 % 100, b"night" * (i % 2))
    for i in range(14)
)
TEXTS = SMALL | {
    "JSON": JSON * 2,
    "CSV": CSV,
    "broken UTF-8": JSON[20:80] + b"\x80\xc3" + JSON[:61] + b"\xf0\x9f" + bytes(range(128, 256, 3)),
    "many fields": b"1;" * 80 + b"\n" + b"2;" * 80,
    "a match that recovers": b"The quick brown fox jumps over it. The quick brown fix jumps oder it.",
}
ANY = {
    "empty": b"",
    "one byte": b"x",
    "a run": b"\x00" * 30_000,
    "random": random.Random(1).randbytes(3000),
    "every byte value": bytes(range(256)) * 8,
    "text": TEXT.encode() * 3 if isinstance(TEXT, str) else TEXT * 3,
    "JSON": JSON * 20,
    "long lines": b"a long line, " * 300,
}
every_level = pytest.mark.parametrize("level", LEVELS.values(), ids=[f"-{number}" for number in LEVELS])
designs = pytest.mark.parametrize(
    "level", {level.file: level for level in LEVELS.values()}.values(), ids=lambda level: f"-{level.number}"
)


def naive_encode(data, begin, level):
    make = naive_finer.FinerEngine if level.design.finer else naive_mixing.Engine
    return naive_mixing.encode(data, begin, level, make)


def encode(data, begin, level):
    coder, array = Encoder(), np.frombuffer(data, np.uint8).copy()
    n_slots = geometry.n_slots(array.size, len(level.design.kinds), level.most_slots)
    mixing = engine(n_slots, begin, level.design)
    code_bytes(coder, mixing, array, 0, array.size)
    return coder.finish()


# --- the naive twin


@designs
@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_the_payload_is_that_of_the_naive_twin(data, level):
    assert mix.encode(data, level.start) == naive_encode(data, primed.shipped(level.start), level)


@designs
def test_the_untrained_payload_is_that_of_the_naive_twin(level):
    begin, data = primed.untrained(level.design), JSON + CSV[:150]
    assert encode(data, begin, level) == naive_encode(data, begin, level)


@pytest.mark.parametrize("name", ["prose", "JSON", "CSV", "broken UTF-8", "many fields"])
def test_every_kind_of_context_hashes_what_it_says(name):
    design = Design(kinds=tuple(CONTEXTS), matches=(20, 12, 6), finer=True)
    data = TEXTS[name]
    mixing, array = engine(1 << 12, primed.untrained(design), design), np.frombuffer(data, np.uint8).copy()
    for place in range(array.size):
        code_bytes(Encoder(), mixing, array, place, place + 1)
        expected_byte = 0
        known = data[:place]
        hashes = naive_mixing.context_hashes(known) + naive_finer.structure_hashes(known, expected_byte)
        hashes += naive_finer.long_hashes(known)
        names = naive_mixing.CONTEXTS + naive_finer.CONTEXTS + naive_finer.LONG_CONTEXTS
        expected = dict(zip(names, hashes, strict=True))
        found = dict(zip(design.kinds, mixing.moving.hashes.tolist(), strict=True))
        del expected["match"], found["match"]  # what the match expects is the twin engine's to know
        assert found == expected


# --- both directions


@every_level
@pytest.mark.parametrize("data", ANY.values(), ids=ANY)
def test_any_text_round_trips_at_every_level(data, level):
    coded = nlmzip.compress(data, level=level.number)
    assert nlmzip.decompress(coded) == data
    assert len(coded) <= len(data) + 12
    payload = mix.encode(data, level.start)
    assert mix.decode(payload, len(data), level.start) == data


@designs
def test_encoder_and_decoder_end_in_the_same_state(level):
    data = np.frombuffer(JSON + CSV, np.uint8).copy()
    begin, encoder = primed.shipped(level.start), Encoder()
    encoding = engine(1 << 12, begin, level.design)
    code_bytes(encoder, encoding, data, 0, data.size)
    decoder, decoded = Decoder(encoder.finish()), np.zeros_like(data)
    decoding = engine(1 << 12, begin, level.design)
    for place in range(0, data.size, 100):
        code_bytes(decoder, decoding, decoded, place, min(place + 100, data.size))
    assert decoder.finished and (decoded == data).all()
    pairs = zip(arrays(encoding), arrays(decoding), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)


@designs
def test_no_prediction_looks_ahead(level):
    """Whatever follows a byte, it costs what it cost."""

    def bits_of(data):
        coder, mixing, bits = Encoder(), engine(1 << 12, primed.shipped(level.start), level.design), []
        for place in range(data.size):
            code_bytes(coder, mixing, data, place, place + 1)
            bits.append(coder.bits)
        return np.array(bits)

    data = np.frombuffer(JSON, np.uint8).copy()
    bits = bits_of(data)
    for known in (*range(1, data.size, 61), data.size - 1):
        other = data.copy()
        other[known:] = ~other[known:]
        assert (bits[:known] == bits_of(other)[:known]).all()


# --- levels and their starts


def test_the_default_level_is_the_first_start():
    assert LEVELS[DEFAULT].number == DEFAULT == 5 and LEVELS[DEFAULT].start == mix.START == 1
    assert list(LEVELS) == list(range(1, 10))
    data = TEXTS["prose"]
    assert nlmzip.compress(data) == nlmzip.compress(data, level=5) == nlmzip.compress(data, model="none", level=5)


@every_level
def test_an_archive_names_its_level(level):
    coded = nlmzip.compress(JSON, level=level.number)
    assert coding(coded).profile == level.start
    assert described(coded)["level"] == level.number
    assert of_start(level.start) is level


@every_level
def test_a_design_is_within_what_there_is(level):
    design = level.design
    assert len(set(design.kinds)) == len(design.kinds)
    structural = [CONTEXTS[name].structural for name in design.kinds]
    assert max(*design.selectors, *design.final_selectors) < (len(SELECTOR_SIZES) if design.finer else 6)
    if not design.finer:  # what finer.py and structure.py alone can do
        assert not any(structural) and design.final_selectors == (0,)
        assert max(design.matches) < 8
    else:
        assert design.kinds[:6] == naive_mixing.CONTEXTS[:6]  # orders 1 to 6, which selectors.py counts
        assert design.inputs - design.bias_input > 12


@designs
def test_a_shipped_start_is_small_and_in_range(level):
    begin = primed.shipped(level.start)
    assert primed.path(level.start).stat().st_size < 650_000
    assert all(np.isfinite(array).all() for array in begin)
    for probabilities in (begin.history, begin.run, begin.match, begin.order_0, begin.calibration):
        assert not probabilities.size or (probabilities.min() >= 16 and probabilities.max() <= 65519)
    assert begin.by_byte.min() >= 0 and begin.by_byte.max() <= 1


@designs
def test_what_was_learnt_fits_its_design(level):
    mixing = engine(1 << 12, primed.shipped(level.start), level.design)
    data = np.frombuffer(JSON, np.uint8).copy()
    code_bytes(Encoder(), mixing, data, 0, data.size)
    again = primed.unpack(primed.pack(learnt(mixing)))
    assert primed.fits(again, level.design)
    others = [other.design for other in LEVELS.values() if other.design != level.design]
    assert not any(primed.fits(again, design) for design in others)


def test_a_start_of_another_design_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(primed, "FOLDER", tmp_path)
    (tmp_path / "2.nlm").write_bytes(primed.model_file.write({"name": "2", "kind": "engine start"}, primed.pack(primed.untrained())))
    with pytest.raises(ModelError, match="2.nlm is damaged; install nlmzip again"):
        primed.shipped.__wrapped__(LEVELS[1].start)


def test_levels_grow_stronger():
    data = (TEXTS["prose"] + TEXTS["table"] + JSON * 3 + CSV * 2) * 3
    sizes = [len(nlmzip.compress(data, level=number)) for number in (1, 5, 9)]
    assert sizes == sorted(sizes, reverse=True)


# --- options


@pytest.mark.parametrize("level", [0, 10, -1])
def test_a_level_that_there_is_not_is_refused(level):
    with pytest.raises(OptionError, match="choose one from 1 to 9"):
        nlmzip.compress(b"x", level=level)


def test_a_level_is_refused_with_the_words_codec():
    with pytest.raises(OptionError, match="levels belong to the mixing engine"):
        nlmzip.compress(b"x", level=3, model="finance", codec="words")


@every_level
def test_a_model_of_words_takes_part_at_every_level(level, tiny_model):
    data = tiny.TEXT * 2
    coded = nlmzip.compress(data, level=level.number, model=tiny_model)
    coded_by = coding(coded)
    assert (coded_by.profile, coded_by.words.predictor) == (level.start, "kn+rnn")
    assert nlmzip.decompress(coded, model=tiny_model) == data
    assert len(coded) < len(nlmzip.compress(data, level=level.number))


@pytest.mark.parametrize("more", [0, 1, 3])
def test_contexts_that_a_start_does_not_know_begin_as_its_last_one(more):
    known, design = primed.shipped(1), Design(kinds=(*naive_mixing.CONTEXTS, *naive_finer.LONG_CONTEXTS)[: 12 + more])
    wider = primed.widened(known, design)
    assert primed.fits(wider._replace(rate=known.rate.astype(np.float32)), design)
    rows, narrow = wider.weights.reshape(-1, design.inputs), known.weights.reshape(-1, 64)
    assert np.array_equal(rows[:, :44], narrow[:, :44])
    shares = rows[:, 44 : 48 + 4 * more].reshape(len(rows), more + 1, 4)
    assert (shares == (narrow[:, 44:48] / np.float32(more + 1))[:, None]).all()
    assert np.array_equal(rows[:, 48 + 4 * more : 52 + 4 * more], narrow[:, 48:52])
    assert not rows[:, 52 + 4 * more :].any()
    for one, other in zip(wider.history, [*known.history, *[known.history[-1]] * more], strict=True):
        assert np.array_equal(one, other)


SCRIPT = """
import hashlib
import nlmzip

text = b"".join(b"the %d sheep that grazed near the river ate %d of it;\\n" % (n % 7, n * n % 11) for n in range(40))
text += bytes(range(256)) + text[:900]
for level in range(1, 10):
    coded = nlmzip.compress(text, level=level, model="none")
    assert nlmzip.decompress(coded) == text
    print(hashlib.sha256(coded).hexdigest())
"""


def test_another_processor_writes_the_same_at_every_level():
    """Long matches too, which hash more bytes than a number holds."""

    def run(**variables):
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])} | variables
        done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    here = run()
    assert len(here) == len(set(here)) == 9
    assert run(NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="") == here
