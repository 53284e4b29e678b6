"""Compressors that have read a training text once and go on with one text after another.

No package can copy a compressor's state, but the system can copy the process: each text is
coded in a copy of the process that ends with it. What comes out are the very bytes that
compressing both texts in one piece gives. Called by filings_peers.py and characters.py.
"""

import lzma
import os
import signal
from collections.abc import Callable

from nlmzip.bench.standard_library import lzma_filters

_PATIENCE = 120  # seconds for decoding one text


class Primed:
    """A compressor behind a training text.

    feed: takes bytes and gives those of the archive that are finished; finish: the rest.
    """

    def __init__(
        self, training: bytes, feed: Callable[[bytes], bytes], finish: Callable[[], bytes]
    ):
        self._feed, self._finish = feed, finish
        self.head = feed(training)
        self._alone = len(in_a_copy(finish))

    @property
    def n_unfinished(self) -> int:
        """Bytes that the end of the training text's own archive takes."""
        return self._alone

    def added(self, data: bytes) -> int:
        """Bytes by which the archive of both texts is longer than that of the training text."""
        return len(self.tail(data)) - self._alone

    def archive(self, data: bytes) -> bytes:
        """The archive of both texts."""
        return self.head + self.tail(data)

    def tail(self, data: bytes) -> bytes:
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


class PrimedPpmd:
    """PPMd in variant I or H behind a training text, both its encoder and its decoder."""

    #: The decoder stops so far before the training text's end, since it reads ahead.
    _MARGIN = 4096

    def __init__(self, training: bytes, variant: str, order: int, memory: int):
        import pyppmd

        Encoder, Decoder = {
            "I": (pyppmd.Ppmd8Encoder, pyppmd.Ppmd8Decoder),
            "H": (pyppmd.Ppmd7Encoder, pyppmd.Ppmd7Decoder),
        }[variant]
        encoder, self._decoder = Encoder(order, memory), Decoder(order, memory)
        self.primed = Primed(training, encoder.encode, encoder.flush)
        self._rest, self._head, self._works = training, self.primed.head, True
        if len(training) > 2 * self._MARGIN:
            first, self._rest = training[: -self._MARGIN], training[-self._MARGIN :]
            self._works = self._decodes(self._head, first)
            self._head = b""

    def added(self, data: bytes) -> int | None:
        """As Primed has it; None where the archive does not give the texts back."""
        expected, coded = self._rest + data, self._head + self.primed.tail(data)

        def verdict() -> bytes:
            signal.alarm(_PATIENCE)  # one that lacks input waits for ever
            return b"right" if self._decodes(coded, expected) else b"wrong"

        try:
            works = not expected or self._works and in_a_copy(verdict) == b"right"
        except RuntimeError:
            works = False
        return self.primed.added(data) if works else None

    def _decodes(self, coded: bytes, expected: bytes) -> bool:
        try:
            return self._decoder.decode(coded, len(expected)) == expected
        except Exception:  # of whatever kind: it is the package's
            return False
