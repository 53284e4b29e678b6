"""Made-up models of bytes, and archives that name a model of the other kind: an error in one line."""

import functools
import lzma

import naive_prior
import numpy as np
import pytest
from archives import archive
from command_line import MODEL, TEXT

import nlmzip
from nlmzip.container.format import HASH_BYTES
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import (
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
    WordsInMix,
)
from nlmzip.errors import ModelError, ModelNotFoundError
from nlmzip.models import model_file

OF_WORDS = model_file.read(MODEL)
OF_BYTES = model_file.read(naive_prior.model_bytes())


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Both models in the user's folder."""
    (tmp_path / "words.nlm").write_bytes(MODEL)
    (tmp_path / "bytes.nlm").write_bytes(naive_prior.model_bytes())
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path))


def reference(model) -> ModelReference:
    return ModelReference(model.sha256[:HASH_BYTES], "it")


def made_up(coding) -> bytes:
    return archive(Recipe((coding,)), [Frame.of(TEXT, b"any payload", 0)])


@pytest.mark.parametrize(
    "coded",
    [
        made_up(MixCoding(5, reference(OF_WORDS))),
        made_up(MixCoding(1, None, WordsInMix("kn", False, reference(OF_BYTES)))),
        made_up(WordsCoding("kn", False, False, "general", reference(OF_BYTES))),
    ],
    ids=["of bytes", "that takes part", "of words"],
)
def test_an_archive_that_names_a_model_of_the_other_kind_is_refused(models, coded):
    with pytest.raises(ModelNotFoundError, match="that this archive needs is not in"):
        nlmzip.decompress(coded)
    with pytest.raises(ModelNotFoundError, match="this archive needs the model"):
        nlmzip.decompress(coded, model=[OF_WORDS, OF_BYTES])


@pytest.mark.parametrize("level", [1, 4, 6, 9, 31])
def test_an_archive_of_a_level_that_the_model_lacks_is_refused(level):
    with pytest.raises(ModelError, match=f"level {level}"):
        nlmzip.decompress(made_up(MixCoding(level, reference(OF_BYTES))), model=OF_BYTES)


def without(name):
    return lambda card, arrays: arrays.pop(name)


def counts(**changed):
    return lambda card, arrays: card["counts"].update(changed)


def card_entry(**changed):
    return lambda card, arrays: card.update(changed)


DAMAGES = {
    "no counts": without("counts"),
    "no weights": without("level5.weights"),
    "counts of floats": lambda card, arrays: arrays.update(counts=np.zeros(9, np.float32)),
    "weights of floats": lambda card, arrays: arrays.update({"level5.weights": np.zeros(16, np.float32)}),
    "a weight alone": lambda card, arrays: arrays.update({"level5.weights": np.array(0, np.uint16)}),
    "an array more": lambda card, arrays: arrays.update({"level5.more": np.zeros(3, np.uint8)}),
    "no levels": card_entry(levels=[]),
    "a level without a start": card_entry(levels=[9]),
    "a level too high": card_entry(levels=[10]),
    "levels that are none": card_entry(levels=["5"]),
    "numbers that are none": card_entry(numbers=[1]),
    "a number that is none": card_entry(numbers={"5": "1"}),
    "a shipped number": card_entry(numbers={"5": 1}),
    "no numbers of counts": card_entry(counts={}),
    "numbers of counts that are none": card_entry(counts=3),
    "many contexts": counts(contexts=1 << 61),
    "few contexts": counts(contexts=0),
    "many followers": counts(followers=1 << 61),
    "one follower less": counts(followers=OF_BYTES.card["counts"]["followers"] - 1),
    "a long total": counts(total=1 << 40),
    "words of a number": counts(words=9),
    "no words": counts(words=0),
    "other contexts": counts(skipping=not OF_BYTES.card["counts"]["skipping"]),
    "skipping by a number": counts(skipping=1),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_made_up_model_codes_or_is_refused(tmp_path, monkeypatch, damage):
    quick = functools.partial(lzma.compress, preset=0)
    monkeypatch.setattr(lzma, "compress", lambda data, preset: quick(data))
    card, arrays = naive_prior.model_entries()
    damage(card, arrays)
    path = tmp_path / "made-up.nlm"
    path.write_bytes(model_file.write(card, arrays))
    try:
        coded = nlmzip.compress(TEXT, model=str(path))
    except ModelError as error:
        assert "\n" not in str(error)
    else:
        assert nlmzip.decompress(coded, model=str(path)) == TEXT
