"""`nlmzip explain`: where the page goes, what it begins with, and what a mistake is told."""

import json
import os
import re
import signal

import pytest
import tiny
from command_line import MODEL, OTHER, TEXT

from nlmzip.codec import words
from nlmzip.explain.columns import values
from nlmzip.models import model_file

BYTES_MODEL = os.path.join(os.path.dirname(__file__), "..", "golden", "golden-short.nlm")


def payload_in(page: bytes) -> dict:
    ((found),) = re.findall(rb'<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(found)


def beginning(page: bytes) -> str:
    value = payload_in(page)
    return value["predictors"][value["start"]]["name"]


def test_the_page_of_a_file_stands_beside_it(workplace):
    result = workplace.run("explain", "other", "--model", "tiny")
    assert (result.status, result.stdout, result.stderr) == (0, b"", "")
    page = workplace.read("other.html")
    assert page.startswith(b"<!DOCTYPE html>") and page.endswith(b"</html>\n")
    value = payload_in(page)
    assert (value["name"], value["bytes"], value["model"]["name"]) == ("other", len(OTHER), "tiny")


def test_the_numbers_are_what_the_words_codec_pays(workplace):
    workplace.run("explain", "text", "--model", "tiny", "--no-spelling-cache")
    value = payload_in(workplace.read("text.html"))
    model = model_file.read(MODEL)
    form = words.form_for(TEXT, model)
    for each in value["predictors"]:
        predictor, _, dynamic = each["name"].partition(" ")
        settings = words.WordSettings(predictor, bool(dynamic), False, form)
        assert each["payload_bytes"] == len(words.encode(TEXT, model, settings))
    assert len(value["predictors"]) == 10


@pytest.mark.parametrize(
    "options, name",
    [
        ("", "kn+rnn dynamic"),
        ("--predictor uniform", "uniform"),
        ("--predictor rnn", "rnn dynamic"),
        ("--predictor nplm --no-dynamic", "nplm"),
        ("--no-dynamic", "kn+nplm"),
        ("--predictor kn+rnn --dynamic", "kn+rnn dynamic"),
    ],
)
def test_the_page_begins_with_the_predictor_that_is_named(workplace, options, name):
    result = workplace.run("explain", "other", "--model", "tiny", "-o", "-", *options.split())
    assert (result.status, result.stderr) == (0, "")
    assert beginning(result.stdout) == name


@pytest.mark.parametrize("form", ["plain", "bytes"])
def test_the_network_is_that_of_the_predictor_that_is_named(workplace, form):
    made = tiny.model_bytes("several", form=form, networks=("rnn", "lstm", "gru", "mgu"), head="moc", tied=True)
    workplace.write("several.nlm", made)
    for part in ("rnn", "lstm", "gru", "mgu"):
        options = f"--model several.nlm --predictor kn+{part} --jacobians 5 -o -"
        result = workplace.run("explain", "other", *options.split())
        assert (result.status, result.stderr) == (0, "")
        value = payload_in(result.stdout)
        assert value["form"] == form and value["recurrent"]["name"] == part


def test_output_goes_where_it_is_told(workplace):
    assert workplace.run("explain", "other", "--model", "tiny", "-o", "it").status == 0
    result = workplace.run("explain", "other", "--model", "tiny", "-o", "-")
    assert result.stdout == workplace.read("it")
    assert "other.html" not in workplace.contents()


def test_standard_input_becomes_standard_output(workplace):
    result = workplace.run("explain", "-", "--model", "tiny", stdin=OTHER)
    assert payload_in(result.stdout)["name"] == "standard input"
    assert payload_in(result.stdout)["words"][:2] == ["the", "dog"]


def test_a_page_names_the_file_without_its_folder(workplace):
    workplace.write("folder/text", OTHER)
    workplace.run("explain", "folder/text", "--model", "tiny")
    assert payload_in(workplace.read("folder/text.html"))["name"] == "text"


def test_the_environment_can_name_the_model(workplace, monkeypatch):
    monkeypatch.setenv("NLMZIP_MODEL", "tiny")
    assert workplace.run("explain", "other").status == 0
    assert beginning(workplace.read("other.html")) == "kn+rnn dynamic"


def test_jacobians_for_as_many_tokens_as_are_asked_for(workplace):
    result = workplace.run("explain", "text", "--model", "tiny", "--jacobians", "4", "-o", "-")
    recurrent = payload_in(result.stdout)["recurrent"]
    assert recurrent["jacobian_tokens"] == 4 and len(values(recurrent["jacobians"])) == 6


def test_a_page_that_is_there_is_kept_without_force(workplace):
    workplace.write("other.html", b"mine")
    result = workplace.run("explain", "other", "--model", "tiny")
    assert (result.status, result.stderr) == (
        1, "nlmzip: other.html: exists already; use --force to overwrite it\n",
    )  # fmt: skip
    assert workplace.read("other.html") == b"mine"
    assert workplace.run("explain", "other", "--model", "tiny", "-f").status == 0
    assert payload_in(workplace.read("other.html"))


@pytest.mark.parametrize("data", [b"\xff\xfe \x00", b"\n", b"a", b"</script>\n", b"\r\n\r\n  "])
def test_any_bytes_can_be_explained(workplace, data):
    workplace.write("odd", data)
    result = workplace.run("explain", "odd", "--model", "tiny")
    assert (result.status, result.stderr) == (0, "")
    assert payload_in(workplace.read("odd.html"))["bytes"] == len(data)


MISTAKES = {
    "text": "no model is named; use --model with a model of words, such as finance",
    "text --model none": "no model is named; use --model with a model of words, such as finance",
    "text --model missing.nlm": "no model file missing.nlm; check the path",
    f"text --model {BYTES_MODEL}": "the model golden-short is of bytes and has no words to explain;"
    " name a model of words, such as finance",
    "missing --model tiny": "missing: no such file or folder; check the name",
    "folder --model tiny": "folder: is a folder; name a file",
    "empty --model tiny": "empty: is empty, so there is nothing to explain; name a text",
    "large --model tiny": "large: has 1,000,001 bytes, more than the 1,000,000 of a page;"
    " name a part of it",
    "text --model tiny -o text": "text: input and output are the same file;"
    " use -o with another name",
    "text --model tiny -o folder": "folder: is a folder; name a file",
    "text --model tiny -o nowhere/page": "nowhere/page: there is no folder nowhere;"
    " make it first",
    "text --model tiny --predictor kn --dynamic": "dynamic evaluation needs a network and kn has"
    " none; use --no-dynamic, or a predictor with nplm or rnn or lstm or gru or mgu",
    "text --model tiny --jacobians -1": "invalid value for '--jacobians': -1 is not in the range"
    " x>=0; see 'nlmzip explain --help'",
    "": "missing argument 'FILE'; see 'nlmzip explain --help'",
    "text other --model tiny": "got unexpected extra argument (other);"
    " see 'nlmzip explain --help'",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_one_line_and_writes_nothing(workplace, command):
    workplace.write("empty", b"")
    workplace.write("large", bytes(1_000_001))
    before = workplace.contents()
    result = workplace.run("explain", *command.split())
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == f"nlmzip: {MISTAKES[command]}\n"
    assert workplace.contents() == before


def test_a_predictor_that_the_model_lacks_is_told(workplace):
    card = dict(tiny_card := model_file.read(MODEL).card)
    card["settings"] = {"kn": tiny_card["settings"]["kn"]}
    card["default"] = {"predictor": "kn", "dynamic": False, "spelling_cache": True}
    arrays = {n: a for n, a in model_file.read(MODEL).arrays.items() if not n.startswith("nplm.")}
    workplace.write("kn.nlm", model_file.write(card, arrays))
    result = workplace.run("explain", "text", "--model", "kn.nlm", "--predictor", "nplm")
    assert (result.status, result.stderr) == (
        1, "nlmzip: the model tiny has no predictor nplm; it has uniform, kn; weights are chosen in training: nlmzip train --codec words --predictor nplm\n",
    )  # fmt: skip
    assert workplace.run("explain", "text", "--model", "kn.nlm").status == 0


def test_what_cannot_be_written_leaves_nothing(workplace, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nlmzip.platform.files._write_all", fail)
    before = workplace.contents()
    result = workplace.run("explain", "other", "--model", "tiny")
    assert (result.status, workplace.contents()) == (1, before)
    assert result.stderr == (
        "nlmzip: other.html: no space left on the device; free some and try again\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_writes_nothing(workplace, monkeypatch, number):
    monkeypatch.setattr(
        "nlmzip.explain.payload.gradient_norms", lambda *_: os.kill(os.getpid(), number)
    )
    before = workplace.contents()
    result = workplace.run("explain", "text", "--model", "tiny")
    assert (result.status, workplace.contents()) == (128 + number, before)
    assert result.stderr == (
        "nlmzip: interrupted; what was not finished has not been written\n"
    )


def test_a_longer_text_has_a_page_of_reasonable_size(workplace):
    workplace.write("long", tiny.TEXT * 100)
    workplace.run("explain", "long", "--model", "tiny")
    assert len(workplace.read("long.html")) < 100_000 + 25 * len(tiny.TEXT * 100)
