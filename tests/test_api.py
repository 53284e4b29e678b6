"""The Python API: its examples run, and importing it costs next to nothing."""

import array
import doctest
import random
import subprocess
import sys
from pathlib import Path

import pytest
from archives import is_stored, members
from hypothesis import given, settings
from hypothesis import strategies as st

import nlmzip
from nlmzip.api import codec, file, incremental, model, records
from nlmzip.models import catalogue


@pytest.mark.skipif(not catalogue.available(), reason="the package was built without its models")
@pytest.mark.parametrize("module", [nlmzip, file, incremental, model], ids=lambda module: module.__name__)
def test_the_examples_of_the_package_are_true(module):
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.skipif(not catalogue.available(), reason="the package was built without its models")
def test_the_examples_of_the_readme_are_true():
    readme = Path(__file__).parents[1] / "README.md"
    result = doctest.testfile(str(readme), module_relative=False)
    assert result.failed == 0 and result.attempted > 4


DOCS = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_the_examples_of_the_documentation_are_true(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(document), module_relative=False).failed == 0


def test_the_examples_of_the_classes_are_true():
    for module in (codec, file, incremental, model, records):
        result = doctest.testmod(module)
        assert result.failed == 0 and result.attempted > 0, module


def test_importing_the_package_imports_neither_numpy_nor_numba():
    code = "import sys, nlmzip; print({'numpy', 'numba'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert shown.stdout.strip() == "set()"


SETTINGS = {"level": 1, "model": "none"}
TEXT = b"".join(b"%d bottles of beer, %d of them are red\n" % (n, n * n % 7) for n in range(60))
NOISE = random.Random(1).randbytes(70_000)


