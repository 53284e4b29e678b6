"""The index behind a member's frames: where each one is, for readers that can seek.

    varint 2 * bytes of the header + whether the member is of records | for each frame: varint raw
    length, varint bytes, in a member of records varint number of records | CRC-32 of all this 4 |
    bytes of the index 4 | tail 4

A reader that cannot seek knows by then what the index must say. Damage to it costs no data; but one
that is whole and says something else tells that frames are missing, or not in their order.
"""

from typing import NamedTuple

from ..errors import ArchiveError
from .format import CHECKSUM_BYTES, LEAST_FRAME_BYTES, TAIL, TAIL_BYTES, checksum
from .numbers import Fields, damaged, varint


class IndexEntry(NamedTuple):
    raw_length: int
    n_bytes: int
    n_records: int


class Index:
    """Gathers what is known of a member's frames, in little memory."""

    def __init__(self, header_bytes: int, has_records: bool):
        self.n_frames = 0
        self._has_records = has_records
        self._parts = bytearray(varint(2 * header_bytes + has_records))

    def add(self, entry: IndexEntry) -> None:
        self.n_frames += 1
        self._parts += varint(entry.raw_length) + varint(entry.n_bytes)
        if self._has_records:
            self._parts += varint(entry.n_records)

    def to_bytes(self) -> bytes:
        """What stands behind the frames: b"" behind a single one."""
        if self.n_frames < 2:
            return b""
        body = bytes(self._parts)
        n_bytes = len(body) + CHECKSUM_BYTES + TAIL_BYTES
        return body + checksum(body).to_bytes(4, "little") + n_bytes.to_bytes(4, "little") + TAIL


def length_told(tail: bytes) -> int | None:
    """The length of the index that ends with these TAIL_BYTES; None where they end none."""
    if len(tail) != TAIL_BYTES or not tail.endswith(TAIL):
        return None
    n_bytes = int.from_bytes(tail[:4], "little")
    return n_bytes if n_bytes > TAIL_BYTES + CHECKSUM_BYTES else None


def problem_of(found: bytes, expected: bytes) -> str:
    """What is wrong with what stands in an index's place, "" if nothing.

    Raises ArchiveError for a whole index of other frames than those that were read.
    """
    if found == expected:
        return ""
    if _is_whole(found):
        raise damaged("its frames are not those of its index")
    return "its index is damaged" if len(found) == len(expected) else "its index is cut off"


def _is_whole(index: bytes) -> bool:
    if length_told(index[-TAIL_BYTES:]) != len(index):
        return False
    try:
        read_index(index)
    except ArchiveError:
        return False
    return True


class Told(NamedTuple):
    """What an index says of its member."""

    header_bytes: int
    has_records: bool
    entries: list[IndexEntry]

    @property
    def member_bytes(self) -> int:
        """Bytes of header and frames."""
        return self.header_bytes + sum(entry.n_bytes for entry in self.entries)


def read_index(index: bytes, n_before: int | None = None) -> Told:
    """What the bytes of an index say; n_before: bytes of the archive before it, where that is known.

    Raises ArchiveError where they are damaged, or tell of more frames than there can be.
    """
    body = index[: -TAIL_BYTES - CHECKSUM_BYTES]
    if checksum(body).to_bytes(4, "little") != index[len(body) : len(body) + CHECKSUM_BYTES]:
        raise damaged("its index")
    fields, entries = Fields(body), []
    header_bytes, has_records = divmod(fields.varint(), 2)
    most = None if n_before is None else n_before // LEAST_FRAME_BYTES
    while not fields.at_end:
        if len(entries) == most:  # before memory is taken for what a few bytes make up
            raise damaged("its index")
        raw_length, n_bytes = fields.varint(), fields.varint()
        entries.append(IndexEntry(raw_length, n_bytes, fields.varint() if has_records else 0))
    return Told(header_bytes, bool(has_records), entries)
