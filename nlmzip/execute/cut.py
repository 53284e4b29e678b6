"""Where a text is cut into frames: a matter of the recipe and of the text, and of nothing else.

The last two frames of a text are equally long, since short ones cost more and equal ones keep all
threads at work. Records are never cut.
"""

from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..container.frame import pack_lengths
from ..plan.pick import LEAST_HEAD

#: Records are gathered to so many bytes at least before it is decided what they are coded by.
_RECORDS_AT_ONCE = 1 << 20

#: pick(frame_bytes, data): the number of the coding for frames cut out of `data`.
Pick = Callable[[int, memoryview], int]


class Stretch(NamedTuple):
    """What becomes a frame: its bytes, the number of its coding (None: the best), and of frames of
    records how many these are and their packed lengths."""

    raw: memoryview
    coding: int | None
    records: dict


class Cutter:
    """Takes a text piece by piece and gives stretches of it.

    frame_bytes: the most of each, ONE_FRAME for all in one; coding: of every stretch.
    """

    def __init__(self, frame_bytes: int, coding: int | None):
        self._frame_bytes = frame_bytes
        self._coding = coding
        self._gathered = bytearray()

    def feed(self, data) -> Iterator[Stretch]:
        """The stretches that are complete with these bytes."""
        self._gathered += data
        while self._frame_bytes and len(self._gathered) >= 2 * self._frame_bytes:
            yield self._taken(self._frame_bytes)

    def finish(self) -> Iterator[Stretch]:
        """The rest."""
        if self._frame_bytes and len(self._gathered) > self._frame_bytes:
            yield self._taken((len(self._gathered) + 1) // 2)
        if self._gathered:
            yield self._taken(len(self._gathered))

    def _taken(self, n_bytes: int) -> Stretch:
        """So many bytes off the front of what was gathered."""
        with memoryview(self._gathered) as view:
            taken = bytearray(view[:n_bytes])  # which can be coded without another copy
        del self._gathered[:n_bytes]
        return Stretch(memoryview(taken), self._coding, {})


class RecordCutter:
    """As Cutter for records, which are never cut.

    A frame is complete with the record with which its bytes come to frame_bytes, or its records
    do, so that it can be one record each, and empty ones do not gather without end. pick: None
    where there is one coding; by_length: whether frames say how long records are.
    """

    def __init__(self, frame_bytes: int, pick: Pick | None, by_length: bool):
        self._size = frame_bytes
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
        if self._pick is None:
            return 0
        if n_frames == 1 or 0 < self._size <= LEAST_HEAD:
            return None
        return self._pick(self._size, window)


def _size_of(n_bytes: int, n_records: int) -> int:
    """What records count for in a frame."""
    return max(n_bytes, n_records)
