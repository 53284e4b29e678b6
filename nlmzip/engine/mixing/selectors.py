"""Small contexts: to choose weights by, and, for the slow levels, for more secondary estimation."""

import numpy as np

from ...contexts.basic import COLUMN, RECENT, WORD, WORD_LENGTH, mix_hash
from ...contexts.structure import FIELD_NUMBER, LACKING
from ...kernels import part
from ..geometry import CURVES
from ..inputs.match import LENGTH, MISSES
from .refine import learn_refined, refined

_OBSERVATIONS = np.uint16(63)
_BYTE_MASK = np.uint64(255)
_PAIR_MASK = np.uint64(0xFFFF)
_THIRD_BYTE = np.uint64(16)
_CURVE_SHIFT = np.uint64(48)
_LONGEST_WORD = 15
_HALF, _SIXTH = np.float32(0.5), np.float32(1.0 / 6.0)


@part
def select(moving, classes, here, matched, confidence):
    """The small contexts that every design can choose weights by.

    matched: of match_inputs; confidence: thirds of the contexts that have seen this node.
    """
    selected, recent, bit_position = moving.mixer.selected, here.recent, here.bit_position
    last, before, before_that = recent & 255, recent >> 8 & 255, recent >> 16
    selected[0] = here.partial
    selected[1] = (matched * 4 + confidence) * 8 + bit_position
    selected[2] = last
    three = (classes[last] * 8 + classes[before]) * 8 + classes[before_that]
    selected[3] = three * 8 + bit_position
    selected[4] = before
    selected[5] = min(moving.layout[WORD_LENGTH], _LONGEST_WORD) * 8 + bit_position


@part
def select_more(known, slots, moving, classes, here):
    """Fill selected[6:]; known: Structure."""
    selected, current, match = moving.mixer.selected, moving.current, moving.match
    expected, words, layout = moving.match_expected, moving.words, moving.layout
    node, partial, bit_position = here.node, here.partial, here.bit_position
    states = 0
    for which in range(match.shape[0]):
        state = 0
        if expected[which] >= 0:
            state = 1 if match[which, MISSES] else 2 if match[which, LENGTH] < 32 else 3
        states = states * 4 + state
    selected[6] = (states & 63) * 8 + bit_position
    order = 0
    # The first contexts are orders 1 to 6.
    while order < 6 and slots[current[0, order] + node + 15] & _OBSERVATIONS:
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
        expects = here.expected_byte & 255 | 256 * (1 + bit_position // 2)
    selected[11] = expects


@part
def _curves(words, here):
    """The curves of the further secondary estimations: by two bytes, word, and expected byte."""
    partial = here.partial
    by_pair = mix_hash(words[RECENT] & _PAIR_MASK, np.uint64(partial)) >> _CURVE_SHIFT
    by_word = mix_hash(words[WORD], np.uint64(partial + 256)) >> _CURVE_SHIFT
    by_match = mix_hash(np.uint64(here.expected_byte), np.uint64(partial + 512)) >> _CURVE_SHIFT
    return (
        np.int64(by_pair), CURVES + np.int64(by_word), 2 * CURVES + np.int64(by_match),
    )  # fmt: skip


@part
def refine_more(curves, words, here, mixed, probability):
    """The mean of `probability` and what further secondary estimations make of the logit."""
    point, share = mixed.point, mixed.share
    pair, word, match = _curves(words, here)
    total = refined(curves, pair, point, share) + refined(curves, word, point, share)
    total += refined(curves, match, point, share)
    return probability * _HALF + total * _SIXTH


@part
def learn_more_refined(curves, words, here, mixed, bit):
    for curve in _curves(words, here):
        learn_refined(curves, curve, mixed.point, mixed.share, bit)
