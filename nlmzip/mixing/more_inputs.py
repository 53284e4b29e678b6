"""What takes part in the mixture beside the engine's own contexts, in the free inputs.

The engine calls these functions where it is given such inputs; they are compiled away
where it is not. So far they are word models (word_bytes.py): whatever fills trees of
byte_trees.py can be one of them. Called by engine.py and codec/mix.py.
"""

import numpy as np

from ..kernels import njit
from . import byte_trees
from .byte_trees import SET_SIZE, tree_class, tree_inputs
from .start import BIAS_INPUT, INPUTS, SET_SIZES
from .word_bytes import learn_byte, predict_byte

#: Where these inputs stand, and how many there is room for.
FIRST_INPUT = BIAS_INPUT + 1
ROOM = INPUTS - FIRST_INPUT

_FIRST_WEIGHTS = (0.25, 0.0)


@njit
def begin_byte(more):
    """Before a byte is coded."""
    predict_byte(more)


@njit
def fill_inputs(more, mixer, partial, bit_position, inputs):
    """Before a bit is coded: inputs, and the row of the last weight set."""
    tree_inputs(more.trees, more.trust, partial, inputs, FIRST_INPUT)
    last = mixer.chosen.size - 1
    row = tree_class(more.trees, more.trust, partial, bit_position, inputs, FIRST_INPUT)
    mixer.chosen[last] = mixer.bases[last] + row * INPUTS


@njit
def end_byte(more, byte, position):
    """After a byte; what the codec has to know before the next one, 0 for nothing."""
    return learn_byte(more, byte, position)


def with_room(engine, n_trees: int):
    """The engine with first weights for the inputs of so many trees, and their weight set."""
    mixer = engine.mixer
    sets = mixer.chosen.size
    rows = mixer.weights.reshape(-1, INPUTS)
    for index in range(n_trees):
        place = FIRST_INPUT + byte_trees.INPUTS * index
        rows[:, place : place + byte_trees.INPUTS] = np.array(_FIRST_WEIGHTS, np.float32)
    # The new set begins with what the other sets' rows are on average.
    own = rows[sum(SET_SIZES[:-1]) :].astype(np.float64).mean(axis=0).astype(np.float32)
    weights = np.concatenate((mixer.weights, np.tile(own, SET_SIZE)))
    share = np.float32(1) / np.float32(sets + 1)
    final = np.concatenate((mixer.final * (1 - share), np.full((256, 1), share)), axis=1)
    return engine._replace(
        mixer=mixer._replace(
            weights=weights,
            bases=np.append(mixer.bases, mixer.weights.size),
            chosen=np.zeros(sets + 1, np.int64),
            logits=np.zeros(sets + 1, np.float32),
            probabilities=np.zeros(sets + 1, np.float32),
            final=final.astype(np.float32),
        )
    )
