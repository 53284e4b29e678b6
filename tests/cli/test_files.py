"""File policy seen from outside: modes, times, links, devices, odd names."""

import os
import stat
import subprocess
import sys
import threading

import pytest
from command_line import TEXT, archive_of

from nlmzip.execute.coder import FrameCoder
from nlmzip.platform import files

ARCHIVE = archive_of(TEXT)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o444, 0o755])
def test_the_archive_and_what_it_gives_back_keep_mode_and_time(workplace, mode):
    os.chmod("text", mode)
    os.utime("text", ns=(1_600_000_000_123_456_789, 1_500_000_000_987_654_321))
    assert workplace.run("encode", "--model", "tiny", "text").status == 0
    assert workplace.run("decode", "-o", "back", "text.nlmz").status == 0
    for name in ("text.nlmz", "back"):
        status = os.stat(name)
        assert stat.S_IMODE(status.st_mode) == mode
        assert status.st_mtime_ns == 1_500_000_000_987_654_321


def test_setuid_and_sticky_bits_are_not_passed_on(workplace):
    os.chmod("text", 0o7755)
    workplace.run("encode", "--model", "tiny", "text")
    assert stat.S_IMODE(os.stat("text.nlmz").st_mode) == 0o755


def test_a_file_made_from_standard_input_gets_the_usual_mode(workplace):
    before = os.umask(0o027)
    try:
        workplace.run("encode", "--model", "tiny", "-o", "out", stdin=TEXT)
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat("out").st_mode) == 0o640


def test_nobody_else_can_read_a_file_that_is_being_written(workplace, monkeypatch):
    modes = []

    def write_all(descriptor, data):
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        assert not os.path.exists("text.nlmz")

    monkeypatch.setattr(files, "_write_all", write_all)
    workplace.run("encode", "--model", "tiny", "text")
    assert set(modes) == {0o600}


def test_force_through_a_link_writes_what_it_points_at(workplace):
    os.symlink("other", "link")
    result = workplace.run("encode", "--model", "tiny", "-f", "-o", "link", "text")
    assert (result.status, result.stderr) == (0, "")
    assert os.readlink("link") == "other"
    assert workplace.read("other") == ARCHIVE


def test_a_link_as_input_is_followed_and_names_the_archive(workplace):
    os.symlink("text", "link")
    assert workplace.run("encode", "--model", "tiny", "link").status == 0
    assert workplace.read("link.nlmz") == ARCHIVE


def test_a_file_system_without_hard_links_gets_the_file_all_the_same(workplace, monkeypatch):
    def link(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    assert workplace.run("encode", "--model", "tiny", "text").status == 0
    assert workplace.read("text.nlmz") == ARCHIVE


@pytest.mark.parametrize("links", [True, False], ids=["with hard links", "without"])
def test_a_file_that_appears_meanwhile_is_not_overwritten(workplace, monkeypatch, links):
    def link_late(source, target):
        workplace.write("text.nlmz", b"somebody else's")
        if links:
            raise FileExistsError(17, "File exists")
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link_late)
    result = workplace.run("encode", "--model", "tiny", "text")
    assert result.stderr == "nlmzip: text.nlmz: exists already; use --force to overwrite it\n"
    assert workplace.read("text.nlmz") == b"somebody else's"
    assert not [name for name in os.listdir() if name.endswith(".tmp")]


NOT_ITS = "its archive decodes to something else and is not kept; report this"


@pytest.mark.parametrize("option", ["--verify", "--rm"])
def test_an_archive_that_gives_something_else_back_is_not_kept(workplace, monkeypatch, option):
    before = workplace.contents()
    monkeypatch.setattr(FrameCoder, "decode", lambda coder, frame, report: b"something else")
    result = workplace.run("encode", "-1", option, "text")
    assert (result.status, result.stderr) == (1, f"nlmzip: text: {NOT_ITS}\n")
    assert workplace.contents() == before
    # What has left cannot be taken back, so each frame is decoded before it leaves.
    result = workplace.run("encode", "-1", "--verify", "-c", "text")
    assert (result.status, result.stdout) == (1, b"")
    assert "what was encoded decodes to something else; report this" in result.stderr


