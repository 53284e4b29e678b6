"""The match model: what followed the last time that these bytes stood here."""

import numpy as np

from ...contexts.basic import RECENT, last_bytes, mix_hash
from ...kernels import njit
from .counters import adapt

#: Fewest bytes that must agree, where no more are hashed.
LEAST_LENGTH = 5
#: Inputs for the mixer.
INPUTS = 2

# Places in a row of `state` (int64), one row for each match model. MISSES counts how often a
# match that goes on has failed; it is 0 where matches end when they fail.
POINTER, LENGTH, MISSES = range(3)
#: Classes of a match's trust; those from FAILED on are for matches that failed before.
CLASSES, FAILED = 64, 32

_LONGEST_LOOK = 400
_LONGEST = 65535
_MOST_MISSES = 8
_SOUND = 16  # after so many bytes a failure is forgotten
_NOTHING = np.float32(0.0)
_CENTRE = np.float32(32768.0)
_SPREAD = np.float32(1.0 / 16384.0)
_PROBABILITY_SHIFT = np.uint16(4)


@njit
def length_class(length):
    """1 to 31: single lengths first, then steps of 8."""
    return length if length < 16 else min(16 + (length - 16) // 8, FAILED - 1)


@njit
def trust_class(state, which):
    """Which of the match's CLASSES its trust has."""
    if state[which, MISSES] == 0:
        return length_class(state[which, LENGTH])
    return FAILED + min(state[which, MISSES] - 1, 3) * 8 + min(state[which, LENGTH] // 2, 7)


@njit
def expected_bit(state, which, data, partial, bit_position):
    """The bit that a match has next, or -1 if there is none or it has failed in this byte."""
    if state[which, LENGTH] > 0:
        byte = np.int64(data[state[which, POINTER]])
        if (byte | 256) >> (8 - bit_position) == partial:
            return byte >> (7 - bit_position) & 1
    return np.int64(-1)


@njit
def expected_class(state, data):
    """The byte that the first match has next and 0 to 7 for its length (times 256); 0 if none."""
    for which in range(state.shape[0]):
        length = state[which, LENGTH]
        if length > 0:
            trusted = min(length // 4, 3) if state[which, MISSES] else min(4 + length // 16, 7)
            return trusted << 8 | np.int64(data[state[which, POINTER]])
    return np.int64(0)


@njit
def match_inputs(state, which, expected, trust, stretch, inputs, first):
    """Fill two inputs from a match, whose bit is `expected`; trust: uint16 (matches, CLASSES)."""
    if expected < 0:
        inputs[first] = _NOTHING
        inputs[first + 1] = _NOTHING
        return
    probability = trust[which, trust_class(state, which)]
    logit = stretch[probability >> _PROBABILITY_SHIFT]
    margin = (np.float32(probability) - _CENTRE) * _SPREAD
    inputs[first] = logit if expected else -logit
    inputs[first + 1] = margin if expected else -margin


@njit
def learn_match_bit(state, which, expected, trust, bit, recovering):
    """Note whether the expected bit came; a failure ends the match, or its good repute."""
    if expected >= 0:
        index = trust_class(state, which)
        trust[which, index] = adapt(trust[which, index], expected == bit, 1024)
        if expected != bit:
            state[which, LENGTH] = 0
            if recovering:
                state[which, MISSES] += 1


@njit
def recent_hash(words, older, n):
    """A hash of the last n bytes, of 16 where there are more; older: the eight before the last eight."""
    if n < 8:
        return mix_hash(last_bytes(words, n), np.uint64(0))
    if n < 16:  # a shift by 64 or more means another number on each processor
        older &= (np.uint64(1) << np.uint64(8 * (n - 8))) - np.uint64(1)
    return mix_hash(mix_hash(words[RECENT], older), np.uint64(n))


@njit
def learn_match_byte(state, which, n_hashed, hashed, places, data, position, recovering):
    """Follow a match over the byte at `position`, or look for another one.

    hashed: of the last n_hashed bytes. A recovering match that has failed goes on behind
    the byte where it failed, unless another one is found.
    """
    if state[which, LENGTH] > 0:
        state[which, POINTER] += 1
        state[which, LENGTH] = min(state[which, LENGTH] + 1, _LONGEST)
        if state[which, LENGTH] >= _SOUND:
            state[which, MISSES] = 0
    if position + 1 < n_hashed:
        return
    origin = places.origin[0]
    index = np.int64(hashed & np.uint64(places.last.shape[1] - 1))
    if state[which, LENGTH] == 0 or state[which, MISSES] > 0:
        pointer = max(places.last[which, index] - origin, 0)
        length = 0
        while (
            length < _LONGEST_LOOK
            and length < pointer
            and data[pointer - 1 - length] == data[position - length]
        ):
            length += 1
        if length >= max(LEAST_LENGTH, n_hashed - 1):
            state[which, POINTER] = pointer
            state[which, LENGTH] = length
            state[which, MISSES] = 0
        elif state[which, LENGTH] == 0 and state[which, MISSES] > 0:
            if state[which, MISSES] > _MOST_MISSES:
                state[which, MISSES] = 0
            else:
                state[which, POINTER] += 1
                state[which, LENGTH] = 1
    places.last[which, index] = origin + position + 1
