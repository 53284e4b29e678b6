#!/usr/bin/env python3
"""Mixtures of softmaxes and of contexts (Yang et al. 2018): rank, perplexity and time over K.

Elman networks with different heads, narrowed so that all have as many parameters as the one with
a single softmax; trained alike on words, and on characters, of which there are fewer than
the states have dimensions. A softmax of states (N, d) leaves log-probabilities of rank d + 2
at most, and so does one of mixed contexts; a mixture of softmaxes has no such limit.
"""

import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.reported import comparison
from benchmarks.study.kneser_ney_orders import KneserNey
from benchmarks.study.network_states import float64, log_softmax, sentences
from benchmarks.study.softmax_bottleneck import (
    frequent_contexts,
    rank_of,
    singular_values,
    states_in,
)
from benchmarks.study.weight_decay import characters
from nlmzip.models import catalogue
from nlmzip.models.model_file import Model
from nlmzip.predictors import architecture
from nlmzip.predictors.dynamic_evaluation import DynamicEvaluation
from nlmzip.text.vocabulary import FIRST_WORD
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.designs import SCHEDULES
from nlmzip.training.fit.fit import fit
from nlmzip.training.heads.softmax import Softmax
from nlmzip.training.heads.softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes

HEADS = {
    "softmax": Softmax(),
    **{f"mos {k}": MixtureOfSoftmaxes(k) for k in (1, 2, 4)},  # of one, mos and moc are the same
    **{f"moc {k}": MixtureOfContexts(k) for k in (2, 4)},
}
OF_CHARACTERS = {
    "softmax": Softmax(), "mos 1": MixtureOfSoftmaxes(1), "mos 3": MixtureOfSoftmaxes(3),
    "moc 3": MixtureOfContexts(3),
}  # fmt: skip
EMBEDDING = 32
TOLERANCE = 0.02  # of parameter counts
TIMED = (1, 2, 4, 8, 15)  # softmaxes whose predictions are timed
TIMED_EMBEDDING, TIMED_HIDDEN = 64, 128  # what a network has unless a user chooses
TOKENS_AT_ONCE = 100


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser, "text", "train", "dev")
    parser.add_argument("--hidden", type=int, default=32, metavar="N", help="with one softmax")
    parser.add_argument("--epochs", type=int, default=10, metavar="N")
    parser.add_argument("--starts", type=int, default=2, metavar="N", help="seeds 1 to N")
    parser.add_argument("--contexts", type=int, default=1000, metavar="N")
    parser.add_argument("--characters", type=int, default=60_000, metavar="N", help="to train on")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    size = model.card["vocabulary_size"]
    data = [path.read_bytes() for path in (options.train, options.dev, options.text)]
    with harness.Report(__file__, options) as report:
        report.line(f"words of the model {model.name}")
        words = [sentences(each, model) for each in data]
        sizes = options.hidden, options.epochs, options.starts
        found = word_table(report, size, words, *sizes, options.contexts)
        slowdown = time_table(report, size)
        gains = character_table(report, data, *sizes, options.characters)
        direction_table(report, found, slowdown, gains)


def matched(head, size: int, hidden: int) -> Elman:
    """The Elman network with this head whose parameters are nearest to those of one softmax.

    size: of the vocabulary; hidden: units of the network with one softmax.
    """
    wanted = n_parameters(Elman(size, EMBEDDING, hidden))
    widths = [Elman(size, EMBEDDING, width, head=head) for width in range(1, hidden + 1)]
    return min(widths, key=lambda network: abs(n_parameters(network) - wanted))


def n_parameters(network: Elman) -> int:
    """Of embeddings, recurrence and output, and of the projections and priors of a mixture."""
    size, width, embedding = network.vocabulary_size, network.hidden, network.embedding
    body = (size + 1) * embedding + (embedding + width + 1) * width
    n = getattr(network.head, "n_softmaxes", 0)
    return body + (width + 1) * (n + n * width) + (width + 1) * size


