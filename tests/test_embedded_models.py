"""Archives that bring their models along."""

import io

import naive_prior
import pytest
import tiny
from archives import coding, is_stored, members

import nlmzip
from nlmzip.cli import main
from nlmzip.container.layout import read_layout
from nlmzip.container.recipe import MixCoding, WordsCoding
from nlmzip.errors import (
    ArchiveError,
    MemoryLimitError,
    ModelNotFoundError,
    OptionError,
)
from nlmzip.execute.encode import write_model, write_stored
from nlmzip.models import model_file
from nlmzip.plan.description import memory_of

OF_WORDS = model_file.read(tiny.model_bytes("own words"))
OF_BYTES = model_file.read(naive_prior.model_bytes(name="own bytes"))
LONG = tiny.TEXT * 60
KNOWN = naive_prior.text_of(2000, 4)


@pytest.fixture(autouse=True)
def nothing_at_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("NLMZIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path / "models"))


def embedded(data: bytes, model, **chosen) -> bytes:
    """An archive with its model, though both may be larger than the text."""
    models = model if isinstance(model, list) else [model]
    brought = b"".join(write_model(each.file) for each in models)
    return brought + nlmzip.compress(data, model=model, **chosen)


@pytest.mark.parametrize(
    "data, model, chosen",
    [
        (LONG, OF_WORDS, {"codec": "words"}),
        (LONG, OF_WORDS, {}),
        (KNOWN, OF_BYTES, {}),
        (KNOWN, [OF_BYTES, OF_WORDS], {}),
    ],
    ids=["words", "mix with words", "bytes", "both"],
)
def test_an_archive_with_its_models_needs_nothing_else(data, model, chosen):
    with pytest.raises(ModelNotFoundError):
        nlmzip.decompress(nlmzip.compress(data, model=model, **chosen))
    coded = embedded(data, model, **chosen)
    assert nlmzip.decompress(coded) == data
    assert nlmzip.decompress(coded + coded) == data + data
    n_models = len(model) if isinstance(model, list) else 1
    *brought, text = members(coded)
    assert len(brought) == n_models and all(member.recipe.is_model for member in brought)
    assert text.recipe == members(nlmzip.compress(data, model=model, **chosen))[0].recipe
    with nlmzip.open(io.BytesIO(coded + coded)) as file:
        file.seek(len(data) + 5)
        assert file.read() == data[5:]


def test_compress_embeds_where_that_is_smaller():
    coded = nlmzip.compress(LONG, model=OF_WORDS, codec="words", embed_model=True)
    brought, text = members(coded)
    (coded_by,) = text.recipe.codings
    assert brought.recipe.is_model and isinstance(coded_by, WordsCoding)
    assert len(coded) < len(LONG) and nlmzip.decompress(coded) == LONG
    assert coded_by.model.model_name == ""  # it is in the model


def test_a_model_that_saves_less_than_it_takes_is_left_out():
    coded = nlmzip.compress(LONG, model=OF_WORDS, embed_model=True)
    assert coded == nlmzip.compress(LONG, model="none")
    alone = nlmzip.compress(tiny.TEXT, model=OF_WORDS, codec="words", embed_model=True)
    assert is_stored(alone) and len(members(alone)) == 1


def test_shipped_models_are_not_embedded():
    coded = nlmzip.compress(LONG, model="finance", embed_model=True)
    assert isinstance(coding(coded), MixCoding)


def test_a_model_for_another_archive_is_of_no_use():
    other = model_file.read(tiny.model_bytes("others", text=tiny.TEXT[::-1] + b"\n"))
    coded = write_model(other.file) + nlmzip.compress(LONG, model=OF_WORDS)
    with pytest.raises(ModelNotFoundError, match="own words"):
        nlmzip.decompress(coded)
    assert nlmzip.decompress(coded, model=OF_WORDS) == LONG


def test_a_model_that_comes_too_late_is_missing():
    coded = nlmzip.compress(LONG, model=OF_WORDS) + write_model(OF_WORDS.file) + write_stored(b"")
    with pytest.raises(ModelNotFoundError):
        nlmzip.decompress(coded)


def test_an_embedded_model_counts_as_memory():
    own = model_file.Model(OF_WORDS.card, OF_WORDS.arrays, OF_WORDS.sha256, OF_WORDS.file)
    alone, brought = nlmzip.compress(LONG, model=own, codec="words"), embedded(LONG, own, codec="words")
    assert said(brought) > said(alone) + len(own.file)
    with pytest.raises(MemoryLimitError):
        nlmzip.decompress(brought, memory_limit=1 << 20)
    assert nlmzip.decompress(brought, memory_limit=2 * said(brought)) == LONG
    assert said(write_model(b"no model") + write_stored(b"")) < said(alone)


def said(data: bytes) -> int:
    """What decoding takes, as info says."""
    return memory_of(io.BytesIO(data), read_layout(io.BytesIO(data)))


@pytest.mark.parametrize("threads", [1, 3])
def test_several_frames_share_an_embedded_model(threads):
    coded = embedded(LONG, OF_WORDS, codec="words", frame=900)
    assert len(members(coded)[-1].frames) > 9
    assert nlmzip.decompress(coded, threads=threads) == LONG
    decoding, text = nlmzip.Decompressor(threads=threads), b""
    for place in range(0, len(coded), 1000):
        text += decoding.decompress(coded[place : place + 1000])
    assert text == LONG and decoding.eof


def test_damage_of_a_model_is_damage_of_the_archive():
    coded = embedded(LONG, OF_WORDS, codec="words")
    place = len(OF_WORDS.file) // 2
    damaged = coded[:place] + bytes([coded[place] ^ 4]) + coded[place + 1 :]
    with pytest.raises(ArchiveError, match="checksum"):
        nlmzip.decompress(damaged)
    with pytest.raises(ArchiveError, match="its model"):
        nlmzip.decompress(write_model(b"no model") + coded)
    for length in (10, place, len(OF_WORDS.file) + 9, len(coded) - 1):
        with pytest.raises(ArchiveError):
            nlmzip.decompress(coded[:length])


def test_a_model_without_a_file_cannot_be_embedded():
    made_up = model_file.Model(OF_WORDS.card, OF_WORDS.arrays, OF_WORDS.sha256)
    with pytest.raises(OptionError, match="own words was not read"):
        nlmzip.compress(LONG, model=made_up, embed_model=True)


def test_pieces_of_an_archive_with_its_model():
    decoding = nlmzip.Decompressor()
    coded = embedded(LONG, OF_WORDS)
    assert decoding.decompress(coded[: len(OF_WORDS.file) + 20]) == b"" and decoding.needs_input
    assert decoding.decompress(coded[len(OF_WORDS.file) + 20 :]) == LONG and decoding.eof


def test_the_command_line_embeds(tmp_path, capsys):
    text, model = tmp_path / "text", tmp_path / "own.nlm"
    text.write_bytes(LONG)
    model.write_bytes(OF_WORDS.file)
    assert main(["encode", "--codec", "words", "--embed-model", "--model", str(model), str(text)]) == 0
    model.unlink()
    text.unlink()
    assert main(["info", str(text) + ".nlmz"]) == 0
    shown = capsys.readouterr().out
    assert "codec           model" in shown and OF_WORDS.sha256[:8].hex() in shown
    assert main(["decode", str(text) + ".nlmz"]) == 0
    assert text.read_bytes() == LONG
