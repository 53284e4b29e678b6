"""The Python API beside compress and decompress: files, pieces, models."""

import gc
import io
import random

import naive_prior
import pytest
import tiny

import nlmzip
from nlmzip.platform.files import FileError

TEXT = b"the cow ate the grass\nthe goat ate the hay\n" * 9
CODED = nlmzip.compress(TEXT, model="none")
NONE = {"model": "none"}


# --- files


def test_a_file_is_written_whole_when_it_is_closed(tmp_path):
    path = tmp_path / "text.nlmz"
    with nlmzip.open(path, "wb", **NONE) as file:
        assert file.writable() and not file.readable()
        assert file.write(TEXT[:100]) == 100
        file.write(bytearray(TEXT[100:]))
        assert not list(tmp_path.iterdir())
    assert path.read_bytes() == CODED
    with pytest.raises(ValueError):
        file.write(b"more")
    with nlmzip.open(path) as file:
        assert file.read() == TEXT


def test_reading_is_as_in_any_file(tmp_path):
    path = tmp_path / "text.nlmz"
    path.write_bytes(CODED)
    with nlmzip.open(str(path)) as file:
        assert file.tell() == 0
        assert file.read(5) == TEXT[:5] and file.tell() == 5
        assert file.peek(4) == TEXT[5:9] == file.read1(4)
        assert file.peek().startswith(TEXT[9:20])
        assert file.readline() == TEXT[9:22]
        assert list(file) == TEXT[22:].splitlines(keepends=True)
        assert file.read() == b""
        assert file.seek(-3, io.SEEK_END) == len(TEXT) - 3
        buffer = bytearray(10)
        assert file.readinto(buffer) == 3 and buffer[:3] == TEXT[-3:]
        assert file.seekable() and file.name == str(path) and file.mode == "rb"
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")
    assert file.closed
    for call in (file.read, file.tell, file.readable):
        with pytest.raises(ValueError):
            call()


def test_text_mode_has_encodings_and_line_ends(tmp_path):
    path = tmp_path / "text.nlmz"
    with nlmzip.open(path, "wt", encoding="latin-1", newline="\r\n", **NONE) as file:
        file.write("grün\nblau\n")
    assert nlmzip.decompress(path.read_bytes()) == "grün\r\nblau\r\n".encode("latin-1")
    with nlmzip.open(path, "rt", encoding="latin-1") as file:
        assert file.readlines() == ["grün\n", "blau\n"]


def test_appending_adds_a_member(tmp_path):
    path = tmp_path / "text.nlmz"
    for piece in (b"one ", b"two"):
        with nlmzip.open(path, "ab", **NONE) as file:
            file.write(piece)
    assert nlmzip.decompress(path.read_bytes()) == b"one two"
    with nlmzip.open(path, "wb", **NONE) as file:
        file.write(b"three")
    assert nlmzip.open(path).read() == b"three"


def test_an_exclusive_file_leaves_what_is_there(tmp_path):
    path = tmp_path / "text.nlmz"
    path.write_bytes(b"kept")
    with pytest.raises(FileExistsError):
        nlmzip.open(path, "xb")
    assert path.read_bytes() == b"kept"
    with nlmzip.open(tmp_path / "new", "xt", encoding="ascii", **NONE) as file:
        file.write("new")
    assert nlmzip.open(tmp_path / "new").read() == b"new"


def test_a_file_object_stays_open():
    kept = io.BytesIO()
    with nlmzip.open(kept, "wb", **NONE) as file:
        file.write(TEXT)
    assert kept.getvalue() == CODED
    kept.seek(0)
    with nlmzip.open(kept) as file:
        assert file.read() == TEXT
    assert not kept.closed


@pytest.mark.parametrize("mode", ["wb", "wt", "ab"])
def test_what_an_error_ends_leaves_what_was_there(tmp_path, mode):
    path = tmp_path / "text.nlmz"
    path.write_bytes(CODED)
    with pytest.raises(KeyError), nlmzip.open(path, mode, **NONE) as file:
        file.write("half" if mode == "wt" else b"half")
        raise KeyError
    for asked in ({"encoding": "no such"}, {"newline": "q"}):
        with pytest.raises((LookupError, ValueError)):
            nlmzip.open(path, "wt", **asked)
    gc.collect()
    assert file.closed and path.read_bytes() == CODED and len(list(tmp_path.iterdir())) == 1


def test_a_damaged_archive_is_told_at_every_read():
    file = nlmzip.open(io.BytesIO(CODED[:-2]))
    for _ in range(2):
        with pytest.raises(nlmzip.ArchiveError):
            file.read()


def test_nothing_is_added_to_what_is_no_archive(tmp_path):
    path = tmp_path / "text.nlmz"
    path.write_bytes(CODED[:-2])
    with pytest.raises(nlmzip.ArchiveError):
        nlmzip.open(path, "ab")
    assert path.read_bytes() == CODED[:-2]


def test_adding_to_a_file_object_adds_at_its_end():
    kept = io.BytesIO(CODED)
    with nlmzip.open(kept, "ab", **NONE) as file:
        file.write(b"more")
    assert nlmzip.decompress(kept.getvalue()) == TEXT + b"more"