def log_probabilities(head, weights: dict, hidden: np.ndarray) -> np.ndarray:
    """The logarithm of every word's probability in states (N, h), (N, V), as the head has it."""
    if not isinstance(head, (MixtureOfSoftmaxes, MixtureOfContexts)):
        return log_softmax(hidden @ weights["output_weights"] + weights["output_bias"])
    log_priors = log_softmax(hidden @ weights["prior_weights"] + weights["prior_bias"])  # (N, K)
    contexts = np.tanh(hidden @ weights["projection_weights"] + weights["projection_bias"])
    contexts = contexts.reshape(*log_priors.shape, -1)  # (N, K, d)
    if isinstance(head, MixtureOfContexts):
        contexts = np.einsum("nk,nkd->nd", np.exp(log_priors), contexts)
        return log_softmax(contexts @ weights["output_weights"] + weights["output_bias"])
    total = np.full((len(hidden), len(weights["output_bias"])), -np.inf)
    for k, log_prior in enumerate(log_priors.T):
        logits = contexts[:, k] @ weights["output_weights"] + weights["output_bias"]
        np.logaddexp(total, log_prior[:, None] + log_softmax(logits), out=total)
    return total


def trained(network, training, dev, n_epochs: int, seed: int) -> dict:
    """Weights of the epoch with the least loss on the dev text, trained as `nlmzip train` does."""
    return fit(network, training, dev, replace(SCHEDULES["words"]["rnn"], epochs=n_epochs), seed).weights


def nats(network, weights: dict, text: np.ndarray) -> float:
    return float(-network.log_probabilities(weights, text).mean(dtype=float))


def word_table(report, size, words, hidden, n_epochs, n_starts, n_contexts) -> dict:
    """By head: width, rank, and mean nats a token."""
    training, dev, text = map(np.concatenate, words)
    report.line(
        f"\nwords: {size:,} kinds, {len(training):,} tokens, {n_epochs} epochs; perplexity a token of"
        f" {len(text):,} held out,\nmean and range of {n_starts} starts; rank over {n_contexts:,} beginnings"
        " of held-out sentences, of start 1\n"
    )
    rows, found = [], {}
    wanted = n_parameters(Elman(size, EMBEDDING, hidden))
    for name, head in HEADS.items():
        network = matched(head, size, hidden)
        losses = []
        for seed in range(1, n_starts + 1):
            weights = trained(network, training, dev, n_epochs, seed)
            losses.append(nats(network, weights, text))
            if seed == 1:
                wide = float64(weights)
        states = states_in("rnn", wide, np.zeros((0, 2), int), words[2], n_contexts)
        matrix = log_probabilities(head, wide, states)
        rank = rank_of(singular_values(matrix), matrix.shape)
        width, total = network.hidden, n_parameters(network)
        found[name] = width, rank, losses
        rows.append([
            name, str(width), f"{total:,}", f"{total / wanted - 1:+.1%}", f"{rank:,}", str(width + 2),
            f"{beyond(matrix, width + 1):.2g}", f"{np.exp(np.mean(losses)):.2f}",
            f"{np.exp(min(losses)):.2f} to {np.exp(max(losses)):.2f}",
        ])  # fmt: skip
    report.table(["head", "d", "parameters", "", "rank", "d + 2", "beyond", "perplexity", "range"], rows)
    report.line(
        "\nmos, moc: softmaxes, contexts; then K. rank: singular values above the largest times max(N, V)\n"
        "times 2^-52. beyond: share of the squared Frobenius norm of the row-centred matrix that its\n"
        "best approximation of rank d + 1 leaves. That of Kneser-Ney's trigrams, which no rank limits,\n"
        f"leaves {kneser_ney_beyond(words[0], size, hidden + 1, n_contexts):.2g} beyond rank {hidden + 1},"
        " over as many of the most frequent contexts."
    )
    return found


