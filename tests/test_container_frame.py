"""Frames: they come back as they were, cost few bytes, and keep as it is what would grow."""

import pytest
import recipes
from archives import archive, members
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.container.frame import (
    Frame,
    pack_lengths,
    read_head,
    unpack_lengths,
    write_frame,
)
from nlmzip.container.numbers import Fields, TruncatedError, varint
from nlmzip.container.recipe import BY_LENGTHS, MODEL, STORED, MixCoding, Recipe
from nlmzip.errors import ArchiveError

ONE, TWO = Recipe((MixCoding(1),)), Recipe((MixCoding(1), MixCoding(16)))
LINES, LENGTHS = Recipe((MixCoding(1),), 10), Recipe((MixCoding(1),), BY_LENGTHS)


@given(recipes.members(most_frames=1), st.booleans())
def test_reading_undoes_writing(member, is_last):
    recipe, (frame,) = member
    data = write_frame(recipe, frame, is_last)
    fields = Fields(data + b"more")
    head = read_head(recipe, fields)
    assert head.is_last == is_last
    assert fields.offset + head.coded_length == len(data)
    assert head.frame(fields.take(head.coded_length), frame.number) == frame


@given(recipes.members(most_frames=1))
def test_every_beginning_of_a_head_is_truncated(member):
    recipe, (frame,) = member
    n_head = len(write_frame(recipe, frame, True)) - frame.coded_length
    for length in range(n_head):
        with pytest.raises(TruncatedError):
            read_head(recipe, Fields(write_frame(recipe, frame, True)[:length]))


@pytest.mark.parametrize(
    "recipe, frame, coded",
    [
        (STORED, Frame.of(b""), "01" "00000000"),
        (STORED, Frame.of(b"abc"), "07" "c2412435" "616263"),
        (ONE, Frame.of(b"abc", b"12", 0), "07" "02" "c2412435" "3132"),
        (ONE, Frame.of(b"abc"), "07" "00" "c2412435" "616263"),
        (TWO, Frame.of(b"abc", b"12", 1), "07" "02" "02" "c2412435" "3132"),
        (TWO, Frame.of(b"abc"), "07" "00" "c2412435" "616263"),
        (LINES, Frame.of(b"abc", b"12", 0, n_records=1), "07" "01" "02" "60ba0ee0" "3132"),
        (LENGTHS, Frame.of(b"abc", b"12", 0, n_records=1), "07" "01" "02" "ab63fa03" "3132"),
    ],
)  # fmt: skip
def test_the_bytes_of_format_2_are_frozen(recipe, frame, coded):
    assert write_frame(recipe, frame, is_last=True).hex() == coded


def test_an_empty_text_takes_9_bytes():
    assert len(archive(STORED, [Frame.of(b"")])) == 9


@pytest.mark.parametrize("recipe, n_coding", [(ONE, 1), (TWO, 2)])
def test_a_kilobyte_costs_few_bytes_around_its_payload(recipe, n_coding):
    """4 of the header and its coding; 2 of its length, 2 of the payload's, 4 of the checksum."""
    payload = b"p" * 230
    data = archive(recipe, [Frame.of(b"r" * 1000, payload, 0)])
    choice = 1 if n_coding > 1 else 0
    assert len(data) - len(payload) == 4 + n_coding + 2 + choice + 2 + 4


@pytest.mark.parametrize("size", [0, 1, 63, 64, 5_000_000])
def test_stored_data_grows_by_at_most_12_bytes(size):
    assert len(archive(STORED, [Frame.of(bytes(size))])) <= size + 12


@pytest.mark.parametrize("payload", [b"123", b"1234", None])
def test_what_would_not_become_shorter_is_kept_as_it_is(payload):
    frame = Frame.of(b"abc", payload, 0)
    assert (frame.payload, frame.coding) == (b"abc", None)


def test_a_frame_tells_its_text_from_another():
    frame = Frame.of(b"abc", b"12", 0)
    assert frame.check(b"abc") == b"abc"
    for other in (b"abd", b"ab", b"abcd", b""):
        with pytest.raises(ArchiveError, match="its checksum does not hold"):
            frame.check(other)


def test_the_checksum_covers_the_lengths_of_records():
    one, other = (
        Frame.of(b"abc", n_records=2, lengths=pack_lengths(lengths)) for lengths in ([1, 2], [2, 1])
    )
    assert one.checksum != other.checksum
    with pytest.raises(ArchiveError):
        Frame(3, one.checksum, b"abc", None, 2, other.lengths).check(b"abc")


