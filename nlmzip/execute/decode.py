"""From an archive to its text, frame by frame: a frame's text is given when its checksum holds."""

from collections.abc import Callable, Iterator

from ..container.frame import Frame, FrameHead
from ..container.parser import FrameRead, MemberBegin, MemberEnd, Parser, Part
from ..container.recipe import Recipe
from ..errors import ArchiveError, ModelError, NlmzipError
from ..models import model_file
from ..plan import memory
from ..plan.known import Known
from ..plan.memory import Need
from .coder import FrameCoder
from .ordered import Ordered, Progress
from .session import Session
from .unbroken import Unbroken


class Decoder:
    """Takes an archive piece by piece (`feed`), and gives its text.

    known: the models at hand, to which those come that the archive brings; warn: called with what
    is wrong where the text is whole all the same; one_member: end behind the first member that
    holds text; progress, n_bytes: as of Ordered. Raises as FrameCoder.decode does, and
    MemoryLimitError before a frame is waited for that would take too much: in both cases when the
    text before has been given, and again whenever it is fed more.
    """

    def __init__(
        self, session: Session, known: Known, *, progress: Progress | None = None,
        n_bytes: int | None = None, warn: Callable[[str], None] = lambda problem: None,
        one_member: bool = False,
    ):  # fmt: skip
        self._session = session
        self._known = known
        self._parser = Parser(self._admit)
        self._need: Need | None = None  # of the frame that is read
        self._ordered = Ordered(session, progress, n_bytes)
        self._warn = warn
        self._one_member = one_member
        self._coder: FrameCoder | None = None
        self._model: list[bytes] | None = None
        self._unbroken = Unbroken()
        #: Whether the archive has ended, as far as it is to be read.
        self.ended = False

    def __enter__(self) -> "Decoder":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def n_wanted(self) -> int:
        """How many more bytes there have to be at least before more text can come."""
        return self._parser.n_wanted

    @property
    def rest(self) -> bytes:
        """What was fed and is not of the archive's parts so far."""
        return self._parser.rest

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What of the text is there once these bytes have been taken in."""
        self._parser.feed(data)
        yield from self._unbroken.go(self._fed())

    def finish(self) -> Iterator[bytes]:
        """The rest of the text: there are no more bytes of the archive."""
        if not self.ended:
            yield from self._unbroken.go(self._finished())

    def close(self) -> None:
        """End what is under way, and let go of what codes."""
        self._ordered.close()
        self._coder = None

    def _admit(self, recipe: Recipe, head: FrameHead) -> None:
        self._need = memory.of_decoding(recipe, head, self._known)
        if self._session.memory_limit is not None:
            memory.require(self._need.total, self._session.memory_limit, "decode")

    def _fed(self) -> Iterator[bytes]:
        parts = self._parser.parts()
        while not self.ended:
            try:
                part = next(parts, None)
                if part is None:
                    return
                self._receive(part)
            except NlmzipError:
                yield from self._ordered.drained()  # what was whole before
                raise
            if isinstance(part, MemberEnd) and self._one_member and self._model is None:
                yield from self._ordered.drained()
                self.ended = True
            yield from self._ordered.taken()

    def _finished(self) -> Iterator[bytes]:
        try:
            end = self._parser.finish()
            if end:
                self._receive(end)
        except NlmzipError:
            yield from self._ordered.drained()
            raise
        yield from self._ordered.drained()
        self.ended = True

    def _receive(self, part: Part) -> None:
        if isinstance(part, FrameRead):
            self._take(part.frame)
        elif isinstance(part, MemberBegin):
            self._begin(part.recipe)
        else:
            self._end(part)

    def _begin(self, recipe: Recipe) -> None:
        self._model = [] if recipe.is_model else None
        if not recipe.is_model:
            known = Known(self._known.offered, list(self._known.embedded))
            self._coder = self._session.coder(recipe.codings, known)

    def _take(self, frame: Frame) -> None:
        if self._model is not None:
            self._model.append(frame.check(frame.payload))
        else:
            self._ordered.put(self._need, self._coder.decode, frame)

    def _end(self, end: MemberEnd) -> None:
        if end.problem:
            self._warn(f"{end.problem}, and the text is whole; encode it anew to seek in it")
        if self._model is not None:
            take_model(self._session, self._known, b"".join(self._model))


def take_model(session: Session, known: Known, data: bytes) -> None:
    """Let a model be known that an archive brings. Raises ArchiveError, MemoryLimitError."""
    try:
        if session.memory_limit is not None:
            needed = memory.of_bringing(model_file.card_of(data), known)
            memory.require(needed, session.memory_limit, "decode")
        known.embedded.append(model_file.read(data))
    except ModelError as error:
        raise ArchiveError(f"damaged archive (its model: {error})") from None
