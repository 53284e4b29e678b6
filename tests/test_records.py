"""Archives of records: each record comes back by its number, and what is wrong with one is told."""

import gc
import io
import os
import pickle
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import nlmzip
from nlmzip.container.frame import Frame, pack_lengths, write_frame
from nlmzip.container.header import write_header
from nlmzip.container.recipe import BY_LENGTHS, Recipe
from nlmzip.execute.coder import FrameCoder
from nlmzip.execute.cut import RecordCutter

FAST = {"model": "none", "level": 1}
LINES = [b"the cow %d ate the grass" % number for number in range(400)]
BINARY = [b"", b"\n", b"\0\xff" * 9, b"", bytes(range(256)), b"the end\n", b""]
LINE_FEED = ord("\n")


def archive_of(records, **options) -> bytes:
    kept = io.BytesIO()
    with nlmzip.RecordWriter(kept, **FAST | options) as writer:
        for record in records:
            writer.write(record)
    return kept.getvalue()


def opened(archive: bytes, **options) -> nlmzip.Records:
    return nlmzip.Records(io.BytesIO(archive), **options)


def n_frames(archive: bytes) -> int:
    return len(opened(archive)._frames.layout.spans)


ARCHIVE = archive_of(LINES, frame=1000)
SHAPES = {
    "none": [],
    "one": [b"to be"],
    "one that is empty": [b""],
    "empty ones": [b""] * 50,
    "lines": LINES,
    "one of many frames": [b"short", b"long " * 2000, b"short"],
}


# --- round trips


@pytest.mark.parametrize("delimiter", [None, b"\n", b"\0"])
@pytest.mark.parametrize("frame", [1, 500, None, "all"])
@pytest.mark.parametrize("shape", SHAPES)
def test_records_come_back(shape, frame, delimiter):
    records = SHAPES[shape]
    archive = archive_of(records, frame=frame, delimiter=delimiter)
    found = opened(archive)
    assert len(found) == len(records)
    assert list(found) == records
    assert [found[number] for number in range(len(records))] == records
    assert nlmzip.decompress(archive) == b"".join(record + (delimiter or b"") for record in records)


@pytest.mark.parametrize("frame", [1, 20, None])
def test_records_of_any_bytes_come_back(frame):
    assert list(opened(archive_of(BINARY, frame=frame))) == BINARY


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_changes_nothing(threads):
    assert archive_of(LINES, frame=1000, threads=threads) == ARCHIVE
    assert list(opened(ARCHIVE, threads=threads)) == LINES


def test_slices_and_numbers_mean_what_they_mean_in_lists():
    found = opened(ARCHIVE)
    for part in ((3, 90), (-3, None), (None, None, -7), (90, 3, -1), (9, 3), (0, 999, 50)):
        assert found[slice(*part)] == LINES[slice(*part)]
    assert (found[-1], found[-400]) == (LINES[-1], LINES[0])
    assert list(reversed(found)) == LINES[::-1]
    assert LINES[77] in found and found.index(LINES[77]) == 77 and b"no" not in found
    assert random.Random(1).sample(found, 5) == random.Random(1).sample(LINES, 5)


@pytest.mark.parametrize("number", [400, -401, 1 << 70])
def test_beyond_the_end_is_an_index_error(number):
    with pytest.raises(IndexError, match="0 to 399"):
        opened(ARCHIVE)[number]
    with pytest.raises(IndexError, match="none at all"):
        opened(archive_of([]))[0]


def test_what_is_no_number_is_a_type_error():
    for index in ("1", 1.0, None):
        with pytest.raises(TypeError):
            opened(ARCHIVE)[index]


def test_one_record_a_frame():
    for records in (LINES[:30], [b"", b"", b"x", b""]):
        archive = archive_of(records, frame=1)
        assert n_frames(archive) == len(records) and list(opened(archive)) == records


def test_a_frame_ends_with_the_record_that_makes_up_its_size():
    archive = archive_of([b"x" * 40] * 10 + [b"y" * 500] + [b"z"] * 3, frame=100)
    told = [(span.raw_length, span.n_records) for span in opened(archive)._frames.layout.spans]
    assert told == [(120, 3)] * 3 + [(540, 2), (3, 3)]


def test_empty_records_do_not_gather_without_end():
    assert n_frames(archive_of([b""] * 1000, frame=100)) == 10


