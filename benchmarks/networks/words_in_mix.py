#!/usr/bin/env python3
"""What word models buy in the mixture: Kneser-Ney, the best network, and both, on each text.

The model of words should be trained on text of the same kind as the files, and on nothing
of them; where the engine has a model of its own, on the same text as that one. --first takes
the beginning of each file only. Every archive is decoded and compared.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from nlmzip.bench.own import MIX, Own, engine_with, measure
from nlmzip.models import catalogue, settings
from nlmzip.models.modes import modes, name_of_mode


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    harness.add_model(parser)
    parser.add_argument("--engine", metavar="NAME|PATH", help="a model of bytes for the engine")
    parser.add_argument("--first", type=int, metavar="N", help="bytes of each file")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    with harness.Report(__file__, options) as report:
        report.model(model)
        chosen = choose(model)
        totals = [0] * (len(chosen) + 1)
        rows = []
        for path in options.files:
            data = path.read_bytes()[: options.first]
            sizes = compare(data, model, chosen, options.engine)
            totals = [total + size for total, size in zip(totals, sizes, strict=True)]
            rows.append(row_of(path.name, len(data), sizes))
        rows.append(row_of("total", sum(int(row[1].replace(",", "")) for row in rows), totals))
        names = [name_of_mode(*each) for each in chosen]
        report.line()
        report.table(["", "size", "mix", *(cell for name in names for cell in (name, ""))], rows)
        report.line(
            "\nBytes of whole archives, and how much smaller they are than the engine's alone.\n"
            "Not counted is what lies beside them: the model, and what the engine starts from."
        )


def choose(model) -> list[tuple[str, bool]]:
    """Kneser-Ney, the best network alone, and the best of both, as their dev text has them."""
    known = [each for each in modes(model) if each[0] != "uniform"]

    def best(fits) -> tuple[str, bool]:
        return min(
            (each for each in known if fits(settings.parts_of(each[0]))),
            key=lambda each: settings.tuned(model, *each)["dev_nats"],
        )

    return [
        best(lambda parts: parts == ["kn"]),
        best(lambda parts: "kn" not in parts),
        best(lambda parts: "kn" in parts and len(parts) > 1),
    ]


def compare(data: bytes, model, chosen: list[tuple[str, bool]], engine: str | None = None) -> list[int]:
    """Archive bytes of the engine alone, and with each of these predictors."""
    sizes = [measure(Own(MIX, {"model": engine or catalogue.NO_MODEL}), data).n_bytes]
    for predictor, dynamic in chosen:
        row = measure(engine_with(model, predictor, dynamic, engine), data)
        sizes.append(row.n_bytes)
    return sizes


def row_of(name: str, n_bytes: int, sizes: list[int]) -> list[str]:
    alone, *others = sizes
    cells = (cell for size in others for cell in (f"{size:,}", f"{100 * (size / alone - 1):+.1f}%"))
    return [name, f"{n_bytes:,}", f"{alone:,}", *cells]


if __name__ == "__main__":
    harness.run(main)