@pytest.mark.parametrize("n_records, other", [(0, 1), (1, 0), (1, 2), (2, 3)])
@pytest.mark.parametrize("recipe", [LINES, LENGTHS])
def test_the_checksum_covers_how_many_records_there_are(recipe, n_records, other):
    """Of nothing, one empty record is another text than none."""
    text = b"" if recipe.by_length else b"\n" * n_records
    lengths = pack_lengths([0] * n_records) if recipe.by_length else b""
    frame = Frame.of(text, n_records=n_records, lengths=lengths)
    data = write_frame(recipe, frame, True)
    assert read_head(recipe, Fields(data)).frame(text).check(text) == text
    with pytest.raises(ArchiveError):
        read_head(recipe, Fields(data[:1] + varint(other) + data[2:] + bytes(40))).frame(text).check(text)


def test_the_checksum_covers_how_records_are_told_apart():
    """A single record looks the same whatever ends it."""
    data = write_frame(LINES, Frame.of(b"abc\n", n_records=1), True)
    for other in (Recipe(LINES.codings, 11), Recipe(LINES.codings, 9), LENGTHS):
        with pytest.raises(ArchiveError, match="its checksum does not hold"):
            read_head(other, Fields(data)).frame(b"abc\n").check(b"abc\n")


@pytest.mark.parametrize(
    "recipe, coded, complaint",
    [
        (MODEL, "06" "c2412435" "616263", "a model in several frames"),
        (ONE, "01" "01" "00000000" "00", "a coded frame of nothing"),
        (TWO, "01" "01" "01" "00000000" "00", "a coded frame of nothing"),
        (TWO, "03" "01" "00" "00000000", "a coded frame of nothing"),
        (TWO, "03" "03" "01" "00000000" "00", "a coding that its header does not name"),
        (STORED, "8000" "00000000", "malformed length"),
    ],
)  # fmt: skip
def test_what_no_frame_says_is_damage(recipe, coded, complaint):
    with pytest.raises(ArchiveError, match=complaint):
        read_head(recipe, Fields(bytes.fromhex(coded)))


# --- the lengths of records


@given(st.lists(st.integers(0, 1 << 34), min_size=1, max_size=50))
def test_lengths_are_had_again(lengths):
    frame = Frame(sum(lengths), 0, b"", None, len(lengths), pack_lengths(lengths))
    assert unpack_lengths(frame) == lengths


def test_one_record_needs_no_lengths():
    assert pack_lengths([77]) == b""
    assert unpack_lengths(Frame(77, 0, b"", None, 1)) == [77]
    assert unpack_lengths(Frame(0, 0, b"", None, 0)) == []


def test_equal_lengths_take_next_to_nothing():
    assert len(pack_lengths([70] * 10_000)) < 60


@pytest.mark.parametrize(
    "raw_length, n_records, lengths",
    [
        (6, 3, pack_lengths([2, 2])),
        (6, 2, pack_lengths([2, 2, 2])),
        (7, 3, pack_lengths([2, 2, 2])),
        (6, 3, b"no deflate"),
        (6, 3, b""),
        (6, 1 << 40, pack_lengths([2, 2, 2])),
        (0, 1 << 40, pack_lengths([0] * 1000)),
    ],
)
def test_lengths_that_cannot_be_are_damage(raw_length, n_records, lengths):
    with pytest.raises(ArchiveError, match="the lengths of its records"):
        unpack_lengths(Frame(raw_length, 0, b"", None, n_records, lengths))


@given(recipes.members())
def test_members_of_frames_come_back(member):
    recipe, frames = member
    (found,) = members(archive(recipe, frames))
    assert (found.recipe, found.frames, found.problem) == (recipe, frames, "")


def test_the_length_of_a_head_is_told_by_its_varints():
    frame = Frame.of(b"r" * 100_000, b"p" * 20_000, 0)
    head = len(write_frame(ONE, frame, False)) - 20_000
    assert head == len(varint(200_000)) + len(varint(20_000)) + 4


def test_a_frame_in_the_place_of_another_does_not_pass():
    first, second = Frame.of(b"same length", number=0), Frame.of(b"another one", number=1)
    assert second.check(b"another one") == b"another one"
    moved = read_head(STORED, Fields(write_frame(STORED, second, True))).frame(b"another one", 0)
    with pytest.raises(ArchiveError, match="its checksum does not hold"):
        moved.check(b"another one")
    with pytest.raises(ArchiveError, match="its checksum does not hold"):
        read_head(STORED, Fields(write_frame(STORED, first, True))).frame(b"same length", 2).check(b"same length")
