"""The Python API beside compress and decompress: files, pieces, models."""

import errno
import gc
import io
import random

import naive_prior
import pytest
import tiny
from archives import members

import nlmzip
from nlmzip.container.parser import FrameRead, Parser
from nlmzip.platform import files
from nlmzip.platform.files import FileError

TEXT = b"the cow ate the grass\nthe goat ate the hay\n" * 9
NONE = {"model": "none", "level": 1}
CODED = nlmzip.compress(TEXT, **NONE)
FRAMES = nlmzip.compress(TEXT, frame=50, **NONE)


# --- files


def test_a_file_is_written_whole_when_it_is_closed(tmp_path):
    path = tmp_path / "text.nlmz"
    with nlmzip.open(path, "wb", **NONE) as file:
        assert file.writable() and not file.readable()
        assert file.write(TEXT[:100]) == 100
        file.write(bytearray(TEXT[100:]))
        assert file.tell() == len(TEXT) and not path.exists()
    assert list(tmp_path.iterdir()) == [path]
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
        assert file.peek(4).startswith(TEXT[5:9]) and file.tell() == 5
        assert file.read1(4) == TEXT[5:9]
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


@pytest.mark.parametrize("threads", [1, 2])
def test_a_damaged_archive_is_told_at_every_read(threads):
    for damaged in (CODED[:-2], CODED + b"garbage", FRAMES[:-40], frames_with_damage()):
        file = nlmzip.open(io.BytesIO(damaged), threads=threads)
        for _ in range(3):
            with pytest.raises(nlmzip.ArchiveError):
                file.read()


def test_reading_goes_on_where_the_file_could_not_be_read_for_once():
    class Flaky(io.BytesIO):
        n_reads = 0

        def read(self, size=-1):
            self.n_reads += 1
            if self.n_reads % 3 == 0:
                raise OSError("for once")
            return super().read(size)

    file, text, n_errors = nlmzip.open(Flaky(FRAMES)), b"", 0
    while len(text) < len(TEXT):
        try:
            text += file.read1(40)
        except OSError:
            n_errors += 1
    assert text == TEXT and n_errors > 3


@pytest.mark.parametrize("options", [{"level": 10}, {"codec": "words"}, {"frame": 0}, {"threads": -1}, {"predictor": "kn"}])
def test_options_are_checked_when_a_file_is_opened(tmp_path, options):
    path = tmp_path / "text.nlmz"
    path.write_bytes(CODED)
    for target in (path, io.BytesIO()):
        with pytest.raises(nlmzip.OptionError):
            nlmzip.open(target, "wb", **options)
    assert path.read_bytes() == CODED and list(tmp_path.iterdir()) == [path]
    with pytest.raises(nlmzip.OptionError, match="to embed a model takes the whole text"):
        nlmzip.open(path, "wb", embed_model=True)


@pytest.mark.parametrize("end", ["close", "with"])
def test_what_could_not_be_written_does_not_appear(tmp_path, monkeypatch, end):
    """Not even where there is room again afterwards: a frame would be missing."""
    path = tmp_path / "text.nlmz"
    path.write_bytes(CODED)
    file = nlmzip.open(path, "wb", frame=50, **NONE)
    file.write(TEXT[:120])
    with monkeypatch.context() as patched:
        patched.setattr(files, "_write_all", full)
        with pytest.raises(FileError, match="no space left"):
            file.write(TEXT[120:300])
    with pytest.raises(ValueError):
        file.write(TEXT[300:])
    file.close() if end == "close" else file.__exit__(None)
    assert path.read_bytes() == CODED and list(tmp_path.iterdir()) == [path]


def full(descriptor, data):
    raise OSError(errno.ENOSPC, "No space left on device")


# --- several frames


def test_a_file_goes_to_any_place():
    with nlmzip.open(io.BytesIO(FRAMES)) as file:
        assert file.read(30) == TEXT[:30]
        chance = random.Random(4)
        for _ in range(60):
            place, size = chance.randrange(len(TEXT) + 5), chance.randrange(90)
            assert file.seek(place) == place == file.tell()
            assert file.read(size) == TEXT[place : place + size]
        assert file.seek(0, io.SEEK_END) == len(TEXT) and file.read() == b""
        file.seek(7)
        assert file.seek(3, io.SEEK_CUR) == 10 and file.readline() == TEXT[10:22]
        with pytest.raises(ValueError):
            file.seek(-1)
        file.seek(0)
        assert file.read() == TEXT


