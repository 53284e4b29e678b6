"""Compressing and decompressing piece by piece, as `lzma` and `bz2` offer it."""

from ..execute.decode import Decoder
from ..execute.session import Session
from ..models.catalogue import NO_MODEL
from ..plan.known import Known
from ..plan.options import Options
from . import streams


class Compressor:
    """Takes a text and gives its archive: `compress(piece)` as often as wanted, then `flush()`.

        >>> compressor = Compressor(model="none")
        >>> archive = compressor.compress(b"to be or ") + compressor.compress(b"not to be")
        >>> archive += compressor.flush()
        >>> from nlmzip import decompress
        >>> decompress(archive)
        b'to be or not to be'

    A frame is given when it is complete, so that memory stays bounded however long the text is.
    Takes the options of nlmzip.compress, and raises its errors: for options at once.
    """

    def __init__(self, *, threads: int = 1, memory_limit: int | None = None, progress=None, **options):
        self._session = Session(threads, memory_limit)
        self._encoder = streams.piecewise(self._session, Options(**options), progress=progress)

    def compress(self, data: bytes) -> bytes:
        """Take in a piece; what of the archive is complete by then. ValueError after `flush`."""
        self._check()
        return b"".join(self._encoder.feed(memoryview(data).cast("B")))

    def flush(self) -> bytes:
        """The rest of the archive. ValueError if it was given already."""
        self._check()
        encoder, self._encoder = self._encoder, None
        with self._session, encoder:
            return b"".join(encoder.finish())

    def _check(self) -> None:
        if self._encoder is None:
            raise ValueError("the compressor has been flushed")


class Decompressor:
    """Takes an archive and gives its text, of one member: what follows is `unused_data`.

        >>> from nlmzip import compress
        >>> coded = compress(b"to be or not to be") + b"and more"
        >>> decompressor = Decompressor()
        >>> decompressor.decompress(coded[:5]), decompressor.needs_input
        (b'', True)
        >>> decompressor.decompress(coded[5:])
        b'to be or not to be'
        >>> decompressor.eof, decompressor.unused_data
        (True, b'and more')

    The text of a frame is given when its checksum holds. Takes the options of nlmzip.decompress
    and raises its errors as soon as they show.
    """

    def __init__(self, *, model=None, threads: int = 1, memory_limit: int | None = None, progress=None):
        known = Known(None if model == NO_MODEL else model)
        self._session = Session(threads, memory_limit)
        self._decoder = Decoder(self._session, known, progress=progress, one_member=True)
        self._text = bytearray()
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        """Whether the member's end was reached and all of its text given."""
        return self._decoder.ended and not self._text

    @property
    def needs_input(self) -> bool:
        """Whether `decompress` can give more only where it is given more."""
        return not self._decoder.ended and not self._text

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take in a piece; what is known of the text then, at most `max_length` bytes if not negative.

        Raises EOFError after the end.
        """
        if self.eof:
            raise EOFError("the archive has ended")
        data = memoryview(data).tobytes()
        if self._decoder.ended:
            self.unused_data += data
        else:
            for text in self._decoder.feed(data):
                self._text += text
            if self._decoder.ended:
                self.unused_data = self._decoder.rest
                self._close()
        stop = len(self._text) if max_length < 0 else max_length
        piece = bytes(self._text[:stop])
        del self._text[:stop]
        return piece

    def flush(self) -> bytes:
        """The rest of the text, where the archive ends here; what threads were still decoding.

        Raises TruncatedError where it does not, which `decompress` cannot know.
        """
        if not self._decoder.ended:
            for text in self._decoder.finish():
                self._text += text
            self._close()
        text, self._text = bytes(self._text), bytearray()
        return text

    def _close(self) -> None:
        self._decoder.close()
        self._session.close()
