"""Models of bytes on the command line: a command, its exit status, its one line on standard error."""

import naive_prior
import pytest
from command_line import TEXT, workplace

from nlmzip.container.format import HASH_BYTES
from nlmzip.models import model_file

__all__ = ["workplace"]

OF_BYTES = model_file.read(naive_prior.model_bytes())
HASH = OF_BYTES.sha256[: HASH_BYTES].hex()


@pytest.fixture(autouse=True)
def of_bytes(workplace, monkeypatch, tmp_path):
    """The model beside the texts, but not where models are looked for."""
    monkeypatch.setenv("NLMZIP_CACHE", str(tmp_path / "cache"))
    workplace.write("bytes.nlm", naive_prior.model_bytes())


def test_a_model_codes_and_decodes(workplace):
    result = workplace.run("encode", "--model", "bytes.nlm", "text")
    assert result.status == 0 and result.stdout == b""
    result = workplace.run("decode", "--model", "bytes.nlm", "-c", "text.nlmz")
    assert (result.status, result.stdout, result.stderr) == (0, TEXT, "")
    (workplace.models / "kept.nlm").write_bytes(naive_prior.model_bytes())
    assert workplace.run("decode", "-c", "text.nlmz").stdout == TEXT


@pytest.mark.parametrize("options, name", [([], "tiny prior"), (["-n"], "of unknown name")])
def test_a_missing_model_is_one_line_with_its_hash(workplace, options, name):
    assert workplace.run("encode", "--model", "bytes.nlm", *options, "text").status == 0
    assert (b"tiny prior" in workplace.read("text.nlmz")) == (not options)
    before = workplace.contents()
    result = workplace.run("decode", "-c", "text.nlmz")
    assert (result.status, result.stdout, result.stderr.count("\n")) == (1, b"", 1)
    assert result.stderr.startswith(f"nlmzip: text.nlmz: the model {name} (hash {HASH}) that this archive needs is not in ")
    assert workplace.contents() == before


def test_a_wrong_model_is_one_line(workplace):
    workplace.write("other.nlm", naive_prior.model_bytes(seed=3, name="another"))
    assert workplace.run("encode", "--model", "bytes.nlm", "text").status == 0
    result = workplace.run("decode", "--model", "other.nlm", "-c", "text.nlmz")
    assert (result.status, result.stdout, result.stderr.count("\n")) == (1, b"", 1)
    assert f"needs the model tiny prior (hash {HASH}), and another has hash" in result.stderr


def test_a_level_that_the_model_lacks_becomes_the_nearest(workplace):
    for level in ("-1", "-9"):
        assert workplace.run("encode", level, "--model", "bytes.nlm", "-o", f"at{level}", "text").status == 0
    assert workplace.read("at-1") == workplace.read("at-9")
    workplace.run("encode", "--model", "bytes.nlm", "-o", "at", "text")
    assert workplace.read("at") == workplace.read("at-1")


@pytest.mark.parametrize(
    "command, message",
    [
        ("encode --model bytes.nlm --model again.nlm text", "both models of bytes; name one of them"),
        ("encode --codec words --model bytes.nlm text", "model of words|of which the words codec has no use"),
        ("encode --codec words --model bytes.nlm --model tiny text", "of which the words codec has no use"),
        ("encode --model bytes.nlm --predictor kn text", "belong to a model of words"),
        ("encode --model cut.nlm text", "fetch or train it again"),
        ("train text -o own.nlm --size " + "9" * 400 + "G", "is no size|too little text"),
        ("train text -o own.nlm --size 1e6", "1e6 is no size"),
        ("train text -o own.nlm --size ٣M", "is no size"),
    ],
    ids=lambda value: value[:50],
)
def test_what_cannot_be_is_one_line(workplace, command, message):
    workplace.write("again.nlm", naive_prior.model_bytes(seed=3, name="another"))
    workplace.write("cut.nlm", naive_prior.model_bytes()[:-100])
    before = workplace.contents()
    result = workplace.run(*command.split())
    assert (result.status, result.stdout, result.stderr.count("\n")) == (1, b"", 1), result.stderr
    assert any(part in result.stderr for part in message.split("|"))
    assert workplace.contents() == before
