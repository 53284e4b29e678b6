"""The other compressors at their strongest settings, of the standard library and of packages.

Called by measurement.py and the scripts in benchmarks/.
"""

import bz2
import importlib
import lzma
import zlib
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

Transform = Callable[[bytes], bytes]


class Codec(NamedTuple):
    """One way to compress and back; `note` tells it from a peer's other ways."""

    note: str
    compress: Transform
    decompress: Transform


class Peer(NamedTuple):
    """A compressor; where it has several codecs, the one that is best on a text counts.

    given: the codecs of the peer for those who hold a training text on both sides, if it
    can be given one. takes_training: whether it reaches back far enough to profit from a
    training text in front of what is compressed.
    """

    name: str
    codecs: list[Codec]
    given: Callable[[bytes], list[Codec]] | None = None
    takes_training: bool = True


#: Packages of the extra `nlmzip[bench]`, and what they compress with.
EXTRA_PACKAGES = {"zstandard": "zstd", "brotli": "brotli", "pyppmd": "PPMd"}

#: Longest contexts that PPMd is tried with, and the memory that it may fill, in bytes.
PPMD_ORDERS = (4, 5, 6, 8, 12, 16)
PPMD_FALLBACK_ORDERS = (6, 16)
PPMD_MEMORY = 1 << 28


def peers() -> tuple[list[Peer], list[str]]:
    """The peers that are here, and the names in EXTRA_PACKAGES of packages that are not."""
    found, missing = _standard(), []
    for package in EXTRA_PACKAGES:
        try:
            module = importlib.import_module(package)
        except ImportError:
            missing.append(package)
        else:
            found += _EXTRA[package](module)
    return found, missing


def _standard() -> list[Peer]:
    strongest = partial(lzma.compress, preset=9 | lzma.PRESET_EXTREME)
    return [
        Peer("lzma -9e", [Codec("", strongest, lzma.decompress)]),
        Peer("bz2 -9", [Codec("", bz2.compress, bz2.decompress)], takes_training=False),
        Peer("zlib -9", [Codec("", partial(zlib.compress, level=9), zlib.decompress)],
             takes_training=False),
    ]  # fmt: skip


def _zstd(zstandard) -> list[Peer]:
    def codecs(level: int, training: bytes | None = None) -> list[Codec]:
        kind = zstandard.DICT_TYPE_RAWCONTENT
        dictionary = training and zstandard.ZstdCompressionDict(training, dict_type=kind)

        def compress(data: bytes) -> bytes:
            # The window has to reach over the text back into the dictionary.
            reach = max(len(training or b"") + len(data), 1)
            parameters = zstandard.ZstdCompressionParameters.from_level(
                level, source_size=reach, window_log=min(max(reach.bit_length(), 10), 30)
            )
            compressor = zstandard.ZstdCompressor(
                compression_params=parameters, dict_data=dictionary or None
            )
            return compressor.compress(data)

        def decompress(data: bytes) -> bytes:
            return zstandard.ZstdDecompressor(
                dict_data=dictionary or None, max_window_size=1 << 31
            ).decompress(data)

        return [Codec("dictionary" if training else "", compress, decompress)]

    return [
        Peer(name, codecs(level), partial(codecs, level))
        for name, level in (("zstd -19", 19), ("zstd --ultra -22", 22))
    ]


def _brotli(brotli) -> list[Peer]:
    # 2^24 is the largest window of the format that every decoder reads (RFC 7932).
    strongest = partial(brotli.compress, quality=11, lgwin=24)
    return [Peer("brotli -q 11", [Codec("", strongest, brotli.decompress)], takes_training=False)]


def _ppmd(pyppmd) -> list[Peer]:
    """Variants I (of zip) and H (of 7z): I is better, but not all that it writes here decodes."""

    def variant_i(order: int) -> Codec:
        settings = {"max_order": order, "mem_size": PPMD_MEMORY, "variant": "I"}
        compress = partial(pyppmd.compress, **settings)
        return Codec(f"order {order}", compress, partial(pyppmd.decompress, **settings))

    def variant_h(order: int) -> Codec:
        def compress(data: bytes) -> bytes:
            encoder = pyppmd.Ppmd7Encoder(order, PPMD_MEMORY)
            length = len(data).to_bytes(4, "little")  # its stream does not say where it ends
            return length + encoder.encode(data) + encoder.flush()

        def decompress(data: bytes) -> bytes:
            length = int.from_bytes(data[:4], "little")
            decoder = pyppmd.Ppmd7Decoder(order, PPMD_MEMORY)
            return decoder.decode(data[4:], length) if length else b""

        return Codec(f"order {order}, variant H", compress, decompress)

    codecs = [variant_i(order) for order in PPMD_ORDERS]
    return [Peer("PPMd", [*codecs, *map(variant_h, PPMD_FALLBACK_ORDERS)])]


_EXTRA = {"zstandard": _zstd, "brotli": _brotli, "pyppmd": _ppmd}
