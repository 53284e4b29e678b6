#!/usr/bin/env python3
"""How much the networks' results depend on the start: training from several seeds.

Trains as `nlmzip train --codec words` does, without options and with those that the dev text chooses
in networks.py, and measures each predictor on the held-out text, static and with dynamic evaluation.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.finance_source import source_bits
from benchmarks.shared.word_study import mode_name, study
from nlmzip.models import model_file
from nlmzip.training import TrainingOptions, train_model

#: What is asked of training, and the predictors that are measured.
DESIGNS = {
    "": ({}, ("nplm", "rnn")),
    "--head mos": ({"predictors": ("rnn+gru",), "head": "mos"}, ("gru", "gru+rnn", "kn+rnn+gru")),
}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_text(parser, "text", "train", "dev")
    parser.add_argument("--starts", type=int, default=5, metavar="N", help="seeds 1 to N")
    options = parser.parse_args()
    data, training, dev = (p.read_bytes() for p in (options.text, options.train, options.dev))
    source = source_bits(data)
    figures = {}
    with harness.Report(__file__, options) as report:
        report.line("nats a token and bpc of archives\n")
        for seed in range(1, options.starts + 1):
            report.line(f"start {seed}")
            for design, (asked, predictors) in DESIGNS.items():
                begin = time.monotonic()
                trained = TrainingOptions(name="start", seed=seed, **asked)
                model = model_file.read(train_model([training], dev, trained))
                report.line(f"  trained in {time.monotonic() - begin:.0f} s")
                for predictor in predictors:
                    for dynamic in (False, True):
                        result = study(data, model, predictor, dynamic, spelling_cache=False)
                        contestant = (f"{predictor} {design}".strip(), mode_name(dynamic))
                        figures.setdefault(contestant, []).append((result.nats, result.bpc))
                        name = " ".join(contestant)
                        report.line(f"    {name:<26} {result.nats:.4f} nats  {result.bpc:.4f} bpc")
        report.line()
        rows = []
        for contestant, values in figures.items():
            column = np.array(values)
            rows.append([*contestant, *spread(column)])
            if source:
                gap = column[:, 1].mean() - float(source.token_bits.sum()) / len(data)
                rows[-1].append(f"{gap:+.4f}")
        header = [
            f"{unit} {what}" for unit in ("nats", "bpc") for what in ("mean", "sd", "min", "max")
        ]
        gap = ["bpc - source"] if source else []
        report.table(["network", "", *header, *gap], rows)


def spread(values: np.ndarray) -> list[str]:
    """Mean, standard deviation (n - 1), least and largest of each column of values (n, 2)."""
    return [
        f"{figure:.4f}"
        for column in values.T
        for figure in (
            column.mean(),
            column.std(ddof=1) if len(column) > 1 else float("nan"),
            column.min(),
            column.max(),
        )
    ]


if __name__ == "__main__":
    harness.run(main)
