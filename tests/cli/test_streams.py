"""Standard input and output as processes have them: pipes, terminals, closed ends."""

import os
import pty
import subprocess

import pytest
from command_line import TEXT, archive_of

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
