#!/usr/bin/env python3
"""The mixing engine without a model on real texts, beside other compressors.

Every archive is decoded and compared.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()

    from nlmzip.bench import comparison, own

    with harness.Report(__file__, options) as report:
        others = report.peers()
        sizes, mixed, rows = [], [], []
        for path in options.files:
            compared = comparison.compare(path.name, path.read_bytes(), own.contestants([]), others)
            for failure in compared.failures:
                report.line(f"{path.name}: {failure}")
            mixed.append(compared.rows[0])
            sizes.append({row.contestant: row.n_bytes for row in compared.rows})
        names = [name for name in sizes[0] if all(name in each for each in sizes)]
        header = ["", "size", *names, "mix, bpc"]
        for path, each in zip(options.files, sizes, strict=True):
            n_bytes = path.stat().st_size
            bpc = 8 * each[own.MIX] / n_bytes
            rows.append([path.name, n_bytes, *(each[name] for name in names), bpc])
        total = ["total", *(sum(column) for column in list(zip(*rows))[1:-1])]
        rows.append([*total, 8 * total[2] / total[1]])
        report.line()
        report.table(header, [[name, *(f"{n:,}" for n in numbers), f"{bpc:.3f}"] for name, *numbers, bpc in rows])
        report.line()
        mix = [row[2] for row in rows[:-1]]
        for place, name in enumerate(header[3:-1], 3):
            smaller = sum(ours < row[place] for ours, row in zip(mix, rows))
            share = 100 * (1 - total[2] / total[place])
            report.line(f"mix is smaller than {name} on {smaller} of {len(mix)} texts, {share:.1f}% in total")
        for name in ("encode", "decode"):
            seconds = sum(getattr(row, f"{name}_seconds") for row in mixed)
            report.line(f"mix: {name} {total[1] / 1e3 / seconds:.0f} KB/s in total")
        report.line()
        report.line("Bytes of whole archives. PPMd: the best of several orders for each text. Not counted:")
        report.line(f"what the engine starts from, {own.engine_bytes():,} bytes in the package, no text in it.")
    return 0


if __name__ == "__main__":
    harness.run(main)
