"""The match model: what followed the last time that these bytes stood here."""

import numpy as np

from ..kernels import njit
from .contexts import last_bytes, mix_hash
from .counters import adapt

#: Bytes that are hashed to find a match, and fewest that must agree.
HASHED = 6
LEAST_LENGTH = 5
#: Inputs for the mixer.
INPUTS = 2

# Places in `state` (int64).
POINTER, LENGTH = range(2)
CLASSES = 32

_LONGEST_LOOK = 400
_LONGEST = 65535
_NOTHING = np.float32(0.0)
_CENTRE = np.float32(32768.0)
_SPREAD = np.float32(1.0 / 16384.0)
_PROBABILITY_SHIFT = np.uint16(4)


@njit
def length_class(length):
    """1 to 31: single lengths first, then steps of 8."""
    return length if length < 16 else min(16 + (length - 16) // 8, CLASSES - 1)


@njit
def expected_bit(state, data, partial, bit_position):
    """The bit that the match has next, or -1 if there is none or it has failed in this byte."""
    if state[LENGTH] > 0:
        byte = np.int64(data[state[POINTER]])
        if (byte | 256) >> (8 - bit_position) == partial:
            return byte >> (7 - bit_position) & 1
    return np.int64(-1)


@njit
def match_inputs(state, expected, trust, stretch, inputs, first):
    """Fill two inputs from the match of this length class, whose bit is `expected`."""
    if expected < 0:
        inputs[first] = _NOTHING
        inputs[first + 1] = _NOTHING
        return
    probability = trust[length_class(state[LENGTH])]
    logit = stretch[probability >> _PROBABILITY_SHIFT]
    margin = (np.float32(probability) - _CENTRE) * _SPREAD
    inputs[first] = logit if expected else -logit
    inputs[first + 1] = margin if expected else -margin


@njit
def learn_match_bit(state, expected, trust, bit):
    """Note whether the expected bit came; a failure ends the match."""
    if expected >= 0:
        index = length_class(state[LENGTH])
        trust[index] = adapt(trust[index], expected == bit, 1024)
        if expected != bit:
            state[LENGTH] = 0


@njit
def learn_match_byte(state, places, words, data, position):
    """Follow the match over the byte at `position`, or look for another one."""
    if state[LENGTH] > 0:
        state[POINTER] += 1
        state[LENGTH] = min(state[LENGTH] + 1, _LONGEST)
    if position + 1 < HASHED:
        return
    hashed = mix_hash(last_bytes(words, HASHED), np.uint64(0))
    index = np.int64(hashed & np.uint64(places.size - 1))
    if state[LENGTH] == 0:
        pointer = np.int64(places[index])
        length = 0
        while (
            length < _LONGEST_LOOK
            and length < pointer
            and data[pointer - 1 - length] == data[position - length]
        ):
            length += 1
        if length >= LEAST_LENGTH:
            state[POINTER] = pointer
            state[LENGTH] = length
    places[index] = position + 1
