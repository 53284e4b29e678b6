#!/usr/bin/env python3
"""How many numbers the networks learn, by formula and in their arrays, and where the work goes.

NPLM of n - 1 words (Bengio et al. 2003): V d + (n - 1) d h + h + V h + V, and V (n - 1) d more
with direct connections, which ours has not. Our tables have a row more for <s>, so d more.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.study.network_states import NETWORKS
from nlmzip.models import catalogue
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.nplm import Nplm


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    options = parser.parse_args()
    model = catalogue.load(options.model)
    with harness.Report(__file__, options) as report:
        report.model(model)
        count_table(report, model)


def count_table(report, model) -> None:
    brown = {"vocabulary_size": 16_383, "embedding": 30, "hidden": 100, "context": 4}
    study = {"vocabulary_size": 3427, "embedding": 64, "hidden": 128}
    configurations = [
        (
            "nplm, Brown corpus (Bengio et al. 2003)",
            "2,158,273",
            nplm_parts(**brown),
            arrays_of(Nplm(**brown)),
        ),
        ("nplm, first study", "677,987", nplm_parts(**study), arrays_of(Nplm(**study))),
        ("rnn, first study", "686,179", elman_parts(**study), arrays_of(Elman(**study))),
    ]
    for part in NETWORKS:
        arrays = model.section(part)
        if arrays:
            rows, width = arrays["embedding"].shape
            sizes = {
                "vocabulary_size": rows - 1,
                "embedding": width,
                "hidden": len(arrays["hidden_bias"]),
            }
            if part == "nplm":
                sizes["context"] = len(arrays["hidden_weights"]) // width
            formula = nplm_parts(**sizes) if part == "nplm" else elman_parts(**sizes)
            configurations.append((f"{part}, model {model.name}", "-", formula, arrays))
    rows = []
    for name, before, formula, arrays in configurations:
        total, found = sum(formula), sum(array.size for array in arrays.values())
        start_row = arrays["embedding"].shape[1]
        assert found == total + start_row, "a network has other arrays than its formula"
        inner, output = products(arrays)
        rows.append([
            name, before, *(f"{each:,}" for each in formula), f"{total:,}", f"{found:,}",
            "-" if before == "-" else "yes" if before in (f"{total:,}", f"{found:,}") else "no",
            f"{formula[2] / total:.1%}", f"{output / (inner + output):.1%}",
        ])  # fmt: skip
    report.line()
    report.table(
        ["", "reported before", "embeddings", "hidden", "output", "formula", "in arrays", "agrees",
         "output's share", "of multiply-adds"],
        rows,
    )  # fmt: skip
    report.line(
        "\nThe count for the Brown corpus was reported without the row of <s>, the two below it with.\n"
        f"A table of 5-grams over V = 16,383 would have {16_383**5:.1e} entries."
    )


def nplm_parts(vocabulary_size, embedding, hidden, context=2) -> tuple[int, int, int]:
    """Numbers in the embeddings, without <s>, in the hidden layer and in the output layer."""
    inner = context * embedding * hidden + hidden
    return vocabulary_size * embedding, inner, vocabulary_size * (hidden + 1)


def elman_parts(vocabulary_size, embedding, hidden) -> tuple[int, int, int]:
    """The same of an Elman network: its hidden layer reads a word and the state."""
    inner = (embedding + hidden) * hidden + hidden
    return vocabulary_size * embedding, inner, vocabulary_size * (hidden + 1)


def arrays_of(network) -> dict[str, np.ndarray]:
    return network.initial_weights(np.random.default_rng(1))


def products(arrays: dict) -> tuple[int, int]:
    """Multiply-adds a token, of the matrices below the output and of the output's own."""
    below = sum(
        a.size
        for n, a in arrays.items()
        if a.ndim == 2 and n not in ("embedding", "output_weights")
    )
    return below, arrays["output_weights"].size


if __name__ == "__main__":
    harness.run(main)
