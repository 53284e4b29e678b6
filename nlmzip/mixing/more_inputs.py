"""What takes part in the mixture beside the engine's own contexts, in the free inputs.

The engine calls these functions where it is given such inputs; they are compiled away
where it is not. So far they are word models (word_bytes.py): whatever fills trees of
byte_trees.py can be one of them. Called by engine.py and codec/mix.py.
"""

import numpy as np

from ..kernels import njit
from . import byte_trees
from .byte_trees import SET_SIZE, learn_curve, learn_trees, refined_by_tree, tree_class, tree_inputs
from .start import BIAS_INPUT, INPUTS
from .word_bytes import learn_byte, predict_byte

#: Where these inputs stand, and how many there is room for.
FIRST_INPUT = BIAS_INPUT + 1
ROOM = INPUTS - FIRST_INPUT

# On pieces of 4 and 40 KB of dev texts, which the models were not trained on, weights of 0.4
# to 0.8 and shares of 0.3 to 0.5 come within 1.5% of one another; a model's own kind of text
# wants more of both, other text less.
_FIRST_WEIGHT = np.float32(0.45)
_FIRST_SHARE = np.float32(0.3)
_ONE = np.float32(1.0)


@njit
def begin_byte(more):
    """Before a byte is coded."""
    predict_byte(more)


@njit
def fill_inputs(more, mixer, stretch, partial, bit_position, inputs):
    """Before a bit is coded: inputs, and the row of the last weight set."""
    tree_inputs(more.trees, more.calibration, stretch, partial, inputs, FIRST_INPUT)
    last = mixer.chosen.size - 1
    row = tree_class(more.calibration, bit_position, inputs, FIRST_INPUT)
    mixer.chosen[last] = mixer.bases[last] + row * INPUTS


@njit
def refine(more, probability, point, share):
    """The last correction of a bit's probability; point and share: see refine.py."""
    return refined_by_tree(more.calibration, probability, point, share)


@njit
def learn_bit(more, reciprocal, point, share, bit):
    """After a bit."""
    learn_trees(more.calibration, reciprocal, bit)
    learn_curve(more.calibration, point, share, bit)


@njit
def end_byte(more, byte, position):
    """After a byte; what the codec has to know before the next one, 0 for nothing."""
    return learn_byte(more, byte, position)


def with_room(engine, n_trees: int):
    """The engine with first weights for the inputs of so many trees, and a weight set more.

    In the sets that are there, each tree's logit begins with a share of _FIRST_WEIGHT and
    the last one, the mixture of the others, with a half. The new set begins as this last
    tree alone, and the final mixer with _FIRST_SHARE of it.
    """
    mixer = engine.mixer
    sets = mixer.chosen.size
    first = np.zeros(n_trees * byte_trees.INPUTS, np.float32)
    first[:: byte_trees.INPUTS] = _FIRST_WEIGHT / max(2 * (n_trees - 1), 1)
    first[-byte_trees.INPUTS] = _FIRST_WEIGHT / min(n_trees, 2)
    if first.size > ROOM:
        raise ValueError(f"no room for {n_trees} trees")
    rows = mixer.weights.reshape(-1, INPUTS)
    rows[:, FIRST_INPUT : FIRST_INPUT + first.size] = first
    own = np.zeros((SET_SIZE, INPUTS), np.float32)
    own[:, FIRST_INPUT + first.size - byte_trees.INPUTS] = 1
    share = np.full((len(mixer.final), 1), _FIRST_SHARE, np.float32)
    return engine._replace(
        mixer=mixer._replace(
            weights=np.concatenate((mixer.weights, own.reshape(-1))),
            bases=np.append(mixer.bases, mixer.weights.size),
            chosen=np.zeros(sets + 1, np.int64),
            logits=np.zeros(sets + 1, np.float32),
            probabilities=np.zeros(sets + 1, np.float32),
            final=np.concatenate((mixer.final * (_ONE - _FIRST_SHARE), share), axis=1),
        )
    )
