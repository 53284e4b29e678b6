"""Compressors that have read a training text once and go on with one text after another.

No package can copy a compressor's state, but the system can copy the process: each text is
coded in a copy of the process that ends with it. What comes out are the very bytes that
compressing both texts in one piece gives. Called by filings_peers.py.
"""

import lzma
import os
from collections.abc import Callable

from nlmzip.bench.peers import lzma_filters


class Primed:
    """A compressor behind a training text.

    feed: takes bytes and gives those of the archive that are finished; finish: the rest.
    """

    def __init__(
        self, training: bytes, feed: Callable[[bytes], bytes], finish: Callable[[], bytes]
    ):
        self._feed, self._finish = feed, finish
        self._head = feed(training)
        self._alone = len(in_a_copy(finish))

    @property
    def n_unfinished(self) -> int:
        """Bytes that the end of the training text's own archive takes."""
        return self._alone

    def added(self, data: bytes) -> int:
        """Bytes by which the archive of both texts is longer than that of the training text."""
        return len(self._tail(data)) - self._alone

    def archive(self, data: bytes) -> bytes:
        """The archive of both texts."""
        return self._head + self._tail(data)

    def _tail(self, data: bytes) -> bytes:
        return in_a_copy(lambda: self._feed(data) + self._finish())


def in_a_copy(function: Callable[[], bytes]) -> bytes:
    """What the function returns, called in a copy of this process."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        status = 1
        try:
            os.close(reading)
            with open(writing, "wb") as pipe:
                pipe.write(function())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as pipe:
        result = pipe.read()
    if os.waitpid(process, 0)[1]:
        raise RuntimeError("a compressor failed in a copy of the process")
    return result


def primed_lzma(training: bytes, longest: int) -> Primed:
    """lzma -9e, whose dictionary reaches over both texts."""
    filters = lzma_filters(len(training) + longest)
    encoder = lzma.LZMACompressor(lzma.FORMAT_ALONE, filters=filters)

    def feed(data: bytes) -> bytes:
        # The encoder takes in what its dictionary holds and codes it when more comes: the
        # last byte by itself makes it code what stands before.
        return encoder.compress(data[:-1]) + encoder.compress(data[-1:])

    return Primed(training, feed, encoder.flush)


def primed_ppmd(training: bytes, variant: str, order: int, memory: int) -> Primed:
    """PPMd in variant I or H."""
    import pyppmd

    kind = pyppmd.Ppmd8Encoder if variant == "I" else pyppmd.Ppmd7Encoder
    encoder = kind(order, memory)
    return Primed(training, encoder.encode, encoder.flush)


def ppmd_decodes(archive: bytes, texts: bytes, variant: str, order: int, memory: int) -> bool:
    """Whether an archive of `primed_ppmd` gives the texts back."""
    import pyppmd

    kind = pyppmd.Ppmd8Decoder if variant == "I" else pyppmd.Ppmd7Decoder
    try:
        return kind(order, memory).decode(archive, len(texts)) == texts
    except Exception:  # of whatever kind: it is the package's
        return False
