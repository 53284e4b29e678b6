"""`nlmzip encode --lines`, `--records-by`, and `nlmzip get`."""

import io
import json

import pytest
from command_line import TEXT

import nlmzip

LINES = [b'{"n": %d}\n' % number for number in range(300)]
NONE = ("--model", "none")


@pytest.fixture
def lines(workplace):
    """A workplace that holds the archive of LINES, in frames of some of these."""
    workplace.write("lines", b"".join(LINES))
    done = workplace.run("encode", "--lines", "--frame", "500", "-1", *NONE, "lines")
    assert (done.status, done.stderr) == (0, "")
    return workplace


def test_lines_are_fetched_as_they_stand(lines):
    done = lines.run("get", "lines.nlmz", "17", "100:103", "-1", "-10", "-12:-10", "::-150", "5:5", "0")
    expected = [LINES[17], *LINES[100:103], LINES[-1], LINES[-10], *LINES[-12:-10], *LINES[::-150], LINES[0]]
    assert (done.status, done.stdout, done.stderr) == (0, b"".join(expected), "")


def test_slices_beyond_the_end_are_as_in_python(lines):
    assert lines.run("get", "lines.nlmz", "298:1000", "1000:").stdout == b"".join(LINES[298:])


@pytest.mark.parametrize("option, behind", [("-0", b"\0"), ("--nul", b"\0"), ("--lines", b"\n")])
def test_something_else_can_stand_behind_each(lines, option, behind):
    expected = b"".join(line[:-1] + behind for line in LINES[-2:])
    assert lines.run("get", "lines.nlmz", option, "-2:").stdout == expected
    lines.run("encode", "--records-by", "file", "text", "other", "-o", "files.nlmz", *NONE)
    expected = TEXT + behind + lines.read("other") + behind
    assert lines.run("get", "files.nlmz", ":", option).stdout == expected


def test_the_archive_is_one_of_its_text_too(lines):
    assert lines.run("decode", "-c", "lines.nlmz").stdout == b"".join(LINES)
    assert lines.run("test", "lines.nlmz").status == 0
    (member,) = json.loads(lines.run("info", "--json", "lines.nlmz").stdout)[0]["members"]
    assert (member["records"], member["delimiter"]) == (300, 10)
    told = lines.run("info", "lines.nlmz").stdout
    assert b"delimiter       line feed\n" in (told if isinstance(told, bytes) else told.encode())
    assert member["original_size"] == len(b"".join(LINES))
    assert member["frames"] > 3
    listed = json.loads(lines.run("list", "--json", "lines.nlmz").stdout)["files"][0]
    assert listed["original_size"] == member["original_size"]


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_threads_change_nothing(lines, threads):
    done = lines.run("--lines", "--frame", "500", "-1", *NONE, "-T", threads, "-c", "lines")
    assert done.stdout == lines.read("lines.nlmz")
    assert lines.run("get", "-T", threads, "lines.nlmz", ":").stdout == b"".join(LINES)


@pytest.mark.parametrize(
    "text, records",
    [
        (b"", []),
        (b"\n", [b""]),
        (b"one", [b"one"]),
        (b"one\n", [b"one"]),
        (b"\none\n\n\ntwo", [b"", b"one", b"", b"", b"two"]),
        (b"one\r\ntwo\0three\n", [b"one\r", b"two\0three"]),
        (b"long " * 1000 + b"\nshort\n", [b"long " * 1000, b"short"]),
    ],
)
@pytest.mark.parametrize("by, delimiter", [("lines", b"\n"), ("nul", b"\0")])
def test_what_is_a_record(workplace, by, delimiter, text, records):
    text, records = (
        (text, records) if by == "lines" else (swapped(text), list(map(swapped, records)))
    )
    workplace.write("in", text)
    done = workplace.run("encode", "--records-by", by, "--frame", "1K", "-1", *NONE, "in", "--verify")
    assert (done.status, done.stderr) == (0, "")
    with nlmzip.Records("in.nlmz") as found:
        assert list(found) == records
    assert workplace.run("decode", "-c", "in.nlmz").stdout == text
    assert workplace.run("get", "in.nlmz", ":").stdout == text


def swapped(text: bytes) -> bytes:
    return text.translate(bytes.maketrans(b"\n\0", b"\0\n"))


def test_a_pipe_is_encoded_and_read(lines):
    archive = lines.run("encode", "--lines", "--frame", "500", "-1", *NONE, stdin=b"".join(LINES)).stdout
    assert archive == lines.read("lines.nlmz")
    assert lines.run("get", "-", "-1", "7", stdin=archive).stdout == LINES[-1] + LINES[7]


def test_each_file_is_a_record(workplace):
    workplace.write("empty", b"")
    names = ("text", "empty", "other")
    done = workplace.run("encode", "--records-by", "file", *names, "-o", "all.nlmz", "--verify", "-v")
    assert done.status == 0 and "3 records" in done.stderr
    assert workplace.run("get", "all.nlmz", "2", "0", "1").stdout == workplace.read("other") + TEXT
    assert workplace.run("get", "all.nlmz", "0", "-o", "again").status == 0
    assert workplace.read("again") == TEXT
    piped = workplace.run("encode", "--records-by", "file", "text", "-", "-c", stdin=b"read")
    assert list(nlmzip.Records(io.BytesIO(piped.stdout))) == [TEXT, b"read"]


