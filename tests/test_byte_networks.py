"""Networks whose words are bytes: both codecs, what is predicted, and training."""

import functools
import math
import random

import numpy as np
import pytest
import tiny
from archives import archive, described
from engines import fresh, taking_part
from test_mixed_words import read
from test_mixing import PROSE
from test_words import TEXTS

import nlmzip
from nlmzip.cli import main
from nlmzip.codec import mix, words
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import ModelReference, Recipe, WordsCoding
from nlmzip.engine.inputs.byte_trees import plant
from nlmzip.engine.inputs.sources import together
from nlmzip.engine.loop import code_bytes
from nlmzip.entropy.range_coder import Encoder
from nlmzip.errors import ArchiveError, OptionError
from nlmzip.models import model_file
from nlmzip.predictors.as_bytes.prepare import prepare_source
from nlmzip.predictors.build import build
from nlmzip.text.forms import Bytes
from nlmzip.text.vocabulary import FIRST_WORD, Vocabulary
from nlmzip.training import TrainingOptions, train_model

NETWORKS = ("nplm", "rnn", "lstm", "gru", "mgu")
PREDICTORS = [("uniform", False), ("kn", False), ("lstm", False), ("kn+nplm", True), ("kn+nplm+rnn+lstm+gru+mgu", True)]
CODED = {name: TEXTS[name] for name in ("one byte", "prose", "invalid UTF-8", "CRLF")}
CODED["any bytes"] = random.Random(3).randbytes(300) + bytes(range(256))


@functools.cache
def model():
    return model_file.read(tiny.model_bytes("tiny bytes", form="bytes", networks=NETWORKS))


@pytest.mark.parametrize("predictor, dynamic", PREDICTORS)
def test_any_text_round_trips(predictor, dynamic):
    for name, data in CODED.items():
        chosen = words.WordSettings(predictor, dynamic, False, "bytes")
        payload = words.encode(data, model(), chosen)
        assert words.decode(payload, len(data), model(), chosen) == data, name
        mixed_archive = nlmzip.compress(data, model=model(), predictor=predictor, dynamic=dynamic)
        assert nlmzip.decompress(mixed_archive, model=model()) == data, name


def test_an_archive_says_that_its_words_are_bytes():
    coded = nlmzip.compress(tiny.TEXT * 9, model=model(), codec="words", predictor="kn", dynamic=False)
    assert described(coded)["text_form"] == "bytes"
    assert nlmzip.decompress(coded, model=model()) == tiny.TEXT * 9


def test_a_symbol_that_is_no_byte_is_an_error():
    class Always:
        """A coder to which every symbol is </s>."""

        bits = 0.0

    form = Bytes(Vocabulary.of_bytes(), None, False)
    for symbol in range(FIRST_WORD):
        with pytest.raises(ArchiveError, match="no byte"):
            form.code_details(Always(), symbol, None)


@pytest.mark.parametrize("form, of", [("plain", "bytes"), ("general", "bytes"), ("bytes", "plain")])
def test_a_form_that_does_not_suit_the_model_is_an_error(form, of):
    other = model_file.read(tiny.model_bytes(form=of))
    coded_by = WordsCoding("kn", False, False, form, ModelReference(other.sha256[:8]))
    coded = archive(Recipe((coded_by,)), [Frame.of(b"cow", bytes(2), 0)])
    with pytest.raises(ArchiveError, match="no words of the form"):
        nlmzip.decompress(coded, model=other)


def test_a_tree_holds_the_probabilities_and_their_sums():
    probabilities = np.random.default_rng(1).random(256).astype(np.float32)
    probabilities[[3, 5, 9]] = np.nan, -1, np.inf
    tree = np.zeros(512, np.float32)
    plant(probabilities, tree)
    naive = [min(float(p), 1.0) if p > 0 else 0.0 for p in probabilities]
    for node in range(1, 256):
        depth = 9 - node.bit_length()
        leaves = naive[(node << depth) - 256 : ((node + 1) << depth) - 256]
        assert math.isclose(tree[node], math.fsum(leaves), rel_tol=1e-5), node


@pytest.mark.parametrize("predictor, dynamic", PREDICTORS[1:])
def test_the_trees_are_the_predictors_distributions(predictor, dynamic):
    """The last one is the predictor itself, after each byte."""
    sources, alone = taking_part(model(), predictor, dynamic), build(model(), predictor, dynamic)
    data = np.frombuffer(PROSE[:200], np.uint8).copy()
    mixing, coder = fresh(len(data), mix.START, sources), Encoder()
    for place, byte in enumerate(data):
        expected = alone.predict()[FIRST_WORD:]
        np.testing.assert_allclose(sources.kernel.trees[-1, 256:], expected, rtol=1e-5, atol=1e-9)
        code_bytes(coder, mixing, data, place, place + 1, sources)
        alone.perceive(FIRST_WORD + int(byte))


