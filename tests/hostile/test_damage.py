"""Damaged archives: an error or the very same bytes, never other bytes, a crash or a hang.

These go through the Python API, since nothing here depends on the command line.
"""

import time

import pytest
from command_line import MODEL as MODEL_FILE
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import TEXT

import nlmzip
from nlmzip.execute.encode import write_model
from nlmzip.models import model_file

MODEL = model_file.read(MODEL_FILE)
PLAIN = TEXT[:44]
GENERAL = b"The cow, 2 zebras;\r\nZEBRAS\xff"
RANDOM = bytes(range(256))
SECONDS = 5  # far more than an archive of a few bytes takes, far less than a hang

FIRST, SECOND = (nlmzip.compress(text, model=MODEL, codec="words") for text in (PLAIN, GENERAL))
ARCHIVES = {
    "stored": (RANDOM, nlmzip.compress(RANDOM, model=MODEL)),
    "empty": (b"", nlmzip.compress(b"", model=MODEL)),
    "two members": (PLAIN + GENERAL, FIRST + SECOND),
} | {
    f"{codec}, {predictor}, {name}": (
        text,
        nlmzip.compress(text, model=MODEL, codec=codec, predictor=predictor),
    )
    for codec, predictor in (
        ("words", "uniform"), ("words", "kn"), ("words", "nplm"), ("words", "kn+rnn"),
        ("mix", "kn+rnn"),
    )
    for name, text in (("plain", PLAIN), ("general", GENERAL))
}

every_archive = pytest.mark.parametrize("text, archive", ARCHIVES.values(), ids=ARCHIVES)


def decoded(archive: bytes) -> "bytes | None":
    """What an archive decodes to, None where it is refused with an error of ours."""
    begin = time.process_time()
    try:
        return nlmzip.decompress(archive, model=MODEL)
    except nlmzip.NlmzipError as error:
        assert "\n" not in str(error) and ";" in str(error)
        return None
    finally:
        assert time.process_time() - begin < SECONDS


@every_archive
def test_an_archive_decodes_before_it_is_damaged(text, archive):
    assert decoded(archive) == text


@every_archive
def test_an_archive_truncated_at_any_length_is_refused(text, archive):
    decoding = [n for n in range(len(archive)) if decoded(archive[:n]) is not None]
    # Only where a whole member ends does a beginning decode, as in gzip.
    assert decoding == ([len(FIRST)] if text == PLAIN + GENERAL else [])


@every_archive
def test_any_flipped_bit_gives_an_error_or_the_same_bytes(text, archive):
    for position in range(8 * len(archive)):
        flipped = bytearray(archive)
        flipped[position // 8] ^= 1 << position % 8
        assert decoded(bytes(flipped)) in (None, text), position


@every_archive
@pytest.mark.parametrize("garbage", [b"\0", b"\n", b"garbage", b"\xfa", bytes(1000)])
def test_trailing_garbage_is_refused(text, archive, garbage):
    assert decoded(archive + garbage) is None


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_arbitrary_bytes_are_no_archive(data):
    assert decoded(data) is None


@given(st.sampled_from(sorted(ARCHIVES)), st.data())
@settings(max_examples=300, deadline=None)
def test_bytes_changed_moved_or_left_out_give_an_error_or_the_same_bytes(name, data):
    text, archive = ARCHIVES[name]
    begin, end, place = (data.draw(st.integers(0, len(archive))) for _ in range(3))
    new = data.draw(st.sampled_from([b"", b"\0", b"\xff", b"\x80", archive[place : place + 9]]))
    changed = archive[: min(begin, end)] + new + archive[max(begin, end) :]
    members = (PLAIN, GENERAL) if text == PLAIN + GENERAL else ()
    assert decoded(changed) in (None, text, *members)


@given(st.sampled_from(sorted(ARCHIVES)), st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_payload_after_a_true_header_is_refused_or_decodes_in_bounded_time(name, payload):
    text, archive = ARCHIVES[name]
    assert decoded(archive[: min(20, len(archive))] + payload) in (None, text)


def test_a_model_with_a_flipped_bit_is_refused():
    for position in range(0, 8 * len(MODEL_FILE), 37):
        flipped = bytearray(MODEL_FILE)
        flipped[position // 8] ^= 1 << position % 8
        with pytest.raises(nlmzip.ModelError):
            model_file.read(bytes(flipped))


def test_an_archive_that_ends_behind_its_model_is_truncated():
    brought = write_model(MODEL_FILE)
    for models in (brought, brought + brought):
        for data in (models, FIRST + models):
            with pytest.raises(nlmzip.ArchiveError, match="truncated"):
                nlmzip.decompress(data)
    assert nlmzip.decompress(models + FIRST) == PLAIN


def test_a_truncated_model_is_refused():
    for length in range(0, len(MODEL_FILE), 7):
        with pytest.raises(nlmzip.ModelError):
            model_file.read(MODEL_FILE[:length])
