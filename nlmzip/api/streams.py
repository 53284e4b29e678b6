"""From what is read to what is written, in bounded memory: what files, pipes and calls share."""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import BinaryIO

from ..errors import OptionError
from ..execute.decode import Decoder
from ..execute.encode import Encoder, write_stored
from ..execute.seek import FrameReader
from ..execute.session import Session
from ..plan import memory
from ..plan.choose import Choice, choose
from ..plan.known import Known
from ..plan.options import Options

#: Reads at most so many bytes; b"" is the end.
Read = Callable[[int], bytes]

#: Bytes that are read at once.
_AT_ONCE = 1 << 20


def encode(session: Session, read: Read, options: Options, *, n_bytes: int | None = None, **more) -> Iterator[bytes]:
    """The archive of what is read, piece by piece.

    n_bytes: how much it is, where that is known; more: verify and progress, as of Encoder.
    Errors as of nlmzip.compress, those of options at once.
    """
    choice = choose(options)
    if choice.embedded:
        return _smallest(session, read, options, choice, more)
    return _encode(encoder(session, choice, n_bytes=n_bytes, **more), read)


def encoder(session: Session, choice: Choice, *, n_bytes: int | None = None, **more) -> Encoder:
    """An Encoder, if the memory that it needs is within the session's limit; arguments as of that."""
    need = memory.of_encoding(choice, n_bytes)
    if session.memory_limit is not None and n_bytes != 0:
        memory.require(need.total, session.memory_limit, "encode")
    return Encoder(session, choice, need, n_bytes=n_bytes, **more)


def piecewise(session: Session, options: Options, **more) -> Encoder:
    """What takes a text in pieces, whose number nobody knows.

    Raises OptionError where models are to be embedded, which takes the whole text.
    """
    if options.embed_model:
        raise OptionError("to embed a model takes the whole text; use nlmzip.compress")
    return encoder(session, choose(options, of_records=more.get("delimiter") is not None), **more)


def encode_records(
    session: Session, records: Iterable[bytes], options: Options, delimiter: int, **more
) -> Iterator[bytes]:
    """The archive of records, piece by piece; delimiter, more: as of Encoder."""
    return _encoded(piecewise(session, options, delimiter=delimiter, **more), records)


def split(read: Read, delimiter: int) -> Iterator[bytes]:
    """What is read as records, each with the delimiter behind it, which the last may lack."""
    behind, begun = bytes([delimiter]), []
    for piece in pieces(read):
        *ended, rest = piece.split(behind)
        for record in ended:
            yield b"".join((*begun, record, behind))
            begun.clear()
        if rest:
            begun.append(rest)
    if begun:
        yield b"".join(begun)


def _encode(encoding: Encoder, read: Read) -> Iterator[bytes]:
    return _encoded(encoding, pieces(read))


def _encoded(encoding: Encoder, parts: Iterable[bytes]) -> Iterator[bytes]:
    with encoding:
        for part in parts:
            yield from encoding.feed(part)
        yield from encoding.finish()


def _smallest(session, read: Read, options: Options, choice: Choice, more: dict) -> Iterator[bytes]:
    """The archive with its models in it, or one without where they save less than they take."""
    data = b"".join(pieces(read))
    choices = [choice]
    if options.codec == "mix":
        alone = replace(options, model="none", predictor=None, dynamic=None, embed_model=False)
        choices.append(choose(alone))
    archives = [write_stored(data)]
    for each in choices:
        encoding = encoder(session, each, n_bytes=len(data), **more)
        archives.append(b"".join(_encode(encoding, io.BytesIO(data).read)))
        more = more | {"progress": None}
    yield min(archives, key=len)


def decode(session: Session, read: Read, known: Known, **more) -> Iterator[bytes]:
    """The text of the archive that is read, piece by piece, each after its checksum held.

    more: as of Decoder. Errors as of nlmzip.decompress.
    """
    with Decoder(session, known, **more) as decoding:
        while piece := read(max(min(decoding.n_wanted, _AT_ONCE), 1)):
            yield from decoding.feed(piece)
        yield from decoding.finish()


def decode_stretch(
    session: Session, read: Read, file: BinaryIO | None, stretch: slice, known: Known, *, progress, warn
) -> Iterator[bytes]:
    """The text's bytes from stretch.start to stretch.stop, the end if None.

    file: what is read, if it can be read from any place: then what stands before is not decoded.
    Raises OptionError where the text ends before the stretch begins.
    """
    begin, end = stretch.start, stretch.stop
    if file is None:
        yield from _cut(decode(session, read, known, progress=progress, warn=warn), begin, end)
        return
    frames = FrameReader(session, file, known, warn=warn)
    end = frames.layout.raw_length if end is None else min(end, frames.layout.raw_length)
    if begin >= end:
        return _require(begin, frames.layout.raw_length)
    first, last = frames.layout.frame_at(begin), frames.layout.frame_at(end - 1)
    place = frames.layout.text_ends[first - 1] if first else 0
    numbers = zip(range(first, last + 1))
    with closing(frames.in_order(frames.text, numbers, progress)) as texts:
        yield from _cut(texts, begin - place, end - place)


def _cut(texts: Iterator[bytes], begin: int, end: int | None) -> Iterator[bytes]:
    """What of these pieces lies between two places; pieces behind are not asked for."""
    place = 0
    for text in texts:
        if piece := text[max(begin - place, 0) : None if end is None else max(end - place, 0)]:
            yield piece
        place += len(text)
        if end is not None and place >= end:
            return
    _require(begin, place)


def _require(begin: int, n_bytes: int) -> None:
    if begin > n_bytes:
        raise OptionError(f"the text has only {n_bytes:,} bytes; ask for some of these")


def pieces(read: Read) -> Iterator[bytes]:
    """What is read, until the end."""
    while piece := read(_AT_ONCE):
        yield piece
