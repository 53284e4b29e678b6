"""What each context has seen: slots of one cache line, and the inputs drawn from them.

A slot serves the 15 nodes of half a byte in one context. Its 32 numbers of 16 bits:

    0        check of the context's hash
    1 .. 15  each node's adaptive probability of a one
    16 .. 30 each node's bit history (10 high bits) and number of observations (6 low bits)
    31       in a byte's first slot: the byte last seen here, and how often in a row (high)
"""

import numpy as np

from ...kernels import njit, part
from ..geometry import CONTEXT_INPUTS, SLOT
from ..tables import MOST_OBSERVATIONS

RUN = 31

_HALF = np.uint16(32768)
_LEAST, _MOST = 16, 65519
_ONE_16 = np.uint16(1)
_OBSERVATIONS = np.uint16(63)
_HISTORY_SHIFT = np.uint16(6)
_PROBABILITY_SHIFT = np.uint16(4)
_BYTE_SHIFT = np.uint16(8)
_BYTE_MASK = np.uint16(255)
_NOTHING = np.float32(0.0)
_CENTRE = np.float32(32768.0)
_SPREAD = np.float32(1.0 / 16384.0)
_CHECK_SHIFT = np.uint64(48)
_LOW, _LOW_BITS = np.uint64(0xFFFFFFFF), np.uint64(32)
_RUN_STEP = np.uint16(256)
#: Places where a slot may stand, all of four.
_WAYS = 3


@njit(borrowing=True)
def adapt(probability, bit, rate):
    """A 16-bit probability moved towards a bit; rate in 1/65536."""
    target = 65535 if bit else 0
    moved = np.int64(probability) + (((target - np.int64(probability)) * rate) >> 16)
    return np.uint16(min(max(moved, _LEAST), _MOST))


@njit(borrowing=True)
def line_of(n_slots, hashed):
    """Which of n_slots slots (uint64, a multiple of four) a hash leads to, int64."""
    return np.int64(((hashed & _LOW) * n_slots) >> _LOW_BITS)


@njit(borrowing=True)
def find_slot(slots, n_slots, hashed, size=SLOT):
    """Index of a hashed context's slot; ~index if it was cleared for it.

    Of the places where it may stand, the one whose first node was seen least gives way.
    size: numbers of a slot; those from SLOT on are probabilities too.
    """
    check = np.uint16(hashed >> _CHECK_SHIFT)
    if check == 0:
        check = _ONE_16
    line = line_of(n_slots, hashed)
    worst, fewest = 0, 1 << 30
    for way in range(_WAYS):
        slot = (line ^ way) * size
        if slots[slot] == check:
            return slot
        seen = -1
        if slots[slot]:
            seen = np.int64(slots[slot + 16] & _OBSERVATIONS)
        if seen < fewest:
            worst, fewest = slot, seen
    slots[worst] = check
    for node in range(1, 16):
        slots[worst + node] = _HALF
        slots[worst + node + 15] = np.uint16(0)
    slots[worst + RUN] = np.uint16(0)
    for place in range(worst + SLOT, worst + size):
        slots[place] = _HALF
    return ~worst


@part
def expected_by_run(run, partial, bit_position):
    """The bit that the byte last seen here has next, or -1 if it began otherwise."""
    if run >> _BYTE_SHIFT and (np.int64(run & _BYTE_MASK) | 256) >> (8 - bit_position) == partial:
        return np.int64(run) >> (7 - bit_position) & 1
    return np.int64(-1)


@part
def run_class(run, bit_position):
    return min(np.int64(run >> _BYTE_SHIFT), 15) * 4 + (bit_position >> 1)


@part
def plain_inputs(slots, moving, stretch, here):
    """Fill the inputs of all contexts; returns how many have seen this node before."""
    maps, inputs, current = moving.maps, moving.inputs, moving.current
    n_seen = 0
    for context in range(current.shape[1]):
        first = context * CONTEXT_INPUTS
        place = current[0, context] + here.node
        state = slots[place + 15]
        inputs[first] = _NOTHING
        inputs[first + 1] = _NOTHING
        inputs[first + 2] = _NOTHING
        if state & _OBSERVATIONS:
            n_seen += 1
            probability = slots[place]
            inputs[first] = stretch[probability >> _PROBABILITY_SHIFT]
            by_history = maps.history[context, state >> _HISTORY_SHIFT]
            inputs[first + 1] = stretch[by_history >> _PROBABILITY_SHIFT]
            inputs[first + 2] = (np.float32(probability) - _CENTRE) * _SPREAD
        inputs[first + 3] = _NOTHING
        run = slots[current[1, context] + RUN]
        expected = expected_by_run(run, here.partial, here.bit_position)
        if expected >= 0:
            trust = maps.run[context, run_class(run, here.bit_position)]
            logit = stretch[trust >> _PROBABILITY_SHIFT]
            inputs[first + 3] = logit if expected else -logit
    return n_seen


@part
def learn_counters(slots, moving, tables, here, bit):
    """Move what the inputs of all contexts came from towards the bit."""
    maps, current = moving.maps, moving.current
    for context in range(current.shape[1]):
        place = current[0, context] + here.node
        state = slots[place + 15]
        observations = np.int64(state & _OBSERVATIONS)
        history = np.int64(state >> _HISTORY_SHIFT)
        rate = tables.reciprocal[observations]
        slots[place] = adapt(slots[place], bit, rate)
        if observations:
            seen = maps.history_seen[context, history]
            rate = tables.reciprocal[seen]
            maps.history[context, history] = adapt(maps.history[context, history], bit, rate)
            maps.history_seen[context, history] = min(seen + 1, MOST_OBSERVATIONS)
        observations = min(observations + 1, MOST_OBSERVATIONS)
        after = np.int64(tables.history[history, bit]) << 6 | observations
        slots[place + 15] = np.uint16(after)
        run = slots[current[1, context] + RUN]
        expected = expected_by_run(run, here.partial, here.bit_position)
        if expected >= 0:
            index = run_class(run, here.bit_position)
            maps.run[context, index] = adapt(maps.run[context, index], expected == bit, 1024)


@part
def learn_runs(slots, current, byte):
    """Note the byte that followed, in each context's first slot of the byte."""
    for context in range(current.shape[1]):
        place = current[1, context] + RUN
        run = slots[place]
        if run >> _BYTE_SHIFT == 0 or np.int64(run & _BYTE_MASK) != byte:
            slots[place] = np.uint16(256 | byte)
        elif run >> _BYTE_SHIFT < 255:
            slots[place] = run + _RUN_STEP
