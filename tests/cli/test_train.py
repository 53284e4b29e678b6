"""`nlmzip train`: options, the file it makes, and being interrupted; models of bytes and of words."""

import json
import os
import signal

import pytest
from command_line import OTHER, TEXT
from tiny import TEXT as TRAINING_TEXT

import nlmzip.training.counts.train
import nlmzip.training.pipeline
from nlmzip.models import model_file
from nlmzip.training.counts.train import CountsOptions

NETWORKS = ["--codec", "words", "--embedding", "3", "--hidden", "4"]
SMALL = [*NETWORKS, "--epochs", "1"]


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


def test_the_networks_are_those_of_the_predictors_that_are_named(workplace):
    workplace.write("train", TRAINING_TEXT * 3)
    chosen = ["--predictor", "rnn+lstm", "--predictor", "kn+lstm", "--forget-bias", "2.5"]
    assert workplace.run("train", "train", "-o", "own.nlm", *SMALL, *chosen).status == 0
    card = model_file.read(workplace.read("own.nlm")).card
    assert set(card["networks"]) == {"rnn", "lstm"}
    assert card["networks"]["lstm"]["forget_bias"] == 2.5
    expected = {"kn", "rnn", "lstm", "kn+rnn", "kn+lstm", "rnn+lstm", "kn+rnn+lstm"}
    assert set(card["settings"]) == expected
    for predictor in ("lstm+rnn", "rnn+lstm+kn"):
        command = f"encode --model ./own.nlm --dynamic --predictor {predictor} -f text"
        assert workplace.run(*command.split()).status == 0
        assert workplace.run("decode", "--model", "./own.nlm", "-c", "text.nlmz").stdout == TEXT
    result = workplace.run("encode", "--model", "./own.nlm", "--predictor", "nplm", "text", "-c")
    assert (result.status, result.stderr.count("\n")) == (1, 1)
    assert "has no predictor nplm; it has uniform, kn" in result.stderr


@pytest.mark.parametrize("head, number", [("mos", 2), ("moc", None)])
def test_the_head_is_what_was_asked_for(workplace, head, number):
    workplace.write("train", TRAINING_TEXT * 3)
    chosen = ["--head", head, *(["--softmaxes", str(number)] if number else []), "--tied", "--direct"]
    assert workplace.run("train", "train", "-o", "own.nlm", *SMALL, *chosen).status == 0
    networks = model_file.read(workplace.read("own.nlm")).card["networks"]
    assert {(each["head"], each["softmaxes"]) for each in networks.values()} == {(head, number or 3)}
    assert networks["nplm"]["direct"] and networks["rnn"]["tied"] and "direct" not in networks["rnn"]
    assert workplace.run("encode", "--model", "./own.nlm", "--predictor", "kn+nplm", "text").status == 0
    assert workplace.run("decode", "--model", "./own.nlm", "-c", "text.nlmz").stdout == TEXT


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
    result = workplace.run("train", "train", "-o", "own.nlm", *NETWORKS, "--epochs", "50")
    message = "nlmzip: own.nlm: interrupted; this is the best model so far\n"
    assert (result.status, result.stderr) == (128 + number, message)
    card = model_file.read(workplace.read("own.nlm")).card
    assert card["networks"]["nplm"]["epoch"] < 50
    assert workplace.run("encode", "--model", "./own.nlm", "-c", "text").status == 0
    assert json.loads(workplace.run("info", "--json", "own.nlm").stdout)[0]["card"]["name"] == "own"


# --- models of bytes

BYTES_TEXT = b"".join(b"The cow ate %d bales of hay in barn %d.\n" % (n * n, n % 7) for n in range(500))


def test_a_model_of_bytes_is_what_it_trains_and_it_codes(workplace):
    workplace.write("train", BYTES_TEXT)
    result = workplace.run("train", "train", "-o", "own.nlm", "--size", "400K", "--contexts", "short")
    assert (result.status, result.stdout, result.stderr) == (0, b"", "")
    model = model_file.read(workplace.read("own.nlm"))
    assert (model.kind, model.name) == (model_file.BYTES, "own")
    assert len(workplace.read("own.nlm")) <= 400_000
    workplace.write("text", BYTES_TEXT[-3000:])
    plain = workplace.run("encode", "-c", "text").stdout
    assert workplace.run("encode", "--model", "./own.nlm", "text").status == 0
    assert len(workplace.read("text.nlmz")) < len(plain)
    (report,) = json.loads(workplace.run("info", "--json", "text.nlmz").stdout)
    member = report["members"][0]
    assert (member["codec"], member["level"], member["model_name"]) == ("mix", 5, "own")
    assert workplace.run("decode", "--model", "own.nlm", "-c", "text.nlmz").stdout == BYTES_TEXT[-3000:]
    both = workplace.run("encode", "--model", "own.nlm", "--model", "tiny", "-c", "text").stdout
    workplace.write("both.nlmz", both)
    assert workplace.run("decode", "--model", "own.nlm", "-c", "both.nlmz").stdout == BYTES_TEXT[-3000:]


