"""From a text to an archive, frame by frame."""

from collections.abc import Iterator
from dataclasses import replace

from ..container.frame import Frame, write_frame
from ..container.header import coding_bytes, write_header
from ..container.index import Index, IndexEntry
from ..container.numbers import varint
from ..container.recipe import BY_LENGTHS, MODEL, STORED, Coding, Recipe
from ..plan import memory
from ..plan.choose import OF_RECORDS, Choice
from ..plan.memory import Need
from ..plan.options import ONE_FRAME
from .cut import Cutter, RecordCutter, Stretch
from .ordered import Ordered, Progress
from .session import Session
from .unbroken import Unbroken


class MemberWriter:
    """The bytes of a member from its frames, one after the other.

    A frame waits for the next one, or for the end, since it says whether it is the last; and
    where it is the only one, the header names no coding but its.
    """

    def __init__(self, recipe: Recipe):
        self._recipe = recipe
        self._waiting: Frame | None = None
        self._index: Index | None = None

    def add(self, frame: Frame) -> bytes:
        """What can be written now."""
        written = b""
        if self._waiting is not None:
            written = self._header(self._recipe) + self._frame(is_last=False)
        self._waiting = frame
        return written

    def finish(self) -> bytes:
        """The rest of the member, which holds nothing where no frame was added."""
        if self._waiting is None:
            self._waiting = Frame.of(b"")
        header = b""
        if self._index is None:
            used = self._waiting.coding
            codings = () if used is None else (self._recipe.codings[used],)
            self._waiting = _by_the_first(self._waiting)
            header = self._header(Recipe(codings, self._recipe.delimiter))
        return header + self._frame(is_last=True) + self._index.to_bytes()

    def _header(self, recipe: Recipe) -> bytes:
        """The header, where it was not written yet."""
        if self._index is not None:
            return b""
        self._recipe = recipe
        header = write_header(recipe)
        self._index = Index(len(header), recipe.has_records)
        return header

    def _frame(self, is_last: bool) -> bytes:
        frame = self._waiting
        written = write_frame(self._recipe, frame, is_last)
        self._index.add(IndexEntry(frame.raw_length, len(written), frame.n_records))
        return written


def _by_the_first(frame: Frame) -> Frame:
    """The frame in a member that names its coding alone."""
    coding = None if frame.coding is None else 0
    return replace(frame, coding=coding)


def as_first(frame: Frame, raw, codings: tuple[Coding, ...]) -> Frame:
    """The first frame of a member, or that of `raw` as it is, where its coding's bytes in the
    header are more than coding saves."""
    if frame.coding is None:
        return frame
    beside = coding_bytes(codings[frame.coding]) + len(varint(frame.coded_length))
    if frame.coded_length + beside < len(raw):
        return frame
    return replace(frame, payload=bytes(raw), coding=None)


class Encoder:
    """Takes a text piece by piece (`feed`), and gives its archive.

    choice: what it is coded by; need: the memory that a frame takes; delimiter: of records, as in
    a Recipe, which are then fed one by one, with the delimiter behind each; verify: decode each
    frame before it is given out; progress, n_bytes: as of Ordered. Raises as FrameCoder.encode
    does, and again whenever it is fed more, since a frame is missing then.
    """

    def __init__(
        self, session: Session, choice: Choice, need: Need, *, delimiter: int | None = None,
        verify: bool = False, progress: Progress | None = None, n_bytes: int | None = None,
    ):  # fmt: skip
        self._session, self._choice = session, choice
        self._coder = session.coder(choice.codings, choice.known, choice.thorough)
        self._need = need
        self._verify = verify
        self._ordered = Ordered(session, progress, n_bytes)
        self._unbroken = Unbroken()
        self._writer = MemberWriter(Recipe(choice.codings, delimiter))
        self._n_frames = 0
        self._models = b"".join(write_model(model.file) for model in choice.embedded)
        if delimiter is None:
            self._cutter = Cutter(choice.frame_bytes, 0 if len(choice.codings) == 1 else None)
        else:
            pick = self._coder.pick if len(choice.codings) > 1 else None
            self._cutter = RecordCutter(choice.frame_bytes, pick, delimiter == BY_LENGTHS)

    def __enter__(self) -> "Encoder":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def feed(self, data) -> Iterator[bytes]:
        """What of the archive is there once these bytes, or this record, have been taken in."""
        yield from self._unbroken.go(self._coded(self._cutter.feed(data)))

    def finish(self) -> Iterator[bytes]:
        """The rest of the archive."""
        yield from self._unbroken.go(self._finished())

    def close(self) -> None:
        """End what is under way."""
        self._ordered.close()

    def _coded(self, stretches) -> Iterator[bytes]:
        for stretch in stretches:
            about = {"number": self._n_frames, **stretch.records}
            encode = self._coder.encode if self._n_frames else self._encode_first
            self._n_frames += 1
            self._ordered.put(
                self._need_of(stretch), encode, stretch.raw, stretch.coding, self._verify, about
            )
            for frame in self._ordered.taken():
                yield self._add(frame)

    def _encode_first(self, raw, *arguments) -> Frame:
        return as_first(self._coder.encode(raw, *arguments), raw, self._choice.codings)

    def _finished(self) -> Iterator[bytes]:
        yield from self._coded(self._cutter.finish())
        for frame in self._ordered.drained():
            yield self._add(frame)
        yield self._before() + self._writer.finish()

    def _need_of(self, stretch: Stretch) -> Need:
        """What a frame takes, which is longer than was planned where a record is."""
        planned = self._choice.frame_bytes
        if not stretch.records or planned == ONE_FRAME or len(stretch.raw) <= 2 * max(planned, OF_RECORDS):
            return self._need
        need = memory.of_frames(self._choice.codings, len(stretch.raw), self._choice.known)
        if self._session.memory_limit is not None:
            memory.require(need.total, self._session.memory_limit, "encode")
        return need

    def _add(self, frame: Frame) -> bytes:
        return self._before() + self._writer.add(frame)

    def _before(self) -> bytes:
        """The models that stand before the member, once."""
        models, self._models = self._models, b""
        return models


def write_model(data: bytes) -> bytes:
    """A member that is a model file, for the members behind it."""
    return write_header(MODEL) + write_frame(MODEL, Frame.of(data), is_last=True)


def write_stored(data: bytes) -> bytes:
    """An archive that keeps `data` as it is, at most 12 bytes longer below 128 MiB."""
    return write_header(STORED) + write_frame(STORED, Frame.of(data), is_last=True)
