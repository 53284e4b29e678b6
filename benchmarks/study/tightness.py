#!/usr/bin/env python3
"""Whether sentences of a network end: the least probability of </s> that can be, and that is.

The states of a tanh layer, an LSTM or a GRU stay within [-1, 1], so p(</s> | h) >= epsilon > 0
for all of them: no probability leaks to sentences without an end (tight: Du et al. 2023). Epsilon
is the bound by Hoelder's inequality; beside it stands the least p(</s>) along the held-out sentences.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.reported import comparison
from benchmarks.study.network_states import (
    WITH_STATES,
    about_gated,
    log_probabilities_of,
    networks,
    sentences,
    states,
)
from nlmzip.models import catalogue
from nlmzip.text.vocabulary import SENTENCE_END


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser)
    options = parser.parse_args()
    model = catalogue.load(options.model)
    text = sentences(options.text.read_bytes(), model)
    with harness.Report(__file__, options) as report:
        report.model(model)
        tightness_table(report, model, text)


def tightness_table(report, model, text) -> None:
    tokens = np.concatenate(text)
    ends = tokens == SENTENCE_END
    for part, weights in networks(model, WITH_STATES).items():
        bound = log_epsilon(weights)
        ending = log_ending(weights, states(part, weights, tokens))
        least = ending.min()
        report.line(f"\n{part}, {len(text):,} held-out sentences\n")
        before = part == "rnn"
        comparison(report, [
            ("epsilon", "7.1e-17" if before else "-", f"{np.exp(bound):.1e}", bound > -np.inf if before else None),
            ("least p(</s>) on the way", "far above" if before else "-", f"{np.exp(least):.1e}",
             least > bound + np.log(100) if before else None),
            ("median p(</s>) inside sentences", "-", f"{np.exp(np.median(ending[~ends])):.1e}", None),
            ("median p(</s>) at their ends", "-", f"{np.exp(np.median(ending[ends])):.2f}", None),
            ("tokens until half have ended: bound", "-", f"{np.log(2) / np.exp(bound):.1e}", None),
            ("tokens until half have ended: text", "-", f"{np.median([*map(len, text)]):.0f}", None),
        ])  # fmt: skip
    report.line(
        "\nThe bound is true, so no probability is lost to sentences without an end, and it says\n"
        "nothing of their length: it lets every unit work against </s> at once."
    )
    about_gated(report, model)


def log_epsilon(weights: dict) -> float:
    """log of (sum_j exp(|W_j - W_eos|_1 + b_j - b_eos))^-1, over columns W_j of (h, V)."""
    matrix, bias = weights["output_weights"], weights["output_bias"]
    exponents = np.abs(matrix - matrix[:, [SENTENCE_END]]).sum(axis=0) + bias - bias[SENTENCE_END]
    largest = exponents.max()
    return float(-largest - np.log(np.exp(exponents - largest).sum()))


def log_ending(weights: dict, hidden: np.ndarray) -> np.ndarray:
    """log p(</s>) in each state (N, h): (N,)."""
    return log_probabilities_of(SENTENCE_END, weights, hidden)


if __name__ == "__main__":
    harness.run(main)
