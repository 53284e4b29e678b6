"""Faults of the system around the tool: reading fails, files change, clocks and folders are odd.

A full disk, signals and a kill have files of their own.
"""

import contextlib
import errno
import json
import os
import subprocess
import sys
import threading
import time

import pytest
from command_line import TEXT, archive_of

import nlmzip

ARCHIVE = archive_of(TEXT)
NOISE = os.urandom(200_000)  # stored as it is, so that next to nothing is computed
NOBODY = 65534
CHECK = "check who may read the file and write in its folder"


# --- reading


@pytest.mark.parametrize("command", ["encode -1", "decode -c", "list", "info", "test"])
def test_an_input_that_cannot_be_read_is_told(workplace, command):
    """Linux has files whose first bytes no process can read."""
    try:
        with open("/proc/self/mem", "rb") as file:
            file.read(1)
        pytest.skip("the first page of memory can be read here")
    except OSError as error:
        if error.errno != errno.EIO:
            pytest.skip("there is no file here whose reading fails")
    before = workplace.contents()
    output = ["-o", "out"] if command.startswith("encode") else []
    result = workplace.run(*command.split(), *output, "/proc/self/mem")
    message = "nlmzip: /proc/self/mem: input/output error; check the device and try again\n"
    assert (result.status, result.stdout, result.stderr) == (1, b"", message)
    assert workplace.contents() == before


class Meanwhile:
    """Does something to a file again and again, until the context ends."""

    def __init__(self, action):
        self._action, self._over = action, threading.Event()
        self._thread = threading.Thread(target=self._go_on)

    def _go_on(self):
        while not self._over.is_set():
            self._action()
            time.sleep(0.0002)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()


@pytest.mark.parametrize("change", ["grows", "shrinks"])
def test_an_input_that_changes_while_it_is_read_is_a_part_of_it_and_not_removed(workplace, change):
    path = workplace.write("text", NOISE)

    def grow():
        with open(path, "ab") as file:
            file.write(b"more\n")

    def shrink():
        os.truncate(path, max(0, path.stat().st_size - 100))

    with Meanwhile(grow if change == "grows" else shrink):
        result = workplace.run("-1", "--rm", "text")
    message = "nlmzip: text: has changed meanwhile and is kept; look which one is right\n"
    assert (result.status, result.stderr) == (1, message)
    held = nlmzip.decompress(workplace.read("text.nlmz"))
    if change == "grows":
        assert len(held) >= len(NOISE) and workplace.read("text").startswith(held)
    else:
        # A system may clear what is behind a file's new end before it tells the new length.
        read = held.rstrip(b"\0")
        assert NOISE.startswith(read) and held.startswith(workplace.read("text"))


# --- links


def test_a_link_to_nothing_as_output_becomes_what_it_points_at(workplace):
    os.symlink("folder/new", "link")
    result = workplace.run("encode", "--model", "tiny", "-o", "link", "text")
    assert (result.status, result.stderr) == (0, "")
    assert os.readlink("link") == "folder/new" and workplace.read("folder/new") == ARCHIVE
    assert os.listdir("folder") == ["new"]


def test_a_link_in_a_circle_is_no_output(workplace):
    os.symlink("loop", "loop")
    result = workplace.run("encode", "--model", "tiny", "-f", "-o", "loop", "text")
    assert (result.status, result.stderr) == (1, "nlmzip: loop: the links lead in a circle; check the name\n")


def test_another_name_of_an_overwritten_file_keeps_what_it_held(workplace):
    os.link("other", "hard")
    kept = workplace.read("hard")
    assert workplace.run("encode", "--model", "tiny", "-f", "-o", "other", "text").status == 0
    assert (workplace.read("other"), workplace.read("hard")) == (ARCHIVE, kept)


# --- names and folders


def test_a_name_as_long_as_can_be(workplace):
    fits, too_long = "n" * 250, "n" * 255
    for name in (fits, too_long):
        workplace.write(name, NOISE)
    long = "the name is too long; use -o FILE for a shorter one"
    result = workplace.run("-1", too_long, fits)
    assert (result.status, result.stderr) == (1, f"nlmzip: {too_long}.nlmz: {long}\n")
    assert workplace.run("-1", "-o", "out", too_long).status == 0
    os.unlink(fits)
    assert workplace.run("-d", fits + ".nlmz").status == 0
    assert workplace.run("-d", "-f", "-o", too_long, "out").status == 0
    assert workplace.read(fits) == workplace.read(too_long) == NOISE


