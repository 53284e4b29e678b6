"""Distributions over the next byte as inputs of the mixture, bit by bit.

A tree of 512 masses stands for each distribution: byte b's at 256 + b, and every inner
node n the sum of 2n and 2n + 1, so that the bits coded so far, with a leading one, are
the number of the node that they lead to. The next bit is the ratio of its two children.
Whatever can fill the leaves before a byte is coded takes part. Read by engine.py.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit, part
from ...kernels.elementary import ONE, bits_of_float32, log
from ..mixing.mixer import clamp_logit
from ..mixing.refine import learn_refined, refined
from ..primed import first_curve
from ..tables import MOST_OBSERVATIONS, squash
from .counters import adapt

LEAVES = 256
#: Inputs that a distribution gives the mixer.
INPUTS = 2
#: Rows of the weight set that the last of the distributions chooses.
CLASSES = 4
SET_SIZE = CLASSES * CLASSES * 8 * 8
STEPS = 27

_NOTHING = np.float32(0.0)
_LEAST_MASS = np.float32(2.0**-80)
_LEAST_SHARE = np.float32(2.0**-17)
_STEPS, _MOST_STEPS, _MIDDLE_STEP = np.float32(1.5), np.float32(13.0), np.float32(13.5)
_HALF = np.float32(0.5)
_SEEN = 12  # observations that a tree's own word counts for
_SCALE = np.float32(65535.0)
_PROBABILITY_SHIFT = np.uint16(4)
_EXPONENT_SHIFT = 23
_EXPONENT_OF_ONE = 127


class Calibration(NamedTuple):
    """How the trees' predictions came out before, by their logit and what supports it."""

    trust: np.ndarray  # float32 (n,): how much of each tree is more than a guess
    maps: np.ndarray  # uint16 (n, CLASSES * CLASSES * STEPS): probabilities of a one
    seen: np.ndarray  # uint8, the same: observations
    cells: np.ndarray  # int64 (n,): the present bit's cell in each map, or -1
    support: np.ndarray  # int64 (2,): the last tree's fit and doubt
    curves: np.ndarray  # float32 (cells, 33), refine.py: of the mixture, by the last tree's cell


@njit(borrowing=True)
def _fill_maps(maps):
    for index in range(maps.shape[0]):
        for cell in range(maps.shape[1]):
            logit = (np.float32(cell % STEPS) - _MOST_STEPS) / _STEPS
            maps[index, cell] = np.uint16(np.int64(squash(logit) * _SCALE))


def calibration(n: int) -> Calibration:
    """Before any text each tree is believed."""
    maps = np.zeros((n, CLASSES * CLASSES * STEPS), np.uint16)
    _fill_maps(maps)
    return Calibration(
        np.zeros(n, np.float32), maps, np.full(maps.shape, _SEEN, np.uint8),
        np.zeros(n, np.int64), np.zeros(2, np.int64), np.tile(first_curve(), (maps.shape[1], 1)),
    )  # fmt: skip


@part
def sum_tree(tree):
    """Fill the inner nodes of a tree (float32, 512) from its leaves."""
    for node in range(LEAVES - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@njit(borrowing=True)
def plant(probabilities, tree):
    """Fill a tree from the probabilities of all bytes, float32 (256,); what is no number is 0."""
    for byte in range(LEAVES):
        probability = probabilities[byte] if probabilities[byte] > _NOTHING else _NOTHING
        tree[LEAVES + byte] = probability if probability < ONE else ONE
    sum_tree(tree)


@part
def _halvings(share):
    """How often a share of at most 1 has been halved, roughly: 0 from 1/2 on."""
    exponent = np.int64(bits_of_float32(share)) >> _EXPONENT_SHIFT
    return min(max(_EXPONENT_OF_ONE - 1 - exponent, 0), 255)


@part
def _place(logit, fit, doubt):
    """The cell of a logit (13 steps to either side), and of what supports it."""
    step = np.int64(min(max(logit * _STEPS, -_MOST_STEPS), _MOST_STEPS) + _MIDDLE_STEP)
    return (fit * CLASSES + doubt) * STEPS + step


@part
def tree_inputs(trees, calibration, stretch, partial, inputs, first):
    """Fill two inputs for each tree from inputs[first] on: its logit, and what came of such.

    Leaves in calibration.cells where that is learnt, and in calibration.support the last
    tree's fit and doubt.
    """
    for index in range(trees.shape[0]):
        place = first + INPUTS * index
        inputs[place] = _NOTHING
        inputs[place + 1] = _NOTHING
        calibration.cells[index] = -1
        total = trees[index, partial]
        if total > _LEAST_MASS:
            floor = total * _LEAST_SHARE
            ones = trees[index, 2 * partial + 1] + floor
            zeros = trees[index, 2 * partial] + floor
            logit = clamp_logit(log(ones) - log(zeros))
            fit = min(_halvings(total / trees[index, 1]) // 2, CLASSES - 1)
            doubt = max(ONE - calibration.trust[index], _LEAST_SHARE)
            doubt_class = min(_halvings(doubt) // 2, CLASSES - 1)
            cell = _place(logit, fit, doubt_class)
            calibration.cells[index] = cell
            calibration.support[0], calibration.support[1] = fit, doubt_class
            inputs[place] = logit
            inputs[place + 1] = stretch[calibration.maps[index, cell] >> _PROBABILITY_SHIFT]


@part
def learn_trees(calibration, reciprocal, bit):
    """Move the cells that the inputs came from towards the bit."""
    for index in range(calibration.cells.size):
        cell = calibration.cells[index]
        if cell >= 0:
            seen = calibration.seen[index, cell]
            maps = calibration.maps
            maps[index, cell] = adapt(maps[index, cell], bit, reciprocal[seen])
            calibration.seen[index, cell] = min(seen + 1, MOST_OBSERVATIONS)


@part
def tree_class(calibration, bit_position, inputs, first):
    """The weight set's row, by the last tree: how far the coded bits fit, doubt, certainty."""
    index = calibration.cells.size - 1
    if calibration.cells[index] < 0:
        return bit_position
    logit = inputs[first + INPUTS * index]
    certainty = min(np.int64(logit if logit > _NOTHING else -logit), 6) + 1
    fit, doubt = calibration.support[0], calibration.support[1]
    return ((fit * CLASSES + doubt) * 8 + certainty) * 8 + bit_position


@part
def refined_by_tree(calibration, probability, point, share):
    """The mixture's probability, corrected by what came of it where the last tree said the same."""
    cell = calibration.cells[calibration.cells.size - 1]
    if cell < 0:
        return probability
    return (probability + refined(calibration.curves, cell, point, share)) * _HALF


@part
def learn_curve(calibration, point, share, bit):
    cell = calibration.cells[calibration.cells.size - 1]
    if cell >= 0:
        learn_refined(calibration.curves, cell, point, share, bit)
