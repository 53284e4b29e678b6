"""Finer counters, for the slow levels: more inputs from each context than counters.py draws.

A slot has 64 numbers here: the 32 of counters.py, at 33 .. 47 each node's fast
probability, and at 48 .. 62 its slow one. Beyond the four inputs there are: how far the
history's probability is from a half; how the adaptive probability came out before, at
that value after so many observations; the fast and the slow probability.
"""

import numpy as np

from ...kernels import njit
from ..tables import MOST_OBSERVATIONS
from .counters import RUN, adapt, expected_by_run, run_class

SLOT = 64
#: Inputs that a context gives the mixer.
INPUTS = 8
#: Places of a context's calibration: 16 classes of observations, 32 of probability.
CALIBRATIONS = 512

# Behind a node's probability: its fast and its slow one. The fast one moves by a share of
# its error that never falls below the first, the slow one in the end by the second.
FAST, SLOW = 32, 47
_FAST_RATE, _SLOW_RATE = 65536 // 6, 65536 // 256
_NOTHING = np.float32(0.0)
_CENTRE = np.float32(32768.0)
_SPREAD = np.float32(1.0 / 16384.0)
_OBSERVATIONS = np.uint16(63)
_HISTORY_SHIFT = np.uint16(6)
_PROBABILITY_SHIFT = np.uint16(4)


@njit
def calibration_place(observations, probability):
    """Class of so many observations (1 to 62) and of a 16-bit probability."""
    if observations > 8:
        observations = min(8 + observations // 8, 15)
    return observations * 32 + (np.int64(probability) >> 11)


@njit
def finer_inputs(slots, current, node, maps, calibration, stretch, partial, bit_position, inputs):
    """Fill the inputs of all contexts; returns how many have seen this node before."""
    n_seen = 0
    for context in range(current.shape[1]):
        first = context * INPUTS
        place = current[0, context] + node
        state = slots[context, place + 15]
        observations = state & _OBSERVATIONS
        if observations:
            n_seen += 1
            probability = slots[context, place]
            inputs[first] = stretch[probability >> _PROBABILITY_SHIFT]
            by_history = maps.history[context, state >> _HISTORY_SHIFT]
            inputs[first + 1] = stretch[by_history >> _PROBABILITY_SHIFT]
            inputs[first + 2] = (np.float32(probability) - _CENTRE) * _SPREAD
            inputs[first + 4] = (np.float32(by_history) - _CENTRE) * _SPREAD
            calibrated = calibration[context, calibration_place(np.int64(observations), probability)]
            inputs[first + 5] = stretch[calibrated >> _PROBABILITY_SHIFT]
            inputs[first + 6] = stretch[slots[context, place + FAST] >> _PROBABILITY_SHIFT]
            inputs[first + 7] = stretch[slots[context, place + SLOW] >> _PROBABILITY_SHIFT]
        else:
            for index in range(first, first + INPUTS):
                inputs[index] = _NOTHING
        inputs[first + 3] = _NOTHING
        run = slots[context, current[1, context] + RUN]
        expected = expected_by_run(run, partial, bit_position)
        if expected >= 0:
            trust = maps.run[context, run_class(run, bit_position)]
            logit = stretch[trust >> _PROBABILITY_SHIFT]
            inputs[first + 3] = logit if expected else -logit
    return n_seen


@njit
def learn_finer(slots, current, node, more, reciprocal, bit):
    """Move what counters.learn_counters does not; called before it."""
    for context in range(current.shape[1]):
        place = current[0, context] + node
        observations = np.int64(slots[context, place + 15] & _OBSERVATIONS)
        if observations:
            index = calibration_place(observations, slots[context, place])
            seen = more.calibration_seen[context, index]
            calibrated = more.calibration[context, index]
            more.calibration[context, index] = adapt(calibrated, bit, reciprocal[seen])
            more.calibration_seen[context, index] = min(seen + 1, MOST_OBSERVATIONS)
        rate = reciprocal[observations]
        fast = max(rate, _FAST_RATE)
        slots[context, place + FAST] = adapt(slots[context, place + FAST], bit, fast)
        slow = rate if observations < MOST_OBSERVATIONS else _SLOW_RATE
        slots[context, place + SLOW] = adapt(slots[context, place + SLOW], bit, slow)
