"""Peers from packages of the extra `nlmzip[bench]`: zstd, brotli and PPMd; called by peers.py."""

import importlib
import shlex
import sys
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version

from .peer import BY_DIFFERENCE, GIVEN, Absent, Codec, Given, Peer, behind

#: What each package compresses with.
EXTRA_PACKAGES = {"zstandard": "zstd", "brotli": "brotli", "pyppmd": "PPMd"}

#: Length of the dictionary that `zstd --train` makes, and of the pieces it is trained on.
ZSTD_DICTIONARY_BYTES = 112_640
ZSTD_SAMPLE_BYTES = 8192

#: Longest contexts that PPMd's variants are tried with, alone and behind a training text.
#: Variant I goes no farther than 16.
PPMD_ORDERS = {"I": (4, 5, 6, 8, 12, 16), "H": (6, 16, 24, 32)}
PPMD_GIVEN_ORDERS = {"I": (6, 8, 12, 16), "H": (16, 24, 32, 48)}
#: Memory that PPMd may fill, least and most, which the package sets, and for a byte of text:
#: 28 MB of filings filled 18 bytes each at order 16, and 50 at order 32.
PPMD_MEMORY, PPMD_MAXIMUM_MEMORY = 1 << 28, (1 << 32) - 37
_PPMD_MEMORY_PER_BYTE = 128


def pip_install(package: str) -> str:
    """The command that installs a package for this Python."""
    return f"{shlex.quote(sys.executable)} -m pip install {package}"


def seek() -> tuple[list[Peer], list[Absent]]:
    """The peers whose packages are installed, and the others."""
    found, absent = [], []
    for package, name in EXTRA_PACKAGES.items():
        try:
            module = importlib.import_module(package)
        except ImportError:
            absent.append(Absent(name, "here", pip_install(package)))
        else:
            found += _PEERS[package](module)
    return found, absent


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


# --- zstd ------------------------------------------------------------------------------


def zstd_codec(zstandard, level: int, note: str = "", dictionary=None, dictionary_bytes=0) -> Codec:
    """zstd with a window that reaches over the text, and back over a dictionary."""

    def compress(data: bytes) -> bytes:
        reach = max(dictionary_bytes + len(data), 1)
        parameters = zstandard.ZstdCompressionParameters.from_level(
            level, source_size=reach, window_log=min(max(reach.bit_length(), 10), 30)
        )
        compressor = zstandard.ZstdCompressor(compression_params=parameters, dict_data=dictionary)
        return compressor.compress(data)

    def decompress(data: bytes) -> bytes:
        decompressor = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
        return decompressor.decompress(data)

    return Codec(note, compress, decompress)


