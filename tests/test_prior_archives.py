"""Archives that need a model of bytes: how they name it, who is asked for it, and what is refused."""

from dataclasses import replace

import naive_prior
import numpy as np
import pytest
import tiny
from archives import archive, coding, described, is_stored, members
from command_line import TEXT

import nlmzip
from nlmzip.codec import mix
from nlmzip.container.format import HASH_BYTES
from nlmzip.container.recipe import MixCoding, ModelReference, Recipe
from nlmzip.counts import cached_store
from nlmzip.engine import byte_model
from nlmzip.engine.primed import pack, shipped
from nlmzip.errors import ModelError, ModelNotFoundError, OptionError
from nlmzip.models import model_file
from nlmzip.plan.choose import nearest_level

OF_BYTES = model_file.read(naive_prior.model_bytes())
OTHER = model_file.read(naive_prior.model_bytes(seed=3, name="another"))
OF_WORDS = model_file.read(tiny.model_bytes())
KNOWN = naive_prior.text_of(2000, 4)
HASH = OF_BYTES.sha256[: HASH_BYTES]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NLMZIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path / "models"))
    (tmp_path / "models").mkdir()


# --- naming


def test_an_archive_names_its_model_by_hash_and_name():
    coded = nlmzip.compress(KNOWN, model=OF_BYTES)
    assert coding(coded) == MixCoding(5, ModelReference(HASH, "tiny prior"))
    assert (described(coded)["model_hash"], described(coded)["model_name"]) == (HASH.hex(), "tiny prior")


def test_the_name_can_be_left_out():
    named, unnamed = (nlmzip.compress(KNOWN, model=OF_BYTES, store_name=keep) for keep in (True, False))
    assert coding(unnamed).model == ModelReference(HASH, "")
    assert b"tiny prior" in named and b"tiny prior" not in unnamed
    assert len(named) == len(unnamed) + 1 + len("tiny prior")
    assert nlmzip.decompress(unnamed, model=OF_BYTES) == KNOWN


def test_a_long_name_is_cut_and_codes():
    long = model_file.Model(OF_BYTES.card | {"name": "ä" * 255}, OF_BYTES.arrays, OF_BYTES.sha256)
    coded = nlmzip.compress(KNOWN, model=long)
    name = coding(coded).model.model_name
    assert name and ("ä" * 255).startswith(name)
    assert nlmzip.decompress(coded, model=OF_BYTES) == KNOWN


@pytest.mark.parametrize("name, shown", [("tiny prior", "tiny prior"), (None, "of unknown name")])
def test_a_missing_model_is_named_with_its_hash(name, shown):
    coded = nlmzip.compress(KNOWN, model=OF_BYTES, store_name=bool(name))
    with pytest.raises(ModelNotFoundError) as error:
        nlmzip.decompress(coded)
    message = str(error.value)
    assert f"model {shown} (hash {HASH.hex()})" in message and "\n" not in message


def test_a_wrong_model_is_refused():
    coded = nlmzip.compress(KNOWN, model=OF_BYTES)
    with pytest.raises(ModelNotFoundError, match="needs the model tiny prior .* another has hash"):
        nlmzip.decompress(coded, model=OTHER)
    with pytest.raises(ModelNotFoundError, match="tiny prior"):
        nlmzip.decompress(coded, model=OF_WORDS)


def test_a_model_is_found_by_its_hash_whatever_its_file_is_called(tmp_path):
    (tmp_path / "models" / "renamed.nlm").write_bytes(naive_prior.model_bytes())
    (tmp_path / "models" / "tiny prior.nlm").write_bytes(naive_prior.model_bytes(seed=3, name="another"))
    coded = nlmzip.compress(KNOWN, model="renamed")
    assert coded == nlmzip.compress(KNOWN, model=OF_BYTES)
    assert nlmzip.decompress(coded) == KNOWN


