"""An adaptive model of symbols in several contexts at once, coded as it learns.

Each level has its own context and counts what followed it. The levels are interpolated
in order, each with what the levels before it say (Jelinek and Mercer 1980):

    p_k(s) = t c_k(s) / C_k + (1 - t) p_{k-1}(s),      p_0 uniform,

where the trust t is one number for each level, size of C_k and number of different
symbols seen in the context. It is learnt online: one step of expectation maximisation
after each symbol moves t towards the posterior probability that the level's own counts
produced the symbol. So a context that tells nothing is hardly listened to, and levels
need not be nested. Called by gaps.py and letter_case.py.
"""

from typing import NamedTuple

import numpy as np

from ..entropy.frequencies import to_frequencies
from ..entropy.range_coder import code_symbol
from ..kernels import njit

#: Different symbols that one context remembers (archive format 1).
WAYS = 8
#: Counts of a context are halved when one of them gets here (archive format 1).
COUNT_LIMIT = 250
_SIZES = 8  # classes of C: 1, 2-3, 4-7, ... 128 and more
_RATE = np.float32(0.03)
_LEAST_TRUST = np.float32(0.002)
_MOST_TRUST = np.float32(0.998)
_ONE = np.float32(1.0)
_NOTHING = np.float32(0.0)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FINISHER = np.uint64(0xBF58476D1CE4E5B9)
_HALF_WORD = np.uint64(32)


class AdaptiveModel(NamedTuple):
    """The arrays of a model with some levels of 2^slot_bits slots; contexts hash to slots."""

    symbols: np.ndarray  # uint16 (levels, slots, WAYS)
    counts: np.ndarray  # uint16 (levels, slots, WAYS); 0: nothing here
    trust: np.ndarray  # float32 (levels, 4 * _SIZES)
    probabilities: np.ndarray  # float32 (alphabet,): working space
    frequencies: np.ndarray  # uint32 (alphabet,): working space


def adaptive_model(alphabet: int, levels: int, slot_bits: int) -> AdaptiveModel:
    """A model that has seen nothing, over symbols 0 .. alphabet - 1."""
    shape = (levels, 1 << slot_bits, WAYS)
    return AdaptiveModel(
        np.zeros(shape, np.uint16),
        np.zeros(shape, np.uint16),
        np.full((levels, 4 * _SIZES), 0.5, np.float32),
        np.zeros(alphabet, np.float32),
        np.zeros(alphabet, np.uint32),
    )


@njit
def mix_hash(value, more):
    """A hash of two 64-bit numbers, both uint64. The high bits are the good ones."""
    mixed = value * _MULTIPLIER + more
    return (mixed ^ (mixed >> _HALF_WORD)) * _FINISHER


@njit
def _size_class(counts):
    """The row of the trust table for a context's counts, and their sum (0: never seen)."""
    total = 0
    different = 0
    for way in range(WAYS):
        total += np.int64(counts[way])
        if counts[way] > 0:
            different += 1
    size = 0
    while (total >> (size + 1)) > 0 and size < _SIZES - 1:
        size += 1
    return 4 * size + min(different, 4) - 1, total


@njit
def code_adaptive(state, buffer, information, model, slots, possible, symbol):
    """Code one of the first `possible` symbols, and learn it.

    slots: int64, the slot of each level's context, from the most general on. Levels are
    12 at most: with all of them distrustful, a probability is still no denormal.
    """
    probabilities = model.probabilities
    alphabet = probabilities.size
    levels = slots.size
    uniform = _ONE / np.float32(alphabet)
    for index in range(alphabet):
        probabilities[index] = uniform
    for level in range(levels):
        counts = model.counts[level, slots[level]]
        row, total = _size_class(counts)
        if total == 0:
            continue
        trust = model.trust[level, row]
        distrust = _ONE - trust
        for index in range(alphabet):
            probabilities[index] *= distrust
        share = trust / np.float32(total)
        for way in range(WAYS):
            if counts[way] > 0:
                seen = model.symbols[level, slots[level], way]
                probabilities[seen] += share * np.float32(counts[way])
    to_frequencies(probabilities, model.frequencies)
    symbol = code_symbol(state, buffer, information, model.frequencies[:possible], symbol)

    probability = uniform  # of the symbol, level by level, as above
    for level in range(levels):
        slot = slots[level]
        counts = model.counts[level, slot]
        row, total = _size_class(counts)
        found = -1
        smallest = 0
        for way in range(WAYS):
            if counts[way] > 0 and model.symbols[level, slot, way] == symbol:
                found = way
            if counts[way] < counts[smallest]:
                smallest = way
        if total > 0:
            trust = model.trust[level, row]
            rest = (_ONE - trust) * probability
            own = _NOTHING
            if found >= 0:
                own = trust * np.float32(counts[found]) / np.float32(total)
            probability = rest + own
            trust += _RATE * (own / probability - trust)
            model.trust[level, row] = min(max(trust, _LEAST_TRUST), _MOST_TRUST)
        if found < 0:
            found = smallest
            model.symbols[level, slot, found] = np.uint16(symbol)
            counts[found] = np.uint16(0)
        counts[found] += np.uint16(1)
        if counts[found] >= COUNT_LIMIT:
            for way in range(WAYS):
                counts[way] = counts[way] >> np.uint16(1)
    return symbol
