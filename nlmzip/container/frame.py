"""A frame: a stretch of the text, coded apart from all others."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from .format import CHECKSUM_BYTES, checksum
from .numbers import Fields, damaged, varint
from .recipe import Recipe

#: Bytes that a byte of deflated ones can stand for, and those that a length takes before.
_MOST_INFLATED, _MOST_LENGTH_BYTES = 1032, 9


@dataclass(frozen=True, slots=True)
class Frame:
    """raw_length, checksum: bytes and CRC-32 of the stretch, with its number and `lengths` before
    it, None where somebody else checks it; payload: what it was coded to; coding: by which of the
    recipe's codings, None where the payload is the stretch itself; n_records: of a member of
    records; lengths: packed (see `pack_lengths`), b"" where they are not needed; number: which of
    its member's frames it is."""

    raw_length: int
    checksum: int | None
    payload: bytes
    coding: int | None = None
    n_records: int = 0
    lengths: bytes = b""
    number: int = 0

    @classmethod
    def of(cls, raw: bytes, payload: bytes | None = None, coding: int | None = None, **about) -> "Frame":
        """The frame of a stretch and its payload; without one, or where that is no shorter, the
        frame keeps the stretch as it is."""
        if payload is None or len(payload) >= len(raw):
            payload, coding = bytes(raw), None
        value = checksum(_numbered(about.get("number", 0)), about.get("lengths", b""), raw)
        return cls(len(raw), value, payload, coding, **about)

    @property
    def coded_length(self) -> int:
        return len(self.payload)

    def check(self, raw: bytes) -> bytes:
        """`raw`, if it is what the frame was made of. Raises ArchiveError."""
        found = checksum(_numbered(self.number), self.lengths, raw)
        if len(raw) != self.raw_length or self.checksum not in (None, found):
            raise damaged("its checksum does not hold")
        return raw


def _numbered(number: int) -> bytes:
    """What a frame's number adds to its checksum: nothing for the first."""
    return varint(number) if number else b""


def write_frame(recipe: Recipe, frame: Frame, is_last: bool) -> bytes:
    """The bytes of a frame of a member with this recipe."""
    parts = [varint(2 * frame.raw_length + is_last)]
    if recipe.has_records:
        parts.append(varint(frame.n_records))
        if recipe.by_length and frame.n_records > 1:
            parts += [varint(len(frame.lengths)), frame.lengths]
    if recipe.codings:
        stored = frame.coding is None
        if len(recipe.codings) > 1 and not stored:
            parts.append(varint(frame.coding + 1))
        elif len(recipe.codings) > 1:
            parts.append(varint(0))
        if len(recipe.codings) == 1 or not stored:
            parts.append(varint(0 if stored else len(frame.payload)))
    told = frame.checksum ^ _of_records(recipe, frame.n_records)
    parts += [told.to_bytes(CHECKSUM_BYTES, "little"), frame.payload]
    return b"".join(parts)


def _of_records(recipe: Recipe, n_records: int) -> int:
    """What a checksum is combined with, so that it holds for the records of the text, too: how they
    are told apart, and how many they are. Without records nothing."""
    return checksum(varint(recipe.delimiter + 1), varint(n_records)) if recipe.has_records else 0


@dataclass(frozen=True, slots=True)
class FrameHead:
    """A frame without its payload, of which it says the length."""

    raw_length: int
    is_last: bool
    checksum: int
    coded_length: int
    coding: int | None
    n_records: int
    lengths: bytes

    def frame(self, payload: bytes, number: int = 0) -> Frame:
        return Frame(
            self.raw_length, self.checksum, payload, self.coding, self.n_records, self.lengths, number
        )


def read_head(recipe: Recipe, fields: Fields) -> FrameHead:
    """What stands before a frame's payload. Raises ArchiveError, TruncatedError."""
    raw_length, is_last = divmod(fields.varint(), 2)
    if recipe.is_model and not is_last:
        raise damaged("a model in several frames")
    n_records, lengths = 0, b""
    if recipe.has_records:
        n_records = fields.varint()
        if recipe.by_length and n_records > 1:
            lengths = fields.take(fields.varint())
        if not _can_be(n_records, raw_length, lengths, recipe.by_length):
            raise damaged("its records are not as many as it says")
    coding, coded_length = None, raw_length
    if len(recipe.codings) > 1:
        number = fields.varint()
        if number > len(recipe.codings):
            raise damaged("a coding that its header does not name")
        coding = number - 1 if number else None
        if number:
            coded_length = fields.varint()
    elif recipe.codings:
        told = fields.varint()
        if told:
            coding, coded_length = 0, told
    if coding is not None and (not raw_length or not coded_length):
        raise damaged("a coded frame of nothing")
    value = fields.u32() ^ _of_records(recipe, n_records)
    return FrameHead(raw_length, bool(is_last), value, coded_length, coding, n_records, lengths)


def _can_be(n_records: int, raw_length: int, lengths: bytes, by_length: bool) -> bool:
    """Whether a stretch can hold so many records, before anything is made for each of them."""
    if n_records == 0:
        return raw_length == 0
    if by_length:
        return n_records == 1 or n_records <= _MOST_INFLATED * len(lengths)
    return n_records <= raw_length


def is_nothing(head: FrameHead, is_first: bool) -> bool:
    """Whether a frame holds neither text nor records and is not all that there is."""
    return not head.raw_length and not head.n_records and not (is_first and head.is_last)


def pack_lengths(lengths: Iterable[int]) -> bytes:
    """The lengths of a frame's records: varints, deflated; b"" for one record, whose length the
    frame has."""
    lengths = list(lengths)
    if len(lengths) < 2:
        return b""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(b"".join(map(varint, lengths))) + deflate.flush()


def unpack_lengths(frame: Frame) -> list[int]:
    """The lengths of the records of a frame. Raises ArchiveError where they cannot be right."""
    if frame.n_records < 2:
        return [frame.raw_length] * frame.n_records
    inflate = zlib.decompressobj(-15)
    most = min(frame.n_records * _MOST_LENGTH_BYTES, len(frame.lengths) * _MOST_INFLATED)
    try:
        fields = Fields(inflate.decompress(frame.lengths, most + 1))
    except zlib.error:
        raise damaged("the lengths of its records") from None
    lengths = []
    while not fields.at_end and len(lengths) < frame.n_records:
        lengths.append(fields.varint())
    fits = len(lengths) == frame.n_records and sum(lengths) == frame.raw_length and fields.at_end
    if not fits or not inflate.eof or inflate.unused_data:
        raise damaged("the lengths of its records")
    return lengths