def test_a_damaged_payload_is_refused():
    coded = nlmzip.compress(KNOWN, model=OF_BYTES)
    for place in (-1, -40, len(coded) // 2, 40):
        damaged = bytearray(coded)
        damaged[place] ^= 4
        with pytest.raises(nlmzip.NlmzipError):
            nlmzip.decompress(bytes(damaged), model=OF_BYTES)


# --- levels


def test_a_level_that_a_model_was_not_trained_for_becomes_the_nearest():
    of = model_file.read(naive_prior.model_bytes(levels=(2, 5)))
    for asked, coded_with in {1: 2, 2: 2, 3: 2, 4: 5, 5: 5, 9: 5, None: 5}.items():
        assert coding(nlmzip.compress(KNOWN, model=of, level=asked)).profile == coded_with
    assert nearest_level(model_file.Model({"levels": [3, 5]}, {}, b""), 4) == 5


def test_each_level_s_archive_comes_back():
    of = model_file.read(naive_prior.model_bytes(levels=(2, 5)))
    for level in (2, 5):
        coded = nlmzip.compress(KNOWN, model=of, level=level)
        assert nlmzip.decompress(coded, model=of) == KNOWN


def test_an_archive_of_a_level_that_the_model_lacks_is_refused():
    (member,) = members(nlmzip.compress(KNOWN, model=OF_BYTES))
    (coded_by,) = member.recipe.codings
    for level in (1, 6, 31, 119):
        other = Recipe((replace(coded_by, profile=level),))
        with pytest.raises(ModelError, match=f"tiny prior was not trained for level {level}"):
            nlmzip.decompress(archive(other, member.frames), model=OF_BYTES)
    assert nlmzip.decompress(archive(member.recipe, member.frames), model=OF_BYTES) == KNOWN


# --- several models


def test_a_model_of_bytes_and_one_of_words_code_together():
    both = [OF_BYTES, OF_WORDS]
    coded = nlmzip.compress(TEXT * 3, model=both)
    coded_by = coding(coded)
    assert coded_by.model.model_hash == HASH
    assert coded_by.words.model.model_hash == OF_WORDS.sha256[: HASH_BYTES]
    for given in (both, both[::-1], [OTHER, *both]):
        assert nlmzip.decompress(coded, model=given) == TEXT * 3
    for one in both:
        with pytest.raises(ModelNotFoundError):
            nlmzip.decompress(coded, model=one)
    assert nlmzip.compress(TEXT * 3, model=both[::-1]) == coded


def test_both_names_are_kept_or_neither():
    both = [OF_BYTES, OF_WORDS]
    named, unnamed = (nlmzip.compress(TEXT, model=both, store_name=keep) for keep in (True, False))
    names = [[reference.model_name for reference in coding(coded).references] for coded in (named, unnamed)]
    assert names == [["tiny prior", "tiny"], ["", ""]]
    assert nlmzip.decompress(unnamed, model=both) == TEXT


def test_two_models_of_bytes_are_refused():
    with pytest.raises(OptionError, match="both models of bytes; name one of them"):
        nlmzip.compress(KNOWN, model=[OF_BYTES, OTHER])
    coded = nlmzip.compress(KNOWN, model=[OF_BYTES, OF_BYTES])  # one, twice
    assert nlmzip.decompress(coded, model=OF_BYTES) == KNOWN


def test_a_model_of_bytes_is_no_use_to_the_words_codec():
    with pytest.raises(OptionError, match="model of words|model of bytes"):
        nlmzip.compress(KNOWN, model=OF_BYTES, codec="words")
    with pytest.raises(OptionError, match="model of bytes, of which the words codec has no use"):
        nlmzip.compress(KNOWN, model=[OF_BYTES, OF_WORDS], codec="words")


@pytest.mark.parametrize("option", [{"predictor": "kn"}, {"dynamic": True}])
def test_options_of_words_need_a_model_of_words(option):
    with pytest.raises(OptionError, match="belong to a model of words"):
        nlmzip.compress(KNOWN, model=OF_BYTES, **option)


def test_none_and_a_model_of_bytes_exclude_each_other():
    with pytest.raises(OptionError, match="exclude each other"):
        nlmzip.compress(KNOWN, model=["none", OF_BYTES])


@pytest.mark.parametrize("data", [b"", b"\xff" * 3], ids=["empty", "three bytes"])
def test_what_coding_would_expand_is_stored_and_needs_no_model(data):
    coded = nlmzip.compress(data, model=OF_BYTES)
    if is_stored(coded):
        assert nlmzip.decompress(coded) == data
    assert nlmzip.decompress(coded, model=OF_BYTES) == data
    assert is_stored(nlmzip.compress(b"", model=OF_BYTES))


def test_progress_ends_with_the_text():
    reports = []
    nlmzip.compress(KNOWN * 10, model=OF_BYTES, progress=lambda *report: reports.append(report))
    assert len(reports) > 1 and reports[-1] == (len(KNOWN) * 10,) * 2 and reports == sorted(reports)


# --- cards and arrays that are made up


def starts(**changed):
    return lambda card, arrays: arrays.update({f"level5.{name}": array for name, array in changed.items()})


PACKED = pack(shipped(1))
DAMAGES = {
    "weights of another design": starts(weights=pack(shipped(2))["weights"]),
    "weights turned": starts(weights=PACKED["weights"].reshape(2, -1)),
    "histories of three contexts": starts(history=PACKED["history"][:3]),
    "histories of another kind": starts(history=PACKED["history"].astype(np.uint32)),
    "more seen than there can be": starts(history_seen=PACKED["history_seen"] | 64),
    "order 0 seen too often": starts(order_0_seen=PACKED["order_0_seen"] | 255),
    "weights that are no numbers": starts(weights=np.full_like(PACKED["weights"], 0x7E00)),
    "infinite curves": starts(by_byte=np.full_like(PACKED["by_byte"], 0x7C00)),
    "no rate": starts(rate=PACKED["rate"][:0]),
    "two rates": starts(rate=np.resize(PACKED["rate"], 2)),
    "four rates": starts(rate=np.resize(PACKED["rate"], 4)),
    "rates in rows": starts(rate=np.resize(PACKED["rate"], (3, 1))),
    "an infinite rate": starts(rate=np.full(3, 0x7C00, np.uint16)),
    "a calibration": starts(calibration=np.zeros((12, 512), np.uint16)),
    "match of bytes": starts(match=PACKED["match"].astype(np.uint8)),
    "counts of bytes at random": lambda card, arrays: arrays.update(counts=np.arange(9000, dtype=np.uint8)),
    "counts of nothing": lambda card, arrays: arrays.update(counts=np.zeros(0, np.uint8)),
    "counts in rows": lambda card, arrays: arrays.update(counts=arrays["counts"][:-1].reshape(1, -1)),
}


CARDS = {
    "a kind of context more": lambda card: card["counts"].update(more=1),
    "a fraction of contexts": lambda card: card["counts"].update(contexts=9.5),
    "contexts below zero": lambda card: card["counts"].update(contexts=-1),
    "true levels": lambda card: card.update(levels=[True]),
    "levels of levels": lambda card: card.update(levels=[[5]]),
    "level 0": lambda card: card.update(levels=[0, 5]),
    "no list of levels": lambda card: card.update(levels={"5": 5}),
}


def made_up(damage=lambda card, arrays: None) -> model_file.Model:
    """A model whose arrays are damaged; reading its file, which takes long to write, gives the same."""
    card, arrays = naive_prior.model_entries()
    damage(card, arrays)
    return model_file.Model(card, arrays, b"made up".ljust(32))


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_model_with_made_up_arrays_is_refused(monkeypatch, damage):
    monkeypatch.setattr(cached_store, "_loaded", {})
    with pytest.raises(ModelError) as error:
        nlmzip.compress(KNOWN, model=made_up(damage))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", CARDS.values(), ids=CARDS)
def test_a_made_up_card_is_refused(damage):
    card, _ = naive_prior.model_entries()
    damage(card)
    with pytest.raises(ModelError, match="malformed model file") as error:
        model_file.read(model_file.write(card, {}))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [0, 0x7BFF, 0xFBFF], ids=["zeros", "the largest", "the least"])
@pytest.mark.parametrize("name", ["weights", "final", "rate", "by_byte"])
def test_any_finite_start_codes_what_it_can(name, value):
    """Learning rates and weights without sense cost bits, never the text."""
    of = made_up()
    of.arrays[f"level5.{name}"] = np.full(3 if name == "rate" else of.arrays[f"level5.{name}"].shape, value, np.uint16)
    begin = byte_model.beginning(of, 5)
    assert mix.decode(mix.encode(KNOWN, begin), len(KNOWN), begin) == KNOWN


@pytest.mark.parametrize("numbers", [[1], 5, "x", {"5": "1"}, {"5": 1}, {"5": None}, {"5": [1]}, None], ids=repr)
def test_numbers_of_a_model_that_is_not_shipped_mean_nothing(numbers):
    of = made_up(lambda card, arrays: card.update(numbers=numbers))
    try:
        model_file.read(model_file.write(of.card, {}))
    except ModelError:
        return
    assert coding(nlmzip.compress(KNOWN, model=of)).model is not None
