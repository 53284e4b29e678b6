"""Secondary estimation: a probability corrected by how such predictions came out before.

For each small context a curve over the logit, kept at 33 points half a unit apart and
interpolated between two of them.
"""

import numpy as np

from ...contexts.basic import mix_hash
from ...kernels import njit, part
from ...kernels.elementary import ONE
from ...kernels.memory import prefetch
from ..geometry import POINTS

_MIDDLE = np.float32(8.0)
_PER_UNIT = np.float32(2.0)
_LAST = np.float32(31.999)
_NOTHING = np.float32(0.0)
_RATE = np.float32(0.02)
_HALF, _QUARTER = np.float32(0.5), np.float32(0.25)
_CURVE_SHIFT = np.uint64(48)
_THREE_BYTES = 0xFFFFFF


@part
def curve_place(logit):
    """The point below this logit, and the share of the point above."""
    place = min(max((logit + _MIDDLE) * _PER_UNIT, _NOTHING), _LAST)
    point = np.int64(place)
    return point, place - np.float32(point)


@part
def refined(curves, curve, point, share):
    return curves[curve, point] * (ONE - share) + curves[curve, point + 1] * share


@part
def learn_refined(curves, curve, point, share, bit):
    """Move the two points towards the bit, each by its share."""
    target = np.float32(bit)
    below, above = curves[curve, point], curves[curve, point + 1]
    curves[curve, point] = below + (target - below) * (_RATE * (ONE - share))
    curves[curve, point + 1] = above + (target - above) * (_RATE * share)


@part
def curve_by_byte(recent, partial):
    """The curve of a bit by the last byte; recent: int64, the last three bytes."""
    return (recent & 255) << 8 | partial


@part
def curve_by_trigram(recent, partial):
    """The curve of a bit by the last three bytes."""
    return np.int64(mix_hash(np.uint64(recent), np.uint64(partial)) >> _CURVE_SHIFT)


@part
def fetch_curve(curves, here):
    """Fetch the curve by the last three bytes, which is far from the last one."""
    if curves.by_trigram.shape[0] > 1:
        row = curve_by_trigram(here.recent, here.partial)
        prefetch(curves.by_trigram, (row, 5))
        prefetch(curves.by_trigram, (row, 27))


@part
def refine(curves, here, mixed):
    """The mixture's probability, averaged with what the curves make of its logit."""
    point, share = mixed.point, mixed.share
    by_byte = curve_by_byte(here.recent, here.partial)
    probability = mixed.probability + refined(curves.by_byte, by_byte, point, share)
    if curves.by_trigram.shape[0] == 1:
        return probability * _HALF
    by_trigram = curve_by_trigram(here.recent, here.partial)
    refined_twice = refined(curves.by_trigram, by_trigram, point, share)
    return (probability + refined_twice + refined_twice) * _QUARTER


@part
def learn_curves(curves, here, mixed, bit):
    """Move what `refine` has read towards the bit."""
    point, share = mixed.point, mixed.share
    learn_refined(curves.by_byte, curve_by_byte(here.recent, here.partial), point, share, bit)
    if curves.by_trigram.shape[0] > 1:
        learn_refined(curves.by_trigram, curve_by_trigram(here.recent, here.partial), point, share, bit)


@njit(borrowing=True)
def restore_curves(curves, by_byte, curve, text, stop):
    """Make those curves anew that coding text[:stop] has moved; curve: the first one by trigram."""
    twice = curves.by_trigram.shape[0] > 1
    recent = np.int64(0)
    for position in range(stop):
        byte = np.int64(text[position])
        for bit_position in range(8):
            partial = (byte | 256) >> (8 - bit_position)
            row = curve_by_byte(recent, partial)
            for point in range(POINTS):
                curves.by_byte[row, point] = by_byte[row, point]
            if twice:
                row = curve_by_trigram(recent, partial)
                for point in range(POINTS):
                    curves.by_trigram[row, point] = curve[point]
        recent = (recent << 8 | byte) & _THREE_BYTES