def test_a_raw_file_may_take_a_part():
    class Slow(io.RawIOBase):
        taken = b""

        def writable(self):
            return True

        def write(self, data):
            self.taken += bytes(data[:7])
            return min(7, len(data))

    slow = Slow()
    with nlmzip.open(slow, "wb", **NONE) as file:
        file.write(TEXT)
    assert slow.taken == CODED


def test_what_goes_wrong_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        nlmzip.open(tmp_path / "missing")
    for mode in ("r+", "rw", "q", "rbt", "tb"):
        with pytest.raises(ValueError):
            nlmzip.open(tmp_path / "new", mode)
    with pytest.raises(ValueError, match="add t"):
        nlmzip.open(tmp_path / "new", "rb", encoding="ascii")
    damaged = io.BytesIO(CODED[:-1] + bytes([CODED[-1] ^ 255]))
    with pytest.raises(nlmzip.ArchiveError):
        nlmzip.open(damaged).read()
    file = nlmzip.open(tmp_path / "no" / "folder", "wb", **NONE)
    with pytest.raises(FileError):
        file.close()
    assert file.closed


def test_nothing_at_all_is_an_empty_text():
    assert nlmzip.open(io.BytesIO(b"")).read() == b""  # as lzma.open has it


def test_fsspec_opens_archives(tmp_path):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install fsspec")
    nlmzip.register_with_fsspec()
    path = str(tmp_path / "text.nlmz")
    with fsspec.open(path, "wt", compression="nlmzip", encoding="ascii") as file:
        file.write("to be")
    with fsspec.open(path, "rb", compression="infer") as file:
        assert file.read() == b"to be"


# --- pieces


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces_come_to_the_same(size):
    gathering = nlmzip.Compressor(**NONE)
    assert not any(gathering.compress(TEXT[place : place + size]) for place in range(0, len(TEXT), size))
    assert gathering.flush() == CODED
    for call in (gathering.flush, lambda: gathering.compress(b"x")):
        with pytest.raises(ValueError):
            call()

    decoding, text = nlmzip.Decompressor(), b""
    for place in range(0, len(CODED), size):
        assert decoding.needs_input and not decoding.eof
        text += decoding.decompress(CODED[place : place + size])
    assert text == TEXT and decoding.eof and decoding.unused_data == b""
    with pytest.raises(EOFError):
        decoding.decompress(b"")


def test_text_is_given_as_fast_as_is_wanted():
    decoding = nlmzip.Decompressor()
    pieces = [decoding.decompress(CODED + b"be", max_length=10)]
    assert not decoding.needs_input
    pieces.append(decoding.decompress(b"yond", max_length=0))
    while not decoding.eof:
        pieces.append(decoding.decompress(b"", max_length=50))
    assert b"".join(pieces) == TEXT and len(pieces[0]) == 10 and not pieces[1]
    assert decoding.unused_data == b"beyond"


def test_one_member_ends_a_decompressor():
    decoding = nlmzip.Decompressor()
    assert decoding.decompress(CODED + CODED) == TEXT
    assert decoding.unused_data == CODED


def test_an_empty_text_is_a_member_too():
    decoding = nlmzip.Decompressor()
    assert decoding.decompress(nlmzip.compress(b"")) == b"" and decoding.eof


def test_what_is_no_archive_is_told_at_once():
    with pytest.raises(nlmzip.ArchiveError, match="not an nlmzip archive"):
        nlmzip.Decompressor().decompress(b"PK")
    flipped = CODED[:-3] + bytes([CODED[-3] ^ 1]) + CODED[-2:]
    with pytest.raises(nlmzip.ArchiveError):
        nlmzip.Decompressor().decompress(flipped)


# --- models


def test_a_model_is_trained_kept_and_found(tmp_path, monkeypatch):
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path))
    made = nlmzip.Model.train([tiny.TEXT], name="own", codec="words", predictors=("kn",), vocabulary=20)
    made.save(tmp_path / "own.nlm")
    assert (tmp_path / "own.nlm").read_bytes() == made.to_bytes()
    found = nlmzip.Model.load("own")
    assert (found.name, found.sha256) == ("own", made.sha256)
    assert nlmzip.Model.from_bytes(made.to_bytes()).sha256 == made.sha256
    coded = nlmzip.compress(tiny.TEXT, model=found, codec="words")
    assert nlmzip.decompress(coded) == tiny.TEXT


def test_a_model_of_bytes_is_trained():
    texts = [naive_prior.text_of(4000, seed) for seed in range(8)]
    made = nlmzip.Model.train(texts, name="counts", size=400_000, contexts="short")
    assert made.kind == "mix" and len(made.to_bytes()) <= 400_000
    assert nlmzip.decompress(nlmzip.compress(texts[0], model=made), model=made) == texts[0]


@pytest.mark.parametrize("options", [{"codec": "stored"}, {"codec": "words", "head": "none"}])
def test_what_cannot_be_trained_is_told(options):
    with pytest.raises(nlmzip.OptionError):
        nlmzip.Model.train([TEXT], **options)
    with pytest.raises(nlmzip.ModelError):
        nlmzip.Model.from_bytes(random.Random(1).randbytes(100))
