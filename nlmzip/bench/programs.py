"""Peers that are programs on the PATH: bzip3 and zpaq; called by peers.py.

The time of a program has its start and its files in it.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .peer import Absent, Codec, Peer, Transform

_MEGABYTE = 1 << 20
BZIP3_MAXIMUM_BLOCK = 511  # megabytes
#: log2 of zpaq's block in megabytes: what -m5 takes without being told, and the most.
ZPAQ_BLOCK, ZPAQ_MAXIMUM_BLOCK = 6, 11


def seek() -> tuple[list[Peer], list[Absent]]:
    """The peers whose programs are on the PATH, and the others."""
    found, absent = [], []
    for name, make in (("bzip3", _bzip3), ("zpaq", _zpaq)):
        program = shutil.which(name)
        if program:
            found.append(make(program))
        else:
            remedy = f"apt-get install {name} (Debian and Ubuntu)"
            absent.append(Absent(name, "on the PATH", remedy))
    return found, absent


def _version(*command: str) -> str:
    """The first number with a dot that a program prints."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "of unknown version"
    number = re.search(rb"\d+\.[\d.]*\d", done.stdout + done.stderr)
    return number.group().decode() if number else "of unknown version"


def _filter(*command: str) -> Transform:
    """A program from standard input to standard output."""
    return lambda data: subprocess.run(command, input=data, capture_output=True, check=True).stdout


def _megabytes(n_bytes: int) -> int:
    return max(-(-n_bytes // _MEGABYTE), 1)


def _bzip3(program: str) -> Peer:
    def codecs(n_bytes: int) -> list[Codec]:
        block = min(_megabytes(n_bytes), BZIP3_MAXIMUM_BLOCK)
        compress = _filter(program, "-e", "-c", "-b", str(block))
        return [Codec("", compress, _filter(program, "-d", "-c"))]

    return Peer("bzip3", _version(program, "--version"), codecs)


def _zpaq(program: str) -> Peer:
    """An archiver: its archive holds a file's name, too, which is one letter here."""

    def run(folder: Path, *arguments: str) -> None:
        command = [program, *arguments, "-threads", "1"]
        subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True
        )

    def compress(data: bytes) -> bytes:
        block = max((_megabytes(len(data)) - 1).bit_length(), ZPAQ_BLOCK)
        method = f"5{min(block, ZPAQ_MAXIMUM_BLOCK)}"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "t").write_bytes(data)
            run(folder, "add", "a.zpaq", "t", "-method", method)
            return (folder / "a.zpaq").read_bytes()

    def decompress(data: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "a.zpaq").write_bytes(data)
            run(folder, "extract", "a.zpaq", "t", "-to", "u")
            return (folder / "u").read_bytes()

    codec = Codec("", compress, decompress)
    return Peer("zpaq -m5", _version(program), lambda n_bytes: [codec])
