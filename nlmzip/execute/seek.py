"""Any stretch of an archive's text, and any of its records, without decoding what stands before."""

import threading
from collections import OrderedDict
from typing import BinaryIO

from ..container.frame import Frame, unpack_lengths
from ..container.layout import read_frame, read_layout
from ..container.recipe import Recipe
from ..errors import ArchiveError
from ..plan import memory
from ..plan.known import Known
from .decode import take_model
from .session import Session

#: Texts of frames that are kept, the last ones that were read.
_FRAMES_KEPT = 2


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
        self._texts: OrderedDict[int, tuple[bytes, list[int] | None]] = OrderedDict()
        self._keeping = threading.Lock()

    def text(self, number: int) -> bytes:
        """The text of a frame."""
        return self._read(number)[0]

    def records(self, number: int) -> list[bytes]:
        """The records of a frame."""
        text, ends = self._read(number)
        begins = [0, *ends][: len(ends)]
        return [text[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def _read(self, number: int) -> tuple[bytes, list[int] | None]:
        """The text of a frame, and where in it each record ends."""
        with self._keeping:
            if number in self._texts:
                self._texts.move_to_end(number)
                return self._texts[number]
        span = self.layout.spans[number]
        with self._reading:
            frame = read_frame(self._file, span)
        if self._session.memory_limit is not None:
            needed = memory.of_decoding(span.recipe, frame, self._known).total
            memory.require(needed, self._session.memory_limit, "decode")
        coder = self._session.coder(span.recipe.codings, self._known)
        text = coder.decode(frame, lambda n_done: None)
        read = text, record_ends(span.recipe, frame, text) if span.recipe.has_records else None
        with self._keeping:
            self._texts[number] = read
            while len(self._texts) > _FRAMES_KEPT:
                self._texts.popitem(last=False)
        return read


def record_ends(recipe: Recipe, frame: Frame, text: bytes) -> list[int]:
    """Where each record of a frame ends in its text, with the delimiter. Raises ArchiveError."""
    if recipe.by_length:
        ends, end = [], 0
        for length in unpack_lengths(frame):
            end += length
            ends.append(end)
        return ends
    ends, delimiter, place = [], bytes([recipe.delimiter]), 0
    while place := text.find(delimiter, place) + 1:
        ends.append(place)
    if text and (not ends or ends[-1] < len(text)):  # the last record of all may lack it
        ends.append(len(text))
    if len(ends) != frame.n_records:
        raise ArchiveError("damaged archive (its records are not as many as it says); get a good copy")
    return ends