@pytest.mark.parametrize(
    "command, message",
    [
        ("lines.nlmz 300", "lines.nlmz: no record 300; they are 0 to 299"),
        ("lines.nlmz 1 -301", "lines.nlmz: no record -301; they are 0 to 299"),
        ("held.nlmz 0", "held.nlmz: holds a text that is no records; decode it, or encode it with --lines"
                        " to get single records"),
        ("text 0", "text: not an nlmzip archive; nothing to decode"),
        ("missing 0", "missing: no such file or folder; check the name"),
        ("folder 0", "folder: is a folder; name a file"),
        ("lines.nlmz 0 -o text", "text: exists already; use --force to overwrite it"),
        ("lines.nlmz 0 -fo lines.nlmz", "lines.nlmz: input and output are the same file; use -o with another name"),
        ("lines.nlmz", "missing argument 'RECORD...'; see 'nlmzip get --help'"),
        ("lines.nlmz x", "invalid value for 'RECORD...': 'x' is no record such as 17 or -1, nor several such as"
                         " 100:200; see 'nlmzip get --help'"),
        ("lines.nlmz 1:2:3:4", "invalid value for 'RECORD...': '1:2:3:4' is no record such as 17 or -1, nor several"
                               " such as 100:200; see 'nlmzip get --help'"),
        ("lines.nlmz -5:x", "invalid value for 'RECORD...': '-5:x' is no record such as 17 or -1, nor several such"
                            " as 100:200; see 'nlmzip get --help'"),
        ("lines.nlmz ::0", "invalid value for 'RECORD...': '::0' takes steps of 0; see 'nlmzip get --help'"),
        ("lines.nlmz --linse 1", "no such option --linse, perhaps --lines; see 'nlmzip get --help'"),
        ("lines.nlmz 1 -c -o x", "-o and -c exclude each other; see 'nlmzip get --help'"),
    ],
)  # fmt: skip
def test_what_cannot_be_fetched_is_told(lines, command, message):
    before = lines.contents()
    done = lines.run("get", *command.split())
    assert (done.status, done.stdout, done.stderr) == (1, b"", f"nlmzip: {message}\n")
    assert lines.contents() == before


@pytest.mark.parametrize(
    "command, message",
    [
        ("text other", "--records-by file makes one archive of all FILEs; name it with -o; see 'nlmzip encode --help'"),
        ("-o x", "--records-by file takes the files by their names; see 'nlmzip encode --help'"),
        ("text missing -o x", "missing: no such file or folder; check the name"),
        ("text folder -o x", "folder: is a folder; name the files in it"),
        ("text -o other", "other: exists already; use --force to overwrite it"),
        ("text other -fo other", "other: input and output are the same file; use -o with another name"),
        ("text -o x --rm", "--rm removes a FILE that has an archive of its own; leave it out; see 'nlmzip encode --help'"),
        ("text -c -o x", "-o and -c exclude each other; see 'nlmzip encode --help'"),
        ("text -o x --embed-model --model tiny", "x: to embed a model takes the whole text; use nlmzip.compress"),
    ],
)  # fmt: skip
def test_what_cannot_be_gathered_is_told_and_leaves_nothing(workplace, command, message):
    before = workplace.contents()
    done = workplace.run("encode", "--records-by", "file", *command.split())
    assert (done.status, done.stdout, done.stderr) == (1, b"", f"nlmzip: {message}\n")
    assert workplace.contents() == before


def test_damage_is_told(lines):
    archive = lines.read("lines.nlmz")
    lines.write("lines.nlmz", archive[:60] + bytes([archive[60] ^ 4]) + archive[61:])
    done = lines.run("get", "lines.nlmz", ":", "-o", "out")
    assert done.status == 1 and done.stderr.startswith("nlmzip: lines.nlmz: damaged archive (")
    assert not (lines.folder / "out").exists()
    lines.write("lines.nlmz", archive[:-1])
    done = lines.run("get", "lines.nlmz", ":")
    assert (done.status, done.stdout) == (2, b"".join(LINES))
    assert done.stderr == "nlmzip: lines.nlmz: its index is cut off; its frames were looked for one by one\n"


def test_a_wrong_number_of_records_is_told(workplace):
    workplace.write("in", b"one and two\n" * 5)
    workplace.run("encode", "--lines", "in", *NONE)
    archive = bytearray(workplace.read("in.nlmz"))
    assert (archive[3], archive[7]) == (0x29, 5)  # of one coding, and a frame of five records
    archive[7] = 4
    workplace.write("in.nlmz", bytes(archive))
    for command in (["get", "in.nlmz", "0"], ["decode", "-c", "in.nlmz"], ["test", "in.nlmz"]):
        done = workplace.run(*command)
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr.startswith("nlmzip: in.nlmz: damaged archive (")
