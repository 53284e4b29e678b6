"""The other compressors: what a peer is, those of the standard library, and all that are here.

Packages are in packages.py, programs in programs.py. Called by comparison.py, cli/bench.py
and the scripts in benchmarks/. xz is not among the programs: lzma is the same encoder.
"""

import bz2
import lzma
import platform
import zlib
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

Transform = Callable[[bytes], bytes]


class Codec(NamedTuple):
    """One way to compress and back; `note` tells it from a peer's other ways.

    in_front: what the archive takes without the text, where the text is compressed behind
    another; it does not count.
    """

    note: str
    compress: Transform
    decompress: Transform
    in_front: Callable[[], int] = lambda: 0


#: The codecs for a text of so many bytes.
Codecs = Callable[[int], list[Codec]]


class Given(NamedTuple):
    """A peer for those who hold a training text on both sides."""

    name: str
    codecs: Codecs


class Peer(NamedTuple):
    """A compressor; where it has several codecs, the one that is best on a text counts.

    given: the peer with a training text, in each way that it can be given one. Peers whose
    window is too short to profit from a text in front have none.
    """

    name: str
    version: str
    codecs: Codecs
    given: Callable[[bytes], list[Given]] = lambda training: []


class Absent(NamedTuple):
    """A peer that is not here, and how to get it."""

    name: str
    place: str
    remedy: str

    def __str__(self) -> str:
        return f"no {self.name} {self.place}, so it is left out; get it with: {self.remedy}"


GIVEN = "given the training text"
BY_DIFFERENCE = "by difference"

#: lzma's dictionary at -9, which a longer text enlarges to the most that the encoder takes.
LZMA_DICTIONARY = 1 << 26
LZMA_MAXIMUM_DICTIONARY = 3 << 29


def peers() -> tuple[list[Peer], list[Absent]]:
    """The peers that are here, and those that are not."""
    from . import packages, programs

    found, absent = _standard(), []
    for seek in (packages.seek, programs.seek):
        here, missing = seek()
        found += here
        absent += missing
    return found, absent


def all_given(others: list[Peer], training: bytes | None) -> list[Given]:
    """Every way in which these peers can be given a training text, none without one."""
    return [way for peer in others for way in peer.given(training)] if training else []


def behind(training: bytes, note: str, compress: Transform, decompress: Transform, alone) -> Codec:
    """A codec of what a text adds to a training text that is compressed in front of it.

    alone: gives the length of the training text's own archive.
    """

    def decompress_behind(data: bytes) -> bytes:
        both = decompress(data)
        if not both.startswith(training):
            raise ValueError("the training text does not come back")
        return both[len(training) :]

    return Codec(note, lambda data: compress(training + data), decompress_behind, alone)


def lzma_filters(n_bytes: int) -> list[dict]:
    """What -9e is, with a dictionary that reaches over so many bytes."""
    size = min(max(LZMA_DICTIONARY, n_bytes), LZMA_MAXIMUM_DICTIONARY)
    preset = 9 | lzma.PRESET_EXTREME
    return [{"id": lzma.FILTER_LZMA1, "preset": preset, "dict_size": size}]


def lzma_given(training: bytes) -> list[Given]:
    """lzma -9e behind the training text, which its dictionary reaches over."""

    def strongest(n_bytes: int) -> Transform:
        # The old container, since .xz rounds lengths up to a multiple of four.
        return partial(lzma.compress, format=lzma.FORMAT_ALONE, filters=lzma_filters(n_bytes))

    @cache
    def alone() -> int:
        return len(strongest(len(training))(training))

    def codecs(n_bytes: int) -> list[Codec]:
        compress = strongest(len(training) + n_bytes)
        return [behind(training, BY_DIFFERENCE, compress, lzma.decompress, alone)]

    return [Given(f"lzma -9e {GIVEN}", codecs)]


def _standard() -> list[Peer]:
    python = f"Python {platform.python_version()}"

    def one(compress: Transform, decompress: Transform) -> Codecs:
        return lambda n_bytes: [Codec("", compress, decompress)]

    strongest_lzma = partial(lzma.compress, preset=9 | lzma.PRESET_EXTREME)
    strongest_zlib = partial(zlib.compress, level=9)
    return [
        Peer("lzma -9e", python, one(strongest_lzma, lzma.decompress), lzma_given),
        Peer("bz2 -9", python, one(bz2.compress, bz2.decompress)),
        Peer("zlib -9", zlib.ZLIB_RUNTIME_VERSION, one(strongest_zlib, zlib.decompress)),
    ]
