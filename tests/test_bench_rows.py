"""Rows, totals and tables of the bench."""

import pytest
from bench_peers import identity
from command_line import TEXT

from nlmzip.bench import comparison, own, table
from nlmzip.bench.rows import total


def compare(data: bytes, model, others=()):
    return comparison.compare("name", data, own.of_words(model), list(others))


def test_totals_are_sums(tiny_model):
    several = identity("copy", ("a", "b"), (1, 2))
    first, second = (compare(data, tiny_model, [several]) for data in (TEXT, TEXT * 2))
    both = total([first, second])
    assert both.n_bytes == 3 * len(TEXT)
    for added, one, two in zip(both.rows, first.rows, second.rows, strict=True):
        assert added.n_bytes == one.n_bytes + two.n_bytes
        assert added.encode_seconds == one.encode_seconds + two.encode_seconds
        assert (added.model, added.is_own, added.is_default) == (
            one.model, one.is_own, one.is_default
        )  # fmt: skip
    assert both.rows[-1].note == "a"


def test_who_fails_on_one_text_has_no_total():
    first = comparison.compare("one", b"abc", [], [identity("a"), identity("b")])
    second = comparison.compare("two", b"defg", [], [identity("b"), identity("c")])
    assert [(row.contestant, row.n_bytes) for row in total([first, second]).rows] == [("b", 7)]


def test_bits_per_character_only_where_characters_are_not_bytes(tiny_model):
    ascii_lines = table.text_table(compare(TEXT, tiny_model))
    other = compare("die Kühe grasen\n".encode() * 3, tiny_model)
    latin = table.text_table(compare("die Kühe grasen\n".encode("latin-1"), tiny_model))
    assert "bits/character" not in ascii_lines[0] + latin[0]
    assert "bits/character" in table.text_table(other)[0]
    row = other.rows[0]
    assert other.bits_per_character(row) == pytest.approx(other.bpc(row) * 17 / 16)


def test_columns_are_aligned():
    assert table.aligned(["", "bytes"], [["kn", "1"], ["uniform", "12,345"]]) == [
        "          bytes",
        "kn            1",
        "uniform  12,345",
    ]


@pytest.mark.parametrize(
    "value, text",
    [(0.00012345, "0.000123"), (0.5, "0.500"), (12.345, "12.3"), (12345.6, "12,346"), (None, "-")],
)
def test_three_significant_digits(value, text):
    assert table.significant(value) == text
