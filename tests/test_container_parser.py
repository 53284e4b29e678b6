"""The parser: the same parts however the bytes come, and what is wrong is told where it stands."""


import io

import pytest
import recipes
from archives import archive, members, newer
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.container.format import MAGIC
from nlmzip.container.frame import Frame
from nlmzip.container.layout import read_layout
from nlmzip.container.numbers import TruncatedError, varint
from nlmzip.container.parser import FrameRead, MemberBegin, MemberEnd, Parser
from nlmzip.container.recipe import (
    MODEL,
    STORED,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
)
from nlmzip.errors import ArchiveError

MIX = Recipe((MixCoding(1),))
NAMED = Recipe((WordsCoding("kn+rnn", True, True, "plain", ModelReference(bytes(8), "name")), MixCoding(2)))
FRAMES = [
    Frame.of(b"abc" * 50, b"12345", 0), Frame.of(b"xyz", b"9", 0, number=1), Frame.of(b"12", number=2)
]
ONE = archive(MIX, FRAMES[:1])
SEVERAL = archive(NAMED, FRAMES)
INDEX = len(SEVERAL) - len(archive(NAMED, FRAMES, index=False))


def parts_of(pieces) -> list:
    parser, found = Parser(), []
    for piece in pieces:
        parser.feed(piece)
        found += parser.parts()
    end = parser.finish()
    return found + [end] if end else found


def pieces_of(data: bytes, sizes) -> list[bytes]:
    pieces, place = [], 0
    for size in sizes:
        pieces.append(data[place : place + size])
        place += size
    return [*pieces, data[place:]]


@given(st.lists(recipes.members(), min_size=1, max_size=3), st.lists(st.integers(0, 40)))
def test_pieces_of_any_size_give_the_same_parts(several, sizes):
    data = b"".join(archive(recipe, frames) for recipe, frames in several)
    whole = parts_of([data])
    assert parts_of(pieces_of(data, sizes)) == whole
    found = members(data)
    assert [(member.recipe, member.frames, member.problem) for member in found] == [
        (recipe, frames, "") for recipe, frames in several
    ]
    assert sum(member.n_bytes for member in found) == len(data)


@pytest.mark.parametrize("data", [ONE, SEVERAL, ONE + SEVERAL + ONE], ids=["one frame", "several", "members"])
def test_byte_by_byte_each_part_comes_as_soon_as_it_is_whole(data):
    parser, ends = Parser(), []
    for place in range(len(data)):
        parser.feed(data[place : place + 1])
        ends += [(place + 1, part) for part in parser.parts()]
    place = 0
    for end, part in ends:
        if isinstance(part, MemberEnd):
            assert part.place == end
            place = end
        else:
            place += part.n_bytes
            assert place == end


def test_only_what_is_wanted_is_read():
    """A reader that asks for as much as is wanted never waits for more than the next part."""
    data, parser, place, found = SEVERAL + ONE, Parser(), 0, []
    while place < len(data):
        wanted = parser.n_wanted
        assert place + wanted <= len(data)
        parser.feed(data[place : place + wanted])
        place += wanted
        found += parser.parts()
    assert found == parts_of([data]) and parser.rest == b""


def test_what_follows_a_member_is_left():
    parser = Parser()
    parser.feed(ONE + b"more")
    parts = parser.parts()
    assert [type(next(parts)) for _ in range(3)] == [MemberBegin, FrameRead, MemberEnd]
    assert parser.rest == b"more"


# --- the index


def problem(data: bytes) -> str:
    """What is wrong with the index of the first member, whose frames are all there."""
    first, *_ = members(data)
    assert first.frames == FRAMES
    return first.problem


def test_a_missing_index_is_told_and_what_follows_is_read():
    without = archive(NAMED, FRAMES, index=False)
    assert problem(without + ONE) == "its index is missing"
    assert len(members(without + ONE)) == 2


@pytest.mark.parametrize("left_out", range(1, INDEX + 1))
def test_an_index_that_is_cut_off_is_told(left_out):
    assert problem(SEVERAL[:-left_out]) == "its index is cut off"


