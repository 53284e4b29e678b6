"""The speller: an order-3 model of the bytes of a word, fixed when the model is trained.

Symbols are the 256 bytes and the end of the word. The orders are interpolated with the
escape weight of method C (Moffat 1990; as the probability of a new event: Witten and
Bell 1991, their method C),

    p_k(s) = (c_k(s) + D_k p_{k-1}(s)) / (C_k + D_k),    p_{-1} = 1/257,

where in the context of the last k symbols s was seen c_k(s) times, all symbols C_k
times, D_k of them different. Before a word stand marks of its start. Only counts of
order 3 are stored: those of lower orders are their sums. No word is empty and none is
longer than MAXIMUM_LENGTH, so an end is not coded where it cannot or must be. Called by
forms.py and training.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ..entropy.frequencies import to_frequencies
from ..entropy.range_coder import code_symbol
from ..errors import ModelError
from ..kernels import njit
from .tokens import MAXIMUM_LENGTH

ORDER = 3
END = 256
#: Values in a context: 256 bytes and the mark of the word's start.
START = 256
RADIX = 257

_ONE = np.float32(1.0)


class SpellerTable(NamedTuple):
    """Counts of all orders: those of context keys[i] are entries starts[i] to starts[i + 1]."""

    keys: np.ndarray  # int64 (contexts,), sorted: order * RADIX**ORDER + context
    starts: np.ndarray  # int64 (contexts + 1,)
    symbols: np.ndarray  # int64 (entries,)
    counts: np.ndarray  # float32 (entries,)


def train(words: Iterable[bytes]) -> dict[str, np.ndarray]:
    """The speller's arrays for a model file, made from words.

    Every word of a text once is best: unknown words are spelled in 2 to 7% fewer bits
    than by a speller of words seen once alone, and in 15 to 25% fewer than by one that
    saw words as often as they occur.

    Returns contexts (uint32, the last three symbols as a number of base 257), symbols
    and counts (both uint16), one row for each symbol seen in each context, sorted.
    """
    counts: Counter[tuple[int, int]] = Counter()
    for word in words:
        context = (START * RADIX + START) * RADIX + START
        for symbol in (*word, END):
            counts[context, symbol] += 1
            context = context * RADIX % RADIX**ORDER + symbol
    rows = sorted(counts)
    return {
        "speller.contexts": np.array([context for context, _ in rows], np.uint32),
        "speller.symbols": np.array([symbol for _, symbol in rows], np.uint16),
        "speller.counts": np.array([min(counts[row], 65535) for row in rows], np.uint16),
    }


def _table(contexts: np.ndarray, symbols: np.ndarray, counts: np.ndarray) -> SpellerTable:
    """Sum the counts of order 3 to those of all orders."""
    events = []
    for order in range(ORDER + 1):
        context = order * RADIX**ORDER + contexts.astype(np.int64) % RADIX**order
        events.append(context * RADIX + symbols)
    seen, place = np.unique(np.concatenate(events), return_inverse=True)
    sums = np.bincount(place.ravel(), np.tile(counts, ORDER + 1), minlength=seen.size)
    keys, starts = np.unique(seen // RADIX, return_index=True)
    return SpellerTable(
        keys, np.append(starts, seen.size).astype(np.int64), seen % RADIX, sums.astype(np.float32)
    )


@njit
def _find(keys, key):
    """The index of `key` in sorted `keys`, or -1."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.size and keys[low] == key else -1


@njit
def spelling_probabilities(table, context, probabilities):
    """Fill `probabilities` (float32, 257) with p_3 in a context of three symbols."""
    for symbol in range(RADIX):
        probabilities[symbol] = _ONE / np.float32(RADIX)
    modulus = 1
    for order in range(ORDER + 1):
        row = _find(table.keys, order * RADIX**ORDER + context % modulus)
        modulus *= RADIX
        if row < 0:
            break  # nor was any longer context seen
        start, stop = table.starts[row], table.starts[row + 1]
        total = np.float32(stop - start)
        for entry in range(start, stop):
            total += table.counts[entry]
        weight = np.float32(stop - start) / total
        for symbol in range(RADIX):
            probabilities[symbol] *= weight
        for entry in range(start, stop):
            probabilities[table.symbols[entry]] += table.counts[entry] / total


@njit
def _code_word(state, buffer, information, table, word, length):
    """Code the first `length` bytes of `word` (uint8, MAXIMUM_LENGTH; filled when decoding)."""
    probabilities = np.empty(RADIX, np.float32)
    frequencies = np.empty(RADIX, np.uint32)
    context = (START * RADIX + START) * RADIX + START
    for position in range(MAXIMUM_LENGTH):
        spelling_probabilities(table, context, probabilities)
        to_frequencies(probabilities, frequencies)
        symbol = np.int64(word[position]) if position < length else END
        possible = frequencies[:END] if position == 0 else frequencies
        symbol = code_symbol(state, buffer, information, possible, symbol)
        if symbol == END:
            return position
        word[position] = np.uint8(symbol)
        context = context * RADIX % RADIX**ORDER + symbol
    return MAXIMUM_LENGTH


class Speller:
    """Codes words byte by byte with the arrays that `train` made."""

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        """Raises ModelError if the arrays are not those of a speller."""
        try:
            contexts, symbols, counts = (
                np.asarray(arrays[f"speller.{name}"]) for name in ("contexts", "symbols", "counts")
            )
        except KeyError as error:
            raise ModelError(f"the model has no array {error}") from None
        if not contexts.shape == symbols.shape == counts.shape == (contexts.size,):
            raise ModelError("the speller's arrays differ in length")
        possible = (contexts < RADIX**ORDER) & (symbols <= END) & (counts > 0)
        if not possible.all():
            raise ModelError("the speller's arrays hold symbols that cannot be")
        self.table = _table(contexts, symbols, counts)
        self._word = np.zeros(MAXIMUM_LENGTH, np.uint8)

    def code(self, coder, word: bytes | None) -> bytes:
        """Code a word of 1 to MAXIMUM_LENGTH bytes (None when decoding): the word."""
        if word is not None:
            self._word[: len(word)] = np.frombuffer(word, np.uint8)
        coder.reserve(MAXIMUM_LENGTH + 1)
        length = _code_word(
            coder.state, coder.buffer, coder.information, self.table, self._word, len(word or b"")
        )
        return self._word[:length].tobytes()