@pytest.mark.parametrize("command", ["encode -1 text", "decode held.nlmz"])
def test_a_device_that_gives_something_else_back_costs_no_input(workplace, monkeypatch, command):
    before = workplace.contents()
    write_all = files._write_all
    monkeypatch.setattr(files, "_write_all", lambda to, data: write_all(to, data[:-1] + b"?"))
    result = workplace.run(*command.split(), "--rm")
    assert result.stderr.endswith(": is not what was written; check the device\n")
    assert (result.status, workplace.contents()) == (1, before)


def test_a_file_that_changes_meanwhile_is_not_removed(workplace, monkeypatch):
    put = files.Target._put_in_place

    def put_late(target, temporary):
        workplace.write("text", b"somebody else's")
        put(target, temporary)

    monkeypatch.setattr(files.Target, "_put_in_place", put_late)
    result = workplace.run("encode", "-1", "--rm", "text")
    message = "nlmzip: text: has changed meanwhile and is kept; look which one is right\n"
    assert (result.status, result.stderr) == (1, message)
    assert workplace.read("text") == b"somebody else's"


def test_a_link_is_not_removed_and_another_name_of_a_file_is(workplace):
    os.symlink("text", "link")
    os.link("text", "hard")
    result = workplace.run("encode", "-1", "--rm", "link", "hard")
    message = "nlmzip: link: is a link; name the file that it points at, or leave out --rm\n"
    assert (result.status, result.stderr) == (1, message)
    assert sorted(os.listdir()) == ["folder", "hard.nlmz", "held.nlmz", "link", "other", "text"]


def test_what_is_verified_has_no_name_yet(workplace, monkeypatch):
    seen = []
    decode = FrameCoder.decode

    def spy(coder, frame, report):
        seen.append(os.path.exists("text.nlmz"))
        return decode(coder, frame, report)

    monkeypatch.setattr(FrameCoder, "decode", spy)
    assert workplace.run("encode", "-1", "--verify", "text").status == 0
    assert seen == [False]


def test_a_named_pipe_is_written_to_as_it_stands(workplace):
    os.mkfifo("pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append(workplace.read("pipe")))
    reader.start()
    result = workplace.run("encode", "--model", "tiny", "-o", "pipe", "text")
    reader.join(10)
    assert (result.status, got) == (0, [ARCHIVE])
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_a_device_stays_a_device(workplace):
    assert workplace.run("encode", "--model", "tiny", "-f", "-o", "/dev/null", "text").status == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


# Runs several commands, separated by NEXT, in one process, and prints their statuses.
SEVERAL = """
import sys
from nlmzip.cli import main
commands = [[]]
for argument in sys.argv[1:]:
    commands.append([]) if argument == "NEXT" else commands[-1].append(argument)
print([main(arguments) for arguments in commands])
"""

ODD_NAMES = [b"with space", b"-dash", b"caf\xc3\xa9", b"caf\xe9", b"new\nline", b"\x1b[31mred"]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_names_that_are_no_text_work_in_every_locale(workplace, locale):
    for name in ODD_NAMES:
        workplace.write(os.fsdecode(name), TEXT)
    commands = [
        ["encode", "--model", "tiny", "-q", "--", *ODD_NAMES],
        ["decode", "-f", "--", *[name + b".nlmz" for name in ODD_NAMES]],
        ["info", "--", *[name + b".nlmz" for name in ODD_NAMES]],
        ["info", "--json", "--", *[name + b".nlmz" for name in ODD_NAMES]],
        ["encode", "--", b"absent\xe9"],
    ]
    arguments = [argument for command in commands for argument in [*command, "NEXT"]][:-1]
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL, *arguments],
        env=os.environ | {"LC_ALL": locale},
        capture_output=True,
        timeout=120,
    )
    assert done.stdout.endswith(b"\n[0, 0, 0, 0, 1]\n")
    assert done.stderr == b"nlmzip: absent\\xe9: no such file or folder; check the name\n"
    assert b"new\\nline.nlmz: archive of" in done.stdout
    assert b"\x1b" not in done.stdout
    for name in ODD_NAMES:
        assert workplace.read(os.fsdecode(name)) == TEXT
        assert workplace.read(os.fsdecode(name + b".nlmz")) == ARCHIVE
