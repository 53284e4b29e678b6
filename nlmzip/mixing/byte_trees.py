"""Distributions over the next byte as inputs of the mixture, bit by bit.

A tree of 512 masses stands for each distribution: byte b's at 256 + b, and every inner
node n the sum of 2n and 2n + 1, so that the bits coded so far, with a leading one, are
the number of the node that they lead to. The next bit is the ratio of its two children.
Whatever can fill the leaves before a byte is coded takes part. Read by engine.py.
"""

import numpy as np

from ..kernels import njit
from ..kernels.elementary import ONE, bits_of_float32, log
from .mixer import clamp_logit

LEAVES = 256
#: Inputs that a distribution gives the mixer.
INPUTS = 2
#: Rows of the weight set that the last of the distributions chooses.
SET_SIZE = 4 * 4 * 8 * 8

_NOTHING = np.float32(0.0)
_HALF = np.float32(0.5)
_LEAST_MASS = np.float32(2.0**-80)
_LEAST_SHARE = np.float32(2.0**-17)
_SPREAD = np.float32(4.0)
_EXPONENT_SHIFT = 23
_EXPONENT_OF_ONE = 127


@njit
def sum_tree(tree):
    """Fill the inner nodes of a tree (float32, 512) from its leaves."""
    for node in range(LEAVES - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@njit
def _halvings(share):
    """How often a share of at most 1 has been halved, roughly: 0 from 1/2 on."""
    exponent = np.int64(bits_of_float32(share)) >> _EXPONENT_SHIFT
    return min(max(_EXPONENT_OF_ONE - 1 - exponent, 0), 255)


@njit
def tree_inputs(trees, trust, partial, inputs, first):
    """Fill two inputs for each tree (float32 (n, 512)) from inputs[first] on.

    trust: float32 (n,), how much of each tree is more than a guess.
    """
    for index in range(trees.shape[0]):
        place = first + INPUTS * index
        inputs[place] = _NOTHING
        inputs[place + 1] = _NOTHING
        total = trees[index, partial]
        if total > _LEAST_MASS:
            floor = total * _LEAST_SHARE
            ones = trees[index, 2 * partial + 1] + floor
            zeros = trees[index, 2 * partial] + floor
            inputs[place] = clamp_logit(log(ones) - log(zeros))
            inputs[place + 1] = ((ones - zeros) / (ones + zeros)) * trust[index]


@njit
def tree_class(trees, trust, partial, bit_position, inputs, first):
    """The weight set's row, by the last tree: trust, how far the coded bits fit, certainty."""
    index = trees.shape[0] - 1
    total = trees[index, partial]
    if not total > _LEAST_MASS:
        return bit_position
    logit = inputs[first + INPUTS * index]
    certainty = min(np.int64(logit if logit > _NOTHING else -logit), 6) + 1
    fit = min(_halvings(total / trees[index, 1]) // 2, 3)
    doubt = min(_halvings(max(ONE - trust[index], _LEAST_SHARE)) // 2, 3)
    return ((fit * 4 + doubt) * 8 + certainty) * 8 + bit_position
