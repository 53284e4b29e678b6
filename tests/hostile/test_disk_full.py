"""A full disk: one line, nothing left behind, the input and the old target untouched."""

import os
import resource
import subprocess

import pytest
from command_line import TEXT

LARGE = os.urandom(100_000)  # stored as it is, so the archive is as large
FULL = "no space left on the device; free some and try again\n"
LIMIT = "grows larger than the system allows; raise the limit or write elsewhere\n"


def test_a_full_device_as_standard_output(workplace):
    for command in (["encode", "--model", "tiny", "-c", "text"], ["info", "held.nlmz"]):
        with open("/dev/full", "wb") as full:
            result = workplace.finish(workplace.start(*command, stdout=full))
        assert (result.status, result.stderr) == (1, f"nlmzip: standard output: {FULL}"), command


@pytest.mark.parametrize("old", [b"old", None], ids=["over an old file", "new"])
def test_a_limit_on_the_size_of_files(workplace, old):
    workplace.write("large", LARGE)
    if old is not None:
        workplace.write("out", old)
    before = workplace.contents()
    process = workplace.start(
        *["encode", "--model", "tiny", "-f", "-o", "out", "large"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )
    result = workplace.finish(process)
    assert (result.status, result.stderr) == (1, f"nlmzip: out: {LIMIT}")
    assert workplace.contents() == before


@pytest.fixture
def small_disk(workplace):
    """A file system of 64 KB, mounted at the folder `disk`."""
    folder = workplace.folder / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(["mount", *options], capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here; the limit above tests the same code")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(workplace, small_disk):
    (small_disk / "out").write_bytes(b"old")
    workplace.write("large", LARGE)
    before = workplace.contents()
    result = workplace.run("encode", "--model", "tiny", "-f", "-o", "disk/out", "large")
    assert (result.status, result.stderr) == (1, f"nlmzip: disk/out: {FULL}")
    assert workplace.contents() == before
    assert workplace.run("encode", "--model", "tiny", "-f", "-o", "disk/out", "text").status == 0
    assert workplace.run("decode", "-o", "-", "disk/out").stdout == TEXT
