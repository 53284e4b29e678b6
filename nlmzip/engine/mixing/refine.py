"""Secondary estimation: a probability corrected by how such predictions came out before.

For each small context a curve over the logit, kept at 33 points half a unit apart and
interpolated between two of them.
"""

import numpy as np

from ...kernels import njit
from ...kernels.elementary import ONE

POINTS = 33

_MIDDLE = np.float32(8.0)
_PER_UNIT = np.float32(2.0)
_LAST = np.float32(31.999)
_NOTHING = np.float32(0.0)
_RATE = np.float32(0.02)


@njit
def curve_place(logit):
    """The point below this logit, and the share of the point above."""
    place = min(max((logit + _MIDDLE) * _PER_UNIT, _NOTHING), _LAST)
    point = np.int64(place)
    return point, place - np.float32(point)


@njit
def refined(curves, curve, point, share):
    return curves[curve, point] * (ONE - share) + curves[curve, point + 1] * share


@njit
def learn_refined(curves, curve, point, share, bit):
    """Move the two points towards the bit, each by its share."""
    target = np.float32(bit)
    below, above = curves[curve, point], curves[curve, point + 1]
    curves[curve, point] = below + (target - below) * (_RATE * (ONE - share))
    curves[curve, point + 1] = above + (target - above) * (_RATE * share)