def test_only_the_frame_that_holds_a_place_is_decoded():
    frames = len(members(FRAMES)[0].frames)
    damaged = frames_with_damage(0)
    with pytest.raises(nlmzip.ArchiveError):
        nlmzip.decompress(damaged)
    with nlmzip.open(io.BytesIO(damaged)) as file:
        file.seek(100)
        assert file.read() == TEXT[100:] and frames > 5
        file.seek(10)
        with pytest.raises(nlmzip.ArchiveError):
            file.read(1)


def test_an_archive_within_a_file_is_read_from_where_the_file_stands():
    kept = io.BytesIO(b"before" + FRAMES)
    kept.seek(6)
    with nlmzip.open(kept) as file:
        assert file.read(9) == TEXT[:9]
        file.seek(200)
        assert file.read(70) == TEXT[200:270] and file.seek(-5, io.SEEK_END) == len(TEXT) - 5


def test_members_are_one_text_for_a_seek():
    with nlmzip.open(io.BytesIO(CODED + FRAMES + CODED)) as file:
        assert file.seek(2 * len(TEXT) - 5) and file.read() == TEXT[-5:] + TEXT


@pytest.mark.parametrize("left_out", [1, 8, 12])
def test_without_a_whole_index_a_file_goes_to_any_place_too(left_out):
    with nlmzip.open(io.BytesIO(FRAMES[:-left_out])) as file:
        file.seek(123)
        assert file.read() == TEXT[123:]


def test_what_cannot_be_read_from_any_place_is_read_from_the_beginning():
    class Pipe(io.RawIOBase):
        def __init__(self, data):
            self._data = io.BytesIO(data)

        def read(self, size=-1):
            return self._data.read(size)

        def readable(self):
            return True

    with nlmzip.open(Pipe(FRAMES)) as file:
        assert not file.seekable()
        with pytest.raises(io.UnsupportedOperation):
            file.seek(9)
        with pytest.raises(io.UnsupportedOperation):
            file.seek(0, io.SEEK_END)
        assert file.read() == TEXT and file.tell() == len(TEXT)


def test_a_file_is_read_no_further_than_its_text_is_asked_for():
    kept = io.BytesIO(FRAMES)
    with nlmzip.open(kept) as file:
        file.read(10)
        assert kept.tell() < len(FRAMES) / 2


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_file_has_the_same_bytes_for_any_number_of_threads(threads):
    kept = io.BytesIO()
    with nlmzip.open(kept, "wb", threads=threads, frame=50, **NONE) as file:
        for place in range(0, len(TEXT), 33):
            file.write(TEXT[place : place + 33])
    assert kept.getvalue() == FRAMES
    with nlmzip.open(io.BytesIO(FRAMES), threads=threads) as file:
        assert file.read() == TEXT


def test_frames_are_written_as_they_are_complete():
    kept = io.BytesIO()
    with nlmzip.open(kept, "wb", frame=50, **NONE) as file:
        file.write(TEXT[:200])
        assert len(kept.getvalue()) > 50
        assert FRAMES.startswith(kept.getvalue())
        file.write(TEXT[200:])
    assert kept.getvalue() == FRAMES


def frames_with_damage(number: int = 2) -> bytes:
    """Several frames, one of them with a damaged payload."""
    (member,) = members(FRAMES)
    place = FRAMES.index(member.frames[number].payload)
    return FRAMES[: place + 9] + bytes([FRAMES[place + 9] ^ 16]) + FRAMES[place + 10 :]


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
    with pytest.raises(FileError) as error:
        nlmzip.open(tmp_path / "no" / "folder", "wb", **NONE)
    assert isinstance(error.value.__cause__, FileNotFoundError)


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


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 7, 60, 1000])
def test_pieces_of_several_frames_come_to_the_same(size, threads):
    gathering, archive = nlmzip.Compressor(frame=50, threads=threads, **NONE), b""
    for place in range(0, len(TEXT), size):
        archive += gathering.compress(TEXT[place : place + size])
        assert FRAMES.startswith(archive)
    assert archive + gathering.flush() == FRAMES

    decoding, text = nlmzip.Decompressor(threads=threads), b""
    for place in range(0, len(FRAMES), size):
        text += decoding.decompress(FRAMES[place : place + size])
        assert TEXT.startswith(text)
    assert text == TEXT and decoding.eof


