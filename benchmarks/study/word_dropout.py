#!/usr/bin/env python3
"""Word dropout on and off: what a network makes of words that it has never seen.

<unk> is no target in the training text as it is, so maximum likelihood drives its probability
to zero. With word dropout half the words seen once are <unk> (Kiperwasser and Goldberg 2016).
Networks of the shipped model's sizes are trained both ways, and without weight decay, and
measured after one epoch and the one chosen on dev, on held-out text and one of another kind.
"""

import math
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.plain_words import plain_words
from benchmarks.shared.reported import comparison
from benchmarks.study.network_states import log_probabilities_of, sentences, states
from benchmarks.study.watched import train
from nlmzip.models import catalogue
from nlmzip.text.vocabulary import UNKNOWN
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.designs import SCHEDULES
from nlmzip.training.fit.word_dropout import RATE, seen_once

USUAL, RAW, UNDECAYED = "usual", "no word dropout", "no weight decay"
#: Whether words are dropped, and what is changed in the schedule.
VARIANTS = {USUAL: (True, {}), RAW: (False, {}), UNDECAYED: (True, {"weight_decay": 0.0})}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser, "text", "train", "dev")
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
            for variant, (dropout, changes) in VARIANTS.items():
                schedule = replace(SCHEDULES["words"][part], epochs=options.epochs, **changes)
                fitted, epochs = train(network, training, dev, schedule, 1, dropout)
                for epoch in sorted({1, fitted.best_epoch}):
                    measured[part, variant, epoch] = Measured(
                        part, network, epochs[epoch - 1], training, text, other
                    )
        once = seen_once(training, size)
        epoch_table(report, measured)
        direction_table(report, measured, size, np.mean(once))
        say_why(report, repeated(once), repeated(other == UNKNOWN))


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
    logarithms = log_probabilities_of(UNKNOWN, weights, states(part, weights, tokens))
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
            part, variant, str(epoch), f"{each.nats:.3f}", f"{each.other_nats:.3f}",
            f"{each.unknown_nats:.2f}", f"{each.other_unknown_nats:.2f}",
            f"{each.unknown:.1e}", f"{each.trained_unknown:.1e}",
        ]
        for (part, variant, epoch), each in measured.items()
    ]  # fmt: skip
    report.table(
        ["network", "training", "epoch", "nats held out", "other", "an unknown word held out",
         "other", "p(<unk>) held out", "in training"],
        rows,
    )  # fmt: skip


def direction_table(report, measured: dict, size: int, once: float) -> None:
    """once: the share of training tokens whose word occurs once."""
    uniform, rate = math.log(size), RATE * once
    first = {key[:2]: each for key, each in measured.items() if key[2] == 1}
    chosen = {key[:2]: each for key, each in measured.items()}  # the later of two epochs
    on, off = chosen["nplm", USUAL], first["nplm", RAW]
    rows = [
        ("<unk> among training targets", "1.35%", f"{rate:.2%}", None),
        ("p(<unk>) in training", "1.34%", f"{on.trained_unknown:.2%}",
         abs(on.trained_unknown / rate - 1) < 0.25),
        ("p(<unk>) held out, no dropout, epoch 1", "2.9e-05", f"{off.unknown:.1e}", off.unknown < 1 / size),
        ("an unknown word, no dropout, epoch 1", "9.76", f"{off.unknown_nats:.2f}", off.unknown_nats > uniform),
        ("an unknown word", "3.13", f"{on.unknown_nats:.2f}", on.unknown_nats < uniform),
    ]  # fmt: skip
    raw, usual = (each.other_nats - uniform for each in (off, on))
    rows.append(("other text less uniform, no dropout, epoch 1", "+0.07", f"{raw:+.2f}", raw > 0))
    rows.append(("other text less uniform", "-1.72", f"{usual:+.2f}", usual < 0))
    for variant in (USUAL, UNDECAYED):
        for part, before in (("nplm", "+0.94"), ("rnn", "+1.34")):
            more = chosen[part, variant].other_nats - first[part, variant].other_nats
            name = f"other text, chosen less first epoch, {part}, {variant}"
            rows.append((name, before, f"{more:+.2f}", more > 0))
    for variant in (USUAL, UNDECAYED):
        lead = chosen["rnn", variant].other_nats - chosen["nplm", variant].other_nats
        rows.append((f"other text, rnn less nplm, {variant}", "+0.79", f"{lead:+.2f}", lead > 0))
    report.line("\nnats a token; nplm and the usual training where nothing else is said\n")
    comparison(report, rows)


def say_why(report, in_training: float, in_other: float) -> None:
    """Shares of tokens after a word seen once, or unknown, that are so too."""
    report.line(
        "\nWhy the directions differ. In training a word seen once is followed by another one seldom\n"
        f"({in_training:.1%}), in the other text an unknown word by an unknown one often ({in_other:.1%}). So with\n"
        "dropout a network learns that after <unk> comes what comes after a name; without it <unk> as\n"
        "a context stays what it was at the start and says little. And weight decay keeps the\n"
        "recurrent network from becoming worse elsewhere with every epoch: the networks reported\n"
        "before had none, as far as was said, and without it ours do as they did."
    )


if __name__ == "__main__":
    harness.run(main)
