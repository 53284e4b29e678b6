#!/usr/bin/env python3
"""Whether a network can report a bit that it read sixty symbols ago, and what carries it there.

Reads a bit, then random symbols, then a question, and predicts the bit: an Elman network and
LSTMs whose forget gates begin at two biases, trained by the classes and the Adam of this
package through all steps. Learnt: at least 95% of fresh sequences right within the budget,
which is the same for all. Then the derivatives of the cells: the path along the cell, and the rest.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.reported import comparison
from benchmarks.study.cell_path import median_norms, reach
from benchmarks.study.network_states import float64, sentences
from nlmzip.models import catalogue
from nlmzip.text.vocabulary import SENTENCE_END
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.lstm import Lstm
from nlmzip.training.designs import SCHEDULES
from nlmzip.training.fit.adam import Adam, clip_gradients
from nlmzip.training.fit.batching import Batch, previous
from nlmzip.training.fit.fit import Schedule, fit

LAG = 60  # random symbols between the bit and the question
NOISE = 4  # kinds of random symbols
EMBEDDING, HIDDEN, BATCH = 8, 16, 32
LEARNING_RATE = 0.003
LARGEST_GRADIENT = Schedule.largest_gradient
LEARNT = 0.95  # of FRESH sequences
FRESH, EVERY = 1000, 50  # how many, and after how many steps they are asked again

LAGS = (1, 2, 5, 10, 20, 30, 40, 50)  # and back to the cell that had just read the bit
STARTS_OF_GRADIENT = 12  # untrained networks whose gradients are looked at
SEQUENCES = 8  # whose cells are looked at in each trained network
OF_WORDS, MOST_WORDS = 100, 14  # held-out sentences, and steps back in them

#: A first study's: median gradient at the bit, accuracy of one start after 600 steps, starts of
#: eight that learnt.
REPORTED = {
    "Elman": ("2.45e-10", "0.486", 2),
    "LSTM, forget bias 1": ("2.42e-07", "0.531", 0),
    "LSTM, forget bias 3": ("1.42e-03", "1.000", 7),
}


@dataclass(frozen=True)
class Task:
    """Symbols: 0 and 1 are the bit, then `NOISE` kinds of noise, then the question."""

    lag: int = LAG

    @property
    def vocabulary_size(self) -> int:
        return 2 + NOISE + 1

    def batch(self, random: np.random.Generator, n_sequences: int) -> Batch:
        """(lag + 2, n) input symbols; only the last step has a target, the bit."""
        bits = random.integers(0, 2, n_sequences)
        noise = random.integers(2, 2 + NOISE, (self.lag, n_sequences))
        question = np.full(n_sequences, 2 + NOISE)
        inputs = np.vstack((bits, noise, question)).astype(np.int32)
        targets, mask = np.zeros_like(inputs), np.zeros(inputs.shape, bool)
        targets[-1], mask[-1] = bits, True
        return Batch(inputs, targets, mask)

    def networks(self) -> dict:
        sizes = {"vocabulary_size": self.vocabulary_size, "embedding": EMBEDDING, "hidden": HIDDEN}
        return {
            "Elman": Elman(**sizes),
            "LSTM, forget bias 1": Lstm(**sizes, forget_bias=1.0),
            "LSTM, forget bias 3": Lstm(**sizes, forget_bias=3.0),
        }


@dataclass(frozen=True)
class Trained:
    """One start: the weights in the end, the share of fresh sequences right, and the steps taken
    until it had learnt, None where it had not."""

    weights: dict
    accuracy: float
    steps: int | None


def train(network, task: Task, n_steps: int, seed: int) -> Trained:
    """Adam at one rate on fresh sequences, until it has learnt or the steps are used up."""
    random = np.random.default_rng(seed)
    weights = network.initial_weights(random)
    adam, accuracy = Adam(weights), 0.0
    for step in range(1, n_steps + 1):
        _, gradients, _ = network.loss_and_gradients(weights, task.batch(random, BATCH))
        clip_gradients(gradients, LARGEST_GRADIENT)
        adam.step(gradients, LEARNING_RATE)
        if step % EVERY == 0 or step == n_steps:
            accuracy = share_right(network, weights, task.batch(random, FRESH))
            if accuracy >= LEARNT:
                return Trained(weights, accuracy, step)
    return Trained(weights, accuracy, None)


def share_right(network, weights: dict, batch: Batch) -> float:
    """Of the sequences, those whose bit is the more probable of the two."""
    hidden = network.run(weights, batch.inputs).states[0][-1]  # (B, h)
    logits = hidden @ weights["output_weights"][:, :2] + weights["output_bias"][:2]
    return float((logits.argmax(axis=1) == batch.targets[-1]).mean())


def gradient_at_the_bit(network, task: Task, seed: int) -> float:
    """Norm of the loss's gradient at the embedding of the bit, of an untrained network: the median
    over sequences. In float64; nothing but the first step reads the embeddings of 0 and 1."""
    random = np.random.default_rng(seed)
    weights = float64(network.initial_weights(random))
    norms = []
    for _ in range(SEQUENCES):
        _, gradients, _ = network.loss_and_gradients(weights, task.batch(random, 1))
        norms.append(np.linalg.norm(gradients["embedding"][:2]))
    return float(np.median(norms))


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser, "train", "dev", "text")
    parser.add_argument("--lag", type=int, default=LAG, metavar="N", help="random symbols")
    parser.add_argument("--starts", type=int, default=8, metavar="N", help="seeds 1 to N")
    parser.add_argument("--steps", type=int, default=3000, metavar="N", help="at most, of training")
    parser.add_argument("--hidden", type=int, default=64, metavar="N", help="of the LSTM of words")
    parser.add_argument("--epochs", type=int, default=3, metavar="N", help="of the LSTM of words")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    paths = options.train, options.dev, options.text
    texts = [np.concatenate(sentences(path.read_bytes(), model)) for path in paths]
    with harness.Report(__file__, options) as report:
        task = Task(options.lag)
        trained = task_table(report, task, options.starts, options.steps)
        start_table(report, task)
        path_table(report, task, trained)
        size = model.card["vocabulary_size"]
        word_table(report, size, *texts, options.hidden, options.epochs)
        report.line(
            "\nThe norm of a cell path is what the unit with the most open forget gate keeps; the remainder\n"
            "and the full derivative are of all units together."
        )


def task_table(report, task: Task, n_starts: int, n_steps: int) -> dict[str, list[Trained]]:
    """Trains; returns every start by network."""
    report.line(
        f"\n{task.lag} random symbols of {NOISE} kinds between the bit and the question; {HIDDEN} hidden"
        f" units,\nbatches of {BATCH}, Adam at {LEARNING_RATE}, at most {n_steps:,} steps; learnt:"
        f" {LEARNT:.0%} of {FRESH:,} fresh sequences right\n"
    )
    trained, rows, learnt = {}, [], {}
    for name, network in task.networks().items():
        trained[name] = [train(network, task, n_steps, seed) for seed in range(1, n_starts + 1)]
        steps = [each.steps for each in trained[name] if each.steps]
        learnt[name] = len(steps)
        others = [each.accuracy for each in trained[name] if not each.steps]
        _, before, of_eight = REPORTED[name]
        rows.append([
            name, f"{before}; {of_eight} of 8", f"{len(steps)} of {n_starts}", told(steps, ",.0f"),
            told(others, ".3f"),
        ])  # fmt: skip
    before = "reported before: one start; learnt it"
    report.table(["", before, "learnt it", "steps it took", "the others' accuracy"], rows)
    elman, one, three = learnt.values()
    report.line()
    comparison(report, [
        ("bias 3 learns it from most starts", "7 of 8", f"{three} of {n_starts}", three > n_starts / 2),
        ("bias 1 from fewer", "0 of 8", f"{one} of {n_starts}", one < three),
        ("Elman from fewer", "2 of 8", f"{elman} of {n_starts}", elman < three),
    ])  # fmt: skip
    return trained


def told(values: list, form: str) -> str:
    """Median and range."""
    if not values:
        return "-"
    return f"{np.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def start_table(report, task: Task) -> None:
    """Gradients at the bit, and cell paths, before training."""
    found, rows = {}, []
    for name, network in task.networks().items():
        starts = range(1, STARTS_OF_GRADIENT + 1)
        found[name] = np.median([gradient_at_the_bit(network, task, seed) for seed in starts])
        rows.append((f"{name}: gradient at the bit", REPORTED[name][0], f"{found[name]:.2e}", None))
    elman, one, three = found.values()
    rows.append(("the same, bias 3 over bias 1", "about 5,900", f"{three / one:,.0f}", three > 100 * one))
    rows.append(("the same, bias 1 over Elman", "about 990", f"{one / elman:,.2g}", one > elman))
    for bias, before in ((1, "6.9e-09"), (3, "0.054")):
        network = task.networks()[f"LSTM, forget bias {bias}"]
        measured, gate = paths_at_start(network, task), 1 / (1 + np.exp(-bias))
        expected = gate**task.lag
        rows.append((
            f"bias {bias}: cell path over {task.lag} steps, sigmoid({bias})^{task.lag} = {expected:.2g}",
            before, f"{measured:.2g}", expected / 10 < measured < expected * 10,
        ))  # fmt: skip
    report.line(
        f"\nbefore training, medians over {STARTS_OF_GRADIENT} starts, and over units for the cell path\n"
    )
    comparison(report, rows)
    report.line(
        "\nThe size of a gradient follows the first output weights and embeddings, which are this\n"
        "package's; ratios compare."
    )


def paths_at_start(network: Lstm, task: Task) -> float:
    """The median diagonal element of the cell path over all the noise, before training."""
    elements = []
    for seed in range(1, STARTS_OF_GRADIENT + 1):
        random = np.random.default_rng(seed)
        weights = float64(network.initial_weights(random))
        inputs = task.batch(random, 1).inputs[:, 0]
        elements.append(reach(network, weights, inputs, task.lag).cell_path[-1])
    return float(np.median(elements))


def path_table(report, task: Task, trained) -> None:
    """The cells of the LSTMs that were trained on the task, from those that learnt and the others."""
    for name, network in task.networks().items():
        if not isinstance(network, Lstm):
            continue
        for learnt in (True, False):
            starts = [each for each in trained[name] if bool(each.steps) == learnt]
            reaches = []
            for seed, each in enumerate(starts):
                inputs = task.batch(np.random.default_rng(1000 + seed), SEQUENCES).inputs
                weights = float64(each.weights)
                reaches += [reach(network, weights, column, task.lag + 1) for column in inputs.T]
            if reaches:
                of = f"starts that {'learnt' if learnt else 'did not learn'} it ({len(starts)})"
                report.line(f"\n{name}, {of}: medians of the norms of dc_T / dc_(T-m)\n")
                norm_table(report, median_norms(reaches), (*LAGS, task.lag + 1))


def norm_table(report, medians, lags) -> None:
    report.table(
        ["lag m", "cell path", "remainder", "full", "sequences"],
        [
            [str(lag), *(f"{each:.3g}" for each in medians[lag][0]), str(medians[lag][1])]
            for lag in lags
            if lag in medians
        ],
    )


def word_table(report, size: int, training, dev, text, hidden: int, n_epochs: int) -> None:
    """The same of LSTMs of words: the last cell of held-out sentences."""
    ends = np.flatnonzero(text == SENTENCE_END)[:OF_WORDS]
    inputs = np.split(previous(text, size, reset_state=True)[: ends[-1] + 1], ends[:-1] + 1)
    schedule = replace(SCHEDULES["words"]["lstm"], epochs=n_epochs)
    for bias in (1.0, 3.0):
        network = Lstm(size, 32, hidden, forget_bias=bias)
        fitted = fit(network, training, dev, schedule, seed=1)
        weights = float64(fitted.weights)
        medians = median_norms([reach(network, weights, each, MOST_WORDS) for each in inputs])
        report.line(
            f"\nLSTM of words, forget bias {bias:.0f}, {hidden} units, {n_epochs} epochs,"
            f" {min(fitted.dev_losses):.3f} nats a token of the dev text: {len(inputs)} held-out sentences\n"
        )
        norm_table(report, medians, medians)


if __name__ == "__main__":
    harness.run(main)
