"""The index behind frames: it says where they are, and any damage to it shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmzip.container.format import TAIL, TAIL_BYTES
from nlmzip.container.index import Index, IndexEntry, length_told, read_index
from nlmzip.errors import ArchiveError

numbers = st.integers(0, (1 << 40) - 1)
entries = st.lists(st.builds(IndexEntry, numbers, numbers, numbers), min_size=2, max_size=20)


def index_of(entries, header_bytes=5, has_records=True) -> bytes:
    index = Index(header_bytes, has_records)
    for entry in entries:
        index.add(entry)
    return index.to_bytes()


TWO = index_of([IndexEntry(300, 100, 0), IndexEntry(200, 90, 0)], has_records=False)


@given(entries, st.integers(4, 3000), st.booleans())
def test_reading_undoes_writing(entries, header_bytes, has_records):
    if not has_records:
        entries = [entry._replace(n_records=0) for entry in entries]
    data = index_of(entries, header_bytes, has_records)
    assert length_told(data[-TAIL_BYTES:]) == len(data)
    told = read_index(data)
    assert (told.header_bytes, told.has_records, told.entries) == (header_bytes, has_records, entries)
    assert told.member_bytes == header_bytes + sum(entry.n_bytes for entry in entries)


def test_more_frames_than_there_can_be_are_refused():
    """Each takes five bytes of the archive at least, however few the index takes to tell of it."""
    data = index_of([IndexEntry(0, 0, 0)] * 100, has_records=False)
    assert len(read_index(data, 500).entries) == 100
    with pytest.raises(ArchiveError):
        read_index(data, 499)


def test_a_single_frame_has_none():
    assert index_of([]) == index_of([IndexEntry(3, 9, 0)]) == b""


def test_the_bytes_of_format_2_are_frozen():
    assert TWO.hex() == "0a" "ac0264" "c8015a" "c22c5f94" "13000000" "7a6efa02"  # fmt: skip


def test_a_frame_of_a_usual_size_takes_few_bytes():
    frames = [IndexEntry(2 << 20, 400_000, 0)] * 100
    assert len(index_of(frames, has_records=False)) <= 7 * 100 + 13


def test_every_flipped_bit_shows():
    for bit in range(8 * len(TWO)):
        flipped = bytearray(TWO)
        flipped[bit // 8] ^= 1 << bit % 8
        n_bytes = length_told(flipped[-TAIL_BYTES:])
        if n_bytes == len(TWO):
            with pytest.raises(ArchiveError):
                read_index(bytes(flipped))
        else:
            assert bit >= 8 * (len(TWO) - TAIL_BYTES)


@pytest.mark.parametrize("tail", [b"", b"short", bytes(TAIL_BYTES), b"\x0c\0\0\0" + TAIL, TAIL * 3])
def test_what_ends_no_index_tells_no_length(tail):
    assert length_told(tail) is None


@given(st.binary(max_size=80))
def test_any_bytes_are_an_index_or_an_error(data):
    try:
        read_index(data)
    except ArchiveError:
        pass
