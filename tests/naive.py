"""Naive twins of kernels and models: the definitions, one element after the other."""

import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np


def dot(a, b):
    """32 partial sums and a halving tree, in float32 throughout."""
    lanes = [np.float32(0)] * 32
    for index, (x, y) in enumerate(zip(a, b)):
        lanes[index % 32] = np.float32(lanes[index % 32] + np.float32(x * y))
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [np.float32(lanes[i] + lanes[i + half]) for i in range(half)]
    return lanes[0]


def affine(x, weights, bias):
    """Each output is a sum over rows in order, in float32."""
    out = bias.copy()
    for row, factor in zip(weights, x):
        for column in range(out.size):
            out[column] = np.float32(out[column] + np.float32(factor * row[column]))
    return out


def descend(weights, activations, gradients, step):
    """Time after time, element after element, in float32."""
    moved = weights.copy()
    for activation, gradient in zip(activations, gradients):
        for row in range(moved.shape[0]):
            factor = np.float32(step * activation[row])
            for column in range(moved.shape[1]):
                value = moved[row, column] - np.float32(factor * gradient[column])
                moved[row, column] = np.float32(value)
    return np.clip(moved, -64, 64)


def frequencies(probabilities):
    return [math.floor(min(max(np.float32(p) * np.float32(2**30), 0), 2**30)) + 1 for p in probabilities]


def information(frequency_tables, symbols):
    """-log2 of the product of exact fractions."""
    bits = 0.0
    for table, symbol in zip(frequency_tables, symbols):
        bits -= math.log2(Fraction(int(table[symbol]), int(sum(map(int, table)))))
    return bits


class KneserNey:
    """Interpolated Kneser-Ney trigrams by dictionaries, in float64."""

    def __init__(self, sentences, size):
        self.size = size
        trigrams = Counter()
        for sentence in sentences:
            padded = [size, size, *map(int, sentence)]
            trigrams.update(zip(padded, padded[1:], padded[2:]))
        bigrams = Counter((v, w) for _, v, w in trigrams)
        unigrams = Counter((w,) for _, w in bigrams)
        self.orders = [self._order(counts) for counts in (unigrams, bigrams, trigrams)]

    @staticmethod
    def _order(counts):
        counts_of_counts = Counter(counts.values())
        once, twice = counts_of_counts[1], counts_of_counts[2]
        discount = once / (once + 2 * twice) if once else 0.5
        totals, followers = defaultdict(int), defaultdict(int)
        for gram, count in counts.items():
            totals[gram[:-1]] += count
            followers[gram[:-1]] += 1
        return counts, totals, followers, discount

    def probability(self, context, word):
        """p(word | context), `context` a tuple of two ids."""
        p = 1 / self.size
        for length, (counts, totals, followers, discount) in enumerate(self.orders):
            history = context[2 - length :] if length else ()
            if history in totals:
                share = max(counts[history + (word,)] - discount, 0) / totals[history]
                p = share + discount * followers[history] / totals[history] * p
        return p
