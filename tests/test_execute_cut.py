"""Where a text is cut into frames: the same places however it comes, and never within a record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.container.frame import Frame, unpack_lengths
from nlmzip.execute.cut import Cutter, RecordCutter
from nlmzip.plan.options import ONE_FRAME


def by_first_byte(frame_bytes, data) -> int:
    """The coding that a text's first byte names."""
    return data[0] % len(frame_bytes)


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


sizes = st.lists(st.integers(1, 20), min_size=1, max_size=3).map(tuple)


@given(st.binary(max_size=100), sizes, st.lists(st.integers(0, 30)))
def test_a_text_is_cut_at_the_same_places_however_it_comes(data, frame_bytes, pieces):
    whole = cut(Cutter(frame_bytes, by_first_byte), [data])
    assert cut(Cutter(frame_bytes, by_first_byte), pieces_of(data, pieces)) == whole
    assert b"".join(raw for raw, _ in whole) == data
    for raw, coding in whole:
        assert 0 < len(raw) <= (max(frame_bytes) if coding is None else frame_bytes[coding])


@pytest.mark.parametrize(
    "size, frames",
    [(0, []), (1, [1]), (9, [9]), (10, [10]), (11, [6, 5]), (19, [10, 9]), (20, [10] * 2), (30, [10] * 3),
     (31, [10, 10, 6, 5]), (39, [10, 10, 10, 9])],
)
def test_frames_of_one_coding_are_of_its_size_and_the_last_two_equally_long(size, frames):
    found = cut(Cutter((10,), by_first_byte), [bytes(size)])
    assert [(len(raw), coding) for raw, coding in found] == [(length, 0) for length in frames]


def test_without_a_coding_a_text_is_cut_too():
    """Bytes that are stored anyway; they have no size that suits them best."""
    assert b"".join(raw for raw, _ in cut(Cutter((), by_first_byte), [b"abc", b"d"])) == b"abcd"


def test_all_in_one_frame():
    data = bytes(range(200))
    assert cut(Cutter((ONE_FRAME,), by_first_byte), pieces_of(data, [7, 90])) == [(data, 0)]
    assert cut(Cutter((ONE_FRAME, ONE_FRAME), by_first_byte), pieces_of(data, [7, 90])) == [(data, None)]


def test_a_window_is_cut_into_frames_of_the_coding_that_suits_it():
    """Here 0 asks for 12 bytes and 1 for 4; so much is a window as the longest takes, or what is
    left is two windows."""
    data = b"\0" * 12 + b"\1" * 12 + b"\0" * 11 + b"\1" * 10
    found = cut(Cutter((12, 4), by_first_byte), pieces_of(data, [5, 9]))
    assert found == [
        (b"\0" * 12, 0), *[(b"\1" * 4, 1)] * 3, (b"\0" * 11, 0), *[(b"\1" * length, 1) for length in (3, 3, 4)],
    ]  # fmt: skip


def test_what_fits_any_frame_is_not_decided_here():
    """It is tried by each coding."""
    assert cut(Cutter((12, 4), by_first_byte), [b"\1abc"]) == [(b"\1abc", None)]
    assert cut(Cutter((12, 12), by_first_byte), [b"\1" * 24]) == [(b"\1" * 12, None)] * 2


# --- records


def of_records(frame_bytes, records, by_length=True):
    cutter, found = RecordCutter(frame_bytes, by_first_byte, by_length), []
    for record in records:
        found += cutter.feed(record)
    return found + list(cutter.finish())


@given(st.lists(st.binary(max_size=30), max_size=40), st.integers(1, 60))
def test_no_record_is_cut(records, frame_bytes):
    left = list(records)
    for stretch in of_records((frame_bytes,), records):
        n, raw = stretch.records["n_records"], bytes(stretch.raw)
        mine, left = left[:n], left[n:]
        assert n and raw == b"".join(mine)
        assert unpack_lengths(Frame.of(raw, **stretch.records)) == list(map(len, mine))
        assert not left or len(raw) >= frame_bytes > len(raw) - len(mine[-1])
    assert left == []


def test_lengths_are_kept_only_where_they_are_needed():
    (stretch,) = of_records((100,), [b"a\n", b"bc\n"], by_length=False)
    assert stretch.records == {"n_records": 2, "lengths": b""}
    assert bytes(stretch.raw) == b"a\nbc\n"


def test_no_records_are_no_frame():
    assert of_records((100,), []) == []


def test_records_of_all_in_one_frame():
    (stretch,) = of_records((ONE_FRAME,), [b"x" * 1000] * 3000)
    assert stretch.records["n_records"] == 3000


def test_frames_come_before_the_end():
    cutter = RecordCutter((1000,), by_first_byte, True)
    assert sum(len(list(cutter.feed(b"x" * 1000))) for _ in range(2000)) > 900