@contextlib.contextmanager
def unprivileged():
    """Within, root, who may write everywhere, is somebody else."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_read_only_folder_as_input(workplace):
    """Where somebody else may not look into the folders above either."""
    workplace.write("folder/text", NOISE)
    os.mkdir("out")
    os.chmod("out", 0o777)
    os.chmod("folder", 0o555)
    with unprivileged():
        beside = workplace.run("-1", "folder/text")
        removing = workplace.run("-1", "--rm", "-o", "out/kept", "folder/text")
    os.chmod("folder", 0o755)
    assert (beside.status, beside.stderr) == (1, f"nlmzip: folder/text.nlmz: permission denied; {CHECK}\n")
    assert (removing.status, removing.stderr) == (1, f"nlmzip: folder/text: permission denied; {CHECK}\n")
    assert workplace.read("folder/text") == nlmzip.decompress(workplace.read("out/kept")) == NOISE
    assert os.listdir("folder") == ["text"] and os.listdir("out") == ["kept"]


def test_without_a_home_folder_nothing_is_made_in_the_folder(workplace):
    """Of a user without an entry, as in a container; it was once a folder named ~."""
    workplace.write("text", NOISE)
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("HOME", "NLMZIP_CACHE", "NLMZIP_MODELS", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    }
    forget = "import os; os.path.expanduser = lambda path: path\n"
    main = "import sys; from nlmzip.cli import main; sys.exit(main(sys.argv[1:]))"
    for command in (["-1", "text"], ["-t", "text.nlmz"], ["models"], ["--model", "nowhere", "text"]):
        done = subprocess.run(
            [sys.executable, "-c", forget + main, *command], env=environment, capture_output=True, text=True
        )
        assert done.returncode == (command[0] == "--model"), done.stderr
    message = "give the path of a .nlm file\n"
    assert done.stderr.startswith("nlmzip: no model named nowhere ") and done.stderr.endswith(message)
    assert sorted(os.listdir()) == ["folder", "held.nlmz", "other", "text", "text.nlmz"]


@pytest.mark.parametrize("base", ["relative", "", "~nobody-of-this-name"])
def test_a_cache_folder_is_never_relative(workplace, monkeypatch, base):
    from nlmzip.platform import folders

    monkeypatch.delenv("NLMZIP_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    monkeypatch.setenv("HOME", "/home/me")
    if sys.platform == "linux":
        assert str(folders.cache_folder()) == "/home/me/.cache/nlmzip"
    else:
        assert folders.cache_folder().is_absolute()


# --- time


@pytest.mark.parametrize("seconds", [0, -1, -86_400 * 365, 1 << 31, 1 << 33], ids=str)
def test_files_of_other_times_keep_them(workplace, seconds):
    workplace.write("text", NOISE)
    os.utime("text", (seconds, seconds))
    before = os.stat("text").st_mtime_ns
    if before != seconds * 10**9:
        pytest.skip("the file system cannot hold that time")
    assert workplace.run("-1", "--rm", "text").status == 0
    assert os.stat("text.nlmz").st_mtime_ns == before
    assert workplace.run("-d", "--rm", "text.nlmz").status == 0
    assert os.stat("text").st_mtime_ns == before and workplace.read("text") == NOISE


def test_a_clock_that_runs_backwards_is_no_matter(workplace, monkeypatch):
    now = [2e9]

    def earlier():
        now[0] -= 86_400
        return now[0]

    for clock in ("time", "perf_counter", "monotonic"):
        monkeypatch.setattr(time, clock, earlier)
    result = workplace.run("-v", "--model", "tiny", "--rm", "text")
    assert result.status == 0 and workplace.read("text.nlmz") == ARCHIVE
    assert workplace.run("-dv", "text.nlmz").status == 0 and workplace.read("text") == TEXT


# --- streams


def without_streams(workplace, *arguments: str) -> int:
    closing = 'exec "$@" <&- >&- 2>&-'
    command = ["sh", "-c", closing, "sh", *workplace.command(*arguments)]
    return subprocess.run(command, timeout=120).returncode


def test_all_standard_streams_closed(workplace):
    workplace.write("noise", NOISE)
    before = workplace.contents()
    assert without_streams(workplace, "-1", "noise") == 0
    assert nlmzip.decompress(workplace.read("noise.nlmz")) == NOISE
    os.unlink("noise.nlmz")
    for command in (["-1", "missing"], ["-1c", "noise"], ["-l", "held.nlmz"], ["-1", "--nonsense"]):
        assert without_streams(workplace, *command) == 1, command
    assert workplace.contents() == before


# --- names that are no text

UTF8_OFF = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("more", [{}, UTF8_OFF], ids=["as it comes", "PYTHONUTF8=0"])
def test_commands_that_only_read_take_names_that_are_no_text(workplace, more):
    name = b"caf\xe9 \xf0\x9f\x90\x84.nlmz"
    workplace.write(os.fsdecode(name), archive_of(NOISE[:100]))
    environment = os.environ | {"LC_ALL": "C"} | more

    def run(*arguments):
        return subprocess.run(
            workplace.command(*arguments, name), env=environment, capture_output=True, timeout=120
        )

    for command in ("test", "list", "info"):
        done = run(command)
        assert (done.returncode, done.stderr) == (0, b""), command
        assert command == "test" or b"caf\\xe9 " in done.stdout
    for command in ("list", "info"):
        report = json.loads(run(command, "--json").stdout)
        file = (report["files"] if command == "list" else report)[0]["file"]
        assert file.startswith("caf\udce9 ")


# --- what other systems lack

WITHOUT = """
import os, signal, sys
import click, numba, numpy, tempfile, subprocess
for module, name in (
    (os, "fchmod"), (os, "fchown"), (os, "link"), (os, "sysconf"), (os, "geteuid"),
    (signal, "SIGHUP"), (signal, "SIGPIPE"),
):
    if hasattr(module, name):
        delattr(module, name)
os.link = lambda *_: exec('raise OSError(1, "not supported")')
os.supports_fd.discard(os.utime)
sys.modules["fcntl"] = None
from nlmzip.cli import main
sys.exit(main(["-1", "--rm", "text"]) or main(["-l", "text.nlmz"]) or main(["-d", "-M", "1G", "text.nlmz"]))
"""


def test_what_windows_lacks_is_not_needed(workplace):
    os.utime("text", ns=(0, 10**18))
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert workplace.read("text") == TEXT
    assert os.stat("text").st_mtime_ns == os.stat("text.nlmz").st_mtime_ns == 10**18
