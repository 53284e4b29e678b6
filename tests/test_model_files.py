"""Model files: exact, and suspicious of everything; and finding them by name, path and hash."""

import json
import random

import numpy as np
import pytest
import tiny

from nlmzip.errors import ModelError, ModelNotFoundError
from nlmzip.models import catalogue, model_file


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
