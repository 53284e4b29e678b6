"""Archives taken apart and put together by hand, for the tests of what writes and reads them."""

import io
from dataclasses import dataclass, field

from nlmzip.container.format import MAGIC, VERSION
from nlmzip.container.frame import Frame, write_frame
from nlmzip.container.header import write_header
from nlmzip.container.index import Index, IndexEntry
from nlmzip.container.parser import FrameRead, MemberBegin, Parser
from nlmzip.container.recipe import Recipe
from nlmzip.plan.description import describe

#: The byte behind the magic of a member with no coding.
STORED_BYTE = VERSION << 4


@dataclass
class Member:
    """problem: of its index; n_bytes: of all of it."""

    recipe: Recipe
    place: int
    frames: list[Frame] = field(default_factory=list)
    problem: str = ""
    n_bytes: int = 0

    @property
    def raw_length(self) -> int:
        return sum(frame.raw_length for frame in self.frames)


def archive(recipe: Recipe, frames: list[Frame], *, index: bool = True) -> bytes:
    """A member of these frames, with the index that belongs behind them, or without."""
    data = write_header(recipe)
    told = Index(len(data), recipe.has_records)
    for number, frame in enumerate(frames, 1):
        written = write_frame(recipe, frame, is_last=number == len(frames))
        told.add(IndexEntry(frame.raw_length, len(written), frame.n_records))
        data += written
    return data + told.to_bytes() if index else data


def members(data: bytes) -> list[Member]:
    """The members of an archive, models among them. Raises ArchiveError."""
    parser, found = Parser(), []
    parser.feed(data)
    parts = list(parser.parts())
    parts += filter(None, [parser.finish()])
    for part in parts:
        if isinstance(part, MemberBegin):
            found.append(Member(part.recipe, part.place))
        elif isinstance(part, FrameRead):
            found[-1].frames.append(part.frame)
        else:
            found[-1].problem, found[-1].n_bytes = part.problem, part.place - found[-1].place
    return found


def coding(data: bytes):
    """The coding of an archive's only frame; None where that is stored."""
    (member,) = members(data)
    (frame,) = member.frames
    return None if frame.coding is None else member.recipe.codings[frame.coding]


def described(data: bytes) -> dict:
    """What `nlmzip info` tells of an archive's only member."""
    (member,) = describe(io.BytesIO(data))["members"]
    return member


def is_stored(data: bytes) -> bool:
    """Whether all frames of an archive keep their text as it is."""
    return all(frame.coding is None for member in members(data) for frame in member.frames)


def newer(data: bytes, version: int = VERSION + 1) -> bytes:
    """The same archive with the number of another format."""
    return MAGIC + bytes([version << 4 | data[3] & 15]) + data[4:]
