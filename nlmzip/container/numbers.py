"""Numbers and names as archives write them, and taking them off the front of bytes."""

from ..errors import ArchiveError
from .format import MOST_NAME_BYTES

_MOST_VARINT_BYTES = 9


class TruncatedError(ArchiveError):
    """The bytes end before the archive does; n_expected: bytes that it has at least."""

    def __init__(self, n_bytes: int, n_expected: int):
        super().__init__(n_bytes, n_expected)
        self.n_bytes, self.n_expected = n_bytes, n_expected

    def __str__(self) -> str:
        return (
            f"truncated archive ({self.n_bytes} bytes, at least {self.n_expected} expected);"
            " get a complete copy"
        )


def damaged(what: str) -> ArchiveError:
    return ArchiveError(f"damaged archive ({what}); get a good copy")


def varint(number: int) -> bytes:
    """Seven bits a byte, lowest first; the high bit says that more follow (LEB128)."""
    parts = bytearray()
    while number >= 128:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def short_name(name: str) -> bytes:
    """A model's name in UTF-8 behind its length in one byte."""
    encoded = name.encode()[:MOST_NAME_BYTES]
    encoded = encoded.decode(errors="ignore").encode()  # no half of a character
    return bytes([len(encoded)]) + encoded


class Fields:
    """Takes fields off the front of bytes; running out of them is truncation.

    first: where in the archive these bytes begin.
    """

    def __init__(self, data, first: int = 0, offset: int = 0):
        self._data = data
        self._first = first
        self.offset = offset

    @property
    def at_end(self) -> bool:
        return self.offset >= len(self._data)

    def take(self, n_bytes: int) -> bytes:
        end = self.offset + n_bytes
        if end > len(self._data):
            raise TruncatedError(self._first + len(self._data), self._first + end)
        taken = bytes(self._data[self.offset : end])
        self.offset = end
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def varint(self) -> int:
        number = 0
        for place in range(_MOST_VARINT_BYTES):
            byte = self.byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                if byte == 0 and place:
                    break  # a shorter spelling exists: nobody writes this
                return number
        raise damaged("malformed length")

    def name(self) -> str:
        return self.take(self.byte()).decode(errors="replace")