def kneser_ney_beyond(training, size: int, rank: int, n_contexts: int) -> float:
    """`beyond` of Kneser-Ney's log-probabilities in the most frequent contexts."""
    kneser_ney = KneserNey(training, size, order=3)
    contexts = frequent_contexts(training, size, n_contexts)
    return beyond(np.log([kneser_ney.probabilities(context) for context in contexts]), rank)


def beyond(matrix: np.ndarray, rank: int) -> float:
    """Share of the energy of the row-centred matrix beyond its best approximation of this rank."""
    spectrum = singular_values(matrix - matrix.mean(axis=1, keepdims=True))
    return float((spectrum[rank:] ** 2).sum() / (spectrum**2).sum())


def time_table(report, size: int, n_rounds: int = 15) -> dict:
    """How much longer a token's prediction takes when it is coded, by head and K."""
    names = [("softmax", 0), *((head, k) for head in ("mos", "moc") for k in TIMED)]
    contestants = {name: coder(size, *name) for name in names}
    symbols = np.random.default_rng(1).integers(2, size, TOKENS_AT_ONCE).tolist()
    seconds = {name: [] for name in contestants}
    for _ in range(n_rounds + 1):
        for name, network in contestants.items():
            begin = time.thread_time()
            for symbol in symbols:
                network.predict()
                network.perceive(symbol)
            seconds[name].append(time.thread_time() - begin)
    found = {}
    for name in contestants:  # the first round compiles
        pairs = zip(seconds[name][1:], seconds["softmax", 0][1:])
        found[name] = statistics.median(one / other for one, other in pairs)
    report.line(
        f"\ntime of predicting a token when coding, over that with one softmax: Elman, {TIMED_HIDDEN}\n"
        f"units for all, {size:,} words; one thread, median of {n_rounds} interleaved rounds of"
        f" {TOKENS_AT_ONCE} tokens\n"
    )
    report.table(
        ["head", *(f"K = {k}" for k in TIMED)],
        [[head, *(f"{found[head, k]:.2f}" for k in TIMED)] for head in ("mos", "moc")],
    )
    return found


def coder(size: int, head: str, n_softmaxes: int):
    """An untrained network as the coder has it; its speed does not depend on its weights."""
    made = {"softmax": Softmax, "mos": MixtureOfSoftmaxes, "moc": MixtureOfContexts}[head]
    network = Elman(size, TIMED_EMBEDDING, TIMED_HIDDEN, head=made(*[n_softmaxes][: n_softmaxes > 0]))
    arrays = network.initial_weights(np.random.default_rng(1))
    design = {"head": head, "softmaxes": n_softmaxes} if n_softmaxes else {}
    card = {"name": "timed", "vocabulary_size": size, "networks": {"rnn": design}}
    model = Model(card, {f"rnn.{name}": array for name, array in arrays.items()}, b"")
    return DynamicEvaluation(architecture.network(model, "rnn", 1, True), 0.0)


def character_table(report, data, hidden, n_epochs, n_starts, n_characters) -> dict:
    """By head: bits a character of each start."""
    training = data[0][:n_characters]
    training = training[: training.rfind(b"\n") + 1]
    known = sorted(set(training) - {ord("\n")})
    tokens, dev, text = (characters(each, known) for each in (training, *data[1:]))
    size = FIRST_WORD + len(known)
    report.line(
        f"\ncharacters: {size - 1} kinds, {len(tokens):,} of them, {n_epochs} epochs; bits a character of"
        f" {len(text):,} held out,\nmean and range of {n_starts} starts\n"
    )
    rows, found = [], {}
    wanted = n_parameters(Elman(size, EMBEDDING, hidden))
    for name, head in OF_CHARACTERS.items():
        network = matched(head, size, hidden)
        found[name] = [
            nats(network, trained(network, tokens, dev, n_epochs, seed), text) / np.log(2)
            for seed in range(1, n_starts + 1)
        ]
        total = n_parameters(network)
        rows.append([
            name, str(network.hidden), f"{total:,}", f"{total / wanted - 1:+.1%}",
            f"{np.mean(found[name]):.4f}", f"{min(found[name]):.4f} to {max(found[name]):.4f}",
        ])  # fmt: skip
    report.table(["head", "d", "parameters", "", "bits", "range"], rows)
    return found


