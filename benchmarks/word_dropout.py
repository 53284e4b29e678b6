#!/usr/bin/env python3
"""Word dropout on and off: what a network makes of words that it has never seen.

<unk> is no target in the training text as it is, so maximum likelihood drives its probability
to zero. With word dropout half the words seen once are <unk> (Kiperwasser and Goldberg 2016).
Networks of the shipped model's sizes are trained both ways and measured after one epoch and
after the one chosen on dev, on held-out text and on a text of another kind.
"""

import harness  # first: it finds the environment

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from filings_table import plain_words
from network_states import comparison, sentences, states
from watched import train

from nlmzip.models import catalogue
from nlmzip.text.vocabulary import UNKNOWN
from nlmzip.training import output_layer
from nlmzip.training.elman import Elman
from nlmzip.training.nplm import Nplm
from nlmzip.training.pipeline import SCHEDULES
from nlmzip.training.word_dropout import RATE, seen_once


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    for name in ("text", "train", "dev"):
        harness.add_text(parser, name)
    parser.add_argument(
        "--other", type=Path, default=harness.ROOT / "README.md", metavar="FILE",
        help="a text of another kind, read as plain words",
    )  # fmt: skip
    parser.add_argument("--epochs", type=int, default=8, metavar="N", help="at most")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    training, dev, text = (
        np.concatenate(sentences(path.read_bytes(), model))
        for path in (options.train, options.dev, options.text)
    )
    other = np.concatenate(sentences(plain_words(options.other.read_bytes()), model))
    size = model.card["vocabulary_size"]
    with harness.Report(__file__, options) as report:
        report.model(model)
        texts = {"held out": text, options.other.name: other}
        say_texts(report, texts, size)
        measured = {}
        for part, network in {"nplm": Nplm(size), "rnn": Elman(size)}.items():
            schedule = replace(SCHEDULES[part], epochs=options.epochs)
            for dropout in (True, False):
                fitted, epochs = train(network, training, dev, schedule, 1, dropout)
                for epoch in sorted({1, fitted.best_epoch}):
                    measured[part, dropout, epoch] = Measured(
                        part, network, epochs[epoch - 1], training, text, other
                    )
        once = seen_once(training, size)
        epoch_table(report, measured)
        direction_table(report, measured, size, np.mean(once))
        report.line(
            "\nWhere dropout does not help out of domain: in training few words seen once follow each\n"
            f"other ({repeated(once):.1%} of the words after one are one too), in the other text unknown words do\n"
            f"({repeated(other == UNKNOWN):.1%}). So a network learns that <unk> is followed by what follows a name, and is\n"
            "sure of it; without dropout <unk> as a context stays as it was at the start and says little."
        )


class Measured:
    """A network after an epoch: nats a token of held-out text and of the other one, of all and
    of unknown words, and the mean of p(<unk>) over contexts, held out and in training."""

    def __init__(self, part: str, network, weights: dict, training, text, other):
        held_out = -network.log_probabilities(weights, text).astype(float)
        self.nats = held_out.mean()
        self.unknown_nats = held_out[text == UNKNOWN].mean()
        elsewhere = -network.log_probabilities(weights, other).astype(float)
        self.other_nats = elsewhere.mean()
        self.other_unknown_nats = elsewhere[other == UNKNOWN].mean()
        self.unknown = unknown_probability(part, weights, text)
        self.trained_unknown = unknown_probability(part, weights, training)


def unknown_probability(part: str, weights: dict, tokens: np.ndarray) -> float:
    """Mean of p(<unk>) over the contexts of a text's tokens (N,)."""
    logarithms = output_layer.log_probabilities(
        states(part, weights, tokens), weights["output_weights"], weights["output_bias"],
        np.full(len(tokens), UNKNOWN),
    )  # fmt: skip
    return float(np.exp(logarithms).mean(dtype=float))


def repeated(marked: np.ndarray) -> float:
    """Of the tokens after a marked one (N,), the share that is marked too."""
    return float(marked[1:][marked[:-1]].mean())


def say_texts(report, texts: dict, size: int) -> None:
    for name, tokens in texts.items():
        report.line(f"{name}: {len(tokens):,} tokens, {np.mean(tokens == UNKNOWN):.1%} unknown")
    report.line(f"a uniform guess: {math.log(size):.4f} nats a token, p(<unk>) {1 / size:.1e}\n")


def epoch_table(report, measured: dict) -> None:
    rows = [
        [
            part, "on" if dropout else "off", str(epoch), f"{each.nats:.3f}", f"{each.other_nats:.3f}",
            f"{each.unknown_nats:.2f}", f"{each.other_unknown_nats:.2f}",
            f"{each.unknown:.1e}", f"{each.trained_unknown:.1e}",
        ]
        for (part, dropout, epoch), each in measured.items()
    ]  # fmt: skip
    report.table(
        ["network", "dropout", "epoch", "nats held out", "other", "an unknown word held out", "other",
         "p(<unk>) held out", "in training"],
        rows,
    )  # fmt: skip


def direction_table(report, measured: dict, size: int, once: float) -> None:
    """once: the share of training tokens whose word occurs once."""
    uniform = math.log(size)
    first = {key[:2]: measured[key] for key in measured if key[2] == 1}
    chosen = {key[:2]: each for key, each in measured.items()}  # the later epoch
    on, off = chosen["nplm", True], first["nplm", False]
    rows = [
        ("p(<unk>) in training, predicted by its rate", "1.35%", f"{RATE * once:.2%}", None),
        ("p(<unk>) in training with dropout", "1.34%", f"{on.trained_unknown:.2%}",
         bool(abs(on.trained_unknown / (RATE * once) - 1) < 0.25)),
        ("p(<unk>) held out without, one epoch", "2.9e-05", f"{off.unknown:.1e}", bool(off.unknown < 1 / size)),
        ("nats an unknown word without, one epoch", "9.76", f"{off.unknown_nats:.2f}", bool(off.unknown_nats > uniform)),
        ("nats an unknown word with dropout", "3.13", f"{on.unknown_nats:.2f}", bool(on.unknown_nats < uniform)),
        ("nplm out of domain less uniform, without", "+0.07", f"{off.other_nats - uniform:+.2f}",
         bool(off.other_nats > uniform)),
        ("the same with dropout, chosen epoch", "-1.72", f"{on.other_nats - uniform:+.2f}",
         bool(on.other_nats < uniform)),
    ]  # fmt: skip
    for part, before in (("nplm", "+0.94"), ("rnn", "+1.34")):
        more = chosen[part, True].other_nats - first[part, True].other_nats
        rows.append((f"{part}: later epochs out of domain", before, f"{more:+.2f}", bool(more > 0)))
    lead = chosen["rnn", True].other_nats - chosen["nplm", True].other_nats
    rows.append(("rnn less nplm out of domain", "+0.79", f"{lead:+.2f}", bool(lead > 0)))
    report.line("\nnplm where no network is named\n")
    comparison(report, rows)


if __name__ == "__main__":
    harness.run(main)
