"""The layout of an archive: by its index the same as by its heads, in few reads, and whole whatever
an index says."""

import io

import pytest
import recipes
from archives import archive, members, newer
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.container.format import MAGIC
from nlmzip.container.frame import Frame
from nlmzip.container.index import Index, IndexEntry
from nlmzip.container.layout import read_frame, read_layout
from nlmzip.container.recipe import MODEL, STORED, MixCoding, Recipe
from nlmzip.errors import ArchiveError

MIX = Recipe((MixCoding(1), MixCoding(2)))
FRAMES = [
    Frame.of(b"abc" * 50, b"12345", 0), Frame.of(b"xyz", b"9", 1, number=1), Frame.of(b"12", number=2)
]
ONE, SEVERAL = archive(MIX, FRAMES[:1]), archive(MIX, FRAMES)
BARE = archive(MIX, FRAMES, index=False)
INDEX = len(SEVERAL) - len(BARE)
HEADER = 6
LAST = b"behind"


class Counting(io.BytesIO):
    """A file that counts how much is read of it, and how often."""

    def __init__(self, data):
        super().__init__(data)
        self.n_reads = self.n_bytes = 0

    def read(self, size=-1):
        data = super().read(size)
        self.n_reads += 1
        self.n_bytes += len(data)
        return data


def layout_of(data: bytes):
    return read_layout(io.BytesIO(data))


def frames_by(layout, data: bytes) -> list[Frame]:
    return [read_frame(io.BytesIO(data), span) for span in layout.spans]


@given(st.lists(recipes.members(), min_size=1, max_size=4))
def test_layout_by_index_is_layout_by_heads(several):
    data = b"".join(archive(recipe, frames) for recipe, frames in several)
    layout = layout_of(data)
    assert layout.problems == []
    assert frames_by(layout, data) == [frame for _, frames in several for frame in frames]
    assert [(recipe, n_bytes) for recipe, n_bytes, _ in layout.members] == [
        (member.recipe, member.n_bytes) for member in members(data)
    ]
    assert layout.raw_length == sum(frame.raw_length for _, frames in several for frame in frames)
    assert layout.n_records == sum(frame.n_records for _, frames in several for frame in frames)
    # Of which no member has an index: by heads alone.
    bare = b"".join(archive(recipe, frames, index=False) for recipe, frames in several)
    by_heads = layout_of(bare)
    assert frames_by(by_heads, bare) == frames_by(layout, data)
    assert len(by_heads.problems) == sum(len(frames) > 1 for _, frames in several)


def test_places_and_numbers_of_frames():
    data = SEVERAL + ONE
    layout = layout_of(data)
    assert layout.text_ends == [150, 153, 155, 305] and layout.raw_length == 305
    assert [layout.frame_at(place) for place in (0, 149, 150, 152, 153, 154, 155, 304)] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert layout.spans[0].place == HEADER and layout.spans[3].place == len(SEVERAL) + HEADER


def test_records_are_found_by_their_numbers():
    lines = Recipe((), 10)
    frames = [Frame.of(b"a\nb\n", n_records=2), Frame.of(b"c\n", n_records=1, number=1), Frame.of(b"d\ne\nf\n", n_records=3, number=2)]
    layout = layout_of(archive(lines, frames))
    assert layout.n_records == 6
    assert [layout.frame_of_record(record) for record in range(6)] == [0, 0, 1, 2, 2, 2]


def test_of_a_long_archive_little_is_read():
    frames = [Frame.of(bytes(1000), number=number) for number in range(500)]
    data = archive(STORED, frames)
    file = Counting(data)
    assert read_layout(file).raw_length == 500_000
    assert file.n_reads <= 4 and file.n_bytes < 1 << 17
    bare = Counting(archive(STORED, frames, index=False))
    assert read_layout(bare).problems == ["its index is cut off"]
    assert bare.n_bytes < len(data) / 2


def test_models_stand_apart():
    model = archive(MODEL, [Frame.of(b"a model")])
    data = model + SEVERAL
    layout = layout_of(data)
    assert len(layout.models) == len(layout.members) == 1 and layout.raw_length == 155
    assert read_frame(io.BytesIO(data), layout.models[0]).payload == b"a model"
    for cut in (model, SEVERAL + model):
        with pytest.raises(ArchiveError, match="truncated"):
            layout_of(cut)


# --- indexes that are damaged, or lie


def whole(data: bytes, *problems: str, more=()) -> None:
    layout = layout_of(data)
    assert frames_by(layout, data) == [*FRAMES, *more]
    assert layout.problems == list(problems)


