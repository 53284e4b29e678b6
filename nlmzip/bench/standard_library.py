"""Peers from Python's standard library: lzma, bz2 and zlib; called by peers.py.

xz is not among the programs of programs.py: lzma is the same encoder.
"""

import bz2
import lzma
import platform
import zlib
from functools import cache, partial

from .peer import (
    BY_DIFFERENCE,
    GIVEN,
    Absent,
    Codec,
    Codecs,
    Given,
    Peer,
    Transform,
    behind,
)

#: lzma's dictionary at -9, which a longer text enlarges to the most that the encoder takes.
LZMA_DICTIONARY = 1 << 26
LZMA_MAXIMUM_DICTIONARY = 3 << 29


def seek() -> tuple[list[Peer], list[Absent]]:
    """The peers that every Python brings; none is absent."""
    python = f"Python {platform.python_version()}"

    def one(compress: Transform, decompress: Transform) -> Codecs:
        return lambda n_bytes: [Codec("", compress, decompress)]

    strongest_lzma = partial(lzma.compress, preset=9 | lzma.PRESET_EXTREME)
    strongest_zlib = partial(zlib.compress, level=9)
    found = [
        Peer("lzma -9e", python, one(strongest_lzma, lzma.decompress), lzma_given),
        Peer("bz2 -9", python, one(bz2.compress, bz2.decompress)),
        Peer("zlib -9", zlib.ZLIB_RUNTIME_VERSION, one(strongest_zlib, zlib.decompress)),
    ]
    return found, []


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
