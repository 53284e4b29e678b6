"""Interpolated Kneser-Ney trigrams (Kneser and Ney 1995; Chen and Goodman 1999, eq. 26).

    p(w | u v) = max(c(u v w) - D_3, 0) / c(u v .) + D_3 N(u v .) / c(u v .) p(w | v)

and likewise p(w | v) and p(w) from continuation counts, down to uniform over V, where
N counts distinct followers. A continuation count is the number of distinct symbols that
precede an n-gram in training. Each order has one discount D = n_1 / (n_1 + 2 n_2) from
its own counts of counts.

Estimation and tables are separate stages: `count_trigrams` (training) gives all that a
model file keeps; `KneserNeyTables` (loading) derives the rest with exact integers and
single IEEE divisions, so that every machine derives the same.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from ..text.vocabulary import SENTENCE_END

_ZERO = np.float32(0.0)


def count_trigrams(sentences, vocabulary_size: int, reset_state: bool = True) -> dict:
    """Count the trigrams of sentences (int arrays of ids, each ending with </s>).

    Contexts begin with two <s> at every sentence, or only at the start of the text when
    the state is carried on. Returns arrays in the order of (first, second, third):
    `contexts` uint32 (n, 2), `words` uint32 (n,), `counts` uint32 (n,).
    """
    start = vocabulary_size
    base = vocabulary_size + 1
    padding = np.full(2, start)
    if reset_state:
        padded = [np.concatenate((padding, sentence)) for sentence in sentences]
    else:
        padded = [np.concatenate((padding, *sentences))]
    keys = [
        (text[:-2].astype(np.int64) * base + text[1:-1]) * base + text[2:] for text in padded
    ]
    keys, counts = np.unique(np.concatenate(keys), return_counts=True)
    contexts = np.stack((keys // base // base, keys // base % base), axis=1)
    return {
        "contexts": contexts.astype(np.uint32),
        "words": (keys % base).astype(np.uint32),
        "counts": counts.astype(np.uint32),
    }


def discount(counts: np.ndarray) -> float:
    """n_1 / (n_1 + 2 n_2), the absolute discount of one order (Ney et al. 1994).

    Where no count is one the estimate says nothing, and half a count is taken.
    """
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once else 0.5


class _Order(NamedTuple):
    """Discounted probabilities of one order, grouped by context.

    Context i owns entries starts[i] : starts[i + 1]; words int64 and shares float32,
    share = (count - D) / total; backoff float32 (contexts,), D N / total, or 1 unseen.
    """

    starts: np.ndarray
    words: np.ndarray
    shares: np.ndarray
    backoff: np.ndarray


def _order(context_ids: np.ndarray, n_contexts: int, words: np.ndarray, counts: np.ndarray):
    """Tables of one order from entries sorted by context and, within it, by word."""
    amount = discount(counts)
    starts = np.searchsorted(context_ids, np.arange(n_contexts + 1)).astype(np.int64)
    totals = np.zeros(n_contexts, np.int64)
    np.add.at(totals, context_ids, counts.astype(np.int64))
    followers = np.diff(starts)
    seen = totals > 0
    backoff = np.ones(n_contexts)
    backoff[seen] = amount * followers[seen] / totals[seen]
    shares = (counts - amount) / totals[context_ids]
    return _Order(
        starts, words.astype(np.int64), shares.astype(np.float32), backoff.astype(np.float32)
    )


class KneserNeyTables(NamedTuple):
    """What the kernel reads. Built by `build_tables`.

    unigram: float32 (V,), complete probabilities of the lowest order. bigram: contexts
    are ids 0 .. V. trigram: contexts are rows of `pairs`, sorted keys u * (V + 1) + v.
    """

    unigram: np.ndarray
    bigram: _Order
    trigram: _Order
    pairs: np.ndarray


def build_tables(arrays: dict, vocabulary_size: int) -> KneserNeyTables:
    """Derive the tables of all orders from `count_trigrams`'s arrays."""
    base = vocabulary_size + 1
    contexts = arrays["contexts"].astype(np.int64)
    words, counts = arrays["words"].astype(np.int64), arrays["counts"].astype(np.int64)

    pairs, context_ids = np.unique(contexts[:, 0] * base + contexts[:, 1], return_inverse=True)
    trigram = _order(context_ids.reshape(-1), pairs.size, words, counts)

    bigrams, continuations = np.unique(contexts[:, 1] * base + words, return_counts=True)
    bigram = _order(bigrams // base, base, bigrams % base, continuations)

    unigrams, continuations = np.unique(bigrams % base, return_counts=True)
    lowest = _order(np.zeros(unigrams.size, np.int64), 1, unigrams, continuations)
    unigram = np.full(vocabulary_size, lowest.backoff[0] / np.float32(vocabulary_size), np.float32)
    unigram[lowest.words] += lowest.shares
    return KneserNeyTables(unigram, bigram, trigram, pairs)


@njit
def _add_order(order, context, probabilities):
    """probabilities = shares of this context + backoff * probabilities."""
    scale = order.backoff[context]
    for word in range(probabilities.size):
        probabilities[word] *= scale
    for entry in range(order.starts[context], order.starts[context + 1]):
        probabilities[order.words[entry]] += order.shares[entry]


@njit
def kneser_ney_predict(tables, first, second, probabilities):
    """Fill float32 (V,) with p(. | first second)."""
    for word in range(probabilities.size):
        probabilities[word] = tables.unigram[word]
    _add_order(tables.bigram, second, probabilities)
    key = first * np.int64(probabilities.size + 1) + second
    low, high = 0, tables.pairs.size
    while low < high:
        middle = (low + high) // 2
        if tables.pairs[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < tables.pairs.size and tables.pairs[low] == key:
        _add_order(tables.trigram, low, probabilities)


class KneserNey:
    """Interpolated Kneser-Ney as a predictor: `predict`, then `perceive`."""

    def __init__(self, tables: KneserNeyTables, reset_state: bool):
        self.vocabulary_size = tables.unigram.size
        self._tables = tables
        self._reset_state = reset_state
        self._probabilities, self._ahead = np.empty((2, self.vocabulary_size), np.float32)
        self._restart()

    def fresh(self) -> "KneserNey":
        """Another one that has perceived nothing, with the same tables."""
        return KneserNey(self._tables, self._reset_state)

    def _restart(self) -> None:
        self._first = self._second = self.vocabulary_size

    def predict(self) -> np.ndarray:
        """Distribution of the next symbol, float32 (V,); valid until the next call."""
        kneser_ney_predict(self._tables, self._first, self._second, self._probabilities)
        return self._probabilities

    def peek(self, symbol: int) -> np.ndarray:
        """The distribution after `symbol`, if that is what comes next; nothing changes."""
        kneser_ney_predict(self._tables, self._second, symbol, self._ahead)
        return self._ahead

    def perceive(self, symbol: int) -> None:
        """Take in the symbol that was coded."""
        if symbol == SENTENCE_END and self._reset_state:
            self._restart()
        else:
            self._first, self._second = self._second, symbol