@pytest.mark.parametrize("bit", range(8 * INDEX))
def test_a_damaged_index_is_told_and_the_text_is_whole(bit):
    damaged = bytearray(SEVERAL)
    damaged[len(BARE) + bit // 8] ^= 1 << bit % 8
    whole(bytes(damaged), "its index is damaged")
    whole(bytes(damaged) + ONE, "its index is damaged", more=FRAMES[:1])


@pytest.mark.parametrize("left_out", range(1, INDEX + 1))
def test_an_index_that_is_cut_off_is_told(left_out):
    whole(SEVERAL[:-left_out], "its index is cut off")


def test_a_missing_index_is_told():
    whole(BARE + ONE, "its index is missing", more=FRAMES[:1])
    whole(BARE + SEVERAL, "its index is missing", more=FRAMES)


def lying(*entries: IndexEntry, header_bytes: int = HEADER, has_records: bool = False) -> bytes:
    index = Index(header_bytes, has_records)
    for entry in entries:
        index.add(entry)
    return BARE + index.to_bytes()


SIZES = [span.n_bytes for span in layout_of(SEVERAL).spans]
TRUE = [IndexEntry(frame.raw_length, size, 0) for frame, size in zip(FRAMES, SIZES, strict=True)]


@pytest.mark.parametrize(
    "data",
    [
        lying(*TRUE[:2]),
        lying(*TRUE[:2], IndexEntry(2, SIZES[2] + 1, 0)),
        lying(*TRUE[:2], IndexEntry(2, SIZES[2] - 1, 0)),
        lying(*TRUE, header_bytes=HEADER + 1),
        lying(*TRUE, header_bytes=HEADER - 1),
        lying(*[IndexEntry(1, 2, 0)] * 3),
        lying(*[IndexEntry(0, 0, 0)] * 3),
    ],
)
def test_a_whole_index_that_does_not_fit_is_an_error(data):
    """Frames may be missing."""
    for read in (layout_of, members):
        with pytest.raises(ArchiveError, match="its frames are not those of its index"):
            read(data)


@pytest.mark.parametrize(
    "data",
    [lying(*TRUE, IndexEntry(5, 10, 0)), lying(*TRUE, has_records=True), lying(*[IndexEntry(1, 1 << 60, 0)] * 3)],
)
def test_an_index_that_is_longer_than_it_can_be_is_garbage(data):
    for read in (layout_of, members):
        with pytest.raises(ArchiveError, match="trailing garbage"):
            read(data)


@pytest.mark.parametrize(
    "entries",
    [
        [TRUE[1], TRUE[0], TRUE[2]],
        [TRUE[0]._replace(raw_length=149), TRUE[1]._replace(raw_length=4), TRUE[2]],
        [IndexEntry(153, SIZES[0] + SIZES[1], 0), TRUE[2]],
    ],
)
def test_an_index_that_fits_and_lies_is_never_believed(entries):
    data = lying(*entries)
    layout = layout_of(data)
    with pytest.raises(ArchiveError, match="a frame is not as its index says"):
        frames_by(layout, data)
    with pytest.raises(ArchiveError, match="its frames are not those of its index"):
        members(data)


def test_a_frame_of_nothing_is_refused_where_an_index_tells_of_it():
    for frames in ([FRAMES[0], Frame.of(b"", number=1)], [Frame.of(b""), Frame.of(b"", number=1)]):
        data = archive(MIX, frames)
        layout = layout_of(data)
        with pytest.raises(ArchiveError, match="a frame of nothing"):
            frames_by(layout, data)


def test_frames_behind_the_last_one_are_none():
    """An index that tells of them is not believed."""
    data = BARE + archive(MIX, FRAMES, index=False)[HEADER:]
    index = Index(HEADER, False)
    for entry in [*TRUE, *TRUE]:
        index.add(entry)
    data += index.to_bytes()
    layout = layout_of(data)
    assert len(layout.spans) == 6
    with pytest.raises(ArchiveError, match="a frame is not as its index says"):
        read_frame(io.BytesIO(data), layout.spans[2])


@pytest.mark.parametrize("inner", [SEVERAL, ONE + SEVERAL, SEVERAL + SEVERAL])
def test_an_archive_that_is_stored_in_another_one_is_no_index_of_it(inner):
    data = archive(STORED, [Frame.of(inner)])
    layout = layout_of(data)
    assert layout.problems == [] and layout.raw_length == len(inner)
    assert frames_by(layout, data)[0].payload == inner
    layout = layout_of(ONE + data)
    assert layout.problems == [] and layout.raw_length == 150 + len(inner)


@pytest.mark.parametrize(
    "data, complaint",
    [
        (b"", "empty input"),
        (b"PK\x03\x04 zip", "not an nlmzip archive"),
        (MAGIC[:1], "truncated"),
        (ONE + MAGIC[:2], "truncated"),
        (ONE + b"garbage", f"trailing garbage after the archive's end at byte {len(ONE)}"),
        (SEVERAL + b"garbage", f"trailing garbage after the archive's end at byte {len(SEVERAL)}"),
        (newer(ONE), "archive format 3 is newer"),
        (newer(SEVERAL, 1), "archive format 1, which only development versions"),
        (archive(MIX, [FRAMES[0], Frame.of(b"")], index=False), "a frame of nothing"),
    ],
)
def test_what_is_wrong_is_said(data, complaint):
    with pytest.raises(ArchiveError, match=complaint):
        layout_of(data)


@pytest.mark.parametrize("data", [ONE, SEVERAL, SEVERAL + ONE, ONE + SEVERAL])
def test_every_cut_is_told_as_reading_on_tells_it(data):
    for length in range(len(data)):
        cut = data[:length]
        try:
            found = members(cut)
        except ArchiveError as error:
            with pytest.raises(type(error), match="truncated|empty"):
                layout_of(cut)
        else:
            layout = layout_of(cut)
            assert layout.problems == [member.problem for member in found if member.problem]
            assert frames_by(layout, cut) == [frame for member in found for frame in member.frames]


@given(st.binary(max_size=60), st.binary(max_size=30))
def test_any_bytes_have_a_layout_or_are_refused(head, tail):
    for data in (head, MAGIC + head, MAGIC + b"\x20" + head, MAGIC + b"\x28\x00" + head, ONE + head, SEVERAL[:20] + head + SEVERAL[-20:] + tail):
        try:
            layout = layout_of(data)
        except ArchiveError:
            continue
        assert layout.raw_length == sum(span.raw_length for span in layout.spans)