@pytest.mark.parametrize("bit", range(8 * INDEX))
def test_a_damaged_index_is_told_and_what_follows_is_read(bit):
    damaged = bytearray(SEVERAL)
    damaged[len(SEVERAL) - INDEX + bit // 8] ^= 1 << bit % 8
    for more in (b"", ONE):
        assert problem(bytes(damaged) + more) == "its index is damaged"


OTHER_FRAMES = "its frames are not those of its index"


def test_a_whole_index_of_other_frames_is_an_error():
    """Damage to the index does not make another one."""
    for others in (
        [Frame.of(b"abc" * 50, b"12345", 0), Frame.of(b"xyzw", b"9", 0), Frame.of(b"1")],
        [Frame.of(b"abc" * 50, b"12345", 0), Frame.of(b"xyzw", b"9", 0)],
    ):
        data = archive(NAMED, others)
        index = data[len(archive(NAMED, others, index=False)) :]
        with pytest.raises(ArchiveError, match=OTHER_FRAMES):
            members(SEVERAL[:-INDEX] + index)


# --- damage


@pytest.mark.parametrize("data", [ONE, SEVERAL, SEVERAL + ONE, archive(MODEL, FRAMES[2:]) + ONE])
def test_every_cut_is_truncation_or_costs_the_index_only(data):
    whole = members(data)
    ends, place = [], 0
    for member in whole[:-1]:
        place += member.n_bytes
        if not member.recipe.is_model:
            ends.append(place)
    for length in range(len(data)):
        try:
            found = members(data[:length])
        except TruncatedError as error:
            assert error.n_bytes == length < error.n_expected <= len(data)
            continue
        except ArchiveError as error:
            assert not length and "empty input" in str(error)
            continue
        n = len(found)
        assert [member.frames for member in found] == [member.frames for member in whole[:n]]
        assert length in ends or found[-1].problem == "its index is cut off"


def test_a_frame_that_is_left_out_or_swapped_or_stands_twice_shows_in_the_index():
    first, second, last = FRAMES
    for others in ([second, first, last], [first, second, second, last]):
        with pytest.raises(ArchiveError, match=OTHER_FRAMES):
            members(archive(NAMED, others, index=False) + SEVERAL[-INDEX:])
    without = archive(NAMED, [first, last], index=False) + SEVERAL[-INDEX:]
    with pytest.raises(ArchiveError, match="trailing garbage"):
        members(without)


@pytest.mark.parametrize(
    "data, complaint",
    [
        (b"", "empty input, not an nlmzip archive; nothing to decode"),
        (b"PK\x03\x04 zip", "not an nlmzip archive; nothing to decode"),
        (b"\x1f", "not an nlmzip archive; nothing to decode"),
        (MAGIC[:2], "truncated archive"),
        (archive(STORED, [Frame.of(b"a")]) + b"garbage", "trailing garbage after the archive's end at byte 10"),
        (SEVERAL + b"\n", f"trailing garbage after the archive's end at byte {len(SEVERAL)}; cut it off"),
        (newer(ONE), "archive format 3 is newer than this nlmzip; upgrade nlmzip"),
        (newer(ONE, 1), "archive format 1, which only development versions"),
        (ONE + newer(ONE), "archive format 3 is newer than this nlmzip; upgrade nlmzip"),
        (MAGIC + b"\x20" + b"\x80" * 10, "malformed length"),
        (MAGIC + b"\x20" + b"\xff" * 8 + b"\x7f" + bytes(9), "truncated"),
        (MAGIC + b"\x20\x00" + bytes(4) + b"\x03" + bytes(5), "a frame of nothing"),
        (archive(MIX, [FRAMES[0], Frame.of(b"")]), "a frame of nothing"),
        (archive(MODEL, [Frame.of(b"model")]), "truncated archive"),
        (ONE + archive(MODEL, [Frame.of(b"model")]), "truncated archive"),
    ],
)
def test_what_is_wrong_is_said(data, complaint):
    with pytest.raises(ArchiveError, match=complaint):
        members(data)


def test_what_is_whole_before_an_error_is_given():
    parser, found = Parser(), []
    parser.feed(ONE + b"garbage")
    with pytest.raises(ArchiveError, match="trailing garbage"):
        for part in parser.parts():
            found.append(part)
    assert [type(part) for part in found] == [MemberBegin, FrameRead, MemberEnd]


def test_a_frame_is_refused_before_its_payload_is_waited_for():
    class RefusedError(Exception):
        pass

    def admit(recipe, head):
        heads.append(head)
        if head.coded_length > 100:
            raise RefusedError

    heads, parser = [], Parser(admit)
    parser.feed(ONE + MAGIC + b"\x21\x01" + varint(1 << 50) + varint(1 << 40) + bytes(4))
    with pytest.raises(RefusedError):
        list(parser.parts())
    assert [head.raw_length for head in heads] == [150, 1 << 49]


def test_a_frame_is_admitted_once_however_its_bytes_come():
    heads, parser = [], Parser(lambda recipe, head: heads.append(head))
    for place in range(len(SEVERAL)):
        parser.feed(SEVERAL[place : place + 1])
        list(parser.parts())
    assert [head.raw_length for head in heads] == [frame.raw_length for frame in FRAMES]


@given(st.binary(max_size=60))
@settings(max_examples=300)
def test_any_bytes_are_an_archive_or_an_archive_error(tail):
    for begin in (b"", MAGIC, *(MAGIC + bytes([2 << 4 | contents]) for contents in (0, 1, 2, 7, 8, 9))):
        data = begin + tail
        try:
            found = members(data)
        except ArchiveError:
            continue
        assert sum(member.n_bytes for member in found) == len(data)


@pytest.mark.parametrize("data", [ONE, SEVERAL, ONE + SEVERAL, SEVERAL + ONE, archive(STORED, [Frame.of(bytes(9))])])
@pytest.mark.parametrize("n_zeros", [1, 2, 3, 4, 100, 70_000])
def test_zeros_behind_an_archive_are_padding(data, n_zeros):
    """As tapes and block devices leave them; gzip and xz pass over them, too."""
    padded = data + bytes(n_zeros)
    assert [member.frames for member in members(padded)] == [member.frames for member in members(data)]
    assert read_layout(io.BytesIO(padded)).spans == read_layout(io.BytesIO(data)).spans
    for parser in (Parser(), Parser()):
        for byte in (padded if n_zeros < 200 else b""):
            parser.feed(bytes([byte]))
            list(parser.parts())


@pytest.mark.parametrize("garbage", [b"\0x", b"\0\0" + ONE, bytes(70_000) + b"x"])
def test_what_is_no_padding_is_an_error(garbage):
    with pytest.raises(ArchiveError, match="trailing garbage"):
        members(ONE + garbage)
    with pytest.raises(ArchiveError, match="trailing garbage"):
        read_layout(io.BytesIO(ONE + garbage))
