"""What the source itself says: its exact entropy, and what a text costs a coder that knows the source."""

import argparse
import math
import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from corpora.finance.source import END, finance_source, word_log2_probabilities  # noqa: E402
from corpora.finance.texts import FOLDER, read  # noqa: E402

NOVELTIES = ("word never in training", "pair of known words never in training", "pair seen in training")


def ratio_with_error(numerators, denominators):
    """(sum of numerators / sum of denominators, its standard error over sentences: the linearised ratio estimator)."""
    n, total = len(numerators), sum(denominators)
    ratio = sum(numerators) / total
    squares = sum((x - ratio * y) ** 2 for x, y in zip(numerators, denominators))
    return ratio, math.sqrt(n / (n - 1) * squares) / total


def novelty_of(training):
    """A function (previous word, word) -> what of `NOVELTIES` it is after the training sentences."""
    known = {END, *(word for words in training for word in words)}
    pairs = {pair for words in training for pair in zip(["<s>", *words], [*words, END])}

    def novelty(previous, word):
        if word not in known:
            return NOVELTIES[0]
        return NOVELTIES[2] if (previous, word) in pairs else NOVELTIES[1]

    return novelty


def costs(sentences):
    """For every sentence the bits of each of its words and of its end, under the source."""
    return [[-logarithm for logarithm in word_log2_probabilities(words)] for words in sentences]


def print_entropy():
    """The source's exact entropy, by the sum over all that it can say."""
    bits, characters, tokens = finance_source().expectations()
    print(f"the source, exactly: a sentence has {bits:.4f} bits, {characters:.4f} characters, {tokens:.4f} tokens")
    print(f"  {bits / characters:.4f} bits a character, {bits / tokens * math.log(2):.4f} nats a token,"
          f" perplexity {2 ** (bits / tokens):.3f}")


def print_costs(name, sentences, training):
    """-log2 P of a realised text, and how much of it falls on what training never shows."""
    bits = costs(sentences)
    totals = [sum(costs_of_words) for costs_of_words in bits]
    n_characters = [sum(len(word) + 1 for word in words) for words in sentences]
    n_tokens = [len(words) + 1 for words in sentences]
    per_character, character_error = ratio_with_error(totals, n_characters)
    per_token, token_error = ratio_with_error([math.log(2) * total for total in totals], n_tokens)
    print(f"{name}: {len(sentences)} sentences, {sum(n_tokens)} tokens, {sum(n_characters)} characters")
    print(f"  -log2 P = {sum(totals):.2f} bits: {per_character:.4f} (se {character_error:.4f}) bits a character,"
          f" {per_token:.4f} (se {token_error:.4f}) nats a token, perplexity {math.exp(per_token):.3f}")

    novelty = novelty_of(training)
    counts, shares = dict.fromkeys(NOVELTIES, 0), dict.fromkeys(NOVELTIES, 0.0)
    for words, costs_of_words in zip(sentences, bits):
        for previous, word, cost in zip(["<s>", *words], [*words, END], costs_of_words):
            counts[novelty(previous, word)] += 1
            shares[novelty(previous, word)] += cost
    for kind in NOVELTIES:
        print(f"  {kind}: {counts[kind]} tokens ({counts[kind] / sum(n_tokens):.2%}), {shares[kind]:.0f} bits"
              f" ({shares[kind] / sum(totals):.1%}), {shares[kind] / sum(n_characters):.4f} bits a character")


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="*", type=Path, default=[FOLDER / "heldout.txt"],
                        help="texts of the source (default: the held-out text)")
    arguments = parser.parse_args()
    print_entropy()
    training = read(FOLDER / "train.txt")
    for path in arguments.texts:
        print_costs(path.name, read(path), training)


if __name__ == "__main__":
    main()
