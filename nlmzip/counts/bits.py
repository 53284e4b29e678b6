"""Binary decisions of the coded counts: four adaptive probabilities, mixed and coded.

As in the engine, in the logistic domain: a weighted sum of the probabilities' logits,
whose weights move by gradient descent on the coding cost. Called by trie.py.
"""

import numpy as np

from ..entropy.logistic import LARGEST_LOGIT, stretch_table
from ..entropy.range_coder import code_bit
from ..kernels import njit
from ..kernels.elementary import ONE, exp_within

#: Adaptive probabilities that each decision mixes.
INPUTS = 4

# A cell holds a probability of a one in its high 24 bits, and below it, in 8 bits, how
# often it was moved, up to a limit.
_FIRST_CELL = np.uint32(1 << 31)
_MOST_MOVES = 30
_FIRST_WEIGHT = 0.4
_RATE = np.float32(0.02)

_STRETCH = stretch_table()
_RECIPROCAL = np.array([(1 << 17) // (2 * n + 3) for n in range(_MOST_MOVES + 1)], np.int64)
_STRETCH_SHIFT = np.uint32(20)


def new_cells(size: int) -> np.ndarray:
    """Cells of which nothing is known, uint32 (INPUTS, size)."""
    return np.full((INPUTS, size), _FIRST_CELL, np.uint32)


def new_weights(sets: int) -> np.ndarray:
    """Weights with which all inputs count alike, float32 (sets, INPUTS)."""
    return np.full((sets, INPUTS), _FIRST_WEIGHT, np.float32)


@njit(borrowing=True)
def _moved(cell, bit):
    moves = np.int64(cell & np.uint32(255))
    probability = np.int64(cell >> np.uint32(8))
    target = 0xFFFFFF if bit else 0
    probability += ((target - probability) * _RECIPROCAL[moves]) >> 16
    return np.uint32(probability << 8 | min(moves + 1, _MOST_MOVES))


@njit(inline=True, borrowing=True)
def code_decision(coder, cells, weights, first, second, third, fourth, chosen, bit):
    """Code a bit under the cells at these four places and the weight set `chosen`; the bit.

    coder: the state, buffer and information of a range coder.
    """
    a_cell, b_cell = cells[0, first], cells[1, second]
    c_cell, d_cell = cells[2, third], cells[3, fourth]
    a, b = _STRETCH[a_cell >> _STRETCH_SHIFT], _STRETCH[b_cell >> _STRETCH_SHIFT]
    c, d = _STRETCH[c_cell >> _STRETCH_SHIFT], _STRETCH[d_cell >> _STRETCH_SHIFT]
    a_weight, b_weight = weights[chosen, 0], weights[chosen, 1]
    c_weight, d_weight = weights[chosen, 2], weights[chosen, 3]
    logit = (a_weight * a + b_weight * b) + (c_weight * c + d_weight * d)
    if logit > LARGEST_LOGIT:
        logit = LARGEST_LOGIT
    if logit < -LARGEST_LOGIT:
        logit = -LARGEST_LOGIT
    probability = ONE / (ONE + exp_within(-logit))
    bit = code_bit(coder[0], coder[1], coder[2], probability, bit)
    error = (np.float32(bit) - probability) * _RATE
    weights[chosen, 0] = a_weight + error * a
    weights[chosen, 1] = b_weight + error * b
    weights[chosen, 2] = c_weight + error * c
    weights[chosen, 3] = d_weight + error * d
    cells[0, first] = _moved(a_cell, bit)
    cells[1, second] = _moved(b_cell, bit)
    cells[2, third] = _moved(c_cell, bit)
    cells[3, fourth] = _moved(d_cell, bit)
    return bit
