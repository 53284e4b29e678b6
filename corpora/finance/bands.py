"""The shape of the corpus: vocabulary, rare and unknown words, events by what training saw, and two perplexities."""

import argparse
import math
import sys
from collections import Counter
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from corpora.finance.source import END, sentence_log2_probability  # noqa: E402
from corpora.finance.texts import FOLDER, read  # noqa: E402

UNKNOWN = "<unk>"
EVENTS = ("bigram never seen", "bigram seen, trigram not", "trigram seen")


def trigrams(words, vocabulary):
    """The predictions of a sentence as (second word back, word back, word), padded with two <s>."""
    known = [word if word in vocabulary else UNKNOWN for word in words]
    return list(zip(["<s>", "<s>", *known], ["<s>", *known], [*known, END]))


class KneserNey:
    """Interpolated Kneser-Ney trigram with one discount n1 / (n1 + 2 n2) an order, down to uniform over V symbols."""

    def __init__(self, events, n_symbols):
        self.n_symbols = n_symbols
        trigram_counts = Counter(events)
        bigram_types = Counter((back, word) for _, back, word in trigram_counts)
        word_types = Counter(word for _, word in bigram_types)
        self.orders = [self._order({(word,): count for word, count in word_types.items()}),
                       self._order(bigram_types), self._order(trigram_counts)]

    @staticmethod
    def _order(counts):
        """(counts, discount, {context: total}, {context: distinct words}) of one order."""
        counts_of_counts = Counter(counts.values())
        totals, distinct = Counter(), Counter()
        for ngram, count in counts.items():
            totals[ngram[:-1]] += count
            distinct[ngram[:-1]] += 1
        return counts, counts_of_counts[1] / (counts_of_counts[1] + 2 * counts_of_counts[2]), totals, distinct

    def probability(self, event):
        """P(word | two words back, word back)."""
        probability = 1 / self.n_symbols
        for counts, discount, totals, distinct in self.orders:
            ngram = event[-len(next(iter(counts))):]
            total = totals[ngram[:-1]]
            if total:
                probability = (max(counts.get(ngram, 0) - discount, 0)
                               + discount * distinct[ngram[:-1]] * probability) / total
        return probability


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="?", type=Path, default=FOLDER / "dev.txt", help="text to judge (default: dev)")
    training, sentences = read(FOLDER / "train.txt"), read(parser.parse_args().text)

    counts = Counter(word for words in training for word in words)
    n_once = sum(count == 1 for count in counts.values())
    n_training = sum(len(words) + 1 for words in training)
    print(f"train: {len(training)} sentences, {n_training} tokens, V = {len(counts) + 2},"
          f" {n_once} words seen once ({n_once / n_training:.2%} of tokens)")

    training_events = [event for words in training for event in trigrams(words, counts)]
    events = [event for words in sentences for event in trigrams(words, counts)]
    seen, seen_bigrams = set(training_events), {event[1:] for event in training_events}
    n_unknown = sum(event[-1] == UNKNOWN for event in events)
    print(f"text: {len(sentences)} sentences, {len(events)} tokens,"
          f" {n_unknown} unknown ({n_unknown / len(events):.2%} of tokens)")

    kneser_ney = KneserNey(training_events, len(counts) + 2)
    nats = {name: [] for name in EVENTS}
    for event in events:
        name = EVENTS[2] if event in seen else EVENTS[1] if event[1:] in seen_bigrams else EVENTS[0]
        nats[name].append(-math.log(kneser_ney.probability(event)))
    for name in EVENTS:
        print(f"  {name}: {len(nats[name])} ({len(nats[name]) / len(events):.1%}),"
              f" Kneser-Ney {sum(nats[name]) / max(len(nats[name]), 1):.3f} nats")
    for name, total in (("Kneser-Ney", sum(map(sum, nats.values()))),
                        ("source", -math.log(2) * sum(map(sentence_log2_probability, sentences)))):
        print(f"  {name}: {total / len(events):.4f} nats a token, perplexity {math.exp(total / len(events)):.2f}")


if __name__ == "__main__":
    main()
