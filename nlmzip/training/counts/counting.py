"""Exact counts of every context's next bytes over a training text, by sorting.

A context and the byte after it make one 64-bit key: 48 bits of the context's hash, the
byte, and 8 bits for how often the pair stands in one document. Sorted, equal pairs lie
side by side. Called by training/; only its result is shipped.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...contexts.basic import WORDS, learn_byte
from ...contexts.registry import COUNTED, set_contexts
from ...counts.trie import KINDS, ORDER_0_HASH, ROOT
from ...kernels import njit

#: Bits of a context's hash that tell it from others.
HASH_SHIFT = 16

_CONTEXT_BITS = np.uint64(0xFFFFFFFFFFFF0000)
_PAIR_BITS = np.uint64(0xFFFFFFFFFFFFFF00)
_BYTE = np.uint64(8)
_COUNT_BITS = np.uint64(255)
_MOST_IN_KEY, _GOES_ON = 254, 255  # of a key that another one of its document follows
_KINDS_AT_ONCE = 4
_DTYPES = (np.uint64, np.uint8, np.uint32, np.uint32)


class Counts(NamedTuple):
    """Pairs of one kind of context, sorted by context and byte.

    contexts: uint64 (n,), hashes without their low 16 bits; following: uint8 (n,);
    count: uint32 (n,); documents: uint32 (n,), in how many documents the pair stands.
    """

    contexts: np.ndarray
    following: np.ndarray
    count: np.ndarray
    documents: np.ndarray


@njit
def _context_keys(data, numbers, keys):
    """Fill keys (uint64 (n, data.size)) for the contexts of these numbers; counts are left 0."""
    words = np.zeros(WORDS, np.uint64)
    layout = np.zeros(4, np.int64)
    hashes = np.zeros(numbers.size, np.uint64)
    for position in range(data.size):
        set_contexts(numbers, words, layout, data, None, np.uint64(0), hashes)
        byte = np.int64(data[position])
        for kind in range(numbers.size):
            keys[kind, position] = hashes[kind] & _CONTEXT_BITS | np.uint64(byte) << _BYTE
        learn_byte(words, layout, byte, position)


@njit
def _fold_document(keys, folded):
    """Sorted keys of one document to distinct ones with their counts; returns how many.

    A count beyond what a key holds takes several keys.
    """
    n_folded, first = 0, 0
    while first < keys.size:
        last = first + 1
        while last < keys.size and keys[last] == keys[first] and last - first < _MOST_IN_KEY:
            last += 1
        goes_on = last < keys.size and keys[last] == keys[first]
        folded[n_folded] = keys[first] | np.uint64(_GOES_ON if goes_on else last - first)
        n_folded += 1
        first = last
    return n_folded


@njit
def _fold_documents(keys, least, least_context, contexts, following, count, documents):
    """Sorted keys of all documents to pairs; returns how many.

    Left out are pairs seen fewer than `least` times, and contexts seen fewer than
    `least_context` times.
    """
    n_pairs, first, context_begin, context_total = 0, 0, 0, np.int64(0)
    context = np.uint64(0)
    while first < keys.size:
        pair = keys[first] & _PAIR_BITS
        if pair & _CONTEXT_BITS != context:
            if context_total < least_context:
                n_pairs = context_begin
            context, context_begin, context_total = pair & _CONTEXT_BITS, n_pairs, np.int64(0)
        last, total, n_documents = first, np.int64(0), 0
        while last < keys.size and keys[last] & _PAIR_BITS == pair:
            in_key = np.int64(keys[last] & _COUNT_BITS)
            total += min(in_key, _MOST_IN_KEY)
            n_documents += in_key != _GOES_ON
            last += 1
        context_total += total
        if total >= least:
            contexts[n_pairs] = pair & _CONTEXT_BITS
            following[n_pairs] = np.uint8((pair >> _BYTE) & _COUNT_BITS)
            count[n_pairs] = total
            documents[n_pairs] = n_documents
            n_pairs += 1
        first = last
    return context_begin if context_total < least_context else n_pairs


def count(
    texts: Sequence[bytes], least: Sequence[int], least_contexts: Sequence[int], each: Callable = map
) -> Iterator[Counts]:
    """Yield the counts of each kind of context in turn.

    Left out are pairs seen fewer than least[kind] times, and whole contexts seen fewer than
    least_contexts[kind] times; of order 0 nothing is. each: `map`, or one that works on threads.
    """
    for first in range(0, KINDS, _KINDS_AT_ONCE):
        together = range(first, min(first + _KINDS_AT_ONCE, KINDS))
        parts = _keys_of(texts, [kind for kind in together if kind != ROOT], each)

        def counts_of(kind: int) -> Counts:
            if kind == ROOT:
                return _order_0(texts)
            return _merge(parts.pop(kind), least[kind], least_contexts[kind])

        yield from each(counts_of, together)


def _keys_of(texts: Sequence[bytes], kinds: list[int], each: Callable) -> dict[int, list[np.ndarray]]:
    """Of each of these kinds, the sorted keys of each text with their counts."""
    numbers = np.array([COUNTED[kind] for kind in kinds])

    def of_text(text: bytes) -> list[np.ndarray]:
        data = np.frombuffer(text, np.uint8)
        keys = np.empty((len(kinds), data.size), np.uint64)
        _context_keys(data, numbers, keys)
        folded, of_kinds = np.empty(data.size, np.uint64), []
        for of_kind in keys:
            of_kind.sort()
            of_kinds.append(folded[: _fold_document(of_kind, folded)].copy())
        return of_kinds

    parts = {kind: [] for kind in kinds}
    for of_kinds in each(of_text, texts):
        for kind, keys in zip(kinds, of_kinds, strict=True):
            parts[kind].append(keys)
    return parts


def _order_0(texts: Sequence[bytes]) -> Counts:
    counts = np.array([np.bincount(np.frombuffer(text, np.uint8), minlength=256) for text in texts])
    counts = counts.reshape(-1, 256)
    (following,) = np.nonzero(counts.sum(axis=0))
    return Counts(
        contexts=np.full(following.size, ORDER_0_HASH, np.uint64),
        following=following.astype(np.uint8),
        count=counts.sum(axis=0)[following].astype(np.uint32),
        documents=(counts > 0).sum(axis=0)[following].astype(np.uint32),
    )


def _merge(parts: list[np.ndarray], least: int, least_context: int) -> Counts:
    keys = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    parts.clear()  # they are as large as the keys
    keys.sort()
    arrays = Counts(*(np.empty(keys.size, np.dtype(kind)) for kind in _DTYPES))
    n_pairs = _fold_documents(keys, least, least_context, *arrays)
    return Counts(*(array[:n_pairs].copy() for array in arrays))
