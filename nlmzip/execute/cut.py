"""Where a text is cut into frames: a matter of the recipe and of the text, and of nothing else.

Codings differ in how long their frames are, so a text is cut twice: into windows as long as the
longest of these frames, for each of which a coding is picked, and these into that coding's
frames. The last two windows of a text are equally long, and so are the frames of a window, since
short frames cost more and equal ones keep all threads at work.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..container.frame import pack_lengths
from ..plan.options import ONE_FRAME

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
    """As Cutter for records, which are never cut: a frame holds as many as make up its size.

    by_length: whether frames say how long each of their records is.
    """

    def __init__(self, frame_bytes: tuple[int, ...], pick: Pick, by_length: bool):
        self._frame_bytes = frame_bytes
        self._pick = pick
        self._by_length = by_length
        self._records: list[bytes] = []
        self._n_bytes = 0
        self._at_once = max(_RECORDS_AT_ONCE, *frame_bytes)

    def feed(self, record: bytes) -> Iterator[Stretch]:
        """The stretches that are complete with this record."""
        self._records.append(record)
        self._n_bytes += len(record)
        if ONE_FRAME not in self._frame_bytes and self._n_bytes >= self._at_once:
            yield from self.finish()

    def finish(self) -> Iterator[Stretch]:
        """The rest."""
        records, self._records, self._n_bytes = self._records, [], 0
        if not records:
            return
        coding = 0
        if len(self._frame_bytes) > 1:
            coding = self._pick(self._frame_bytes, memoryview(b"".join(records)))
        gathered, n_bytes = [], 0
        for record in records:
            gathered.append(record)
            n_bytes += len(record)
            if self._frame_bytes[coding] and n_bytes >= self._frame_bytes[coding]:
                yield self._stretch(gathered, coding)
                gathered, n_bytes = [], 0
        if gathered:
            yield self._stretch(gathered, coding)

    def _stretch(self, records: list[bytes], coding: int) -> Stretch:
        lengths = pack_lengths([len(record) for record in records]) if self._by_length else b""
        about = {"n_records": len(records), "lengths": lengths}
        return Stretch(memoryview(b"".join(records)), coding, about)