def direction_table(report, found, slowdown, gains) -> None:
    """Beside Yang et al. (2018, tables 3, 5, 6 and 7, appendices C.2 and C.3)."""
    ranks = {name: (rank, width + 2) for name, (width, rank, _) in found.items()}
    means = {name: np.mean(losses) for name, (_, _, losses) in found.items()}
    several = [name for name in found if name.startswith("mos") and name != "mos 1"]
    mixed = [name for name in found if name.startswith("moc")]
    best = min(several, key=means.get)
    last, best_mixed = several[-1], min(mixed, key=means.get)
    noise = widest_range(losses for _, _, losses in found.values())
    spread = widest_range(gains.values())
    gain = np.mean(gains["softmax"]) - np.mean(gains["mos 3"])
    of_one = np.mean(gains["mos 1"]) - np.mean(gains["mos 3"])
    most = TIMED[-1]

    def better(one: str, other: str) -> bool | None:
        """None where the difference is within what starts differ by."""
        difference = means[other] - means[one]
        return None if abs(difference) <= noise else bool(difference > 0)

    def perplexities(*names):
        return ", ".join(f"{np.exp(means[name]):.2f}" for name in names)

    report.line()
    comparison(report, [
        ("softmax: rank at most d + 2", "400 of d = 400", told(ranks["softmax"]),
         within(ranks["softmax"])),
        (f"{mixed[-1]}: rank at most d + 2", "280 of d = 280", told(ranks[mixed[-1]]),
         within(ranks[mixed[-1]])),
        (f"{last}: rank above d + 2", "9,981 of d = 280", told(ranks[last]), not within(ranks[last])),
        (f"perplexity: softmax, {best}", "42.77, 37.10", perplexities("softmax", best),
         better(best, "softmax")),
        (f"perplexity: mos 1, {best} (both project)", "-", perplexities("mos 1", best), None),
        (f"perplexity: {best_mixed}, {best}", "57.55, 55.97", perplexities(best_mixed, best),
         better(best, best_mixed)),
        ("perplexity: " + ", ".join(several) + " (K = 3, 15 there)", "58.62, 55.97", perplexities(*several),
         better(last, several[0])),
        ("characters: bits that mos 3 saves, over softmax", "no gain", f"{gain:+.4f}", gain <= spread),
        ("characters: bits that mos 3 saves, over mos 1", "no gain", f"{of_one:+.4f}", of_one <= spread),
        (f"time a token, K = {most} over one softmax", "2 to 3", f"{slowdown['mos', most]:.1f}",
         slowdown["mos", most] <= 3),
        ("it grows more slowly than K", "yes", "yes" if slowdown["mos", most] < most else "no",
         slowdown["mos", most] < most),
    ])  # fmt: skip
    report.line(
        "\nReported before of LSTMs on other texts. Starts of one head differ by up to"
        f" {np.exp(noise) - 1:.1%} of perplexity\nand {spread:.4f} bits a character: less than that decides"
        " nothing (-), and for characters is no gain.\nA high rank need not be used: beyond tells how"
        " much of it a trained mixture uses. What projections\ncost is taken from the width: little where"
        " words are many, and much with characters, whose output\nweights are few. Time there is of"
        " training on graphics"
        " processors, where the recurrence takes its share; here of\npredicting one token at a time, most"
        " of which is the product with the output weights, one for\neach softmax; moc has one for all."
    )


def widest_range(starts) -> float:
    """The most that two starts of one head differ by."""
    return max(max(each) - min(each) for each in starts)


def told(rank_and_bound: tuple[int, int]) -> str:
    rank, bound = rank_and_bound
    return f"{rank:,} of d = {bound - 2}"


def within(rank_and_bound: tuple[int, int]) -> bool:
    rank, bound = rank_and_bound
    return rank <= bound


if __name__ == "__main__":
    harness.run(main)
