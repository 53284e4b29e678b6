"""Standard input and output as processes have them: pipes, terminals, closed ends."""

import os
import pty
import subprocess
import time

import pytest
from archives import members
from command_line import TEXT, archive_of

import nlmzip

ARCHIVE = archive_of(TEXT)


def test_two_processes_in_a_pipe_give_the_text_back(workplace):
    encoding = workplace.start("encode", "--model", "tiny", stdin=subprocess.PIPE)
    decoding = workplace.start("decode", stdin=encoding.stdout)
    encoding.stdout.close()
    encoding.stdin.write(TEXT)
    encoding.stdin.close()
    result = workplace.finish(decoding)
    assert (result.status, result.stdout, result.stderr) == (0, TEXT, "")
    assert encoding.wait(60) == 0


def on_terminal(workplace, *arguments, stdin=subprocess.DEVNULL):
    """Run with standard output and error on one terminal: the status and what it shows."""
    ours, theirs = pty.openpty()
    process = workplace.start(*arguments, stdin=stdin, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the terminal's other end has closed
        pass
    os.close(ours)
    return process.wait(60), shown.replace(b"\r\n", b"\n").decode()


TERMINAL = "is a terminal, and an archive is no text; name a file or use a pipe\n"


def test_an_archive_is_not_written_to_a_terminal(workplace):
    for command in (["-c", "text"], ["--force", "-c", "text"], []):
        status, shown = on_terminal(workplace, "encode", "--model", "tiny", *command)
        assert (status, shown) == (1, f"nlmzip: standard output: {TERMINAL}")


def test_the_name_alone_on_a_terminal_shows_the_help_as_an_error(workplace):
    shown = workplace.run("--help").stdout.decode()
    assert on_terminal(workplace) == (1, shown)


@pytest.mark.parametrize("command", ["-h", "-d -h", "-l held.nlmz", "info held.nlmz", "-1v text", "missing/x"])
def test_nothing_is_coloured(workplace, command):
    _, shown = on_terminal(workplace, *command.split())
    assert shown and "\x1b" not in shown


def test_an_archive_is_not_read_from_a_terminal(workplace):
    ours, theirs = pty.openpty()
    try:
        status, shown = on_terminal(workplace, "decode", stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (status, shown) == (1, f"nlmzip: standard input: {TERMINAL}")


def test_a_text_is_shown_on_a_terminal_and_short_work_shows_no_bar(workplace):
    assert on_terminal(workplace, "decode", "-c", "held.nlmz") == (0, TEXT.decode())


def test_a_reader_that_closes_the_pipe_ends_it_silently(workplace):
    for command in (["encode", "--model", "tiny", "-c", "text"], ["info", "held.nlmz"], ["--help"]):
        reading, writing = os.pipe()
        os.close(reading)
        process = workplace.start(*command, stdout=writing)
        os.close(writing)
        result = workplace.finish(process)
        assert (result.status, result.stderr) == (141, ""), command


LONG = b"".join(b"%d bottles of beer, %d of them are red\n" % (n, n * n % 7) for n in range(3000))
FRAMED = nlmzip.compress(LONG, level=1, model="none", frame=2000)


def read_at_least(file, n_bytes: int) -> bytes:
    data = b""
    while len(data) < n_bytes and (piece := os.read(file.fileno(), 1 << 16)):
        data += piece
    return data


@pytest.mark.parametrize("threads", ["-T1", "-T3"])
def test_text_leaves_as_soon_as_its_frame_has_come(workplace, threads):
    process = workplace.start("-dc", threads, stdin=subprocess.PIPE)
    half = len(FRAMED) // 2
    process.stdin.write(FRAMED[:half])
    process.stdin.flush()
    text = read_at_least(process.stdout, len(LONG) // 4)  # and the rest has not come yet
    assert len(text) >= len(LONG) // 4 and LONG.startswith(text)
    process.stdin.write(FRAMED[half:])
    process.stdin.close()
    assert text + process.stdout.read() == LONG
    assert (process.wait(60), process.stderr.read()) == (0, b"")


@pytest.mark.parametrize("threads", ["-T1", "-T2"])
def test_an_archive_leaves_while_its_text_still_comes(workplace, threads):
    text = LONG * 20  # it is read a MiB at a time
    coded = nlmzip.compress(text, level=1, model="none", frame=200_000, threads=0)
    process = workplace.start("-1c", "--model", "none", "--frame", "200000", threads, stdin=subprocess.PIPE)
    process.stdin.write(text[: len(text) - 5])
    process.stdin.flush()
    archive = read_at_least(process.stdout, 100)
    assert len(archive) >= 100 and coded.startswith(archive)
    process.stdin.write(text[len(text) - 5 :])
    process.stdin.close()
    assert archive + process.stdout.read() == coded
    assert process.wait(60) == 0


@pytest.mark.parametrize("threads", ["-T1", "-T3"])
@pytest.mark.parametrize("option", ["-d", "-1"])
def test_a_reader_that_has_seen_enough_ends_long_work_quietly(workplace, threads, option):
    workplace.write("long.nlmz" if option == "-d" else "long", FRAMED * 9 if option == "-d" else LONG * 9)
    frame = [] if option == "-d" else ["--frame", "2000", "--model", "none"]
    names = ["long.nlmz"] * 3 if option == "-d" else ["long"] * 3
    process = workplace.start(option, "-c", threads, *frame, *names)
    assert len(read_at_least(process.stdout, 500)) >= 500
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141


@pytest.mark.parametrize("threads", ["-T1", "-T3"])
def test_what_follows_damage_never_leaves(workplace, threads):
    place = FRAMED.index(members(FRAMED)[0].frames[7].payload)
    damaged = FRAMED[: place - 1] + bytes([FRAMED[place - 1] ^ 1]) + FRAMED[place:]
    before = sum(frame.raw_length for frame in members(FRAMED)[0].frames[:7])
    result = workplace.run("-d", threads, stdin=damaged)
    assert (result.status, result.stdout) == (1, LONG[:before])
    assert result.stderr == "nlmzip: standard input: damaged archive (its checksum does not hold); get a good copy\n"


def test_many_small_frames_are_no_matter(workplace):
    """Of each a few bytes are read at a time."""
    text = LONG[:60_000]
    coded = nlmzip.compress(text, level=1, model="none", frame=3)
    assert len(coded) > 1 << 17
    workplace.write("many.nlmz", coded)
    begin = time.process_time()
    assert workplace.run("-dc", "-T1", "many.nlmz").stdout == text
    assert time.process_time() - begin < 20
    assert workplace.run("-dc", "--bytes", "30000:30010", "many.nlmz").stdout == text[30_000:30_010]


def test_a_stretch_of_a_pipe_is_read_to_its_end_and_no_further(workplace):
    process = workplace.start("-d", "--bytes", "100:3000", stdin=subprocess.PIPE)
    process.stdin.write(FRAMED[:-200])
    process.stdin.flush()
    assert process.stdout.read() == LONG[100:3000]
    assert process.wait(60) == 0


# --- several files side by side


@pytest.mark.parametrize("threads", ["-T1", "-T4"])
def test_several_files_look_as_if_they_were_done_one_after_the_other(workplace, threads):
    """Whatever takes long: what they say, what they write, and which errors there are."""
    names = ["a", "missing", "b", "held.nlmz", "c", "folder", "d"]
    texts = {"a": LONG[:30_000], "b": b"b\n", "c": LONG[:9000], "d": b""}
    for name, text in texts.items():
        workplace.write(name, text)
    chosen = ["-1", "--model", "none", "--frame", "1000", threads]
    result = workplace.run(*chosen, "-v", *names)
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == names
    assert (result.status, result.stdout) == (1, b"")
    for name, text in texts.items():
        assert workplace.read(f"{name}.nlmz") == nlmzip.compress(text, level=1, model="none", frame=1000)
    together = workplace.run(*chosen, "-c", *texts)
    assert together.stdout == b"".join(workplace.read(f"{name}.nlmz") for name in texts)
    assert workplace.run("-dc", threads, *[f"{name}.nlmz" for name in texts]).stdout == b"".join(texts.values())


@pytest.mark.parametrize("threads", ["-T1", "-T4"])
def test_each_of_many_files_is_done_and_told_in_its_turn(workplace, threads):
    names = [f"file {number}" for number in range(25)]
    for number, name in enumerate(names):
        workplace.write(name + ".nlmz", FRAMED[:-5] if number % 3 == 0 else FRAMED[: 500 + number] if number % 3 == 1 else FRAMED)
    result = workplace.run("-d", threads, *[name + ".nlmz" for name in names])
    told = [line.split(": ")[1] for line in result.stderr.splitlines()]
    assert told == [name + ".nlmz" for number, name in enumerate(names) if number % 3 < 2]
    assert ("truncated archive" in result.stderr, result.status) == (True, 1)
    for number, name in enumerate(names):
        assert os.path.exists(name) == (number % 3 != 1)
        assert number % 3 == 1 or workplace.read(name) == LONG
    assert not [name for name in os.listdir() if name.endswith(".tmp")]


def test_a_file_that_stands_twice_is_told_the_second_time(workplace):
    result = workplace.run("-1", "-T3", "text", "text")
    assert (result.status, result.stderr) == (1, "nlmzip: text.nlmz: exists already; use --force to overwrite it\n")


def without_output(workplace, *arguments):
    """Run with standard output closed: the status and standard error."""
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *workplace.command(*arguments)],
        capture_output=True,
        timeout=120,
    )
    return process.returncode, process.stderr


def test_a_closed_standard_output_is_an_error_of_what_writes_there(workplace):
    message = b"nlmzip: standard output: is closed; open it or name a file\n"
    for command in (
        ["encode", "--model", "tiny", "-c", "text"],
        ["info", "held.nlmz"],
        ["info", "--json", "held.nlmz"],
        ["models"],
        ["--help"],
        ["--version"],
    ):
        assert without_output(workplace, *command) == (1, message), command


def test_a_closed_standard_output_is_no_matter_to_files(workplace):
    assert without_output(workplace, "encode", "--model", "tiny", "text") == (0, b"")
    assert workplace.read("text.nlmz") == ARCHIVE


def test_a_closed_standard_input_is_an_error(workplace):
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *workplace.command("decode")],
        capture_output=True,
        timeout=120,
    )
    message = b"nlmzip: standard input: is closed; open it or name a file\n"
    assert (process.returncode, process.stderr) == (1, message)


def test_a_damaged_archive_gives_standard_output_nothing(workplace):
    damaged = bytearray(archive_of(TEXT * 50))
    damaged[-3] ^= 1
    result = workplace.run("decode", stdin=bytes(damaged))
    assert (result.status, result.stdout) == (1, b"")