def zstd_prefix(zstandard, training: bytes):
    """The training text as it is, as a dictionary."""
    return zstandard.ZstdCompressionDict(training, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def zstd_dictionary(zstandard, training: bytes):
    """What zstd's trainer makes of pieces of the training text; None of too few of them."""
    samples = [
        training[first : first + ZSTD_SAMPLE_BYTES]
        for first in range(0, len(training), ZSTD_SAMPLE_BYTES)
    ]
    # A dictionary longer than the text cannot be asked for.
    size = min(ZSTD_DICTIONARY_BYTES, len(training) // 2)
    try:
        return zstandard.train_dictionary(size, samples)
    except (zstandard.ZstdError, ValueError):
        return None


def _zstd(zstandard) -> list[Peer]:
    said = f"{'.'.join(map(str, zstandard.ZSTD_VERSION))} ({_version('zstandard')})"

    @cache  # both levels share a dictionary, which takes long to train
    def trained(training: bytes):
        return zstd_dictionary(zstandard, training)

    def given(name: str, level: int, training: bytes) -> list[Given]:
        prefix, dictionary = zstd_prefix(zstandard, training), trained(training)
        made = [
            Given(
                f"{name} {GIVEN}",
                lambda n_bytes: [zstd_codec(zstandard, level, "prefix", prefix, len(training))],
            )
        ]
        if dictionary is not None:
            size = len(dictionary)
            codec = zstd_codec(zstandard, level, f"{size:,} bytes", dictionary, size)
            made.append(Given(f"{name} with a dictionary trained on it", lambda n_bytes: [codec]))
        return made

    def peer(name: str, level: int) -> Peer:
        codec = zstd_codec(zstandard, level)
        return Peer(name, said, lambda n_bytes: [codec], partial(given, name, level))

    return [peer("zstd -19", 19), peer("zstd --ultra -22", 22)]


# --- brotli ----------------------------------------------------------------------------


def _brotli(brotli) -> list[Peer]:
    # 2^24 is the largest window of the format that every decoder reads (RFC 7932), and of
    # the package.
    strongest = partial(brotli.compress, quality=11, lgwin=24)

    def codecs(n_bytes: int) -> list[Codec]:
        note = "window 16 MB" if n_bytes > 1 << 24 else ""
        return [Codec(note, strongest, brotli.decompress)]

    return [Peer("brotli -q 11", _version("brotli"), codecs)]


# --- PPMd ------------------------------------------------------------------------------


def ppmd_memory(n_bytes: int) -> int:
    """Memory that a text of so many bytes does not fill, as far as there is so much."""
    needed = 1 << (_PPMD_MEMORY_PER_BYTE * n_bytes).bit_length()
    return min(max(needed, PPMD_MEMORY), PPMD_MAXIMUM_MEMORY)


def _ppmd(pyppmd) -> list[Peer]:
    """Variants I (of zip) and H (of 7z), of which I is better up to order 16.

    Not all that the package writes in variant I decodes: 28 MB of filings at order 12 do not.
    """

    def variant_i(order: int, memory: int) -> Codec:
        settings = {"max_order": order, "mem_size": memory, "variant": "I"}
        compress = partial(pyppmd.compress, **settings)
        return Codec(f"order {order}", compress, partial(pyppmd.decompress, **settings))

    def variant_h(order: int, memory: int) -> Codec:
        def compress(data: bytes) -> bytes:
            encoder = pyppmd.Ppmd7Encoder(order, memory)
            length = len(data).to_bytes(4, "little")  # its stream does not say where it ends
            return length + encoder.encode(data) + encoder.flush()

        def decompress(data: bytes) -> bytes:
            length = int.from_bytes(data[:4], "little")
            decoder = pyppmd.Ppmd7Decoder(order, memory)
            return decoder.decode(data[4:], length) if length else b""

        return Codec(f"order {order}, variant H", compress, decompress)

    def both_variants(orders: dict[str, tuple[int, ...]], n_bytes: int) -> list[Codec]:
        memory = ppmd_memory(n_bytes)
        made = [variant_i(order, memory) for order in orders["I"]]
        return made + [variant_h(order, memory) for order in orders["H"]]

    def given(training: bytes) -> list[Given]:
        lengths = {}

        def alone(codec: Codec) -> int:
            """What the training text alone takes, which memory enough does not change."""
            if codec.note not in lengths:
                lengths[codec.note] = len(codec.compress(training))
            return lengths[codec.note]

        def behind_it(n_bytes: int) -> list[Codec]:
            return [
                behind(
                    training,
                    f"{codec.note}, {BY_DIFFERENCE}",
                    codec.compress,
                    codec.decompress,
                    partial(alone, codec),
                )
                for codec in both_variants(PPMD_GIVEN_ORDERS, len(training) + n_bytes)
            ]

        return [Given(f"PPMd {GIVEN}", behind_it)]

    return [Peer("PPMd", _version("pyppmd"), partial(both_variants, PPMD_ORDERS), given)]


_PEERS = {"zstandard": _zstd, "brotli": _brotli, "pyppmd": _ppmd}
