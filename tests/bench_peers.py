"""Peers for the tests of the bench: a world without any, fake programs, and codecs that lie."""

import sys
from pathlib import Path

import pytest

from nlmzip.bench.packages import EXTRA_PACKAGES
from nlmzip.bench.peer import Codec, Peer

#: A stand-in for a program: its archives are those of zlib, behind MARK.
MARK = b"fake"
_HEAD = f"#!{sys.executable}\nimport sys, zlib\nMARK = {MARK!r}\n"
BZIP3 = (
    _HEAD
    + """
if "--version" in sys.argv:
    sys.exit("bzip3 9.8.7")
data = sys.stdin.buffer.read()
if "-e" in sys.argv:
    made = MARK + zlib.compress(data) + sys.argv[sys.argv.index("-b") + 1].encode()
else:
    made = zlib.decompressobj().decompress(data[4:])
sys.stdout.buffer.write(made)
"""
)
ZPAQ = (
    _HEAD
    + """
if len(sys.argv) == 1:
    sys.exit("zpaq v6.5 journaling archiver")
command, archive, name = sys.argv[1:4]
assert sys.argv[-2:] == ["-threads", "1"]
if command == "add":
    assert sys.argv[4] == "-method"
    made = MARK + zlib.compress(open(name, "rb").read()) + sys.argv[5].encode()
    open(archive, "wb").write(made)
else:
    assert command == "extract" and sys.argv[4] == "-to"
    data = open(archive, "rb").read()
    open(sys.argv[5], "wb").write(zlib.decompressobj().decompress(data[4:]))
"""
)
#: One that never gives a text back, and one that fails at once.
LIAR = _HEAD + "sys.stdin.buffer.read()\nprint('something else')\n"
FAILURE = _HEAD + "sys.exit(1)\n"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A PATH with nothing on it but what is put there: `programs(name, script)`."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(name: str, script: str) -> Path:
        path = folder / name
        path.write_text(script)
        path.chmod(0o755)
        return path

    return put


@pytest.fixture
def no_extras(programs, monkeypatch):
    """Neither packages of the extra nor programs."""
    for package in EXTRA_PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    return programs


def identity(name="copy", notes=("",), lengths=(0,)) -> Peer:
    """A peer whose codecs put zeros in front of the text."""

    def codec(note, length):
        return Codec(note, lambda data: bytes(length) + data, lambda data: data[length:])

    return Peer(name, "1", lambda n_bytes: [codec(*each) for each in zip(notes, lengths)])