def test_a_frame_that_is_decoded_is_kept():
    decoded = Decoded()
    with decoded:
        found = opened(ARCHIVE)
        assert list(found) == LINES and len(decoded.frames) == n_frames(ARCHIVE)
        assert found[::3] == LINES[::3] and found[5] == LINES[5]
        assert len(decoded.frames) == n_frames(ARCHIVE)


class Decoded:
    """Counts the frames that are decoded within."""

    def __enter__(self):
        self.frames, self._own = [], FrameCoder.decode

        def decode(coder, frame, report):
            self.frames.append(frame)
            return self._own(coder, frame, report)

        FrameCoder.decode = decode

    def __exit__(self, *_):
        FrameCoder.decode = self._own


def test_one_record_takes_one_frame():
    with (decoded := Decoded()):
        assert opened(ARCHIVE)[200] == LINES[200]
        assert len(decoded.frames) == 1


# --- how codings are picked


class Picks:
    def __init__(self, coding: int):
        self.coding, self.asked = coding, []

    def __call__(self, frame_bytes, data) -> int:
        self.asked.append(len(data))
        return self.coding


def stretches(records, frame_bytes, pick) -> list:
    cutter = RecordCutter(frame_bytes, pick, by_length=False)
    found = [stretch for record in records for stretch in cutter.feed(record)]
    return found + list(cutter.finish())


def test_a_coding_is_picked_for_a_megabyte_of_frames():
    pick = Picks(1)
    found = stretches([b"x" * 999] * 3000, 1 << 16, pick)
    assert {stretch.coding for stretch in found} == {1}
    assert len(pick.asked) == 3 and sum(pick.asked) < 3.3 * 2**20
    assert [len(stretch.raw) for stretch in found[:-1]] == [66 * 999] * (len(found) - 1)


def test_short_frames_are_tried_by_each_coding():
    pick = Picks(1)
    assert {stretch.coding for stretch in stretches([b"x" * 99] * 100, 100, pick)} == {None}
    assert {stretch.coding for stretch in stretches([b"x" * 99] * 100, 1 << 16, pick)} == {None}
    assert {stretch.coding for stretch in stretches([b"x" * 99] * 100, 100, None)} == {0}
    assert pick.asked == []


# --- files


def test_a_path_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "records.nlmz"
    with pytest.raises(KeyError), nlmzip.RecordWriter(path, **FAST) as writer:
        writer.write(b"half")
        raise KeyError
    writer = nlmzip.RecordWriter(path, **FAST)
    writer.write(b"half")
    del writer
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    with nlmzip.RecordWriter(path, **FAST) as writer:
        writer.write(b"whole")
        assert not path.exists()
    assert list(nlmzip.Records(path)) == [b"whole"]
    with pytest.raises(ValueError):
        writer.write(b"more")
    writer.close()


def test_modes(tmp_path):
    path = tmp_path / "records.nlmz"
    for mode in ("a", "ab"):
        with nlmzip.RecordWriter(path, mode, delimiter=b"\n" if mode == "a" else None, **FAST) as writer:
            writer.write(mode.encode())
    assert list(nlmzip.Records(str(path))) == [b"a", b"ab"]
    with pytest.raises(FileExistsError):
        nlmzip.RecordWriter(path, "x")
    for mode in ("rb", "r", "wt", ""):
        with pytest.raises(ValueError):
            nlmzip.RecordWriter(path, mode)
    assert list(nlmzip.Records(os.fsencode(path))) == [b"a", b"ab"]


def test_records_are_added_to_records_only(tmp_path):
    path = tmp_path / "text.nlmz"
    path.write_bytes(text := nlmzip.compress(b"to be", model="none"))
    with pytest.raises(nlmzip.ArchiveError, match="no records"):
        nlmzip.RecordWriter(path, "ab")
    assert path.read_bytes() == text and len(list(tmp_path.iterdir())) == 1


def test_joined_archives_are_one():
    joined = ARCHIVE + archive_of([b"x", b""], delimiter=b"\n") + archive_of([]) + archive_of([b"y\n"])
    assert list(opened(joined, threads=2)) == LINES + [b"x", b"", b"y\n"]


