"""Comparisons as aligned text, JSON or CSV; called by cli/bench.py and by benchmarks/."""

import csv
import io
import math
from collections.abc import Sequence

from .measurement import GIVEN, Comparison, Row

DASH = "-"

#: What the bits of an archive of ours go to.
KINDS = ("words", "spelling", "other")


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, the others to the right."""
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def fixed(value: float | None, digits: int) -> str:
    """A number with so many digits after the point, or a dash."""
    return DASH if value is None else f"{value:,.{digits}f}"


def significant(value: float | None, digits: int = 3) -> str:
    """A number with about so many digits in all, never with an exponent, or a dash."""
    if value is None:
        return DASH
    magnitude = math.floor(math.log10(value)) if value > 0 else 0
    return f"{value:,.{min(max(digits - 1 - magnitude, 0), 6)}f}"


def text_table(comparison: Comparison, default: str = "") -> list[str]:
    """Lines of the table of a text; the contestant called `default` is marked with a star."""
    with_characters = comparison.n_characters not in (None, comparison.n_bytes)
    header = ["", "bytes", "bpc", *(["bits/character"] if with_characters else [])]
    header += ["encode s", "decode s", "encode MB/s", "decode MB/s", *KINDS]
    rows = []
    for row in comparison.rows:
        name = row.contestant + (f" ({row.note})" if row.note else "")
        seconds = row.encode_seconds, row.decode_seconds
        kinds = (comparison.bits_per_byte(row, kind) for kind in KINDS)
        rows.append([
            f"{name} *" if row.contestant == default else name,
            f"{row.n_bytes:,}",
            fixed(comparison.bpc(row), 4),
            *([fixed(comparison.bits_per_character(row), 4)] if with_characters else []),
            *(significant(each) for each in seconds),
            *(significant(comparison.megabytes_per_second(each)) for each in seconds),
            *(fixed(each, 4) for each in kinds),
        ])  # fmt: skip
    return aligned(header, rows)


def footnotes(
    comparison: Comparison, model: dict | None, training: dict | None, engine_bytes: int
) -> list[str]:
    """What the figures count and what they leave out.

    model: "name", "bytes", "sha256", if there is a model; training: "bytes", if there is a
    training text; engine_bytes: of what the mixing engine starts from.
    """
    notes = [
        "* what `nlmzip encode` does " + ("with this model." if model else "by itself."),
        "Every archive was decoded and compared. bpc = 8 * bytes / bytes of the text; bytes is",
        "the whole file. Not counted is what is installed beside it: the mixing engine's start,",
        f"{engine_bytes:,} bytes, which holds no text" + (";" if model else "."),
    ]
    if model:
        notes += [
            f"the model {model['name']}, {model['bytes']:,} bytes (SHA-256 {model['sha256'][:16]}).",
            "words, spelling, other (letter case and gaps): bits of the payload for each byte of",
            "the text.",
        ]
    if training:
        notes += [
            f"{GIVEN.capitalize()} ({training['bytes']:,} bytes, not counted either):",
            "the length of both compressed together less that of the training text alone; for zstd",
            "with it as a raw-content dictionary where that is less.",
        ]
    return notes


def record(comparison: Comparison, row: Row) -> dict:
    """A row as JSON values, unrounded; None where there is no such figure."""
    bits = row.bits or {}
    return {
        "contestant": row.contestant,
        "note": row.note,
        "bytes": row.n_bytes,
        "bpc": comparison.bpc(row),
        "bits_per_character": comparison.bits_per_character(row),
        "encode_seconds": row.encode_seconds,
        "decode_seconds": row.decode_seconds,
        "encode_megabytes_per_second": comparison.megabytes_per_second(row.encode_seconds),
        "decode_megabytes_per_second": comparison.megabytes_per_second(row.decode_seconds),
        "word_bits": bits.get("words"),
        "spelling_bits": bits.get("spelling"),
        "other_bits": bits.get("other"),
    }


def json_value(comparisons: list[Comparison], model: dict | None, training: dict | None) -> dict:
    """All comparisons as one JSON value."""
    return {
        "model": model,
        "training_text": training,
        "texts": [
            {
                "file": comparison.name,
                "bytes": comparison.n_bytes,
                "characters": comparison.n_characters,
                "rows": [record(comparison, row) for row in comparison.rows],
            }
            for comparison in comparisons
        ],
    }


def csv_text(comparisons: list[Comparison], model: dict | None) -> str:
    """All comparisons as CSV, a line for each text and contestant."""
    lines = [
        {
            "file": comparison.name,
            "text_bytes": comparison.n_bytes,
            "model": model["name"] if model else "",
            **record(comparison, row),
        }
        for comparison in comparisons
        for row in comparison.rows
    ]
    output = io.StringIO()
    writer = csv.DictWriter(output, lines[0] if lines else ["file"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return output.getvalue()
