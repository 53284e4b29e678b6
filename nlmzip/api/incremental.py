"""Compressing and decompressing piece by piece, as `lzma` and `bz2` offer it.

An archive is coded as a whole, since its model goes on learning to its end and its checksum
is promised before any byte is given out: so pieces are gathered first.
"""

from ..container import archive
from .one_shot import compress, decompress


class Compressor:
    """Gathers a text and gives its archive: `compress(piece)` as often as wanted, then `flush()`.

        >>> gathering = Compressor(model="none")
        >>> gathering.compress(b"to be or ") + gathering.compress(b"not to be")
        b''
        >>> decompress(gathering.flush())
        b'to be or not to be'

    Takes the options of nlmzip.compress and raises its errors in `flush`.
    """

    def __init__(self, **options):
        self._options = options
        self._pieces: list[bytes] | None = []

    def compress(self, data: bytes) -> bytes:
        """Take in a piece; there is nothing to give before the end. ValueError after `flush`."""
        if self._pieces is None:
            raise ValueError("the compressor has been flushed")
        self._pieces.append(memoryview(data).tobytes())
        return b""

    def flush(self) -> bytes:
        """The archive. ValueError if it was given already."""
        if self._pieces is None:
            raise ValueError("the compressor has been flushed")
        pieces, self._pieces = self._pieces, None
        return compress(b"".join(pieces), **self._options)


class Decompressor:
    """Gathers an archive and gives its text, of one member: what follows is `unused_data`.

        >>> from nlmzip import compress
        >>> coded = compress(b"to be or not to be") + b"and more"
        >>> gathering = Decompressor()
        >>> gathering.decompress(coded[:5]), gathering.needs_input
        (b'', True)
        >>> gathering.decompress(coded[5:])
        b'to be or not to be'
        >>> gathering.eof, gathering.unused_data
        (True, b'and more')

    Takes the options of nlmzip.decompress and raises its errors as soon as they show.
    """

    def __init__(self, **options):
        self._options = options
        self._coded = bytearray()
        self._wanted = 0  # bytes without which the member cannot end
        self._text: bytes | None = None
        self._given = 0
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        """Whether the member's end was reached and all of its text given."""
        return self._text is not None and self._given == len(self._text)

    @property
    def needs_input(self) -> bool:
        """Whether `decompress` can give more only where it is given more."""
        return self._text is None

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take in a piece; what is known of the text then, at most `max_length` bytes if not negative.

        Raises EOFError after the end.
        """
        if self.eof:
            raise EOFError("the archive has ended")
        if self._text is None:
            self._coded += memoryview(data).cast("B")
            self._decode()
        else:
            self.unused_data += memoryview(data).tobytes()
        if self._text is None:
            return b""
        stop = len(self._text) if max_length < 0 else min(self._given + max_length, len(self._text))
        piece, self._given = self._text[self._given : stop], stop
        return piece

    def _decode(self) -> None:
        """Decode the member if all of it is there."""
        if len(self._coded) < max(self._wanted, 1):
            return
        coded = bytes(self._coded)
        try:
            end = archive.first_end(coded)
        except archive.TruncatedError as error:
            self._wanted = error.n_expected
            return
        self._text = decompress(coded[:end], **self._options)
        self.unused_data = coded[end:]
        self._coded.clear()
