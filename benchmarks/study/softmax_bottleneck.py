#!/usr/bin/env python3
"""The softmax bottleneck (Yang et al. 2018): the rank of log p(word | context) over 1,000 contexts.

Logits S W + 1 b^T of states S (N, d) leave the matrix of log-probabilities, less a constant for
each row, rank d + 2 at most. Kneser-Ney has no such limit. All in float64 and without a least
probability; the rank counts singular values above the largest times max(N, V) times 2^-52.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.reported import comparison
from benchmarks.study.kneser_ney_orders import KneserNey
from benchmarks.study.network_states import (
    WITH_STATES,
    about_gated,
    log_probabilities,
    networks,
    sentences,
    states,
)
from nlmzip.models import catalogue

#: Ranks that a first study reported, of networks with d = 128 and of Kneser-Ney.
REPORTED = {"kn": "611", "nplm": "130", "rnn": "130"}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser, "text", "train")
    parser.add_argument("--contexts", type=int, default=1000, metavar="N")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    training, text = (sentences(path.read_bytes(), model) for path in (options.train, options.text))
    with harness.Report(__file__, options) as report:
        report.model(model)
        rank_table(report, model, training, text, options.contexts)


def rank_table(report, model, training, text, n_contexts) -> None:
    size = model.card["vocabulary_size"]
    frequent = frequent_contexts(training, size, n_contexts)
    kneser_ney = KneserNey(training, size, order=3)
    matrix = np.log([kneser_ney.probabilities(context) for context in frequent])
    spectrum = singular_values(matrix)
    rank = rank_of(spectrum, matrix.shape)
    report.line(
        f"\n{len(frequent):,} most frequent contexts of training; for networks that read more, different\n"
        f"beginnings of held-out sentences; {size:,} words\n"
    )
    rows = [("kn: rank", REPORTED["kn"], f"{rank:,}", None), gap_row("kn", spectrum, rank)]
    widest = 0
    for part, weights in networks(model, WITH_STATES).items():
        hidden = states_in(part, weights, frequent, text, n_contexts)
        logarithms = log_probabilities(weights, hidden)
        spectrum, width = singular_values(logarithms), hidden.shape[1]
        found = rank_of(spectrum, logarithms.shape)
        name, before = f"{part}: rank, at most d + 2 = {width + 2}", REPORTED.get(part, "-")
        rows.append((name, before, f"{found:,}", found <= width + 2))
        rows.append(gap_row(part, spectrum, found))
        widest = max(widest, width)
    above = rank > widest + 2
    rows.append(("kn's rank above theirs", "yes", "yes" if above else "no", above))
    centred = singular_values(matrix - matrix.mean(axis=1, keepdims=True))
    beyond = (centred[widest + 1 :] ** 2).sum() / (centred**2).sum()
    same = widest == 128  # as wide as the network that it was reported beside
    before, agrees = ("1.48%", beyond < 0.05) if same else ("-", None)
    rows.append((f"kn: energy beyond rank {widest + 1}", before, f"{beyond:.2%}", agrees))
    comparison(report, rows)
    report.line(
        "\ngap: the last singular value that counts and the first that does not.\n"
        "energy: share of the squared Frobenius norm of the row-centred matrix that its best\n"
        "approximation of rank d + 1 leaves. No bound on what the bottleneck costs in nats."
    )
    about_gated(report, model)


def frequent_contexts(text, size: int, n_contexts: int) -> np.ndarray:
    """The most frequent pairs of symbols before a token, <s> is V: (n, 2)."""
    counts = Counter()
    for sentence in text:
        padded = [size, size, *sentence.tolist()]
        counts.update(zip(padded, padded[1:-1]))
    return np.array([context for context, _ in counts.most_common(n_contexts)])


def states_in(part: str, weights: dict, frequent: np.ndarray, text, n_contexts: int) -> np.ndarray:
    """States (n, d) after the frequent pairs; where a pair is not all that is read, after the
    first n_contexts different beginnings of the text's sentences."""
    if part == "nplm" and len(weights["hidden_weights"]) == 2 * weights["embedding"].shape[1]:
        stacked = weights["embedding"][frequent].reshape(len(frequent), -1)
        return np.tanh(stacked @ weights["hidden_weights"] + weights["hidden_bias"])
    known = {}
    for sentence in text:
        for end in range(len(sentence)):
            known.setdefault(tuple(sentence[:end].tolist()), (sentence, end))
    chosen = list(known.values())[:n_contexts]
    return np.array([states(part, weights, sentence)[end] for sentence, end in chosen])


def singular_values(matrix: np.ndarray) -> np.ndarray:
    return np.linalg.svd(matrix, compute_uv=False)


def rank_of(spectrum: np.ndarray, shape: tuple[int, int]) -> int:
    """Singular values that are more than rounding: the numerical rank of a matrix in float64."""
    return int((spectrum > spectrum[0] * max(shape) * np.finfo(float).eps).sum())


def gap_row(name: str, spectrum: np.ndarray, rank: int) -> tuple:
    after = f"{spectrum[rank]:.1e}" if rank < len(spectrum) else "-"
    return f"{name}: gap", "-", f"{spectrum[rank - 1]:.1e}, {after}", None


if __name__ == "__main__":
    harness.run(main)
