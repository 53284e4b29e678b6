#!/usr/bin/env python3
"""The levels of the mixing engine without a model: sizes, speeds and memory.

Texts are the FILEs, or those that a list of texts (a table whose first column is a path
and whose last one, use, says dev or report) has for one use, without those under edge/.
Speeds are CPU time on one core, beside bz2.compress of the same text in the same run.
"""

import bz2
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from nlmzip.engine.memory import engine
from nlmzip.engine.primed import path as start_path
from nlmzip.engine.primed import shipped
from nlmzip.engine.profiles import DEFAULT, LEVELS
from nlmzip.models.catalogue import NO_MODEL

LARGEST_TEXT = 1 << 30
#: Memory that levels may take, MB, and the least speed in that of bz2.
MOST_MEMORY = {1: 64, DEFAULT: 400, 9: 1200}
LEAST_SPEED = {DEFAULT: 0.01}


def arrays(state):
    """All arrays of an engine."""
    if isinstance(state, tuple):
        return [array for part in state for array in arrays(part)]
    return [] if state is None else [state]


def memory(level) -> float:
    """MB of the arrays of an engine for a large text."""
    return sum(array.nbytes for array in arrays(engine(level.most_slots, shipped(level.start), level.design))) / 1e6


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_texts(parser)
    parser.add_argument("--levels", type=int, nargs="+", default=list(LEVELS), metavar="N")
    parser.add_argument(
        "--decode-up-to", type=int, default=LARGEST_TEXT, metavar="BYTES",
        help="decode only archives of texts up to this size",
    )  # fmt: skip
    options = parser.parse_args()
    files = harness.texts(options)
    texts = [file.read_bytes() for file in files]
    n_bytes = sum(map(len, texts))

    with harness.Report(__file__, options) as report:
        bz2_seconds = sum(harness.seconds_of(bz2.compress, text, 9)[1] for text in texts)
        sizes, rows = {}, []
        for number in options.levels:
            level = LEVELS[number]
            coded = nlmzip.compress(texts[0][:1000], level=number, model=NO_MODEL)  # compiles, too
            nlmzip.decompress(coded)
            sizes[number] = []
            encoding = decoding = decoded = 0
            for text in texts:
                coded, seconds = harness.seconds_of(nlmzip.compress, text, level=number, model=NO_MODEL)
                sizes[number].append(len(coded))
                encoding += seconds
                if len(text) <= options.decode_up_to:
                    again, seconds = harness.seconds_of(nlmzip.decompress, coded)
                    assert again == text, number
                    decoding += seconds
                    decoded += len(text)
            total, speed = sum(sizes[number]), n_bytes / encoding
            rows.append([
                f"-{number}", f"{total:,}", f"{8 * total / n_bytes:.3f}", f"{speed / 1e3:.0f}",
                f"{decoded / decoding / 1e3:.0f}" if decoded else "",
                f"{speed * bz2_seconds / n_bytes:.4f}", f"{memory(level):.0f}",
                f"{start_path(level.start).stat().st_size:,}",
            ])  # fmt: skip
        report.line(f"\n{len(texts)} texts, {n_bytes:,} bytes; bz2 codes {n_bytes / bz2_seconds / 1e3:,.0f} KB/s\n")
        report.table(
            ["level", "bytes", "bpc", "encode KB/s", "decode KB/s", "bz2's speeds", "memory, MB", "start, bytes"],
            rows,
        )  # fmt: skip
        report.line()
        report.table(
            ["", "original", *(f"-{number}" for number in sizes)],
            [
                [file.name, f"{len(text):,}", *(f"{size:,}" for size in of_file)]
                for file, text, *of_file in zip(files, texts, *sizes.values())
            ],
        )
        report.line()
        for row, number in zip(rows, sizes):
            if number in MOST_MEMORY:
                met = float(row[6]) <= MOST_MEMORY[number]
                report.line(f"-{number}: at most {MOST_MEMORY[number]} MB: {'met' if met else 'MISSED'}")
            if number in LEAST_SPEED:
                met = float(row[5]) >= LEAST_SPEED[number]
                report.line(f"-{number}: at least {LEAST_SPEED[number]} of bz2's speed: {'met' if met else 'MISSED'}")
    return 0


if __name__ == "__main__":
    harness.run(main)
