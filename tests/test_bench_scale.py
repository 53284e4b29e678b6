"""benchmarks/scale/ on tiny texts, and what its scripts measure with."""

import hashlib
import io
import json
import sys
import urllib.error
import urllib.request

import pytest
from fake_report import FakeReport

import nlmzip
from benchmarks.scale import frames, records, seek, streams, threads
from benchmarks.shared import measured_process, range_server, train_text
from benchmarks.shared.frames_read import decoding_watched, no_frames_kept
from benchmarks.shared.kept import Kept
from benchmarks.shared.measured_process import Taken, measured
from nlmzip.container.layout import read_layout

LINES = [b"%d sheep ate %d flowers on day %d of the year\n" % (n % 7, n * n % 31, n) for n in range(900)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder as NLMZIP_DATA names it."""
    folder = tmp_path_factory.mktemp("data")
    files = {
        "train/finance/1.txt": LINES[:200], "train/finance/2.txt": LINES[200:300],
        "train/english/books/1.txt": LINES[300:500], "train/english-more/1.txt": LINES[500:900],
        "corpora/logs/HDFS_2k.log": LINES[:80],
        "corpora/structured/vega-movies.json": [json.dumps([{"day": n, "é": None} for n in range(60)]).encode()],
    }  # fmt: skip
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(lines))
    return folder


@pytest.fixture
def run(data, monkeypatch, capsys):
    """Runs a script's main; its status, and the lines of its report."""

    def run(script, *arguments, named=True) -> tuple[int, list[str]]:
        given = [script.__file__, *(["--data", data] if named else []), *arguments]
        monkeypatch.setattr(sys, "argv", list(map(str, given)))
        status = script.main()
        return status, capsys.readouterr().out.splitlines()

    return run


def cells(lines: list[str], *beginning: str) -> list[list[str]]:
    """The words of each line that begins with these."""
    return [line.split() for line in lines if line.split()[: len(beginning)] == list(beginning)]


# --- what is measured with ---------------------------------------------------------------


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def test_a_process_is_measured_apart_from_the_one_that_starts_it():
    here = bytearray(b"1") * (200 << 20)  # which would count in a child's ru_maxrss
    small = measured(python("print('some', flush=True); import time; time.sleep(0.3)"))
    large = measured(python("held = bytearray(b'1') * (100 << 20)"))
    assert len(here) and small.peak_bytes < 60 << 20
    assert 100 << 20 < large.peak_bytes < 160 << 20
    assert (small.n_bytes, small.sha256) == (5, hashlib.sha256(b"some\n").hexdigest())
    assert 0 < small.first_byte_seconds < small.seconds - 0.2
    assert small.cpu_seconds < small.seconds and large.first_byte_seconds is None


def test_what_is_piped_in_comes_out_and_is_kept(tmp_path):
    given, kept = tmp_path / "given", tmp_path / "kept"
    given.write_bytes(b"".join(LINES) * 10)
    taken = measured(["cat"], piped=given, keep=kept)
    assert kept.read_bytes() == given.read_bytes() and taken.sha256 == measured_process.sha256_of(given)
    if taken.read_bytes is not None:
        assert 0 <= taken.read_bytes - given.stat().st_size < 1 << 16


def test_a_command_that_fails_ends_the_script_and_one_whose_pipe_is_closed_does_not():
    with pytest.raises(SystemExit, match="failed, with status 3"):
        measured(python("raise SystemExit(3)"))
    with pytest.raises(SystemExit, match="failed"):
        measured(["there-is-no-such-command"])
    assert measured(["sh", "-c", "echo abc; exit 141"], stop=1).n_bytes == 1


def test_a_training_text_takes_a_file_of_each_folder_in_turn(data, tmp_path):
    class Options:
        pass

    Options.data = data
    once = b"".join(LINES[:200] + LINES[300:500] + LINES[500:900] + LINES[200:300])
    long = train_text.write_text(Options, tmp_path / "long", 2 * len(once) + 5).read_bytes()
    assert long == 2 * once + once[:5]
    assert train_text.write_text(Options, tmp_path / "short", 1000).read_bytes() == once[:1000]


def test_what_was_measured_is_kept_for_the_next_run(tmp_path, capsys):
    path = tmp_path / "kept"
    assert Kept(path).value(["a", 1], lambda: {"x": (1, 2)}) == {"x": [1, 2]}
    again = Kept(path)
    assert again.value(["a", 1], lambda: pytest.fail("measured again")) == {"x": [1, 2]}
    assert again.value(["a", 2], lambda: 3) == 3
    assert [line.split(maxsplit=1)[1] for line in capsys.readouterr().err.splitlines()] == ["a 1 ...", "a 2 ..."]
    assert Kept(None).value(["a", 1], lambda: 4) == 4


def test_the_server_gives_ranges_and_counts_them(tmp_path):
    (tmp_path / "file").write_bytes(bytes(range(100)))
    with range_server.serve(tmp_path) as (address, requests):

        def ask(path: str, method: str = "GET", **headers) -> tuple[int, bytes]:
            request = urllib.request.Request(f"{address}/{path}", headers=headers, method=method)
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read()

        assert ask("file") == (200, bytes(range(100)))
        assert ask("file", Range="bytes=7-8") == (206, b"\x07\x08")
        assert ask("file", Range="bytes=98-200") == ask("file", Range="bytes=-2") == (206, b"bc")
        assert ask("file", method="HEAD") == (200, b"")
        for path, headers in (("nothing", {}), ("file", {"Range": "bytes=100-"})):
            with pytest.raises(urllib.error.HTTPError):
                ask(path, **headers)
    ranges = [("GET", True, 2)] * 3
    assert requests == [("GET", False, 100), *ranges, ("HEAD", False, 0)]
    assert seek.told(requests[1:]) == (3, 6, 1)
    with pytest.raises(SystemExit, match="all of the archive"):
        seek.told(requests)


def test_no_frame_is_kept_and_decoding_is_watched():
    text = b"".join(LINES[:200])
    archive = io.BytesIO(nlmzip.compress(text, model="none", level=1, frame=2000))
    with decoding_watched() as kept, nlmzip.open(archive) as file:
        for place in (4100, 100, 4100):
            seek.read_at(file, place, text)
    archive.seek(0)
    with no_frames_kept(), decoding_watched() as watched, nlmzip.open(archive) as file:
        for place in (4100, 100, 4100):
            seek.read_at(file, place, text)
    assert (kept.n_frames, watched.n_frames) == (2, 3)
    assert watched.seconds > 0


# --- the scripts -------------------------------------------------------------------------


def test_streams(run, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "DELAYS", 1)
    arguments = ["--sizes", 0.02, "--levels", 1, "--models", "none", "--keep", tmp_path / "kept"]
    status, lines = run(streams, *arguments)
    assert status == 0 and lines[-1] == "pipes and files give the same archives: yes"
    assert [row[3] for row in cells(lines, "0.02", "-1", "none")][:2] == list(streams.WAYS)
    assert sum(line.endswith(" same") for line in lines) == 2
    assert [row[3] for row in cells(lines, "-1", "none", "file")] == ["encode", "decode"]
    assert len(cells(lines, "0.02", "-1", "none")) == 3  # both ways, and how long it takes to begin
    assert run(streams, *arguments)[1][2:] == lines[2:]  # all is taken from what was kept


def of_streams(encode=100, decode=100, archive="a", same=True, first=1.0):
    def taken(peak: int, cpu: float = 1.0) -> list:
        return list(Taken(peak * 10**6, cpu, 2.0, None, 1.0, 1, ""))

    return {
        "encode": taken(encode), "decode": taken(decode), "n_archive": 1, "archive": archive, "same": same,
        "delays": [{"first": taken(1, cpu), "frame": taken(1)} for cpu in (9.0, first)],
    }  # fmt: skip


def test_streams_tell_what_is_missed():
    report = FakeReport()
    status = streams.tell(report, {
        (20, 1, "none", "pipe"): of_streams(290, 280), (60, 1, "none", "pipe"): of_streams(301, 310),
        (20, 5, "none", "pipe"): of_streams(500, 500, first=1.2), (20, 5, "none", "file"): of_streams(archive="b"),
        (60, 5, "none", "file"): of_streams(same=False),
    })  # fmt: skip
    texts, peaks, delays = report.tables
    assert status == 1 and streams.tell(FakeReport(), {(20, 1, "none", "pipe"): of_streams()}) == 0
    assert [row[-1] for row in texts[1:]] == ["same"] * 4 + ["DIFFERENT"]
    assert peaks[1][3:] == ["encode", "301", "at most 300: MISSED", "3.8%", "at most 5%: met"]
    assert peaks[2][3:] == ["decode", "310", "at most 300: MISSED", "10.7%", "at most 5%: MISSED"]
    assert peaks[3][5] == "at most 600: met"
    assert [row[-1].split()[-1] for row in delays[1:]] == ["met", "met", "MISSED", "met", "met"]
    assert report.lines[-1].endswith("NO: [(20, 5, 'none')]")


def test_threads(run):
    status, lines = run(threads, "--size", 0.02, "--rounds", 1, "--level", 1, "--model", "none", "--frame", "5K")
    assert status == 0 and "the same" in lines[-1] and "the same" in lines[-2]
    assert len(cells(lines, "encode")) == len(cells(lines, "decode")) == 1


def test_threads_tell_what_is_missed():
    def both(seconds: float, sha256: str = "a") -> dict:
        return dict.fromkeys(("encode", "decode"), Taken(10**6, 4, seconds, None, 0, 1, sha256))

    report = FakeReport()
    rounds = [{1: both(4), 2: both(2), "beside": 4}, {1: both(4), 2: both(2.2), "beside": 4}]
    assert threads.told(report, rounds, 2) == 0
    assert report.value("encode", 3) == "1.905" and report.value("encode", 5) == "at least 1.85: met"
    assert "encode 2.000 times as much" in report.lines[1]
    assert threads.told(FakeReport(), [{1: both(4), 2: both(2, "b"), "beside": 4}], 2) == 1


def test_frames(run, data):
    file = data / "train/finance/1.txt"
    text = file.read_bytes()
    arguments = [file, "--level", 1, "--model", "none", "--frames", "2K"]
    status, lines = run(frames, *arguments, "--decode", named=False)
    sizes = [len(nlmzip.compress(text, level=1, model="none", frame=frame)) for frame in ("all", None, 2048)]
    for name in ("1.txt", "total"):
        (row,) = cells(lines, name)
        assert [int(row[at].replace(",", "")) for at in (2, 3, 5)] == sizes
        assert row[6] == f"{sizes[2] / sizes[0] - 1:+.2%}" and row[-1] == "met"
    assert (status, cells(lines, "all")[0][2:], cells(lines, "2K")[0][2:]) == (0, ["65,536"], ["8,192,", "16,384"])
    equal = run(frames, *arguments, "--slots", 4096, named=False)[1]
    assert cells(equal, "all")[0][2:] == cells(equal, "2K")[0][2:] == ["4,096"]


def test_frames_tell_what_is_missed(tmp_path):
    files = [tmp_path / "a", tmp_path / "b"]
    n_bytes = {"a": {"all": 1000, "default": 1030}, "b": {"all": 3000, "default": 3005}}
    measured = {}
    for file in files:
        file.write_bytes(b"12345")
        for frame, size in n_bytes[file.name].items():
            measured[file, frame] = {"bytes": size, "seconds": 1.0, "slots": [16]}
    report = FakeReport()
    frames.tell(report, files, ["all", "default"], measured)
    assert [row[3] for row in report.tables[0][1:]] == ["1,030 +3.00%", "3,005 +0.17%", "4,035 +0.88%"]
    verdicts = ["at most 2%: MISSED", "at most 2%: met", "at most 1%: met"]
    assert [row[4] for row in report.tables[0][1:]] == verdicts


def test_records(run, monkeypatch):
    monkeypatch.setattr(records, "FETCH_SECONDS", 0.01)
    status, lines = run(records, "--sizes", 100, "--bytes", 1000, "--models", "none", "--level", 1, "--repeats", 2)
    assert status == 0
    kinds = [line.split(":")[0] for line in lines if " records, " in line and not line.startswith("left out")]
    assert kinds == ["English, 100 bytes", "JSON lines of vega-movies.json", "log lines of HDFS_2k.log"]
    assert len(cells(lines, "nlmzip.Codec,", "none")) == len(cells(lines, "zlib", "-9")) == 3
    assert len(cells(lines, "nlmzip.Records,", "none,")) == 9
    english = [float(row[2]) for row in cells(lines, "nlmzip.Codec,", "none")][0]
    codec = nlmzip.Codec(model="none", level=1, bare=True)
    found = [codec.compress(each) for each in records.cut(b"".join(LINES[500:])[:1000], 100)]
    assert english == round(sum(map(len, found)) / 10, 1)
    assert len(cells(lines, "none", "compress")) == len(cells(lines, "none", "decompress")) == 1


def test_records_are_of_two_halves():
    kind = records.halves("name", [b"%02d" % n for n in range(20)], 7)
    assert kind.training == [b"%02d" % n for n in range(10)] and kind.records == [b"10", b"11", b"12"]
    assert records.json_lines(b'[{"a": 1}, "\xc3\xa9"]') == [b'{"a":1}', b'"\xc3\xa9"']
    assert records.json_lines(b'{"a": 1}\n{}\n') == [b'{"a": 1}', b"{}"]


def test_a_record_that_is_another_one_ends_the_script(tmp_path):
    contestant = records.single("wrong", lambda data: data, lambda payload: payload[:-1])
    with pytest.raises(SystemExit, match="wrong: record . is another one"):
        records.measured(contestant, LINES[:5], tmp_path / "records")


def test_what_a_codec_takes_beyond_coding(monkeypatch):
    class Doubling:
        def compress(self, data):
            return data + data

        def decompress(self, payload):
            return payload[: len(payload) // 2]

    seen = []

    def costs(function, argument):
        result = function(argument)
        n_bytes = min(len(argument), len(result))
        tidying = 5.0 if seen and seen[-1] != n_bytes else 0.0
        seen.append(n_bytes)
        return result, 0.25 + n_bytes / 1024 + tidying

    monkeypatch.setattr(records, "thread_seconds_of", costs)
    found = records.beyond(Doubling(), bytes(3 * records.RUN * records.LONG), 2)
    assert found == dict.fromkeys(("compress", "decompress"), (0.25 + records.SHORT / 1024, 1 / 1024))


def test_seek(run, tmp_path):
    arguments = ["--model", "none", "--level", 1, "--places", 2, "--archive", tmp_path / "text.nlmz"]
    status, lines = run(seek, *arguments, "--frame", 3000)
    assert status == 0 and cells(lines, "beyond", "that")[0][-1] == "met"
    assert lines[-1].endswith("it says the same")
    if not any(line.startswith("left out") for line in lines):
        assert len(cells(lines, "as", "it", "comes")) == len(cells(lines, 'cache_type="none"')) == 2
    before = (tmp_path / "text.nlmz").stat().st_mtime_ns
    run(seek, *arguments, "--frame", 3000)
    assert (tmp_path / "text.nlmz").stat().st_mtime_ns == before
    (tmp_path / "text.nlmz").unlink()
    with pytest.raises(SystemExit, match="archive of one frame"):
        run(seek, *arguments)


def test_places_are_in_frames_of_their_own():
    text = b"".join(LINES[:200])
    layout = read_layout(io.BytesIO(nlmzip.compress(text, model="none", level=1, frame=1500)))
    places = seek.random_places(layout, 5)
    assert len({layout.frame_at(place) for place in places}) == 5
    assert all(layout.frame_at(place) == layout.frame_at(place + seek.N_READ - 1) for place in places)
    assert len(seek.random_places(layout, 99)) == len(layout.spans)
    with pytest.raises(SystemExit, match="something else"):
        seek.read_at(io.BytesIO(b"1" + text[1:]), 0, text)


@pytest.mark.parametrize("script", [streams, threads, records, seek])
def test_without_data_the_scripts_say_so_and_end(script, monkeypatch, capsys):
    monkeypatch.delenv("NLMZIP_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", [script.__file__])
    with pytest.raises(SystemExit) as ended:
        script.main()
    assert ended.value.code == 0 and "skipped: no folder is named" in capsys.readouterr().out
