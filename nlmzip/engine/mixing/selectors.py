"""More small contexts for the slow levels: to choose weights by, and for secondary estimation."""

import numpy as np

from ...contexts.basic import COLUMN, RECENT, WORD, mix_hash
from ...contexts.structure import FIELD_NUMBER, LACKING
from ...kernels import njit
from ..inputs.match import LENGTH, MISSES
from ..primed import CURVES
from .refine import learn_refined, refined

_OBSERVATIONS = np.uint16(63)
_BYTE_MASK = np.uint64(255)
_PAIR_MASK = np.uint64(0xFFFF)
_THIRD_BYTE = np.uint64(16)
_CURVE_SHIFT = np.uint64(48)
_HALF, _SIXTH = np.float32(0.5), np.float32(1.0 / 6.0)


@njit
def select_more(
    selected, known, slots, current, match, expected, words, classes, expected_byte, layout, node,
    partial, bit_position,
):  # fmt: skip
    """Fill selected[6:]."""
    states = 0
    for which in range(match.shape[0]):
        state = 0
        if expected[which] >= 0:
            state = 1 if match[which, MISSES] else 2 if match[which, LENGTH] < 32 else 3
        states = states * 4 + state
    selected[6] = (states & 63) * 8 + bit_position
    order = 0
    # The first contexts are orders 1 to 6.
    while order < 6 and slots[order, current[0, order] + node + 15] & _OBSERVATIONS:
        order += 1
    selected[7] = order << 8 | partial
    lacking, number = known.counts[LACKING], known.counts[FIELD_NUMBER]
    column = min(layout[COLUMN] >> 2, 1) if layout[COLUMN] < 8 else 2 if layout[COLUMN] < 72 else 3
    selected[8] = ((lacking * 4 + min(number, 3)) * 4 + column) * 8 + bit_position
    recent = words[RECENT]
    selected[9] = np.int64(recent >> _THIRD_BYTE & _BYTE_MASK)
    selected[10] = classes[np.int64(recent & _BYTE_MASK)] << 8 | partial
    expects = 0
    if expected[0] >= 0 or (match.shape[0] > 1 and expected[match.shape[0] - 1] >= 0):
        expects = expected_byte & 255 | 256 * (1 + bit_position // 2)
    selected[11] = expects


@njit
def _curves(words, expected_byte, partial):
    """The curves of the further secondary estimations: by two bytes, word, and expected byte."""
    by_pair = mix_hash(words[RECENT] & _PAIR_MASK, np.uint64(partial)) >> _CURVE_SHIFT
    by_word = mix_hash(words[WORD], np.uint64(partial + 256)) >> _CURVE_SHIFT
    by_match = mix_hash(np.uint64(expected_byte), np.uint64(partial + 512)) >> _CURVE_SHIFT
    return (
        np.int64(by_pair), CURVES + np.int64(by_word), 2 * CURVES + np.int64(by_match),
    )  # fmt: skip


@njit
def refine_more(curves, words, expected_byte, partial, point, share, probability):
    """The mean of `probability` and what further secondary estimations make of the logit."""
    pair, word, match = _curves(words, expected_byte, partial)
    total = refined(curves, pair, point, share) + refined(curves, word, point, share)
    total += refined(curves, match, point, share)
    return probability * _HALF + total * _SIXTH


@njit
def learn_more_refined(curves, words, expected_byte, partial, point, share, bit):
    for curve in _curves(words, expected_byte, partial):
        learn_refined(curves, curve, point, share, bit)