def test_what_an_error_cut_off_is_not_taken_for_whole(tmp_path, monkeypatch):
    writer = nlmzip.RecordWriter(tmp_path / "records.nlmz", frame=1, **FAST)
    with monkeypatch.context() as patched:
        patched.setattr(FrameCoder, "encode", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            for number in range(1 << 20):
                writer.write(b"x")
    with pytest.raises(ValueError):
        writer.write(b"y")
    writer.close()
    assert list(tmp_path.iterdir()) == []


def test_a_record_that_holds_the_delimiter_is_refused():
    kept = io.BytesIO()
    with nlmzip.RecordWriter(kept, delimiter=b"\n", **FAST) as writer:
        writer.write(b"one")
        with pytest.raises(ValueError, match="delimiter"):
            writer.write(b"two\nthree")
        with pytest.raises(TypeError):
            writer.write("four")
        writer.write(memoryview(b"five"))
    assert list(nlmzip.Records(kept)) == [b"one", b"five"]
    for delimiter in (b"", b"\r\n", "\n", 10):
        with pytest.raises(nlmzip.OptionError, match="no delimiter"):
            nlmzip.RecordWriter(kept, delimiter=delimiter)


def test_options_are_checked_at_once(tmp_path):
    for options in ({"level": 11}, {"frame": 0}, {"embed_model": True}, {"threads": -1}, {"codec": "words"}):
        with pytest.raises(nlmzip.OptionError):
            nlmzip.RecordWriter(tmp_path / "new", model="none", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_object_stays_open_and_is_read_from_its_beginning():
    kept = io.BytesIO(ARCHIVE)
    kept.seek(100)
    with nlmzip.Records(kept) as found:
        assert found[3] == LINES[3]
    assert not kept.closed
    for call in (lambda: found[3], lambda: len(found), lambda: list(found)):
        with pytest.raises(ValueError, match="closed"):
            call()
    found.close()


def test_what_is_no_archive_of_records_is_told(tmp_path):
    with pytest.raises(nlmzip.ArchiveError, match="no records; decode it, or encode it with --lines"):
        opened(nlmzip.compress(b"to be", model="none"))
    with pytest.raises(nlmzip.ArchiveError, match="no records"):
        opened(ARCHIVE + nlmzip.compress(b"to be", model="none"))
    with pytest.raises(nlmzip.ArchiveError, match="not an nlmzip archive"):
        opened(b"PK and more")
    with pytest.raises(FileNotFoundError):
        nlmzip.Records(tmp_path / "missing")
    with pytest.raises(io.UnsupportedOperation):
        nlmzip.Records(Pipe())


class Pipe(io.RawIOBase):
    def readable(self):
        return True


def test_fsspec_files_are_read_where_it_is_needed(tmp_path):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install fsspec")
    with fsspec.open("memory://records.nlmz", "wb") as file:
        file.write(ARCHIVE)
    (tmp_path / "records.nlmz").write_bytes(ARCHIVE)
    for url in ("memory://records.nlmz", f"file://{tmp_path}/records.nlmz"):
        with fsspec.open(url, "rb") as file, nlmzip.Records(file) as found:
            assert found[123] == LINES[123]


# --- threads and processes


def test_threads_share_records():
    found = opened(ARCHIVE)
    decoded = Decoded()
    with decoded, ThreadPoolExecutor(8) as pool:
        numbers = random.Random(1).choices(range(len(LINES)), k=500)
        assert list(pool.map(found.__getitem__, numbers)) == [LINES[number] for number in numbers]
        assert all(map(LINES.__eq__, pool.map(lambda _: list(found), range(4))))
    assert len(decoded.frames) == n_frames(ARCHIVE)


def test_an_iteration_can_be_left():
    found = opened(ARCHIVE, threads=2)
    before = threading.active_count()
    for _ in range(3):
        assert next(iter(found)) == LINES[0]
    found.close()
    assert threading.active_count() <= before


def test_records_of_a_path_are_pickled_by_it(tmp_path, monkeypatch):
    (tmp_path / "records.nlmz").write_bytes(ARCHIVE)
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(nlmzip.Records("records.nlmz", threads=2))
    monkeypatch.chdir("/")
    assert len(pickled) < 1000 and pickle.loads(pickled)[9] == LINES[9]
    with pytest.raises(TypeError, match="from a path"):
        pickle.dumps(opened(ARCHIVE))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_reads_for_itself(tmp_path):
    path = tmp_path / "records.nlmz"
    path.write_bytes(ARCHIVE)
    found = nlmzip.Records(path, threads=2)
    file = found._opened._owned
    assert found[0] == LINES[0]
    place = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    child = os.fork()
    if not child:
        right = found[300] == LINES[300] and list(found) == LINES and found._opened._owned is not file
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == place


# --- damage


def outcome(archive: bytes) -> "list | str":
    """The records, or that it was told that they are not to be had."""
    try:
        return list(opened(archive))
    except (nlmzip.ArchiveError, nlmzip.ModelError, nlmzip.ModelNotFoundError):
        return "told"


@pytest.mark.parametrize("delimiter", [None, b"\n"])
@pytest.mark.parametrize("frame", [None, 60])
def test_no_flipped_bit_gives_other_records(frame, delimiter):
    records = [b"one", b"", b"three and more of it", b"", b"five " * 20]
    archive = archive_of(records, frame=frame, delimiter=delimiter)
    assert outcome(archive) == records
    outcomes = []
    for place in range(8 * len(archive)):
        flipped = bytearray(archive)
        flipped[place // 8] ^= 1 << place % 8
        outcomes.append(outcome(bytes(flipped)))
    assert all(found in (records, "told") for found in outcomes)
    assert outcomes.count("told") > len(outcomes) / 2


def test_no_archive_that_is_cut_off_gives_fewer_records():
    archive = archive_of(LINES[:20], frame=100)
    for n_bytes in range(len(archive)):
        assert outcome(archive[:n_bytes]) in (LINES[:20], "told")


def stored(records: "list[bytes]", delimiter: int, **claims) -> bytes:
    """A member of one frame, stored, that says what it is made to say of its records."""
    recipe = Recipe((), delimiter)
    lengths = pack_lengths(map(len, records)) if delimiter == BY_LENGTHS else b""
    about = {"n_records": len(records), "lengths": lengths} | claims
    return write_header(recipe) + write_frame(recipe, Frame.of(b"".join(records), **about), is_last=True)


WRONG = {
    "too many lines": stored([b"a\n", b"b\n"], LINE_FEED, n_records=3),
    "too few lines": stored([b"a\n", b"b\n"], LINE_FEED, n_records=1),
    "no lines": stored([b"a\n", b"b\n"], LINE_FEED, n_records=0),
    "more lines than bytes": stored([b"a\n"], LINE_FEED, n_records=1 << 62),
    "too many lengths": stored([b"a", b"b"], BY_LENGTHS, lengths=pack_lengths([1, 0, 1])),
    "too few lengths": stored([b"a", b"b", b""], BY_LENGTHS, lengths=pack_lengths([1, 1])),
    "lengths of another text": stored([b"a", b"b"], BY_LENGTHS, lengths=pack_lengths([1, 2])),
    "a length beyond the text": stored([b"a", b"b"], BY_LENGTHS, lengths=pack_lengths([1 << 62, 1])),
    "no lengths": stored([b"a", b"b"], BY_LENGTHS, lengths=b""),
    "lengths that are none": stored([b"a", b"b"], BY_LENGTHS, lengths=b"\xff\xff"),
    "bytes behind the lengths": stored([b"a", b"b"], BY_LENGTHS, lengths=pack_lengths([1, 1]) + b"x"),
    "more lengths than can be": stored([b"a", b"b"], BY_LENGTHS, n_records=1 << 62),
    "an empty one of nothing": stored([], BY_LENGTHS, n_records=1 << 40, lengths=b"\3\0"),
}


@pytest.mark.parametrize("archive", WRONG.values(), ids=WRONG)
def test_a_frame_that_lies_about_its_records_is_told(archive):
    found = None
    with pytest.raises(nlmzip.ArchiveError):
        found = list(opened(archive))
    assert found is None


@pytest.mark.parametrize("delimiter", [LINE_FEED, BY_LENGTHS])
def test_what_tells_the_truth_is_read(delimiter):
    lines = [b"a\n", b"b\n"]
    assert list(opened(stored(lines, delimiter))) == ([b"a", b"b"] if delimiter == LINE_FEED else lines)


def test_a_last_line_may_lack_its_end():
    assert list(opened(stored([b"a\n", b"b"], LINE_FEED))) == [b"a", b"b"]


def test_damage_to_the_index_costs_no_record():
    damaged = ARCHIVE[:-20] + bytes([ARCHIVE[-20] ^ 1]) + ARCHIVE[-19:]
    for archive in (damaged, ARCHIVE[:-3]):
        found = opened(archive)
        assert list(found) == LINES and len(found.problems) == 1
    assert opened(ARCHIVE).problems == []


def test_a_memory_limit_holds_for_each_frame():
    found = opened(ARCHIVE, memory_limit=1 << 20)
    with pytest.raises(nlmzip.MemoryLimitError):
        found[0]
    with pytest.raises(nlmzip.MemoryLimitError):
        nlmzip.RecordWriter(io.BytesIO(), memory_limit=1 << 20, **FAST)
