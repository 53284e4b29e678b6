"""The container and the model file: exact, small, and suspicious of everything."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.container import archive
from nlmzip.errors import ArchiveError, ModelError, ModelNotFoundError
from nlmzip.models import catalogue, model_file

SETTINGS = archive.WordSettings("kn+rnn", True, True, "plain", bytes(range(8)))
SAME = archive.Frame.of(b"xyz", b"9")
FRAMES = [archive.Frame.of(b"abc" * 50, b"12345"), SAME, SAME]


def test_reading_undoes_writing():
    data = archive.write(archive.WORDS, SETTINGS, FRAMES) + archive.write_stored(b"stored")
    words, stored = archive.read(data)
    assert (words.codec, words.settings, words.frames) == (archive.WORDS, SETTINGS, FRAMES)
    assert (stored.codec, stored.settings, stored.raw_length) == (archive.STORED, None, 6)
    assert words.n_bytes + stored.n_bytes == len(data)


def test_a_kilobyte_costs_at_most_24_bytes_around_its_payload():
    payload = b"p" * 230
    coded = archive.write(archive.WORDS, SETTINGS, [archive.Frame.of(b"r" * 1024, payload)])
    assert len(coded) - len(payload) <= 24


@pytest.mark.parametrize("size", [0, 1, 63, 64, 5_000_000])
def test_stored_data_grows_by_at_most_12_bytes(size):
    assert len(archive.write_stored(bytes(size))) <= size + 12


def test_the_bytes_of_format_1_are_frozen():
    data = archive.write(archive.WORDS, SETTINGS, [archive.Frame.of(b"abc", b"12")])
    assert data.hex() == "fa6e7a11" "0503" "0001020304050607" "07" "02" "c2412435" "3132"
    mixed = archive.write(archive.MIX, archive.MixSettings(1), [archive.Frame.of(b"abc", b"12")])
    assert mixed.hex() == "fa6e7a12" "01" "07" "02" "c2412435" "3132"
    assert archive.write_stored(b"abc").hex() == "fa6e7a10" "07" "c2412435" "616263"


MODEL = archive.ModelReference(bytes(range(8)))
WORDS = archive.MixedWords("kn+rnn", True, archive.ModelReference(bytes(range(8, 16)), "my words"))


@pytest.mark.parametrize(
    ("settings", "coded"),
    [
        (archive.MixSettings(5, MODEL), "45" "0001020304050607"),
        (archive.MixSettings(2, None, replace(WORDS, light=True)), "a2" "0503" "08090a0b0c0d0e0f" "08" "6d7920776f726473"),
        (archive.MixSettings(2, None, WORDS), "a2" "0501" "08090a0b0c0d0e0f" "08" "6d7920776f726473"),
        (
            archive.MixSettings(31, MODEL, WORDS),
            "ff" "0001020304050607" "0501" "08090a0b0c0d0e0f" "00" "08" "6d7920776f726473",
        ),
    ],
)
def test_models_that_the_engine_needs_stand_in_its_settings(settings, coded):
    data = archive.write(archive.MIX, settings, [archive.Frame.of(b"abc", b"12")])
    assert data.hex() == "fa6e7a12" + coded + "07" "02" "c2412435" "3132"
    assert archive.read(data)[0].settings == settings


@pytest.mark.parametrize("settings", ["00", "20", "21" "00", "81" "0004" "0001020304050607"])
def test_settings_of_the_engine_that_mean_nothing_are_damage(settings):
    data = bytes.fromhex("fa6e7a12" + settings + "07" "02" "c2412435" "3132")
    with pytest.raises(ArchiveError):
        archive.read(data)


@pytest.mark.parametrize("predictor", ["uniform", "kn", "nplm", "rnn", "kn+nplm", "kn+rnn", "kn+nplm+rnn", "lstm", "gru", "kn+nplm+rnn+lstm+gru"])
def test_predictors_have_a_byte_each(predictor):
    assert archive.predictor_name(archive.predictor_byte(predictor)) == predictor


def test_an_unknown_predictor_has_no_byte():
    for name in ("", "kn+", "kn+kn", "markov"):
        with pytest.raises(ValueError):
            archive.predictor_byte(name)


def test_every_truncation_is_an_error():
    data = archive.write(archive.WORDS, SETTINGS, FRAMES)
    for length in range(len(data)):
        with pytest.raises(ArchiveError, match="truncated|empty"):
            archive.read(data[:length])


@given(st.binary(max_size=60))
@settings(max_examples=300)
def test_any_bytes_are_an_archive_or_an_archive_error(tail):
    for data in (tail, archive.MAGIC + tail, archive.MAGIC + b"\x11" + tail, archive.MAGIC + b"\x10" + tail):
        try:
            assert sum(member.n_bytes for member in archive.read(data)) == len(data)
        except ArchiveError:
            pass


@pytest.mark.parametrize(
    "data, complaint",
    [
        (b"", "empty input"),
        (b"PK\x03\x04 zip", "not an nlmzip archive"),
        (archive.write_stored(b"a") + b"garbage", "trailing garbage after the archive's end at byte 10"),
        (archive.MAGIC + b"\x20", "archive format 2 is newer than this nlmzip; upgrade"),
        (archive.MAGIC + b"\x1f", "damaged archive"),
        (archive.MAGIC + b"\x10" + b"\x80" * 10, "malformed length"),
        (archive.MAGIC + b"\x10\x83\x00" + bytes(4), "malformed length"),
        (archive.MAGIC + b"\x10" + b"\xff" * 8 + b"\x7f" + bytes(9), "truncated"),
        (archive.MAGIC + b"\x12\x01\x01" + bytes(5), "a coded frame of nothing"),
        (archive.MAGIC + b"\x11\x80\x00" + bytes(20), "unknown predictor"),
        (archive.MAGIC + b"\x11\x00\x20" + bytes(20), "unknown flags"),
    ],
)
def test_what_is_wrong_is_said(data, complaint):
    with pytest.raises(ArchiveError, match=complaint):
        archive.read(data)


def test_a_name_is_kept_and_cut_where_it_is_too_long():
    for name in ("emails", "ä" * 200):
        named = archive.WordSettings("kn", False, True, "general", bytes(8), name)
        (member,) = archive.read(archive.write(archive.WORDS, named, FRAMES))
        assert member.settings.model_name == name[:127] or name.isascii()
        assert name.startswith(member.settings.model_name)


# --- model files


def test_a_model_file_is_read_as_it_was_written():
    arrays = {
        "a": np.arange(6, dtype=np.uint16).reshape(2, 3),
        "b": np.array([1.5, -2], np.float16),
        "c": np.zeros((0, 4), np.uint32),
        "d.e": np.array([7], np.uint8),
        "d.f": np.array([0.1], np.float32),
    }
    model = model_file.read(model_file.write({"name": "x", "kind": "test", "note": "ä"}, arrays))
    assert model.card == {"name": "x", "kind": "test", "note": "ä"}
    for name, array in arrays.items():
        assert model.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(model.arrays[name], array)
    assert set(model.section("d")) == {"e", "f"}


def test_a_model_takes_no_doubles():
    with pytest.raises(ValueError, match="float64"):
        model_file.write({"name": "x"}, {"a": np.zeros(2)})


def test_any_damage_to_a_model_is_an_error():
    data = tiny.model_bytes()
    generator = random.Random(5)
    for position in generator.sample(range(len(data)), 300):
        damaged = bytearray(data)
        damaged[position] ^= 1 << generator.randrange(8)
        with pytest.raises(ModelError):
            model_file.read(bytes(damaged))
    for length in generator.sample(range(len(data)), 100):
        with pytest.raises(ModelError):
            model_file.read(data[:length])


def sealed(card: dict, body: bytes = b"") -> bytes:
    """A model file whose digest holds, however odd its content."""
    import hashlib

    text = json.dumps(card).encode()
    data = model_file.MAGIC + bytes([1]) + len(text).to_bytes(4, "little") + text + body
    return data + hashlib.sha256(data).digest()


@pytest.mark.parametrize(
    "arrays",
    [
        [{"name": "a", "dtype": "u1", "shape": [1 << 40], "bytes": 0}],
        [{"name": "a", "dtype": "f4", "shape": [-1], "bytes": 0}],
        [{"name": "a", "dtype": "O", "shape": [1], "bytes": 8}],
        [{"name": "a", "dtype": "f4", "shape": "x", "bytes": 8}],
        [{"name": "a", "dtype": "f4", "shape": [4], "bytes": -3}],
        [{"name": "a", "dtype": "f4", "shape": [1], "bytes": True}],
        [{"name": "a", "dtype": "f4", "shape": [1], "bytes": "4"}],
        [{"name": "a", "dtype": "u1", "shape": [1 << 30], "bytes": 0}] * 3,
        [{"dtype": "f4"}],
        [3],
        None,
    ],
)
def test_a_model_that_lies_about_its_arrays_is_an_error(arrays):
    with pytest.raises(ModelError):
        model_file.read(sealed({"name": "x", "kind": "test", "arrays": arrays}))


def damaged(**changes) -> bytes:
    """The tiny model with other values in its card; None takes an entry out."""
    model = model_file.read(tiny.model_bytes())
    card = {k: v for k, v in {**model.card, **changes}.items() if v is not None}
    return model_file.write(card, model.arrays)


def with_settings(mode: str, **changes) -> dict:
    settings_ = tiny.settings()
    settings_["kn+rnn"][mode] = {
        k: v for k, v in {**settings_["kn+rnn"][mode], **changes}.items() if v is not None
    }
    return {"settings": settings_}


NUMBERS = [float("nan"), float("inf"), -1, 10**400, "0.5", [[1]], {}, None, True]
BAD_CARDS = [
    *({key: None} for key in ("vocabulary_size", "reset_state", "settings", "default", "name")),
    *({"vocabulary_size": n} for n in [*NUMBERS, 1, 1.5, 1 << 19]),
    *({"reset_state": value} for value in (0, "yes", [])),
    *({"name": name} for name in ("", "x" * 300, "\ud800", 7, [])),
    *({"settings": value} for value in ([], "kn", {"kn": 3}, {"kn": {"fast": {}}}, {"hmm": {}})),
    *({"default": value} for value in ([], {}, {"predictor": "kn"}, {"predictor": ["kn"], "dynamic": False, "spelling_cache": True})),
    *({"networks": value} for value in ([], {"kn": {}}, {"rnn": 3}, {"rnn": {"head": "hmm"}}, {"rnn": {"head": []}})),
    *({"networks": {"rnn": {switch: value}}} for switch in ("tied", "direct") for value in (1, "yes", [])),
    {"networks": {"rnn": {"direct": True}}},
    *({"networks": {"rnn": {"head": "mos", "softmaxes": n}}} for n in [*NUMBERS, 0, 33, 2.5]),
    *(with_settings("dynamic", interval=n) for n in [*NUMBERS, 0, 1e-45, 10**8, 2.5]),
    *(with_settings("dynamic", step_size=n) for n in NUMBERS),
    *(with_settings("dynamic", step_size=[n]) for n in NUMBERS),
    *(with_settings("dynamic", step_size=steps) for steps in ([], [0.1, 0.1])),
    *(with_settings("static", weights=w) for w in [None, [], [0.1, 0.2], ["x"], [[0.5]], [1.5], 0.5]),
    *(with_settings("static", dev_nats=n) for n in ("", None, [], float("nan"))),
]  # fmt: skip


@pytest.mark.parametrize("changes", BAD_CARDS, ids=lambda changes: json.dumps(changes)[:60])
def test_a_card_that_cannot_be_is_an_error(changes):
    with pytest.raises(ModelError, match="malformed"):
        model_file.read(damaged(**changes))


def test_a_card_that_is_too_deep_is_an_error():
    nested = []
    for _ in range(700):
        nested = [nested]
    with pytest.raises(ModelError):
        model_file.read(sealed({"name": "x", "kind": "test", "arrays": [], "deep": nested}))


@pytest.mark.parametrize("name", ["kneser_ney.words", "kneser_ney.counts", "speller.symbols", "vocabulary"])
@pytest.mark.parametrize("value", [-29000.0, np.nan, np.inf, 0.5])
def test_floats_where_integers_index_are_an_error(name, value):
    model = model_file.read(tiny.model_bytes())
    floats = np.full(model.arrays[name].shape, value, np.float32)
    with pytest.raises(ModelError, match="malformed"):
        model_file.read(model_file.write(model.card, {**model.arrays, name: floats}))


def test_an_array_that_no_model_has_is_an_error():
    model = model_file.read(tiny.model_bytes())
    with pytest.raises(ModelError, match="malformed"):
        model_file.read(model_file.write(model.card, {**model.arrays, "bomb": np.zeros(9, np.uint8)}))


def test_a_newer_model_says_so():
    data = bytearray(tiny.model_bytes())
    data[4] = 2
    with pytest.raises(ModelError, match="newer than this nlmzip"):
        model_file.read(bytes(data))


def test_a_card_is_read_without_the_arrays(tmp_path):
    path = tmp_path / "tiny.nlm"
    path.write_bytes(tiny.model_bytes())
    card = model_file.read_card(path)
    assert card["sha256"] == model_file.read_file(path).sha256.hex()
    assert card["file_bytes"] == path.stat().st_size
    path.write_bytes(tiny.model_bytes()[:-40])
    with pytest.raises(ModelError, match="truncated"):
        model_file.read_card(path)


# --- finding models


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path))
    (tmp_path / "mine.nlm").write_bytes(tiny.model_bytes("mine"))
    (tmp_path / "broken.nlm").write_bytes(b"not a model")
    return tmp_path


def test_models_are_found_by_name_path_and_hash(folder):
    mine = catalogue.load("mine")
    assert mine.name == "mine"
    assert catalogue.load(folder / "mine.nlm") is mine
    assert catalogue.load_by_hash(mine.sha256[:8]) is mine
    assert catalogue.load(mine) is mine
    assert not catalogue.is_shipped(mine)


def test_a_missing_model_is_named_with_its_hash(folder):
    with pytest.raises(ModelNotFoundError, match="no model named other .*mine"):
        catalogue.load("other")
    with pytest.raises(ModelNotFoundError, match="no model file"):
        catalogue.load(folder / "other.nlm")
    with pytest.raises(ModelNotFoundError, match=r"emails \(hash 0102.*--model"):
        catalogue.load_by_hash(bytes([1, 2] * 4), None, "emails")
    with pytest.raises(ModelNotFoundError, match="give the right one"):
        catalogue.load_by_hash(bytes([1, 2] * 4), "mine")


def test_a_file_that_is_no_model_is_named(folder):
    with pytest.raises(ModelError, match="broken.nlm: not an nlmzip model"):
        catalogue.load("broken")


def test_an_engine_start_is_no_model_of_words():
    from nlmzip.engine import primed

    with pytest.raises(ModelError, match="another kind"):
        catalogue.load(primed.path(primed.VERSION))


def test_a_pipe_among_the_models_is_not_opened(folder):
    import os

    os.mkfifo(folder / "waits.nlm")
    assert catalogue.load("mine").name == "mine"
    with pytest.raises(ModelNotFoundError):
        catalogue.load_by_hash(bytes(8))
