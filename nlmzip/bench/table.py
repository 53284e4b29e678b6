"""Comparisons as aligned text, JSON or CSV; called by cli/bench.py and by benchmarks/."""

import csv
import io
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from .peer import BY_DIFFERENCE, GIVEN
from .rows import Comparison, Row

DASH = "-"

_NOTE_WIDTH = 88

#: What the bits of an archive of ours go to.
KINDS = ("words", "spelling", "other")


@dataclass(frozen=True)
class Setting:
    """What a comparison was made with, for the notes below a table and for programs.

    engine_bytes: of what the mixing engine starts from. models: "name", "bytes" and
    "sha256" of each. training_bytes: of the training text, None without one. versions: of
    each peer. absent: names of the peers that are not here. threads: of our own rows; the others
    have one each.
    """

    engine_bytes: int
    models: list[dict] = field(default_factory=list)
    training_bytes: int | None = None
    versions: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    threads: int = 1


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


def text_table(comparison: Comparison) -> list[str]:
    """Lines of the table of a text; what `nlmzip encode` does is marked with a star."""
    with_characters = comparison.n_characters not in (None, comparison.n_bytes)
    with_kinds = any(row.bits for row in comparison.rows)
    header = ["", "bytes", "bpc", *(["bits/character"] if with_characters else [])]
    header += ["encode s", "decode s", "encode MB/s", "decode MB/s", *(KINDS if with_kinds else [])]
    rows = []
    for row in comparison.rows:
        seconds = row.encode_seconds, row.decode_seconds
        kinds = (comparison.bits_per_byte(row, kind) for kind in KINDS)
        rows.append([
            f"{row.label} *" if row.is_default else row.label,
            f"{row.n_bytes:,}",
            fixed(comparison.bpc(row), 4),
            *([fixed(comparison.bits_per_character(row), 4)] if with_characters else []),
            *(significant(each) for each in seconds),
            *(significant(comparison.megabytes_per_second(each)) for each in seconds),
            *((fixed(each, 4) for each in kinds) if with_kinds else []),
        ])  # fmt: skip
    return aligned(header, rows)


def footnotes(setting: Setting, rows: Sequence[Row]) -> list[str]:
    """What the figures count and what they leave out."""
    starred = any(row.is_default for row in rows)
    with_model = any(row.is_default and row.model for row in rows)
    notes = ["* what `nlmzip encode` does " + ("with the model." if with_model else "by itself.")]
    notes = notes if starred else []
    notes += [
        "Every archive was decoded and compared. bpc = 8 * bytes / bytes of the text; bytes is",
        "the whole file. Not counted is what is installed beside it: the mixing engine's start,",
        f"{setting.engine_bytes:,} bytes, which holds no text" + (";" if setting.models else "."),
    ]
    for number, model in enumerate(setting.models, 1):
        end = "." if number == len(setting.models) else ";"
        about = f"{model['bytes']:,} bytes (SHA-256 {model['sha256'][:16]})"
        notes.append(f"the model {model['name']}, {about}{end}")
    if any(row.bits for row in rows):
        notes += [
            "words, spelling, other (letter case and gaps): bits of the payload for each byte of",
            "the text.",
        ]
    if setting.training_bytes is not None:
        notes += [
            f"{GIVEN.capitalize()} ({setting.training_bytes:,} bytes, not counted either):",
            f"{BY_DIFFERENCE}, the length of both compressed together less that of the training",
            "text alone, since the program takes no dictionary; prefix, the training text as the",
            "dictionary of zstd; a dictionary trained on it is what zstd's trainer makes of it, in",
            "time that is not counted. Seconds are of the training text or dictionary and the text.",
        ]
    if setting.threads > 1:
        notes.append(f"Our own rows were coded on {setting.threads} threads, the others on one each.")
    if setting.versions:
        notes += textwrap.wrap(f"Versions: {versions_text(setting.versions)}.", _NOTE_WIDTH)
    return notes


def versions_text(versions: dict[str, str]) -> str:
    """Peers with their versions, those of the same version together."""
    names = {version: [] for version in versions.values()}
    for name, version in versions.items():
        names[version].append(name)
    return "; ".join(f"{', '.join(same)}: {version}" for version, same in names.items())


def record(comparison: Comparison, row: Row) -> dict:
    """A row as JSON values, unrounded; None where there is no such figure."""
    bits = row.bits or {}
    return {
        "contestant": row.contestant,
        "note": row.note,
        "model": row.model,
        "given_training_text": row.is_given,
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


def json_value(comparisons: list[Comparison], setting: Setting) -> dict:
    """All comparisons as one JSON value."""
    return {
        "engine_bytes": setting.engine_bytes,
        "models": setting.models,
        "training_bytes": setting.training_bytes,
        "versions": setting.versions,
        "absent": setting.absent,
        "threads": setting.threads,
        "texts": [
            {
                "file": comparison.name,
                "bytes": comparison.n_bytes,
                "characters": comparison.n_characters,
                "rows": [record(comparison, row) for row in comparison.rows],
                "failures": comparison.failures,
            }
            for comparison in comparisons
        ],
    }


def csv_text(comparisons: list[Comparison]) -> str:
    """All comparisons as CSV, a line for each text and contestant."""
    lines = [
        {"file": comparison.name, "text_bytes": comparison.n_bytes, **record(comparison, row)}
        for comparison in comparisons
        for row in comparison.rows
    ]
    output = io.StringIO()
    writer = csv.DictWriter(output, lines[0] if lines else ["file"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return output.getvalue()
