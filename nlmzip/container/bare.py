"""A frame without all that both sides know: a payload for a place where every byte counts.

    varint raw length * (1 + number of codings) + coding | CRC-32 4, by choice | payload

coding: 0 where the payload is the text itself, otherwise which of the codings that both sides
know, from 1. The payload goes on to the end. Called by api/codec.py.
"""

from ..errors import ArchiveError
from .format import CHECKSUM_BYTES
from .frame import Frame
from .numbers import Fields, TruncatedError, varint


def write_bare(frame: Frame, n_codings: int, has_checksum: bool) -> bytes:
    """The bytes of a frame whose coding is one of n_codings."""
    coding = 0 if frame.coding is None else 1 + frame.coding
    parts = [varint(frame.raw_length * (1 + n_codings) + coding), frame.payload]
    if has_checksum:
        parts.insert(1, frame.checksum.to_bytes(CHECKSUM_BYTES, "little"))
    return b"".join(parts)


def read_bare(data: bytes, n_codings: int, has_checksum: bool) -> Frame:
    """The frame of these bytes. Raises ArchiveError for what no write_bare has made."""
    fields = Fields(data)
    try:
        raw_length, coding = divmod(fields.varint(), 1 + n_codings)
        told = fields.u32() if has_checksum else None
    except TruncatedError:
        raise no_payload("it is too short") from None
    payload = fields.take(len(data) - fields.offset)
    if coding == 0 and len(payload) != raw_length:
        raise no_payload("its length is another one")
    if coding and not (raw_length and payload):
        raise no_payload("it holds nothing")
    return Frame(raw_length, told, payload, coding - 1 if coding else None)


def no_payload(what: str) -> ArchiveError:
    return ArchiveError(f"a damaged payload, or one of a Codec with other settings or models ({what})")
