#!/usr/bin/env python3
"""Weight decay on a tiny text: training and held-out perplexity with and without it.

A network of characters (the NPLM of Bengio et al. 2003, which decayed its weights but not its
biases) on the first 435 words of the training text, for far more epochs than it needs; then
the loss of networks that have not learnt yet against log V.
"""

import math
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.reported import comparison
from benchmarks.study.kneser_ney_orders import KneserNey
from benchmarks.study.watched import train
from nlmzip.models import catalogue
from nlmzip.text.vocabulary import FIRST_WORD, SENTENCE_END
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.fit.fit import Schedule

N_WORDS = 435
HELD_OUT_CHARACTERS = 5000
DECAYS = (0.0, 0.1, 0.3, 1.0, 3.0)
ORDERS = (2, 3, 4, 5)
ADDED = (0.003, 0.01, 0.03, 0.1, 0.3)
SIZES = {"embedding": 10, "hidden": 64, "context": 4, "batch_size": 64}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser, "text", "train")
    parser.add_argument("--epochs", type=int, default=300, metavar="N")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    training = beginning(options.train.read_bytes(), N_WORDS)
    held_out = options.text.read_bytes()[:HELD_OUT_CHARACTERS]
    with harness.Report(__file__, options) as report:
        decay_table(report, training, held_out, options.epochs)
        start_table(report, model)


def beginning(data: bytes, n_words: int) -> bytes:
    """The text's first lines of at least so many words together."""
    lines, found = [], 0
    for line in data.splitlines(keepends=True):
        if found >= n_words:
            break
        lines.append(line)
        found += len(line.split())
    return b"".join(lines)


def characters(data: bytes, known: list[int]) -> np.ndarray:
    """A text's characters as symbols (N,) int32: line ends are </s>, those not known <unk>."""
    symbols = {ord("\n"): SENTENCE_END, **{each: n for n, each in enumerate(known, FIRST_WORD)}}
    return np.array([symbols.get(each, 0) for each in data], np.int32)


def decay_table(report, training: bytes, held_out: bytes, n_epochs: int) -> None:
    known = sorted(set(training) - {ord("\n")})
    tokens, dev = (characters(text, known) for text in (training, held_out))
    size = FIRST_WORD + len(known)
    report.line(
        f"{len(training.split())} words, {len(tokens):,} characters of {size - 1} kinds; held out"
        f" {len(dev):,} characters;\nperplexity a character, {n_epochs} epochs\n"
    )
    network = Nplm(size, **SIZES)
    rows, found = [], {}
    for decay in DECAYS:
        schedule = Schedule(n_epochs, weight_decay=decay, patience=n_epochs)
        fitted, epochs = train(network, tokens, dev, schedule, 1, dropout=False)
        learnt = perplexity(network.log_probabilities(epochs[-1], tokens))
        dev_perplexities = np.exp(fitted.dev_losses)
        found[decay] = dev_perplexities.min(), dev_perplexities[-1], learnt
        rows.append([
            f"nplm, weight decay {decay}", f"{learnt:.2f}", f"{dev_perplexities.min():.2f}",
            str(fitted.best_epoch), f"{dev_perplexities[-1]:.2f}",
        ])  # fmt: skip
    added = {
        (order, k): add_k_perplexity(dev, tokens, size, order, k) for order in ORDERS for k in ADDED
    }
    order, k = min(added, key=added.get)
    learnt = add_k_perplexity(tokens, tokens, size, order, k)
    rows.append(
        [f"add {k}, {order}-gram: the best", f"{learnt:.2f}", f"{added[order, k]:.2f}", "-", "-"]
    )
    for order in ORDERS:
        each = [kneser_ney_perplexity(text, tokens, size, order) for text in (tokens, dev)]
        rows.append([f"Kneser-Ney, {order}-gram", f"{each[0]:.2f}", f"{each[1]:.2f}", "-", "-"])
    report.table(["", "training", "held out, best", "at epoch", "in the end"], rows)
    best = min(found, key=lambda decay: found[decay][1])
    counted = min(added.values())
    without, decayed = found[0.0], found[best]
    report.line()
    comparison(report, [
        ("held out without decay: best, in the end", "5.1, above 10", f"{without[0]:.2f}, {without[1]:.2f}",
         without[1] > 1.1 * without[0]),
        (f"held out with decay in the end (here {best})", "4.5 to 4.6", f"{decayed[1]:.2f}", decayed[1] < without[0]),
        ("the best add-k n-gram held out", "4.87", f"{counted:.2f}", decayed[1] < counted),
        ("training: without decay, with", "lower without", f"{without[2]:.2f}, {decayed[2]:.2f}",
         without[2] < decayed[2]),
    ])  # fmt: skip
    report.line(
        "\nThe perplexities differ as the texts do: that one was a story of 26 letters. The n-gram was\n"
        "one that adds k to its counts. Kneser-Ney does better than the network on this text, which\n"
        "is made from templates, so that what repeats is long."
    )


def perplexity(log_probabilities: np.ndarray) -> float:
    return math.exp(-log_probabilities.mean(dtype=float))


def add_k_perplexity(
    text: np.ndarray, training: np.ndarray, size: int, order: int, k: float
) -> float:
    """Of a text (N,) with p(w | c) = (n(c w) + k) / (n(c) + k V), counted in the training text."""

    def grams(tokens):
        for line in lines(tokens):
            padded = [size] * (order - 1) + line.tolist()
            yield from zip(*(padded[first:] for first in range(order)))

    counts = Counter(grams(training))
    contexts = Counter(gram[:-1] for gram in grams(training))
    chances = [(counts[gram] + k) / (contexts[gram[:-1]] + k * size) for gram in grams(text)]
    return perplexity(np.log(chances))


def kneser_ney_perplexity(text: np.ndarray, training: np.ndarray, size: int, order: int) -> float:
    """Of a text (N,) under Kneser-Ney counted in the training text, line by line."""
    kneser_ney = KneserNey(lines(training), size, order)
    logarithms = []
    for line in lines(text):
        padded = [size] * (order - 1) + line.tolist()
        for place, symbol in enumerate(line, order - 1):
            logarithms.append(math.log(kneser_ney.probabilities(padded[:place])[symbol]))
    return perplexity(np.array(logarithms))


def lines(tokens: np.ndarray) -> list[np.ndarray]:
    """Cut after each </s>; the last line may lack it."""
    cut = np.split(tokens, np.flatnonzero(tokens == SENTENCE_END) + 1)
    return [line for line in cut if len(line)]


def start_table(report, model) -> None:
    """The mean loss over random tokens of networks as they begin."""
    random = np.random.default_rng(1)
    networks = {
        "nplm, 28 characters": Nplm(28, **SIZES),
        f"nplm, the sizes of {model.name}": Nplm(model.card["vocabulary_size"]),
        f"rnn, the sizes of {model.name}": Elman(model.card["vocabulary_size"]),
    }
    rows = []
    for name, network in networks.items():
        tokens = random.integers(0, network.vocabulary_size, 2000).astype(np.int32)
        weights = network.initial_weights(random)
        loss = -network.log_probabilities(weights, tokens).mean(dtype=float)
        expected = math.log(network.vocabulary_size)
        rows.append(
            (
                f"{name}: log V {expected:.4f}",
                "log V",
                f"{loss:.4f}",
                abs(loss - expected) < 0.01,
            )
        )
    report.line("\nnats a token before training\n")
    comparison(report, rows)


if __name__ == "__main__":
    harness.run(main)
