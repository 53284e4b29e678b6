#!/usr/bin/env python3
"""What each network buys in the mixture, static and learning as it codes: the finance held-out text.

On the engine without a model, and with a model of bytes that was trained on the same text as
the networks. Networks of words and of bytes, trained as `nlmzip train --codec words` does. Every
archive is decoded and compared.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from nlmzip.bench.own import MIX, Own, engine_with, measure
from nlmzip.models import catalogue, model_file
from nlmzip.training import TrainingOptions, train_model
from nlmzip.training.counts.train import CountsOptions, train_counts
from nlmzip.training.pipeline import Silent

NETWORKS = ("nplm", "rnn", "lstm", "gru", "mgu")
#: What is trained together, and the predictors that are measured of it.
MODELS = {
    "of words": ({"predictors": ("nplm+rnn+lstm+gru+mgu",)}, ("kn", *NETWORKS, "kn+nplm+rnn+lstm+gru+mgu")),
    "of words, --head mos": ({"predictors": ("gru",), "head": "mos"}, ("gru", "kn+gru")),
    "of bytes": (
        {"predictors": ("nplm+rnn+lstm+gru+mgu",), "symbols": "bytes"},
        ("kn", *NETWORKS, "kn+nplm+rnn+lstm+gru+mgu"),
    ),
}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_text(parser, "text", "train", "dev")
    parser.add_argument("--epochs", type=int, default=8, metavar="N")
    parser.add_argument("--first", type=int, metavar="N", help="bytes of the text")
    options = parser.parse_args()
    data, training, dev = (p.read_bytes() for p in (options.text, options.train, options.dev))
    data = data[: options.first]
    with harness.Report(__file__, options) as report:
        counts = train_counts([training], dev, CountsOptions("counts"), Silent())
        engines = (None, model_file.read(counts))
        alone = [
            measure(Own(MIX, {"model": engine or catalogue.NO_MODEL}), data).n_bytes for engine in engines
        ]
        report.line(f"{options.epochs} epochs; bytes of archives of {len(data):,}, and less than the engine's\n")
        rows = [["the engine alone", "", *(cell for size in alone for cell in (f"{size:,}", "", "", ""))]]
        for kind, (asked, predictors) in MODELS.items():
            chosen = TrainingOptions("networks", epochs=options.epochs, **asked)
            model = model_file.read(train_model([training], dev, chosen))
            for predictor in predictors:
                row = [predictor, kind]
                for engine, size in zip(engines, alone, strict=True):
                    for dynamic in (False, True):
                        row += cells(model, predictor, dynamic, engine, data, size)
                rows.append(row)
        modes = ("static", "", "dynamic", "")
        report.table(["", "", *modes, *modes], rows)
        report.line(
            f"\nFirst on the engine without a model, then on one with a model of bytes ({len(counts):,} bytes)\n"
            "trained on the same text. Not counted is what lies beside the archives: models and starts."
        )


def cells(model, predictor: str, dynamic: bool, engine, data: bytes, alone: int) -> list[str]:
    """Bytes of the archive, and the percentage that they are less than without the predictor."""
    if dynamic and predictor == "kn":
        return ["-", ""]
    size = measure(engine_with(model, predictor, dynamic, engine), data).n_bytes
    return [f"{size:,}", f"{100 * (size / alone - 1):+.1f}%"]


if __name__ == "__main__":
    harness.run(main)
