"""Where everything in an archive is, for readers that can seek: by its indexes, or by its heads.

With indexes this takes a read at the end and one at the beginning of each member; without, or
where one is damaged or lies, a hop from frame to frame. No payload is read.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import BinaryIO, NamedTuple

from ..errors import ArchiveError
from .format import MAGIC, TAIL_BYTES
from .frame import Frame, is_nothing, read_head
from .header import read_header
from .index import Index, IndexEntry, length_told, problem_of, read_index
from .numbers import Fields, TruncatedError, damaged
from .recipe import Recipe

# So much is read at once where a tail, a header, and a frame's head may stand.
_TAIL_READ, _HEADER_READ, _HEAD_READ = 1 << 16, 1 << 12, 1 << 8


class Span(NamedTuple):
    """A frame of an archive: its number in its member, where its bytes are, which text and records it
    holds, and whether it is its member's last one."""

    recipe: Recipe
    number: int
    place: int
    n_bytes: int
    raw_length: int
    n_records: int
    is_last: bool


@dataclass
class Layout:
    """spans: all frames that hold text; models: the members that are models, as their frames;
    members: the recipe of each member with a text, its bytes, and its frames; problems: what is
    wrong with indexes, where the text is whole all the same."""

    spans: list[Span] = field(default_factory=list)
    models: list[Span] = field(default_factory=list)
    members: list[tuple[Recipe, int, list[Span]]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text_ends = list(accumulate(span.raw_length for span in self.spans))
        self.record_ends = list(accumulate(span.n_records for span in self.spans))

    @property
    def raw_length(self) -> int:
        return self.text_ends[-1] if self.spans else 0

    @property
    def n_records(self) -> int:
        return self.record_ends[-1] if self.spans else 0

    @property
    def is_of_records(self) -> bool:
        """Whether all of its text is records."""
        return all(recipe.has_records for recipe, _, _ in self.members)

    def frame_at(self, offset: int) -> int:
        """The number of the frame that holds the text's byte `offset`."""
        return bisect_right(self.text_ends, offset)

    def frame_of_record(self, record: int) -> int:
        """The number of the frame that holds this record."""
        return bisect_right(self.record_ends, record)


def read_layout(file: BinaryIO) -> Layout:
    """Where the parts of an archive are. file: seekable.

    Raises ArchiveError, TruncatedError, OSError.
    """
    window = _Window(file)
    if not window.size:
        raise ArchiveError("empty input, not an nlmzip archive; nothing to decode")
    members, end = [], window.size - _padding(window)
    while end and (member := _by_index(window, end)):
        members.append(member)
        end = member.place
    members.reverse()
    problems = []
    if end:
        scanned = _scan(window, end, problems)
        if scanned is None:  # what looked like an index behind it is none, or lies
            members, problems = [], []
            scanned = _scan(window, window.size, problems)
        members = scanned + members
    if members[-1].recipe.is_model:  # for a member that is not there
        raise TruncatedError(window.size, window.size + 1)
    texts = [member for member in members if not member.recipe.is_model]
    return Layout(
        [span for member in texts for span in member.spans],
        [span for member in members if member.recipe.is_model for span in member.spans],
        [(member.recipe, member.n_bytes, member.spans) for member in texts],
        problems,
    )


def _padding(window: "_Window") -> int:
    """How many zeros the archive ends in, if an index stands before them; as a payload may end in
    zeros, too, those behind other members are counted where members are looked for one by one."""
    end = window.size
    while end and not (data := window.read(max(end - _TAIL_READ, 0), min(end, _TAIL_READ))).strip(b"\0"):
        end -= len(data)
    end -= len(data) - len(data.rstrip(b"\0")) if end else 0
    return window.size - end if end >= TAIL_BYTES and length_told(window.read(end - TAIL_BYTES, TAIL_BYTES)) else 0


def _is_padding(window: "_Window", place: int) -> bool:
    """Whether nothing but zeros follows."""
    while place < window.size:
        data = window.read(place, _TAIL_READ)
        if data.strip(b"\0"):
            return False
        place += len(data)
    return True


def read_frame(file: BinaryIO, span: Span) -> Frame:
    """The frame at its place. Raises ArchiveError where the bytes there are another one."""
    file.seek(span.place)
    fields = Fields(file.read(span.n_bytes), span.place)
    try:
        head = read_head(span.recipe, fields)
        frame = head.frame(fields.take(head.coded_length), span.number)
    except TruncatedError:
        head = None
    told = span.raw_length, span.n_records, span.is_last
    if not head or not fields.at_end or (head.raw_length, head.n_records, head.is_last) != told:
        raise damaged("a frame is not as its index says")
    if is_nothing(head, span.number == 0):
        raise damaged("a frame of nothing")
    return frame


class _Window:
    """Reads of a file, of which the last one is kept."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._first, self._data = 0, b""
        self.size = file.seek(0, 2)

    def read(self, place: int, n_bytes: int) -> bytes:
        """As many of these bytes as there are."""
        n_bytes = max(min(n_bytes, self.size - place), 0)
        begin = place - self._first
        if begin < 0 or begin + n_bytes > len(self._data):
            self._file.seek(place)
            self._first, self._data, begin = place, self._file.read(n_bytes), 0
        return self._data[begin : begin + n_bytes]


class _Member(NamedTuple):
    recipe: Recipe
    place: int
    n_bytes: int
    spans: list[Span]


def _by_index(window: _Window, end: int) -> _Member | None:
    """The member that ends here, if it ends in a sound index that fits."""
    window.read(max(end - _TAIL_READ, 0), min(end, _TAIL_READ))
    n_index = length_told(window.read(end - TAIL_BYTES, TAIL_BYTES)) if end >= TAIL_BYTES else None
    if n_index is None or n_index > end:
        return None
    try:
        told = read_index(window.read(end - n_index, n_index), end - n_index)
        place = end - n_index - told.member_bytes
        if place < 0 or not told.entries:
            return None
        fields = Fields(window.read(place, max(told.header_bytes, min(_HEADER_READ, end - place))), place)
        recipe = read_header(fields)
    except ArchiveError:
        return None
    if fields.offset != told.header_bytes or recipe.has_records != told.has_records or recipe.is_model:
        return None
    return _Member(recipe, place, end - place, _spans(recipe, place + told.header_bytes, told.entries))


def _spans(recipe: Recipe, place: int, entries: list[IndexEntry]) -> list[Span]:
    spans = []
    for number, entry in enumerate(entries):
        is_last = number == len(entries) - 1
        spans.append(Span(recipe, number, place, entry.n_bytes, entry.raw_length, entry.n_records, is_last))
        place += entry.n_bytes
    return spans


def _scan(window: _Window, end: int, problems: list[str]) -> list[_Member] | None:
    """The members of the archive's first `end` bytes; None where they do not end there.

    Raises ArchiveError, TruncatedError where the archive as a whole is not sound.
    """
    members, place = [], 0
    while place < end:
        begin = place
        if place and window.read(place, 1) == b"\0" and _is_padding(window, place):
            return members
        if not MAGIC.startswith(window.read(place, len(MAGIC))):
            raise ArchiveError(
                f"trailing garbage after the archive's end at byte {place}; cut it off or get a good copy"
                if place
                else "not an nlmzip archive; nothing to decode"
            )
        recipe, n_header = _parse(window, place, _HEADER_READ, read_header)
        place += n_header
        index, entries, is_last = Index(n_header, recipe.has_records), [], False
        while not is_last:
            head, n_head = _parse(window, place, _HEAD_READ, lambda fields: read_head(recipe, fields))
            entry = IndexEntry(head.raw_length, n_head + head.coded_length, head.n_records)
            entries.append(entry)
            index.add(entry)
            place += entry.n_bytes
            if place > window.size:
                raise TruncatedError(window.size, place)
            if is_nothing(head, len(entries) == 1):
                raise damaged("a frame of nothing")
            is_last = head.is_last
        place += _index_length(window, place, index.to_bytes(), problems)
        members.append(_Member(recipe, begin, place - begin, _spans(recipe, begin + n_header, entries)))
    return members if place == end else None


def _index_length(window: _Window, place: int, expected: bytes, problems: list[str]) -> int:
    """How many bytes the index takes that should stand here."""
    found = window.read(place, len(expected))
    if expected and found.startswith(MAGIC):
        problems.append("its index is missing")
        return 0
    if problem := problem_of(found, expected):
        problems.append(problem)
    return len(found)


def _parse(window: _Window, place: int, n_bytes: int, read):
    """What `read` makes of the bytes from here on, and how many it took."""
    while True:
        fields = Fields(window.read(place, n_bytes), place)
        try:
            return read(fields), fields.offset
        except TruncatedError as error:
            if error.n_expected > window.size:
                raise
            n_bytes = max(2 * n_bytes, error.n_expected - place)
