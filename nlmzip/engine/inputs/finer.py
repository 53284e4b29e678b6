"""Finer counters, for the slow levels: more inputs from each context than counters.py draws.

A slot has 64 numbers here: the 32 of counters.py, at 33 .. 47 each node's fast
probability, and at 48 .. 62 its slow one. Beyond the four inputs there are: how far the
history's probability is from a half; how the adaptive probability came out before, at
that value after so many observations; the fast and the slow probability.
"""

import numpy as np

from ...kernels import part
from ..geometry import FINER_CONTEXT_INPUTS
from ..tables import MOST_OBSERVATIONS
from .counters import RUN, adapt, expected_by_run, run_class

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


@part
def calibration_place(observations, probability):
    """One of 16 classes of observations (1 to 62) with one of 32 of a 16-bit probability."""
    if observations > 8:
        observations = min(8 + observations // 8, 15)
    return observations * 32 + (np.int64(probability) >> 11)


@part
def finer_inputs(slots, moving, calibration, stretch, here):
    """Fill the inputs of all contexts; returns how many have seen this node before."""
    maps, inputs, current = moving.maps, moving.inputs, moving.current
    n_seen = 0
    for context in range(current.shape[1]):
        first = context * FINER_CONTEXT_INPUTS
        place = current[0, context] + here.node
        state = slots[place + 15]
        observations = state & _OBSERVATIONS
        if observations:
            n_seen += 1
            probability = slots[place]
            inputs[first] = stretch[probability >> _PROBABILITY_SHIFT]
            by_history = maps.history[context, state >> _HISTORY_SHIFT]
            inputs[first + 1] = stretch[by_history >> _PROBABILITY_SHIFT]
            inputs[first + 2] = (np.float32(probability) - _CENTRE) * _SPREAD
            inputs[first + 4] = (np.float32(by_history) - _CENTRE) * _SPREAD
            calibrated = calibration[context, calibration_place(np.int64(observations), probability)]
            inputs[first + 5] = stretch[calibrated >> _PROBABILITY_SHIFT]
            inputs[first + 6] = stretch[slots[place + FAST] >> _PROBABILITY_SHIFT]
            inputs[first + 7] = stretch[slots[place + SLOW] >> _PROBABILITY_SHIFT]
        else:
            for index in range(first, first + FINER_CONTEXT_INPUTS):
                inputs[index] = _NOTHING
        inputs[first + 3] = _NOTHING
        run = slots[current[1, context] + RUN]
        expected = expected_by_run(run, here.partial, here.bit_position)
        if expected >= 0:
            trust = maps.run[context, run_class(run, here.bit_position)]
            logit = stretch[trust >> _PROBABILITY_SHIFT]
            inputs[first + 3] = logit if expected else -logit
    return n_seen


@part
def learn_finer(slots, current, node, finer, reciprocal, bit):
    """Move what counters.learn_counters does not; called before it."""
    for context in range(current.shape[1]):
        place = current[0, context] + node
        observations = np.int64(slots[place + 15] & _OBSERVATIONS)
        if observations:
            index = calibration_place(observations, slots[place])
            seen = finer.calibration_seen[context, index]
            calibrated = finer.calibration[context, index]
            finer.calibration[context, index] = adapt(calibrated, bit, reciprocal[seen])
            finer.calibration_seen[context, index] = min(seen + 1, MOST_OBSERVATIONS)
        rate = reciprocal[observations]
        fast = max(rate, _FAST_RATE)
        slots[place + FAST] = adapt(slots[place + FAST], bit, fast)
        slow = rate if observations < MOST_OBSERVATIONS else _SLOW_RATE
        slots[place + SLOW] = adapt(slots[place + SLOW], bit, slow)