def test_frames_come_as_they_are_complete():
    gathering, archive = nlmzip.Compressor(frame=50, **NONE), b""
    for number in range(1, 6):
        archive += gathering.compress(TEXT[50 * number - 50 : 50 * number])
        # The last two share what there is, and each says whether it is the last of all.
        assert len(members_begun(archive)) == max(number - 2, 0)
    decoding = nlmzip.Decompressor()
    assert decoding.decompress(archive) == TEXT[:150]


def members_begun(archive: bytes) -> list:
    """The frames of an archive that goes on."""
    parser = Parser()
    parser.feed(archive)
    return [part for part in parser.parts() if isinstance(part, FrameRead)]


def test_what_failed_goes_on_failing():
    """Or a frame would be missing from the archive, or from the text."""

    class StopError(Exception):
        pass

    def stop(done, total):
        if done > 100:
            raise StopError

    gathering = nlmzip.Compressor(frame=50, progress=stop, **NONE)
    with pytest.raises(StopError):
        gathering.compress(TEXT)
    for call in (gathering.flush, lambda: gathering.compress(b"more")):
        with pytest.raises((StopError, ValueError)):
            call()
    decoding = nlmzip.Decompressor()
    for more in (frames_with_damage(), b"", FRAMES):
        with pytest.raises(nlmzip.ArchiveError):
            decoding.decompress(more)
    with pytest.raises(nlmzip.ArchiveError):
        decoding.flush()


def test_what_is_interrupted_cannot_go_on():
    def interrupt(done, total):
        raise KeyboardInterrupt

    decoding = nlmzip.Decompressor(progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        decoding.decompress(FRAMES)
    with pytest.raises(nlmzip.NlmzipError, match="was interrupted"):
        decoding.decompress(b"")


def test_an_archive_that_ends_too_early_is_told_at_its_end():
    decoding = nlmzip.Decompressor()
    assert TEXT.startswith(decoding.decompress(FRAMES[:150])) and not decoding.eof
    with pytest.raises(nlmzip.ArchiveError, match="truncated"):
        decoding.flush()


def test_text_whose_index_is_cut_off_ends_with_a_flush():
    decoding = nlmzip.Decompressor()
    assert decoding.decompress(FRAMES[:-3]) == TEXT and not decoding.eof
    assert decoding.flush() == b"" and decoding.eof


@pytest.mark.parametrize("options", [{"level": 10}, {"codec": "words"}, {"frame": -1}, {"threads": -1}, {"embed_model": True}])
def test_options_are_checked_at_once(options):
    with pytest.raises(nlmzip.OptionError):
        nlmzip.Compressor(**options)


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
    for coded in (CODED, FRAMES):
        for threads in (1, 2):
            decoding = nlmzip.Decompressor(threads=threads)
            assert decoding.decompress(coded + CODED) == TEXT and decoding.eof
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


@pytest.mark.parametrize("nothing", [None, 5, 3.5, []])
def test_what_is_neither_a_path_nor_a_file_is_told_at_once(nothing):
    for mode in ("rb", "wb", "ab"):
        with pytest.raises(TypeError, match="neither a path nor a file object"):
            nlmzip.open(nothing, mode)
    with pytest.raises(TypeError, match="neither a path nor a file object"):
        nlmzip.RecordWriter(nothing)


@pytest.mark.parametrize("limit", ["1G", 1.5, -1, True])
def test_what_is_no_limit_of_memory_is_told_at_once(limit):
    for make in (nlmzip.Compressor, nlmzip.Decompressor, nlmzip.Codec):
        with pytest.raises(nlmzip.OptionError, match="no limit of memory"):
            make(memory_limit=limit)


@pytest.mark.parametrize("level", ["5", 1.5, True, 0, 10, []])
def test_what_is_no_level_is_told_as_it_was_given(level):
    with pytest.raises(nlmzip.OptionError) as told:
        nlmzip.compress(b"", level=level)
    assert str(told.value) == f"there is no level {level!r}; choose one from 1 to 9"