@pytest.fixture
def seen(monkeypatch):
    """What models of bytes would be trained with."""
    calls = []

    def train_counts(texts, dev, options, progress, n_threads):
        calls.append((texts, dev, options))
        return b"a model"

    monkeypatch.setattr(nlmzip.training.counts.train, "train_counts", train_counts)
    return calls


def test_options_reach_the_training_of_bytes(workplace, seen):
    command = "train text other -o own.nlm --dev other --size 2.5M --contexts long --seed 9 --name mine"
    assert workplace.run(*command.split()).status == 0
    assert seen == [([TEXT, OTHER], OTHER, CountsOptions("mine", 2_500_000, "long", 9))]
    assert workplace.read("own.nlm") == b"a model"


def test_defaults_of_the_training_of_bytes(workplace, seen):
    assert workplace.run("train", "text", "--codec", "mix", "-o", "own.nlm").status == 0
    assert seen == [([TEXT], None, CountsOptions("own", 8_000_000, None, 1))]


def test_the_files_of_a_folder_are_texts_in_their_order(workplace, seen):
    for name in ("folder/b", "folder/a"):
        workplace.write(name, name.encode())
    (workplace.folder / "folder" / "deeper").mkdir()
    assert workplace.run("train", "text", "folder", "-o", "own.nlm").status == 0
    assert [texts for texts, *_ in seen] == [[TEXT, b"folder/a", b"folder/b"]]


@pytest.mark.parametrize(
    "size, n_bytes",
    [("300000", 300_000), ("300K", 300_000), ("1.5m", 1_500_000), ("2MB", 2_000_000), ("1G", 10**9)],
)
def test_a_size_may_have_a_unit(workplace, seen, size, n_bytes):
    assert workplace.run("train", "text", "-o", "own.nlm", "--size", size).status == 0
    assert [options.size for *_, options in seen] == [n_bytes]


@pytest.mark.parametrize(
    "command, message",
    [
        ("--size 8X", "8X is no size; write a number of bytes, or one such as 8M"),
        ("--size -1", "-1 is no size; write a number of bytes, or one such as 8M"),
        ("--epochs 2", "--epochs is of models of words; add --codec words"),
        ("--hidden 2 --carry-state", "--hidden, --reset-state are of models of words; add --codec words"),
        ("--predictor kn+lstm", "--predictor is of models of words; add --codec words"),
        ("--codec words --forget-bias 3", "a forget bias is of an LSTM; train one with --predictor kn+lstm"),
        ("--codec words --softmaxes 4", "a number of softmaxes is of a mixture; add --head mos, or moc"),
        ("--codec words --predictor rnn --direct", "direct connections are of an NPLM; train one with --predictor kn+nplm"),
        ("--head mos --tied", "--head, --tied are of models of words; add --codec words"),
        ("--head mos", "--head is of models of words; add --codec words"),
        ("--codec words --size 8M", "--size is of models of bytes; leave it out"),
        ("--codec words --contexts long", "--contexts is of models of bytes; leave it out"),
    ],
)
def test_an_option_that_does_not_fit_is_one_line(workplace, command, message):
    before = workplace.contents()
    result = workplace.run("train", "text", "-o", "own.nlm", *command.split())
    assert (result.status, result.stdout, result.stderr) == (1, b"", f"nlmzip: {message}\n")
    assert workplace.contents() == before


@pytest.mark.parametrize("data", [b"", TEXT], ids=["empty", "short"])
def test_too_little_text_for_a_model_of_bytes_is_one_line(workplace, data):
    workplace.write("train", data)
    result = workplace.run("train", "train", "-o", "own.nlm")
    message = "nlmzip: too little text to train on; give some thousands of bytes\n"
    assert (result.status, result.stderr) == (1, message)
    assert not os.path.exists("own.nlm")


def test_a_model_of_bytes_of_an_impossible_size_is_one_line(workplace):
    workplace.write("train", BYTES_TEXT)
    result = workplace.run("train", "train", "-o", "own.nlm", "--size", "10K", "--contexts", "short")
    message = "nlmzip: a model of bytes takes at least 300000 bytes; give more with --size\n"
    assert (result.status, result.stderr) == (1, message)
    assert not os.path.exists("own.nlm")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stage", ["counting", "trying settings"])
def test_a_model_of_bytes_that_is_interrupted_is_not_written(workplace, monkeypatch, number, stage):
    workplace.write("train", BYTES_TEXT)

    def begin(self, name, total):
        if name == stage:
            os.kill(os.getpid(), number)

    monkeypatch.setattr("nlmzip.cli.progress.StageProgress.stage", begin)
    result = workplace.run("train", "train", "-o", "own.nlm", "--contexts", "short")
    message = "nlmzip: interrupted; what was not finished has not been written\n"
    assert (result.status, result.stderr) == (128 + number, message)
    assert not os.path.exists("own.nlm")
