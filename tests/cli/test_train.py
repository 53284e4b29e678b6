"""`nlmzip train`: options, the file it makes, and being interrupted."""

import json
import os
import signal

import pytest
from command_line import OTHER, TEXT
from tiny import TEXT as TRAINING_TEXT

import nlmzip.training.pipeline
from nlmzip.models import model_file

SMALL = ["--embedding", "3", "--hidden", "4", "--epochs", "1"]


def test_a_trained_model_codes(workplace):
    workplace.write("train", TRAINING_TEXT * 3)
    result = workplace.run("train", "train", "-o", "own.nlm", "--dev", "text", *SMALL)
    assert (result.status, result.stdout, result.stderr) == (0, b"", "")
    assert workplace.run("encode", "--model", "./own.nlm", "text").status == 0
    assert workplace.run("decode", "--model", "own.nlm", "-c", "text.nlmz").stdout == TEXT


def test_options_reach_the_training(workplace, monkeypatch):
    seen = []

    def train_model(texts, dev, options, progress):
        seen.append((texts, dev, options))
        return b"a model"

    monkeypatch.setattr(nlmzip.training.pipeline, "train_model", train_model)
    command = "train text other -o own.nlm --dev other --vocabulary 100 --context 3 --seed 9 --carry-state"
    assert workplace.run(*command.split(), *SMALL).status == 0
    ((texts, dev, options),) = seen
    assert (texts, dev) == ([TEXT, OTHER], OTHER)
    assert options == nlmzip.training.TrainingOptions(
        "own", vocabulary=100, embedding=3, hidden=4, context=3, epochs=1, seed=9, reset_state=False
    )
    assert workplace.read("own.nlm") == b"a model"


def test_a_model_is_not_overwritten_without_force(workplace):
    result = workplace.run("train", "text", "-o", "other")
    message = "nlmzip: other: exists already; use --force to overwrite it\n"
    assert (result.status, result.stderr) == (1, message)
    assert workplace.read("other") == OTHER


def test_a_text_is_not_overwritten_by_its_model(workplace):
    result = workplace.run("train", "text", "-o", "text", "--force")
    message = "nlmzip: text: input and output are the same file; use -o with another name\n"
    assert (result.status, result.stderr) == (1, message)
    assert workplace.read("text") == TEXT


def test_a_text_without_words_is_an_error(workplace):
    workplace.write("empty", b"")
    result = workplace.run("train", "empty", "-o", "own.nlm", *SMALL)
    assert (result.status, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("nlmzip: ")
    assert not os.path.exists("own.nlm")


def interrupt_tuning(monkeypatch, number, n_times):
    """Send this signal at each of the first steps of tuning."""
    now, sent = [None], []

    def stage(self, name, total):
        now[0] = name

    def advance(self, n=1, **figures):
        if now[0] == "tuning" and len(sent) < n_times:
            sent.append(number)
            os.kill(os.getpid(), number)

    monkeypatch.setattr("nlmzip.cli.progress.StageProgress.stage", stage)
    monkeypatch.setattr("nlmzip.cli.progress.StageProgress.advance", advance)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_it_tunes_it_keeps_the_networks(workplace, monkeypatch, number):
    workplace.write("train", TRAINING_TEXT * 3)
    interrupt_tuning(monkeypatch, number, n_times=1)
    result = workplace.run("train", "train", "-o", "own.nlm", *SMALL)
    message = "nlmzip: own.nlm: interrupted; this is the best model so far\n"
    assert (result.status, result.stderr) == (128 + number, message)
    assert model_file.read(workplace.read("own.nlm")).card["networks"]["rnn"]["epoch"] == 1
    assert workplace.run("encode", "--model", "./own.nlm", "text").status == 0
    assert workplace.run("decode", "--model", "./own.nlm", "-c", "text.nlmz").stdout == TEXT


def test_interrupted_twice_it_ends_without_a_model(workplace, monkeypatch):
    workplace.write("train", TRAINING_TEXT * 3)
    interrupt_tuning(monkeypatch, signal.SIGINT, n_times=2)
    assert workplace.run("train", "train", "-o", "own.nlm", *SMALL).status == 130
    assert not os.path.exists("own.nlm")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_keeps_the_best_so_far(workplace, monkeypatch, number):
    workplace.write("train", TRAINING_TEXT * 3)

    def advance(self, n=1, **figures):
        if any(name.endswith("dev") for name in figures) and not sent:
            sent.append(number)
            os.kill(os.getpid(), number)

    sent = []
    monkeypatch.setattr("nlmzip.cli.progress.StageProgress.advance", advance)
    result = workplace.run("train", "train", "-o", "own.nlm", *SMALL[:4], "--epochs", "50")
    message = "nlmzip: own.nlm: interrupted; this is the best model so far\n"
    assert (result.status, result.stderr) == (128 + number, message)
    card = model_file.read(workplace.read("own.nlm")).card
    assert card["networks"]["nplm"]["epoch"] < 50
    assert workplace.run("encode", "--model", "./own.nlm", "-c", "text").status == 0
    assert json.loads(workplace.run("info", "--json", "own.nlm").stdout)[0]["card"]["name"] == "own"
