"""Interpolated Kneser-Ney of any order in float64 (Chen and Goodman 1999, eq. 26), plainly written.

The package's own is a trigram in float32; of order 3 both are the same model. Called by
geometry.py, softmax_bottleneck.py and weight_decay.py.
"""

from collections import Counter

import numpy as np

from nlmzip.predictors.kneser_ney import discount


class KneserNey:
    """sentences: sequences of symbols below vocabulary_size, each with its end; order: n."""

    def __init__(self, sentences, vocabulary_size: int, order: int):
        self._size = vocabulary_size
        self._orders = []  # of contexts of 0, 1, ... n - 1 symbols: (discount, followers)
        padding = (vocabulary_size,) * (order - 1)
        grams = Counter()
        for sentence in sentences:
            padded = (*padding, *map(int, sentence))
            grams.update(zip(*(padded[first:] for first in range(order))))
        for _ in range(order):
            followers = {}
            for (*context, word), count in grams.items():
                followers.setdefault(tuple(context), {})[word] = count
            self._orders.insert(0, (discount(np.array([*grams.values()])), followers))
            grams = Counter(
                gram[1:] for gram in grams
            )  # of how many different ones each is the end

    def probabilities(self, context) -> np.ndarray:
        """p(. | context), float64 (V,); context: at least n - 1 symbols, <s> is V."""
        answer = np.full(self._size, 1 / self._size)
        for length, (amount, followers) in enumerate(self._orders):
            known = followers.get(tuple(map(int, context[len(context) - length :])))
            if known:
                words, counts = np.array([*known]), np.array([*known.values()])
                answer *= amount * len(counts) / counts.sum()
                answer[words] += (counts - amount) / counts.sum()
        return answer
