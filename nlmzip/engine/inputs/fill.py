"""The slots of the next half byte, and a new one's first contents: what training saw there.

Called by engine.py, which uses enter_half_byte.
"""

import numpy as np

from ...contexts.basic import mix_hash
from ...counts import count_levels
from ...counts.store import find_followers
from ...kernels import njit, part
from ...kernels.memory import prefetch
from ..geometry import SLOT
from . import counted
from .counters import RUN, find_slot, line_of
from .finer import FAST, SLOW

#: What a count in training is worth at most, in observations of the text itself.
_MOST_OBSERVATIONS = 15
# What each outcome counts for beside what was seen, in tenths.
_UNSEEN = 4
_LEAST, _MOST = 16, 65519
_OBSERVATION_BITS = 6
_LONGEST_RUN = 255

_LEVEL_COUNTS = count_levels.level_counts()
_CLASSES = counted.count_classes()
_FIRST_CODES = counted.first_codes()


@njit(borrowing=True)
def fill_slot(slots, slot, slot_size, data, place, second_half, partial, counts):
    """Fill the nodes that the followers at `place` of a store's data pass through.

    second_half: whether the slot is that of a byte's last four bits, whose first four are
    the low ones of `partial`; counts: int64 (32,), overwritten.
    """
    for node in range(32):
        counts[node] = 0
    n_followers = np.int64(data[place]) + 1
    half = partial & 15
    for follower in range(n_followers):
        byte = np.int64(data[place + 1 + 2 * follower])
        count = _LEVEL_COUNTS[data[place + 2 + 2 * follower] & 63]
        if not second_half:
            counts[16 | byte >> 4] += count
        elif byte >> 4 == half:
            counts[16 | byte & 15] += count
    for node in range(15, 0, -1):
        zeros, ones = counts[2 * node], counts[2 * node + 1]
        seen = zeros + ones
        counts[node] = seen
        if seen:
            probability = (ones * 10 + _UNSEEN) * 65536 // (seen * 10 + 2 * _UNSEEN)
            probability = np.uint16(min(max(probability, _LEAST), _MOST))
            slots[slot + node] = probability
            if slot_size > SLOT:
                slots[slot + node + FAST] = probability
                slots[slot + node + SLOW] = probability
            zeros_class = _CLASSES[min(zeros, counted.LARGEST_COUNT)]
            ones_class = _CLASSES[min(ones, counted.LARGEST_COUNT)]
            history = np.int64(_FIRST_CODES[zeros_class, ones_class])
            observations = min(seen, _MOST_OBSERVATIONS)
            slots[slot + node + 15] = np.uint16(history << _OBSERVATION_BITS | observations)
    if n_followers == 1 and not second_half:
        times = min(counts[1], _LONGEST_RUN)
        slots[slot + RUN] = np.uint16(times << 8 | np.int64(data[place + 1]))


@part
def enter_half_byte(engine, slot_size, partial, bit_position):
    """Find each context's slot for the next four bits; a new one is filled from the store.

    All slots are fetched before the first is looked at: memory then answers for all of them
    at once.
    """
    slots, moving, store = engine.slots, engine.moving, engine.fixed.store
    hashes, found, current = moving.hashes, moving.found, moving.current
    n_slots = np.uint64(slots.size // slot_size)
    for context in range(hashes.size):
        hashed = hashes[context]
        if bit_position:
            hashed = mix_hash(hashed, np.uint64(partial))
        found[context] = hashed
        for place in range(0, slot_size, SLOT):
            prefetch(slots, line_of(n_slots, hashed) * slot_size + place)
    for context in range(hashes.size):
        hashed = found[context]
        slot = find_slot(slots, n_slots, hashed, slot_size)
        if slot < 0:  # nothing is known here yet
            slot = ~slot
            place = find_followers(store.starts, store.data, store.shift, hashes[context])
            if place >= 0:
                fill_slot(
                    slots, slot, slot_size, store.data, place, bit_position > 0, partial, moving.counts
                )
        current[0, context] = slot
        if bit_position == 0:
            current[1, context] = slot
