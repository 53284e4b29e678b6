"""From texts to a model file: what is chosen on dev is what the coder then does."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from nlmzip.codec import words
from nlmzip.codec.words import WordSettings
from nlmzip.errors import OptionError
from nlmzip.models import model_file
from nlmzip.predictors.build import build
from nlmzip.text import forms
from nlmzip.text.vocabulary import Vocabulary
from nlmzip.training import TrainingOptions, designs, train_model
from nlmzip.training.preparation import choose_form, keep_apart

SMALL = {"name": "small", "embedding": 4, "hidden": 6, "epochs": 3}
ONE = {"bank": "lends money", "mill": "grinds corn", "mine": "digs coal", "farm": "sells milk"}


def sentences(n, seed):
    random = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        noun = random.choice(list(ONE))
        line = f"the {random.choice(['old', 'new', 'big'])} {noun} of {random.choice(['york', 'bath'])} {ONE[noun]}"
        if random.random() < 0.05:
            line += f" says name{random.integers(10**6)}"
        lines.append(line + "\n")
    return "".join(lines).encode()


TRAIN, DEV = sentences(300, 0), sentences(40, 1)


@pytest.fixture(scope="module")
def model():
    return model_file.read(train_model([TRAIN], DEV, TrainingOptions(**SMALL)))


def dev_symbols(model):
    vocabulary = Vocabulary.unpack(model.arrays["vocabulary"])
    form = forms.FORMS[model.card["text_form"]]
    return np.concatenate(list(forms.sentences(form, DEV, vocabulary)))


def coded_nats(model, name, dynamic):
    predictor = build(model, name, dynamic)
    nats = []
    for symbol in dev_symbols(model):
        nats.append(-np.log(predictor.predict()[symbol]))
        predictor.perceive(symbol)
    return np.mean(nats)


SETTINGS = [
    ("kn", False), ("nplm", False), ("nplm", True), ("rnn", False), ("rnn", True),
    ("kn+nplm", False), ("kn+nplm", True), ("kn+rnn", False), ("kn+rnn", True),
]  # fmt: skip


@pytest.mark.parametrize("name, dynamic", SETTINGS)
def test_the_dev_loss_on_the_card_is_what_the_coder_pays(model, name, dynamic):
    stated = model.card["settings"][name]["dynamic" if dynamic else "static"]["dev_nats"]
    assert coded_nats(model, name, dynamic) == pytest.approx(stated, abs=1e-4)


def test_there_are_settings_for_every_predictor_and_no_other(model):
    found = [
        (name, mode == "dynamic")
        for name, modes in model.card["settings"].items()
        for mode in ("static", "dynamic")
        if mode in modes
    ]
    assert sorted(found) == sorted(SETTINGS)


@pytest.mark.parametrize("network", ["nplm", "rnn"])
def test_a_mixture_is_no_worse_on_dev_than_its_parts(model, network):
    settings = model.card["settings"]
    mixture = settings[f"kn+{network}"]
    for mode in ("static", "dynamic"):
        alone = min(settings["kn"]["static"]["dev_nats"], settings[network][mode]["dev_nats"])
        assert mixture[mode]["dev_nats"] <= alone + 2e-4
        (weight,) = mixture[mode]["weights"]
        assert 0 <= weight <= 1


def test_the_default_is_the_best_on_dev(model):
    settings, default = model.card["settings"], model.card["default"]
    mode = "dynamic" if default["dynamic"] else "static"
    losses = [value["dev_nats"] for modes in settings.values() for value in modes.values()]
    assert settings[default["predictor"]][mode]["dev_nats"] == min(losses)


def test_networks_are_stored_in_half_precision_and_learn(model):
    for part in ("nplm", "rnn"):
        arrays = model.section(part)
        assert {array.dtype for array in arrays.values()} == {np.dtype(np.float16)}
        assert sum(a.size for a in arrays.values()) == model.card["networks"][part]["parameters"]
        losses = model.card["networks"][part]["dev_nats_by_epoch"]
        assert len(losses) == 3 and losses[2] < losses[0] < np.log(model.card["vocabulary_size"])


def test_the_card_says_what_was_trained_on(model):
    training = model.card["training"]
    assert training["bytes"] == len(TRAIN)
    assert training["sentences"] == TRAIN.count(b"\n")
    assert training["tokens"] == len(TRAIN.replace(b"\n", b" </s> ").split())
    assert model.card["text_form"] == "plain" and model.card["reset_state"] is True


def test_the_same_seed_gives_the_same_model():
    options = {**SMALL, "epochs": 1, "predictors": ("rnn",)}
    first, second, other = (
        model_file.read(train_model([TRAIN], DEV, TrainingOptions(**options, seed=seed)))
        for seed in (3, 3, 4)
    )
    assert first.card == second.card
    for name, array in first.arrays.items():
        assert (array == second.arrays[name]).all()
    assert (first.arrays["rnn.embedding"] != other.arrays["rnn.embedding"]).any()


class Interrupting:
    """Progress that is interrupted once, when it is told all of these figures."""

    def __init__(self, *figures):
        self.figures, self.stages, self.interrupted = set(figures), [], False

    def stage(self, name, total):
        self.stages.append(name)

    def advance(self, n=1, **figures):
        if not self.interrupted and figures and self.figures <= figures.keys():
            self.interrupted = True
            raise KeyboardInterrupt


@pytest.mark.parametrize("figures", [("nplm_dev", "rnn_dev"), ()])
def test_an_interrupt_keeps_the_best_so_far(figures):
    progress = Interrupting(*figures)
    options = TrainingOptions(**{**SMALL, "epochs": 1000})
    # Both networks hear of it: one must not have ended an epoch before the other began its first.
    text = TRAIN if figures else TRAIN * 50
    model = model_file.read(train_model([text], DEV, options, progress))
    assert progress.interrupted and progress.stages[-1] == "tuning"
    for part in ("nplm", "rnn"):
        n_epochs = len(model.card["networks"][part]["dev_nats_by_epoch"])
        assert n_epochs < 1000 and (n_epochs > 0) == bool(figures)
        assert np.abs(model.arrays[f"{part}.embedding"]).max() > 0
    assert sorted(model.card["settings"]) == sorted({name for name, _ in SETTINGS})


class InterruptedInStages:
    """Progress that is interrupted once in each of these stages."""

    def __init__(self, *stages):
        self.left, self.now = list(stages), None

    def stage(self, name, total):
        self.now = name

    def advance(self, n=1, **figures):
        if self.now in self.left:
            self.left.remove(self.now)
            raise KeyboardInterrupt


def test_an_interrupt_of_tuning_keeps_the_networks():
    options = TrainingOptions(**SMALL)
    model = model_file.read(train_model([TRAIN], DEV, options, InterruptedInStages("tuning")))
    for part in ("nplm", "rnn"):
        assert len(model.card["networks"][part]["dev_nats_by_epoch"]) == 3
    for name, dynamic in SETTINGS:
        stated = model.card["settings"][name]["dynamic" if dynamic else "static"]["dev_nats"]
        assert coded_nats(model, name, dynamic) == pytest.approx(stated, abs=1e-4)


@pytest.mark.parametrize("stages", [("networks", "tuning"), ("tuning", "tuning"), ("reading",)])
def test_a_second_interrupt_or_one_too_early_is_raised(stages):
    progress = InterruptedInStages(*stages)
    with pytest.raises(KeyboardInterrupt):
        train_model([TRAIN], DEV, TrainingOptions(**SMALL), progress)
    assert not progress.left


@pytest.mark.parametrize("learning_rate", [1e10, 1e300])
def test_a_training_that_failed_gives_a_model_of_finite_numbers(monkeypatch, learning_rate):
    wild = {
        part: replace(schedule, learning_rate=learning_rate)
        for part, schedule in designs.SCHEDULES["words"].items()
    }
    monkeypatch.setitem(designs.SCHEDULES, "words", wild)
    model = model_file.read(train_model([TRAIN], DEV, TrainingOptions(**SMALL)))
    assert all(np.isfinite(array).all() for array in model.arrays.values())
    json.dumps(model.card, allow_nan=False)
    settings = model.card["default"]
    assert settings["predictor"].startswith("kn")
    assert np.isfinite(coded_nats(model, settings["predictor"], settings["dynamic"]))


class CountingProgress:
    def __init__(self):
        self.stages = []

    def stage(self, name, total):
        self.stages.append([name, total, 0])

    def advance(self, n=1, **figures):
        self.stages[-1][2] += n


def test_every_stage_of_progress_adds_up_to_its_total():
    progress = CountingProgress()
    train_model([TRAIN, DEV], DEV, TrainingOptions(**{**SMALL, "epochs": 1}), progress)
    assert [name for name, _, _ in progress.stages] == ["reading", "networks", "tuning"]
    for name, total, done in progress.stages:
        assert done == total, name


GENERAL = b"The Old Mill,\r\nthe new mine!  It digs. " * 30


@pytest.mark.parametrize(
    "texts, reset_state",
    [([GENERAL], False), ([TRAIN, GENERAL], False), ([b"word"], False), ([b"a\n" * 20], True)],
)
def test_other_texts_train_too(texts, reset_state):
    options = TrainingOptions(**{**SMALL, "epochs": 1})
    model = model_file.read(train_model(texts, None, options))
    assert model.card["reset_state"] is reset_state
    assert model.card["text_form"] == ("plain" if reset_state else "general")
    assert all(np.isfinite(array).all() for array in model.arrays.values())
    for name in model.card["settings"]:
        predictor = build(model, name, dynamic=False)
        assert predictor.predict().sum() == pytest.approx(1, abs=1e-4)


def test_the_state_is_carried_or_reset_as_asked():
    options = TrainingOptions(**{**SMALL, "epochs": 1}, reset_state=False)
    assert model_file.read(train_model([TRAIN], DEV, options)).card["reset_state"] is False


@pytest.mark.parametrize("texts", [[], [b""], [b"\n\n"], [b" ... ! "]])
def test_texts_without_a_word_are_refused(texts):
    with pytest.raises(OptionError, match="no word to train on"):
        train_model(texts, None, TrainingOptions(**SMALL))


@pytest.mark.parametrize(
    "wrong", [{"hidden": 0}, {"epochs": 0}, {"context": 0}, {"vocabulary": 2}, {"predictors": ("x",)}, {"forget_bias": 2}]
)
def test_options_that_cannot_be_are_refused(wrong):
    with pytest.raises(OptionError):
        TrainingOptions(**{**SMALL, **wrong})


def test_the_vocabulary_has_at_most_the_size_asked_for():
    options = TrainingOptions(**{**SMALL, "epochs": 1, "predictors": ("kn",)}, vocabulary=10)
    model = model_file.read(train_model([TRAIN], DEV, options))
    assert model.card["vocabulary_size"] == 10
    assert list(model.card["settings"]) == ["kn"]


@pytest.mark.parametrize("text", [TRAIN, b"", b"a", b"x" * 1000, b"two words " * 90, b"\n" * 50])
def test_what_is_kept_apart_and_the_rest_are_the_text(text):
    (begin,), end = keep_apart([text])
    assert begin + end == text
    if text == TRAIN:
        assert begin.endswith(b"\n") and 0.05 < len(end) / len(text) < 0.11


def test_each_text_gives_a_part_for_dev():
    begins, end = keep_apart([TRAIN, DEV])
    assert TRAIN.startswith(begins[0]) and DEV.startswith(begins[1])
    assert end == TRAIN[len(begins[0]) :] + DEV[len(begins[1]) :]


def test_plain_lines_of_prose_are_read_in_general_form():
    prose = [f"Mill {i % 7} grinds corn, and mine {i % 5} digs coal.\n" for i in range(60)]
    quoted = ['"Mine," said Corn; "grinds!"\n']
    options = TrainingOptions("forms", vocabulary=100)
    assert choose_form([TRAIN], DEV, options) is forms.Plain
    assert choose_form(["".join(prose).encode()], "".join(quoted).encode(), options) is forms.General
    assert choose_form([TRAIN], DEV, TrainingOptions("forms", symbols="bytes")) is forms.Bytes


def test_the_options_load_neither_numpy_nor_numba():
    code = (
        "import sys; from nlmzip.training import TrainingOptions;"
        "sys.exit('numpy' in sys.modules or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("name, dynamic", [("kn", False), ("kn+rnn", True)])
def test_the_dev_figures_on_the_card_are_what_a_payload_takes(model, name, dynamic):
    card = model.card
    assert (dev_symbols(model) == 0).any()  # something is spelled
    settings = WordSettings(name, dynamic, card["default"]["spelling_cache"], card["text_form"])
    payload = words.encode(DEV, model, settings)
    nats = card["settings"][name]["dynamic" if dynamic else "static"]["dev_nats"]
    word_bits = nats * card["training"]["dev_tokens"] / np.log(2)
    stated = word_bits + card["training"]["dev_detail_bits"]
    assert stated - 1 < 8 * len(payload) < stated + 11
