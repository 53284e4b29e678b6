"""Any stretch of an archive's text, and any of its records, without decoding what stands before."""

import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from ..container.layout import read_frame, read_layout
from ..container.records import record_ends
from ..plan import memory
from ..plan.known import Known
from ..plan.memory import Need
from .coder import Report
from .decode import take_model
from .ordered import Ordered, Progress
from .session import Session

#: Frames whose texts are kept, those that were read last: so many at least, and more as long as
#: their texts are no longer than this together.
_FRAMES_KEPT, _BYTES_KEPT = 2, 4 << 20
#: Bytes that a frame takes beside its text.
_OF_A_FRAME = 400

#: Frames whose numbers differ by a multiple of this may wait for one another.
_FRAMES_AT_ONCE = 64


def _nothing(n_done: int) -> None:
    """A report that nobody reads."""


class _Read(NamedTuple):
    """A frame's text, and where in it each record ends, if it holds records."""

    text: bytes
    ends: array | None

    @property
    def n_bytes(self) -> int:
        """What keeping it takes, about."""
        return _OF_A_FRAME + len(self.text) + (self.ends.itemsize * len(self.ends) if self.ends else 0)


class FrameReader:
    """The frames of an archive by their numbers. Threads may share it.

    file: seekable, binary; known, warn: as of Decoder. Raises ArchiveError, ModelNotFoundError,
    ModelError, MemoryLimitError, OSError.
    """

    def __init__(self, session: Session, file: BinaryIO, known: Known, *, warn=lambda problem: None):
        self._session = session
        self._file = file
        self._reading = threading.Lock()
        self.layout = read_layout(file)
        for problem in self.layout.problems:
            warn(f"{problem}; its frames were looked for one by one")
        for span in self.layout.models:
            frame = read_frame(file, span)
            take_model(session, known, frame.check(frame.payload))
        self._known = known
        self._kept: OrderedDict[int, _Read] = OrderedDict()
        self._n_kept = 0  # bytes of these
        self._keeping = threading.Lock()
        # So that threads which want the same frame decode it once.
        self._decoding = [threading.Lock() for _ in range(_FRAMES_AT_ONCE)]

    def text(self, number: int, report: Report = _nothing) -> bytes:
        """The text of a frame."""
        return self._read(number, report).text

    def record(self, number: int, place: int) -> bytes:
        """One of the records of a frame, with its delimiter."""
        return self.records(number, range(place, place + 1))[0]

    def records(self, number: int, places: range, report: Report = _nothing) -> list[bytes]:
        """Some of the records of a frame, with their delimiters."""
        text, ends = self._read(number, report)
        return [text[ends[place - 1] if place else 0 : ends[place]] for place in places]

    def in_order(self, read: Callable, wanted: Iterable[tuple], progress: Progress | None = None) -> Iterator:
        """read(number, ..., report), which is `text` or `records`, for each of the arguments that
        are wanted, on the threads of the session; progress: as of Ordered."""
        ordered = Ordered(self._session, progress)
        try:
            for arguments in wanted:
                ordered.put(self._need(arguments[0]), read, *arguments)
                yield from ordered.taken()
            yield from ordered.drained()
        finally:
            ordered.close()

    def _need(self, number: int) -> Need:
        span = self.layout.spans[number]
        return memory.of_frames(span.recipe.codings, span.raw_length, self._known)

    def _read(self, number: int, report: Report) -> _Read:
        found = self._found(number)
        if found is None:
            with self._decoding[number % _FRAMES_AT_ONCE]:
                found = self._found(number) or self._decoded(number, report)
        return found

    def _found(self, number: int) -> _Read | None:
        with self._keeping:
            if number in self._kept:
                self._kept.move_to_end(number)
            return self._kept.get(number)

    def _decoded(self, number: int, report: Report) -> _Read:
        span = self.layout.spans[number]
        with self._reading:
            frame = read_frame(self._file, span)
        if self._session.memory_limit is not None:
            needed = memory.of_decoding(span.recipe, frame, self._known).total
            memory.require(needed, self._session.memory_limit, "decode")
        text = self._session.coder(span.recipe.codings, self._known).decode(frame, report)
        read = _Read(text, record_ends(span.recipe, frame, text) if span.recipe.has_records else None)
        with self._keeping:
            self._kept[number] = read
            self._n_kept += read.n_bytes
            while len(self._kept) > _FRAMES_KEPT and self._n_kept > _BYTES_KEPT:
                self._n_kept -= self._kept.popitem(last=False)[1].n_bytes
        return read
