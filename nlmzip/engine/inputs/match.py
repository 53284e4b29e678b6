"""The match model: what followed the last time that these bytes stood here."""

import numpy as np

from ...contexts.basic import RECENT, last_bytes, mix_hash
from ...kernels import njit, part
from ..geometry import FAILED, MATCH_INPUTS
from .counters import adapt

#: Fewest bytes that must agree, where no more are hashed.
LEAST_LENGTH = 5

# Places in a row of `state` (int64), one row for each match model. MISSES counts how often a
# match that goes on has failed; it is 0 where matches end when they fail.
POINTER, LENGTH, MISSES = range(3)

_LONGEST_LOOK = 400
_LONGEST = 65535
_MOST_MISSES = 8
_SOUND = 16  # after so many bytes a failure is forgotten
_NOTHING = np.float32(0.0)
_CENTRE = np.float32(32768.0)
_SPREAD = np.float32(1.0 / 16384.0)
_PROBABILITY_SHIFT = np.uint16(4)


@part
def length_class(length):
    """1 to 31: single lengths first, then steps of 8."""
    return length if length < 16 else min(16 + (length - 16) // 8, FAILED - 1)


@part
def trust_class(state, which):
    """Which class the match's trust has; those from FAILED on are for matches that failed before."""
    if state[which, MISSES] == 0:
        return length_class(state[which, LENGTH])
    return FAILED + min(state[which, MISSES] - 1, 3) * 8 + min(state[which, LENGTH] // 2, 7)


@part
def expected_bit(state, which, data, partial, bit_position):
    """The bit that a match has next, or -1 if there is none or it has failed in this byte."""
    if state[which, LENGTH] > 0:
        byte = np.int64(data[state[which, POINTER]])
        if (byte | 256) >> (8 - bit_position) == partial:
            return byte >> (7 - bit_position) & 1
    return np.int64(-1)


@part
def expected_class(state, data):
    """The byte that the first match has next and 0 to 7 for its length (times 256); 0 if none."""
    for which in range(state.shape[0]):
        length = state[which, LENGTH]
        if length > 0:
            trusted = min(length // 4, 3) if state[which, MISSES] else min(4 + length // 16, 7)
            return trusted << 8 | np.int64(data[state[which, POINTER]])
    return np.int64(0)


@part
def match_inputs(moving, data, stretch, here, first):
    """Fill two inputs from each match, from the index `first` on; returns what is expected.

    That is 0 where nothing is, else 2 and more, by how far the first match that expects a bit
    is trusted, with the bit.
    """
    state, trust, inputs, matched = moving.match, moving.maps.match, moving.inputs, 0
    for which in range(state.shape[0]):
        bit = expected_bit(state, which, data, here.partial, here.bit_position)
        moving.match_expected[which] = bit
        place = first + MATCH_INPUTS * which
        if bit < 0:
            inputs[place] = _NOTHING
            inputs[place + 1] = _NOTHING
            continue
        of = trust_class(state, which)
        if matched == 0:
            matched = 2 + 2 * (of % FAILED // 5) + bit
        probability = trust[which, of]
        logit = stretch[probability >> _PROBABILITY_SHIFT]
        margin = (np.float32(probability) - _CENTRE) * _SPREAD
        inputs[place] = logit if bit else -logit
        inputs[place + 1] = margin if bit else -margin
    return matched


@part
def learn_match_bits(moving, bit, recovering):
    """Note whether each expected bit came; a failure ends the match, or its good repute."""
    state, trust = moving.match, moving.maps.match
    for which in range(state.shape[0]):
        expected = moving.match_expected[which]
        if expected >= 0:
            of = trust_class(state, which)
            trust[which, of] = adapt(trust[which, of], expected == bit, 1024)
            if expected != bit:
                state[which, LENGTH] = 0
                if recovering:
                    state[which, MISSES] += 1


@njit(borrowing=True)
def recent_hash(words, older, n):
    """A hash of the last n bytes, of 16 where there are more; older: the eight before the last eight."""
    if n < 8:
        return mix_hash(last_bytes(words, n), np.uint64(0))
    if n < 16:  # a shift by 64 or more means another number on each processor
        older &= (np.uint64(1) << np.uint64(8 * (n - 8))) - np.uint64(1)
    return mix_hash(mix_hash(words[RECENT], older), np.uint64(n))


@part
def learn_match_byte(engine, older, data, position, recovering):
    """Follow each match over the byte at `position`, or look for another one; older: as in recent_hash."""
    moving, hashed = engine.moving, engine.fixed.hashed
    for which in range(hashed.size):
        of_last = recent_hash(moving.words, older, hashed[which])
        _follow(moving.match, which, hashed[which], of_last, engine.places, data, position, recovering)


@part
def _follow(state, which, n_hashed, hashed, places, data, position, recovering):
    """hashed: of the last n_hashed bytes. A recovering match that has failed goes on behind
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
