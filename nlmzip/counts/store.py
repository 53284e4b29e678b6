"""The store: contexts with what followed them, read-only, to be looked up by hash.

Contexts stand in buckets by the high bits of their hash. `starts` says where a bucket's
bytes begin in `data`; in it, one context after the other:

    check 2 | number of followers - 1 | followers: byte, level of its count

Only the engine's kernels look in here: fill.py.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit

#: Bytes of a context before its followers.
HEAD = 3

_CHECK_SHIFT = np.uint64(16)
_CHECK_BITS = np.uint64(0xFFFF)
_CONTEXTS_PER_BUCKET = 2
# Their counters fit into the processor's cache.
_BUCKETS_AT_ONCE = 1 << 18


class Store(NamedTuple):
    """starts: uint32 (buckets + 1,), buckets a power of two; data: uint8. Both read-only.

    shift: by how much a hash is shifted to its bucket.
    """

    starts: np.ndarray
    data: np.ndarray
    shift: np.uint64

    @classmethod
    def of(cls, starts: np.ndarray, data: np.ndarray) -> "Store":
        """A store of these arrays, which from now on cannot be written.

        Kernels take one type of array, whether it was mapped from a file or not.
        """
        starts.flags.writeable = data.flags.writeable = False
        return cls(starts, data, np.uint64(65 - (starts.size - 1).bit_length()))


@njit(borrowing=True)
def find_followers(starts, data, shift, hashed):
    """Where in `data` the followers' number of a hashed context stands, -1 if it is not there."""
    bucket = np.int64(hashed >> shift)
    place, end = np.int64(starts[bucket]), np.int64(starts[bucket + 1])
    check = np.int64(hashed >> _CHECK_SHIFT & _CHECK_BITS)
    while place < end:
        if (np.int64(data[place]) | np.int64(data[place + 1]) << 8) == check:
            return place + 2
        place += HEAD + 2 * (np.int64(data[place + 2]) + 1)
    return np.int64(-1)


@njit(borrowing=True)
def _sort_part(contexts, shift, first_bucket, ends, found, order):
    """Put the contexts of as many buckets as there are `ends` in the order of their hashes.

    found, order: uint32, room for these contexts; returns how many `order` holds.
    """
    ends[:] = 0
    n_found = 0
    for context in range(contexts.size):
        bucket = np.int64(contexts[context] >> shift) - first_bucket
        if 0 <= bucket < ends.size:
            found[n_found] = context
            n_found += 1
            ends[bucket] += 1
    n_before = 0
    for bucket in range(ends.size):
        n_before += ends[bucket]
        ends[bucket] = n_before - ends[bucket]
    for index in range(n_found):
        bucket = np.int64(contexts[found[index]] >> shift) - first_bucket
        order[ends[bucket]] = found[index]
        ends[bucket] += 1
    # Within a bucket, of which each holds few; equal hashes keep their order.
    for index in range(1, n_found):
        context, place = order[index], index
        while place > 0 and contexts[order[place - 1]] > contexts[context]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = context
    return n_found


@njit(borrowing=True)
def _write_part(contexts, first, order, following, levels, shift, starts, data, place):
    """Write these contexts from `place` on, and where their buckets begin; returns the end."""
    bucket = 0
    for index in range(order.size):
        context = order[index]
        hashed = contexts[context]
        while bucket <= np.int64(hashed >> shift) & (starts.size - 1):
            starts[bucket] = place
            bucket += 1
        check = hashed >> _CHECK_SHIFT & _CHECK_BITS
        data[place] = np.uint8(check & np.uint64(255))
        data[place + 1] = np.uint8(check >> np.uint64(8))
        begin, end = np.int64(first[context]), np.int64(first[context + 1])
        data[place + 2] = np.uint8(end - begin - 1)
        place += HEAD
        for entry in range(begin, end):
            data[place] = following[entry]
            data[place + 1] = levels[entry]
            place += 2
    starts[bucket:] = place
    return place


def build(contexts: np.ndarray, first: np.ndarray, following: np.ndarray, levels: np.ndarray) -> Store:
    """A store of contexts (uint64 (n,)), whose followers are those from first[i] to first[i + 1].

    first: uint32 or int64 (n + 1,); following, levels: uint8.
    """
    n_buckets = 1 << max(1, (contexts.size // _CONTEXTS_PER_BUCKET).bit_length())
    shift = np.uint64(65 - n_buckets.bit_length())
    starts = np.zeros(n_buckets + 1, np.uint32)
    data = np.zeros(HEAD * contexts.size + 2 * int(first[-1] - first[0]), np.uint8)
    ends = np.zeros(min(n_buckets, _BUCKETS_AT_ONCE), np.int64)
    # Room for all contexts, of which only as much is touched as a part needs.
    found, order = np.empty(contexts.size, np.uint32), np.empty(contexts.size, np.uint32)
    place = 0
    for bucket in range(0, n_buckets, ends.size):
        n_found = _sort_part(contexts, shift, bucket, ends, found, order)
        of_part = starts[bucket : bucket + ends.size]
        place = _write_part(
            contexts, first, order[:n_found], following, levels, shift, of_part, data, place
        )
    starts[-1] = place
    return Store.of(starts, data)


def empty() -> Store:
    """The store that knows no context."""
    return Store.of(np.zeros(3, np.uint32), np.zeros(0, np.uint8))
