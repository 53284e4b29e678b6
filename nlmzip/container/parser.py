"""Archives piece by piece: bytes are fed, headers and frames come out as soon as they are whole.

Every reader that goes from the beginning to the end is one of these: files, pipes, pieces from a
program. It holds one frame at most. Readers that seek use layout.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..errors import ArchiveError
from .format import MAGIC
from .frame import Frame, FrameHead, is_nothing, read_head
from .header import read_header
from .index import Index, IndexEntry, problem_of
from .numbers import Fields, TruncatedError, damaged
from .recipe import Recipe

_MEMBER, _FRAME, _INDEX = range(3)


@dataclass(frozen=True, slots=True)
class MemberBegin:
    """A header; place: where in the archive it stands; n_bytes: how long it is."""

    recipe: Recipe
    place: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class FrameRead:
    """A frame of the last header's recipe; n_bytes: what it takes in the archive."""

    frame: Frame
    n_bytes: int


@dataclass(frozen=True, slots=True)
class MemberEnd:
    """place: behind the member; problem: what is wrong with its index, "" if nothing: the text
    is whole all the same."""

    place: int
    problem: str = ""


Part = MemberBegin | FrameRead | MemberEnd


class Parser:
    """Takes an archive's bytes (`feed`), and gives its parts (`parts`).

    admit(recipe, head): called before a frame's payload is waited for; may refuse it.
    """

    def __init__(self, admit: Callable[[Recipe, FrameHead], None] | None = None):
        self._admit = admit
        self._admitted = -1  # place of the frame that was admitted last
        self._buffer = bytearray()
        self._place = 0  # of the buffer's first byte in the archive
        self._awaited = _MEMBER
        self._recipe: Recipe | None = None
        self._index: Index | None = None
        self._padded = False  # whether zeros stand behind the last member, and nothing may follow
        #: Bytes in all without which there is no further part.
        self.n_expected = 1

    def feed(self, data: bytes) -> None:
        self._buffer += data

    @property
    def n_wanted(self) -> int:
        """How many more bytes there have to be at least before another part can come."""
        return max(self.n_expected - self._place - len(self._buffer), 1)

    @property
    def _ends_here(self) -> bool:
        """Whether the member needs no further byte."""
        return self._awaited == _INDEX and self._index.n_frames < 2

    @property
    def rest(self) -> bytes:
        """What was fed and belongs to no part yet."""
        return bytes(self._buffer)

    def parts(self) -> Iterator[Part]:
        """The parts that are whole by now. Raises ArchiveError."""
        while self._buffer or self._ends_here:
            if self._is_padding():
                return
            try:
                part, n_bytes = self._next()
            except TruncatedError as error:
                self.n_expected = error.n_expected
                return
            del self._buffer[:n_bytes]
            self._place += n_bytes
            yield part

    def _is_padding(self) -> bool:
        """Whether what is there is zeros behind a member, as tapes and block devices leave them."""
        behind = self._awaited == _MEMBER and self._place > 0
        if not behind or self._buffer.strip(b"\0"):
            return False
        self._place += len(self._buffer)
        self._buffer.clear()
        self._padded = True
        return True

    def finish(self) -> MemberEnd | None:
        """There are no more bytes: the end of a member whose index is cut off, if so.

        Raises ArchiveError, TruncatedError where more is missing than that.
        """
        end = self._place + len(self._buffer)
        if not end:
            raise ArchiveError("empty input, not an nlmzip archive; nothing to decode")
        if self._awaited == _INDEX:
            problem = problem_of(bytes(self._buffer), self._index.to_bytes())
            self._begin_member()
            return MemberEnd(end, problem)
        of_model = self._recipe is not None and self._recipe.is_model
        if self._awaited == _FRAME or self._buffer or of_model:  # a model is for a member that follows
            raise TruncatedError(end, max(self.n_expected, end + 1))
        return None

    def _next(self) -> tuple[Part, int]:
        if self._awaited == _MEMBER:
            return self._header()
        return self._frame() if self._awaited == _FRAME else self._behind_frames()

    def _header(self) -> tuple[Part, int]:
        if self._padded or not self._buffer.startswith(MAGIC[: len(self._buffer)]):
            if self._place:
                raise ArchiveError(
                    f"trailing garbage after the archive's end at byte {self._place}; "
                    "cut it off or get a good copy"
                )
            raise ArchiveError("not an nlmzip archive; nothing to decode")
        fields = Fields(self._buffer, self._place)
        recipe = read_header(fields)
        self._recipe, self._awaited = recipe, _FRAME
        self._index = Index(fields.offset, recipe.has_records)
        return MemberBegin(recipe, self._place, fields.offset), fields.offset

    def _frame(self) -> tuple[Part, int]:
        with memoryview(self._buffer) as view:
            fields = Fields(view, self._place)
            head = read_head(self._recipe, fields)
            if self._admit and self._admitted != self._place:
                self._admit(self._recipe, head)
                self._admitted = self._place
            if is_nothing(head, self._index.n_frames == 0):
                raise damaged("a frame of nothing")
            frame = head.frame(fields.take(head.coded_length), self._index.n_frames)
        self._index.add(IndexEntry(head.raw_length, fields.offset, head.n_records))
        if head.is_last:
            self._awaited = _INDEX
        return FrameRead(frame, fields.offset), fields.offset

    def _behind_frames(self) -> tuple[Part, int]:
        """What follows the last frame: an index that says what is known, or a member's end."""
        expected = self._index.to_bytes()
        end = self._place + len(expected)
        problem = ""
        if self._buffer.startswith(MAGIC):
            end, expected, problem = self._place, b"", "its index is missing" if expected else ""
        elif len(self._buffer) < len(expected):
            raise TruncatedError(self._place + len(self._buffer), end)
        else:
            problem = problem_of(bytes(self._buffer[: len(expected)]), expected)
        self._begin_member()
        return MemberEnd(end, problem), len(expected)

    def _begin_member(self) -> None:
        self._awaited = _MEMBER
        self.n_expected = self._place + len(self._buffer) + 1


@dataclass(frozen=True, slots=True)
class Member:
    """A whole member, which may be a model."""

    recipe: Recipe
    frames: list[Frame] = field(default_factory=list)


def read_members(archive: bytes) -> list[Member]:
    """All members of an archive that is at hand as a whole, none of them decoded.

    Raises ArchiveError, TruncatedError.
    """
    parser, members = Parser(), []
    parser.feed(archive)
    for part in parser.parts():
        if isinstance(part, MemberBegin):
            members.append(Member(part.recipe))
        elif isinstance(part, FrameRead):
            members[-1].frames.append(part.frame)
    parser.finish()
    return members
