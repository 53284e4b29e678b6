"""Where a text is cut into frames: the same places however it comes, and never within a record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.container.frame import Frame, unpack_lengths
from nlmzip.execute.cut import Cutter, RecordCutter
from nlmzip.plan.options import ONE_FRAME


def cut(cutter, pieces) -> list[tuple[bytes, "int | None"]]:
    found = []
    for piece in pieces:
        found += cutter.feed(piece)
    return [(bytes(stretch.raw), stretch.coding) for stretch in [*found, *cutter.finish()]]


def pieces_of(data: bytes, sizes) -> list[bytes]:
    pieces, place = [], 0
    for size in sizes:
        pieces.append(data[place : place + size])
        place += size
    return [*pieces, data[place:]]


@given(st.binary(max_size=100), st.integers(1, 20), st.lists(st.integers(0, 30)))
def test_a_text_is_cut_at_the_same_places_however_it_comes(data, frame_bytes, pieces):
    whole = cut(Cutter(frame_bytes, 0), [data])
    assert cut(Cutter(frame_bytes, 0), pieces_of(data, pieces)) == whole
    assert b"".join(raw for raw, _ in whole) == data
    assert all(0 < len(raw) <= frame_bytes for raw, _ in whole)


@pytest.mark.parametrize(
    "size, frames",
    [(0, []), (1, [1]), (9, [9]), (10, [10]), (11, [6, 5]), (19, [10, 9]), (20, [10] * 2), (30, [10] * 3),
     (31, [10, 10, 6, 5]), (39, [10, 10, 10, 9])],
)
@pytest.mark.parametrize("coding", [0, None])
def test_frames_are_of_their_size_and_the_last_two_equally_long(size, frames, coding):
    found = cut(Cutter(10, coding), [bytes(size)])
    assert [(len(raw), which) for raw, which in found] == [(length, coding) for length in frames]


def test_all_in_one_frame():
    data = bytes(range(200))
    assert cut(Cutter(ONE_FRAME, 0), pieces_of(data, [7, 90])) == [(data, 0)]


# --- records


def of_records(frame_bytes, records, by_length=True):
    cutter, found = RecordCutter(frame_bytes, None, by_length), []
    for record in records:
        found += cutter.feed(record)
    return found + list(cutter.finish())


@given(st.lists(st.binary(max_size=30), max_size=40), st.integers(1, 60))
def test_no_record_is_cut(records, frame_bytes):
    left = list(records)
    for stretch in of_records(frame_bytes, records):
        n, raw = stretch.records["n_records"], bytes(stretch.raw)
        mine, left = left[:n], left[n:]
        assert n and raw == b"".join(mine)
        assert unpack_lengths(Frame.of(raw, **stretch.records)) == list(map(len, mine))
        assert not left or max(len(raw), n) >= frame_bytes > max(len(raw) - len(mine[-1]), n - 1)
    assert left == []


def test_lengths_are_kept_only_where_they_are_needed():
    (stretch,) = of_records(100, [b"a\n", b"bc\n"], by_length=False)
    assert stretch.records == {"n_records": 2, "lengths": b""}
    assert bytes(stretch.raw) == b"a\nbc\n"


def test_no_records_are_no_frame():
    assert of_records(100, []) == []


def test_records_of_all_in_one_frame():
    (stretch,) = of_records(ONE_FRAME, [b"x" * 1000] * 3000)
    assert stretch.records["n_records"] == 3000


def test_frames_come_before_the_end():
    cutter = RecordCutter(1000, None, True)
    assert sum(len(list(cutter.feed(b"x" * 1000))) for _ in range(2000)) > 900
