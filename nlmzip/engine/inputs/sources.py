"""What takes part in the mixture beside the engine's own contexts, in the free inputs.

The engine calls these functions where it is given such inputs; they are compiled away
where it is not. So far they are word models (word_bytes.py): whatever fills trees of
byte_trees.py can be one of them. Called by engine.py and codec/mix.py.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...predictors.as_bytes.word_bytes import learn_byte, predict_byte
from ..arrays import Fixed, Moving
from ..mixing.mixer import LANES
from ..profiles import Design
from . import byte_trees
from .byte_trees import (
    SET_SIZE,
    learn_curve,
    learn_trees,
    refined_by_tree,
    tree_class,
    tree_inputs,
)

_ONE = np.float32(1.0)


class FirstWeights(NamedTuple):
    """What a word model begins with: the weight of its logit, and the share of its own weight set."""

    weight: np.float32
    share: np.float32


#: Beside an engine without a model. On pieces of 4 and 40 KB of dev texts, which the models were
#: not trained on, weights of 0.4 to 0.8 and shares of 0.3 to 0.5 come within 1.5% of one another;
#: a model's own kind of text wants added of both, other text less.
ALONE = FirstWeights(np.float32(0.45), np.float32(0.3))
#: Beside one that knows such text itself: of weights from 0 to 0.45 and shares from 0.01 to 0.3
#: the best on the first 60 KB of three dev texts, by 1% against the ones above.
LIGHT = FirstWeights(np.float32(0.1), np.float32(0.05))


@njit
def begin_byte(added):
    """Before a byte is coded."""
    predict_byte(added)


@njit
def fill_inputs(added, mixer, bases, stretch, partial, bit_position, inputs, first):
    """Before a bit is coded: inputs from the index `first` on, and the row of the last weight set."""
    tree_inputs(added.trees, added.calibration, stretch, partial, inputs, first)
    last = mixer.chosen.size - 1
    row = tree_class(added.calibration, bit_position, inputs, first)
    mixer.chosen[last] = bases[last] + row * inputs.size


@njit
def refine(added, probability, point, share):
    """The last correction of a bit's probability; point and share: see refine.py."""
    return refined_by_tree(added.calibration, probability, point, share)


@njit
def learn_bit(added, reciprocal, point, share, bit):
    """After a bit."""
    learn_trees(added.calibration, reciprocal, bit)
    learn_curve(added.calibration, point, share, bit)


@njit
def end_byte(added, byte, position):
    """After a byte; what the codec has to know before the next one, 0 for nothing."""
    return learn_byte(added, byte, position)


class Room(NamedTuple):
    """What takes part beside the contexts needs: inputs for its trees, and first weights."""

    n_trees: int
    begin: FirstWeights = ALONE


def _widened(fixed: Fixed, moving: Moving, width: int, wider: int) -> tuple[Fixed, Moving]:
    """More inputs, that are not in use yet."""
    mixer, choice = moving.mixer, fixed.choice
    rows = np.zeros((mixer.weights.size // width, wider), np.float32)
    rows[:, :width] = mixer.weights.reshape(-1, width)
    moving = moving._replace(inputs=np.zeros(wider, np.float32), mixer=mixer._replace(weights=rows.reshape(-1)))
    return fixed._replace(choice=choice._replace(bases=choice.bases // width * wider)), moving


def with_room(fixed: Fixed, moving: Moving, design: Design, room: Room) -> tuple[Fixed, Moving]:
    """First weights for the inputs of so many trees, and a weight set more.

    In the sets that are there, each tree's logit begins with a part of begin.weight and
    the last one, the mixture of the others, with a half. The new set begins as this last
    tree alone, and the final mixer with begin.share of it.
    """
    n_trees, begin = room
    sets = moving.mixer.chosen.size
    place, width = design.bias_input + 1, design.inputs
    first = np.zeros(n_trees * byte_trees.INPUTS, np.float32)
    first[:: byte_trees.INPUTS] = begin.weight / max(2 * (n_trees - 1), 1)
    first[-byte_trees.INPUTS] = begin.weight / min(n_trees, 2)
    if first.size > width - place:
        wider = -(-(place + first.size) // LANES) * LANES
        fixed, moving = _widened(fixed, moving, width, wider)
        width = wider
    mixer, choice = moving.mixer, fixed.choice
    rows = mixer.weights.reshape(-1, width).copy()
    rows[:, place : place + first.size] = first
    own = np.zeros((SET_SIZE, width), np.float32)
    own[:, place + first.size - byte_trees.INPUTS] = 1
    share = np.full((len(mixer.final), 1), begin.share, np.float32)
    mixer = mixer._replace(
        weights=np.concatenate((rows, own)).reshape(-1),
        chosen=np.zeros(sets + 1, np.int64),
        logits=np.zeros(sets + 1, np.float32),
        probabilities=np.zeros(sets + 1, np.float32),
        final=np.concatenate((mixer.final * (_ONE - begin.share), share), axis=1),
    )
    choice = choice._replace(bases=np.append(choice.bases, rows.size))
    return fixed._replace(choice=choice), moving._replace(mixer=mixer)