@pytest.mark.parametrize("text", [b"", b"x", TEXT, NOISE + TEXT], ids=["empty", "a byte", "text", "noise and text"])
@pytest.mark.parametrize("frame", [None, 1 << 16, 400, "all"])
def test_the_archive_is_the_same_for_any_number_of_threads(text, frame):
    coded = nlmzip.compress(text, frame=frame, **SETTINGS)
    n_frames = sum(len(member.frames) for member in members(coded))
    assert n_frames == (1 if frame in (None, "all") or not text else -(-len(text) // frame))
    for threads in (1, 2, 3):
        assert nlmzip.compress(text, frame=frame, threads=threads, **SETTINGS) == coded
        assert nlmzip.decompress(coded, threads=threads) == text


@given(st.binary(max_size=300), st.integers(1, 400), st.lists(st.integers(1, 200), max_size=5), st.integers(1, 3))
@settings(max_examples=40)
def test_the_archive_is_the_same_however_its_text_comes(text, frame, sizes, threads):
    coded = nlmzip.compress(text, frame=frame, **SETTINGS)
    gathering, archive, place = nlmzip.Compressor(frame=frame, threads=threads, **SETTINGS), b"", 0
    for size in sizes:
        archive += gathering.compress(text[place : place + size])
        place += size
    assert archive + gathering.compress(text[place:]) + gathering.flush() == coded
    assert nlmzip.decompress(coded, threads=threads) == text


def test_the_default_codes_each_frame_by_what_suits_it(monkeypatch):
    """The codings of several frames stand in the header, and each frame names one."""
    monkeypatch.delenv(catalogue.DEFAULT_VARIABLE, raising=False)
    if catalogue.default() is None:
        pytest.skip("the package was installed without its model of English")
    english = b"It was the best of times, and the children were sitting quietly by the fire.\n"
    text = english * 20 + NOISE + TEXT
    coded = nlmzip.compress(text, frame=len(english) * 20)
    assert {frame.coding for frame in members(coded)[0].frames} == {None, 0, 1}
    for threads in (2, 3):
        assert nlmzip.compress(text, frame=len(english) * 20, threads=threads) == coded
    assert nlmzip.decompress(coded, threads=2) == text


@pytest.mark.parametrize("chosen", [{}, {"model": "none"}, SETTINGS], ids=str)
def test_a_kilobyte_costs_few_bytes_around_its_payload(chosen, monkeypatch):
    """4 and a coding, 2 of its length, 2 of the payload's, and 4 of the checksum."""
    monkeypatch.delenv(catalogue.DEFAULT_VARIABLE, raising=False)
    letters = bytes(random.Random(2).choices(b"etaoin shrdlu", k=1000))
    coded = nlmzip.compress(letters, **chosen)
    ((frame,),) = (member.frames for member in members(coded))
    assert len(coded) - len(frame.payload) == 4 + 1 + 2 + 2 + 4


@pytest.mark.parametrize("codec", ["mix", "words"])
def test_what_a_model_saves_is_weighed_against_naming_it(codec, tiny_model):
    """A reference to a model takes 8 bytes and more."""
    text = b"the cow ate the grass\nthe goat ate the hay\n"
    for size in range(1, len(text)):
        coded = nlmzip.compress(text[:size], model=tiny_model, codec=codec)
        assert len(coded) <= size + 9 and nlmzip.decompress(coded, model=tiny_model) == text[:size]
    assert not is_stored(nlmzip.compress(text, model=tiny_model, codec=codec))


def test_what_cannot_be_made_smaller_grows_by_few_bytes():
    assert len(nlmzip.compress(b"")) == 9
    for size in (1, 100, 60_000, 70_000):
        coded = nlmzip.compress(NOISE[:size], **SETTINGS)
        assert is_stored(coded) and len(coded) <= size + 12
    several = nlmzip.compress(NOISE, frame=10_000, **SETTINGS)
    assert len(several) <= len(NOISE) + 12 + 7 * 13  # with a head of 8 bytes and 5 of the index for each


@pytest.mark.parametrize("data", ["text", 5, None, ["a"]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(data):
    for call in (nlmzip.compress, nlmzip.decompress, nlmzip.Compressor(**SETTINGS).compress, nlmzip.Decompressor().decompress):
        with pytest.raises(TypeError):
            call(data)


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda data: array.array("H", data)], ids=["bytearray", "memoryview", "array"])
def test_whatever_is_like_bytes_is_taken(kind):
    data = kind(TEXT[:200])
    coded = nlmzip.compress(data, **SETTINGS)
    assert nlmzip.decompress(bytearray(coded)) == nlmzip.decompress(memoryview(coded)) == TEXT[:200]
    gathering = nlmzip.Compressor(**SETTINGS)
    assert gathering.compress(data) + gathering.flush() == coded


@pytest.mark.parametrize("frame", [0, -5, 1.5, "most", True, b"all"], ids=repr)
def test_a_frame_of_no_size_is_told(frame):
    with pytest.raises(nlmzip.OptionError, match="a frame of .* is none; give a number of bytes, or all"):
        nlmzip.compress(TEXT, frame=frame)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_what_is_stored_too(threads):
    told = []
    text = TEXT + NOISE + TEXT
    coded = nlmzip.compress(text, frame=2000, threads=threads, progress=lambda *call: told.append(call), **SETTINGS)
    assert told == sorted(told) and told[-1] == (len(text), len(text))
    told.clear()
    nlmzip.decompress(coded, threads=threads, progress=lambda *call: told.append(call))
    assert told == sorted(told) and told[-1] == (len(text), len(text))


def test_progress_is_told_in_bytes(tiny_model):
    calls = []
    data = b"the cow ate the grass\n" * 200
    coded = nlmzip.compress(data, model=tiny_model, progress=lambda *call: calls.append(call))
    done, totals = zip(*calls)
    assert set(totals) == {len(data)} and list(done) == sorted(done) and 0 < done[-1] <= len(data)
    calls.clear()
    nlmzip.decompress(coded + coded, model=tiny_model, progress=lambda *call: calls.append(call))
    assert {total for _, total in calls} == {2 * len(data)}
    assert max(done for done, _ in calls) > len(data)
