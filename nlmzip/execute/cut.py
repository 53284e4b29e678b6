"""Where a text is cut into frames: a matter of the recipe and of the text, and of nothing else.

Codings differ in how long their frames are, so a text is cut twice: into windows as long as the
longest of these frames, for each of which a coding is picked, and these into that coding's
frames. The last two windows of a text are equally long, and so are the frames of a window, since
short frames cost more and equal ones keep all threads at work.
"""

from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..container.frame import pack_lengths
from ..plan.options import ONE_FRAME
from ..plan.pick import HEAD_BYTES

#: Records are gathered to so many bytes at least before it is decided what they are coded by.
_RECORDS_AT_ONCE = 1 << 20

#: pick(frame_bytes, data): the number of the coding for a window.
Pick = Callable[[tuple[int, ...], memoryview], int]


class Stretch(NamedTuple):
    """What becomes a frame: its bytes, the number of its coding (None: not decided), and of
    frames of records how many these are and their packed lengths."""

    raw: memoryview
    coding: int | None
    records: dict


class Cutter:
    """Takes a text piece by piece and gives stretches of it.

    frame_bytes: most of each coding's frames, ONE_FRAME for all in one.
    """

    def __init__(self, frame_bytes: tuple[int, ...], pick: Pick):
        self._frame_bytes = frame_bytes
        self._pick = pick
        self._window = ONE_FRAME if ONE_FRAME in frame_bytes else max(frame_bytes, default=1)
        self._gathered = bytearray()

    def feed(self, data) -> Iterator[Stretch]:
        """The stretches that are complete with these bytes."""
        self._gathered += data
        while self._window and len(self._gathered) >= 2 * self._window:
            yield from self._cut(self._taken(self._window))

    def finish(self) -> Iterator[Stretch]:
        """The rest."""
        if self._window and len(self._gathered) > self._window:
            yield from self._cut(self._taken((len(self._gathered) + 1) // 2))
        if self._gathered:
            yield from self._cut(self._taken(len(self._gathered)))

    def _taken(self, n_bytes: int) -> memoryview:
        """So many bytes off the front of what was gathered."""
        with memoryview(self._gathered) as view:
            taken = bytes(view[:n_bytes])
        del self._gathered[:n_bytes]
        return memoryview(taken)

    def _cut(self, window: memoryview) -> Iterator[Stretch]:
        if len(window) <= (min(self._frame_bytes, default=0) or len(window)):
            yield Stretch(window, None if len(self._frame_bytes) > 1 else 0, {})
            return
        coding = self._pick(self._frame_bytes, window)
        n_frames = -(-len(window) // (self._frame_bytes[coding] or len(window)))
        ends = [len(window) * number // n_frames for number in range(n_frames + 1)]
        for begin, end in zip(ends, ends[1:]):
            yield Stretch(window[begin:end], coding, {})


class RecordCutter:
    """As Cutter for records, which are never cut.

    frame_bytes: of each coding's frames, all the same. A frame is complete with the record with
    which its bytes come to so many, or its records do, so that it can be one record each, and
    empty ones do not gather without end. by_length: whether frames say how long records are.
    """

    def __init__(self, frame_bytes: tuple[int, ...], pick: Pick, by_length: bool):
        (self._size,) = set(frame_bytes)
        self._frame_bytes = frame_bytes
        self._pick = pick
        self._by_length = by_length
        self._gathered, self._lengths = bytearray(), array("Q")
        self._window = max(_RECORDS_AT_ONCE, self._size) if self._size else None

    def feed(self, record: bytes) -> Iterator[Stretch]:
        """The stretches that are complete with this record."""
        self._gathered += record
        self._lengths.append(len(record))
        if self._window and _size_of(len(self._gathered), len(self._lengths)) >= self._window:
            yield from self._cut(is_end=False)

    def finish(self) -> Iterator[Stretch]:
        """The rest."""
        if self._lengths:
            yield from self._cut(is_end=True)

    def _cut(self, is_end: bool) -> Iterator[Stretch]:
        """The frames that are complete, at the end also the one that is not."""
        window, lengths = memoryview(bytes(self._gathered)), self._lengths
        frames = self._frames(lengths)
        if is_end and frames[-1:] != [len(lengths)]:
            frames.append(len(lengths))
        coding = self._coding(window, len(frames))
        begin = first = 0
        for last in frames:
            end = begin + sum(lengths[first:last])
            packed = pack_lengths(lengths[first:last]) if self._by_length else b""
            yield Stretch(window[begin:end], coding, {"n_records": last - first, "lengths": packed})
            begin, first = end, last
        del self._gathered[:begin], self._lengths[:first]

    def _frames(self, lengths: array) -> list[int]:
        """Behind which of these records each complete frame ends."""
        ends, n_bytes, n_records = [], 0, 0
        for number, length in enumerate(lengths, 1):
            n_bytes, n_records = n_bytes + length, n_records + 1
            if self._size and _size_of(n_bytes, n_records) >= self._size:
                ends.append(number)
                n_bytes = n_records = 0
        return ends

    def _coding(self, window: memoryview, n_frames: int) -> int | None:
        """What these frames are coded by: picked for all of them, but where each is so short that
        all codings can be tried on it."""
        if len(self._frame_bytes) == 1:
            return 0
        if n_frames == 1 or 0 < self._size <= HEAD_BYTES:
            return None
        return self._pick(self._frame_bytes, window)


def _size_of(n_bytes: int, n_records: int) -> int:
    """What records count for in a frame."""
    return max(n_bytes, n_records)
