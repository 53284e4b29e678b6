#!/usr/bin/env python3
"""How much the networks' results depend on the start: training from several seeds.

Trains as `nlmzip train --codec words` does, with the sizes of the shipped model, and measures each
network on the held-out text, static and with dynamic evaluation.
"""

import harness  # first: it finds the environment

import time

import numpy as np
from word_study import mode_name, study

from nlmzip.models import catalogue, model_file
from nlmzip.training import TrainingOptions, train_model

#: What one network of the card and the options of training both name.
SIZES = ("embedding", "hidden", "context")


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser)
    harness.add_text(parser, "train")
    harness.add_text(parser, "dev")
    parser.add_argument("--starts", type=int, default=5, metavar="N", help="seeds 1 to N")
    options = parser.parse_args()
    card = catalogue.load(options.model).card
    sizes = {
        name: card["networks"]["nplm"][name]
        for name in SIZES
        if name in card.get("networks", {}).get("nplm", {})
    }
    data, training, dev = (p.read_bytes() for p in (options.text, options.train, options.dev))
    contestants = [(network, dynamic) for network in ("nplm", "rnn") for dynamic in (False, True)]
    figures = {contestant: [] for contestant in contestants}
    with harness.Report(__file__, options) as report:
        report.line(f"starts with {sizes or 'default sizes'}; nats a token and bpc of archives\n")
        for seed in range(1, options.starts + 1):
            begin = time.monotonic()
            trained = TrainingOptions(name="start", seed=seed, **sizes)
            model = model_file.read(train_model([training], dev, trained))
            report.line(f"start {seed}, trained in {time.monotonic() - begin:.0f} s")
            for contestant in contestants:
                result = study(data, model, *contestant, spelling_cache=False)
                figures[contestant].append((result.nats, result.bpc))
                name = f"{contestant[0]} {mode_name(contestant[1])}"
                report.line(f"  {name:<14} {result.nats:.4f} nats  {result.bpc:.4f} bpc")
        report.line()
        rows = [
            [network, mode_name(dynamic), *spread(column)]
            for (network, dynamic), values in figures.items()
            for column in [np.array(values)]
        ]
        header = [
            f"{unit} {what}" for unit in ("nats", "bpc") for what in ("mean", "sd", "min", "max")
        ]
        report.table(["network", "", *header], rows)


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