def test_words_and_bytes_take_part_side_by_side():
    """Each predicts what it predicts alone."""
    words_alone = prepare_source(model_file.read(tiny.model_bytes(form="general")), "kn+rnn", True)
    prepared = words_alone, prepare_source(model(), "kn+lstm", True)
    both, alone = together(prepared), [together([each]) for each in prepared]
    data = np.frombuffer(PROSE[:300], np.uint8).copy()
    engines = [fresh(data.size, mix.START, sources) for sources in (both, *alone)]
    for place in range(data.size):
        for engine, sources in zip(engines, (both, *alone), strict=True):
            code_bytes(Encoder(), engine, data, place, place + 1, sources)
        trees = [sources.kernel.trees for sources in alone]
        assert np.array_equal(both.kernel.trees, np.concatenate(trees))


def test_no_prediction_looks_ahead():
    bits = read(PROSE, taking_part(model(), "kn+lstm", True), 1)
    for known in range(1, len(PROSE), 29):
        other = PROSE[:known] + bytes(255 - byte for byte in PROSE[known:])
        other_bits = read(other, taking_part(model(), "kn+lstm", True), 1)
        assert (bits[:known] == other_bits[:known]).all()
        assert bits[known] != other_bits[known]


# --- training

SENTENCE = b"the cow ate the grass, and the goat ate the hay. "
SMALL = {"name": "small", "symbols": "bytes", "embedding": 8, "hidden": 24, "epochs": 2}


@functools.cache
def trained():
    options = TrainingOptions(**SMALL, predictors=("kn+rnn+lstm",))
    return train_model([SENTENCE * 1500, PROSE], None, options)


def test_training_learns_bytes():
    """A network of bytes beats their frequencies by far on text like that of its training."""
    small = model_file.read(trained())
    assert small.card["text_form"] == "bytes" and small.card["vocabulary_size"] == FIRST_WORD + 256
    assert not {"vocabulary", "speller.counts"} & set(small.arrays)
    assert set(small.card["networks"]) == {"rnn", "lstm"}
    settings = words.WordSettings("lstm", False, False, "bytes")
    assert 8 * len(words.encode(SENTENCE, small, settings)) / len(SENTENCE) < 2.5


def test_the_figures_of_a_card_are_what_a_payload_takes():
    small = model_file.read(train_model([SENTENCE * 1500], PROSE, TrainingOptions(**SMALL)))
    payload = words.encode(PROSE, small, words.WordSettings("lstm", True, False, "bytes"))
    stated = small.card["settings"]["lstm"]["dynamic"]["dev_nats"] * len(PROSE) / np.log(2)
    assert stated - 1 < 8 * len(payload) < stated + 11
    assert small.card["default"]["spelling_cache"] is False


@pytest.mark.parametrize("asked", [{"vocabulary": 100}, {"reset_state": True}, {"reset_state": False}])
def test_bytes_have_neither_vocabulary_nor_sentences(asked):
    with pytest.raises(OptionError, match="leave that out"):
        TrainingOptions("bytes", symbols="bytes", **asked)


@pytest.mark.parametrize("texts", [[], [b""], [b"x"]])
def test_next_to_nothing_is_nothing_to_train_on(texts):
    with pytest.raises(OptionError, match="nothing to train on"):
        train_model(texts, b"", TrainingOptions(**SMALL))


def test_an_empty_dev_text_is_as_none():
    small = model_file.read(train_model([SENTENCE * 9], b"", TrainingOptions(**SMALL)))
    assert math.isfinite(small.card["settings"]["lstm"]["dynamic"]["dev_nats"])


def test_the_command_line_trains_and_codes(tmp_path):
    text, made = tmp_path / "text", tmp_path / "small.nlm"
    text.write_bytes(SENTENCE * 30)
    sizes = ["--embedding", "4", "--hidden", "8", "--epochs", "1"]
    steps = [
        ["train", "--codec", "words", "--symbols", "bytes", *sizes, str(text), "-o", str(made)],
        ["encode", "--codec", "words", "--model", str(made), "--predictor", "lstm", "--dynamic", str(text)],
        ["decode", "--model", str(made), str(text) + ".nlmz", "-o", str(tmp_path / "back")],
    ]
    for step in steps:
        assert main(step) == 0, step
    assert (tmp_path / "back").read_bytes() == text.read_bytes()
