#!/usr/bin/env python3
"""The mixing engine without a model on real texts, beside other compressors.

Every archive of ours is decoded and compared. zpaq takes part where the program is
installed (it is run with -m5 and one thread, and its archive is not decoded here).
"""

import tempfile
from pathlib import Path

import harness


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()

    from nlmzip.bench import measurement

    with harness.Report(__file__, options) as report:
        others = report.peers()
        header, rows, mixed = [], [], []
        for path in options.files:
            data = path.read_bytes()
            comparison = measurement.compare(path.name, data, None, others)
            mixed.append(comparison.rows[0])
            sizes = {row.contestant: row.n_bytes for row in comparison.rows}
            zpaq = zpaq_size(path)
            if zpaq:
                sizes["zpaq -m5"] = zpaq
            bpc = 8 * sizes[measurement.MIX] / len(data)
            header = ["", "size", *sizes, "mix, bpc"]
            rows.append([path.name, len(data), *sizes.values(), bpc])
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
        report.line(f"what the engine starts from, {measurement.engine_bytes():,} bytes in the package, no text in it.")
    return 0


def zpaq_size(path: Path) -> int | None:
    """Bytes of an archive made by `zpaq -m5`, None where there is no such program."""
    import shutil
    import subprocess

    program = shutil.which("zpaq")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "archive.zpaq"
        command = [program, "add", str(made), str(path), "-method", "5", "-threads", "1"]
        subprocess.run(command, check=True, capture_output=True)
        return made.stat().st_size


if __name__ == "__main__":
    harness.run(main)
