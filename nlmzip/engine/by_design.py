"""What designs do differently: those of the fast levels (Plain), and of the slow ones (Finer).

Each function stands here for both; the kernel calls the one for its engine. Called by loop.py.
"""

import numpy as np

from ..contexts.registry import set_contexts
from ..contexts.structure import OLDER, learn_structure
from ..kernels import part
from ..kernels.by_kind import by_kind
from . import geometry
from .arrays import Finer, Plain
from .inputs.counters import plain_inputs
from .inputs.finer import finer_inputs, learn_finer
from .inputs.match import expected_class
from .mixing.mixer import learn_mix, learn_mix_finals, mix, mix_finals
from .mixing.selectors import learn_more_refined, refine_more, select_more

_NOTHING = np.uint64(0)


@by_kind
def slot_size(design):
    """Numbers of a slot."""


@by_kind
def context_inputs(design):
    """Inputs that a context gives the mixer."""


@by_kind
def recovers(design):
    """Whether a match that has failed may go on."""


@by_kind
def older_bytes(design):
    """The eight bytes before the last eight, uint64, where matches hash them."""


@by_kind
def set_hashes(design, engine, data):
    """Fill the contexts' hashes for the next byte; returns what the longest match expects, or 0."""


@by_kind
def counter_inputs(design, engine, here):
    """Fill the inputs of all contexts; returns how many have seen this node before."""


@by_kind
def select_further(design, engine, here):
    """Fill the small contexts that are of this design alone."""


@by_kind
def mix_inputs(design, engine):
    """The logit of the mixture."""


@by_kind
def learn_mixture(design, engine, mixed, bit):
    """Move the mixture's weights; mixed: what mix_inputs led to."""


@by_kind
def refine_further(design, engine, here, mixed, probability):
    """The probability after the refinements that are of this design alone."""


@by_kind
def learn_further(design, engine, here, mixed, bit):
    """Take in a bit what is of this design alone; before the counters learn it."""


@by_kind
def end_byte(design, engine, byte, position):
    """Take in a byte what is of this design alone; before the contexts do."""


@slot_size.of(Plain)
@part
def _plain_slot(design):
    return geometry.SLOT


@slot_size.of(Finer)
@part
def _finer_slot(design):
    return geometry.FINER_SLOT


@context_inputs.of(Plain)
@part
def _plain_context(design):
    return geometry.CONTEXT_INPUTS


@context_inputs.of(Finer)
@part
def _finer_context(design):
    return geometry.FINER_CONTEXT_INPUTS


@recovers.of(Plain)
@part
def _plain_recovers(design):
    return False


@recovers.of(Finer)
@part
def _finer_recovers(design):
    return True


@older_bytes.of(Plain)
@part
def _plain_older(design):
    return _NOTHING


@older_bytes.of(Finer)
@part
def _finer_older(design):
    return design.structure.marks[OLDER]


@set_hashes.of(Plain)
@part
def _plain_hashes(design, engine, data):
    moving = engine.moving
    set_contexts(engine.fixed.kinds, moving.words, moving.layout, data, None, _NOTHING, moving.hashes)
    return np.int64(0)


@set_hashes.of(Finer)
@part
def _finer_hashes(design, engine, data):
    moving = engine.moving
    expected = expected_class(moving.match, data)
    set_contexts(
        engine.fixed.kinds, moving.words, moving.layout, data, design.structure, np.uint64(expected), moving.hashes
    )
    return expected


@counter_inputs.of(Plain)
@part
def _plain_inputs(design, engine, here):
    return plain_inputs(engine.slots, engine.moving, engine.fixed.tables.stretch, here)


@counter_inputs.of(Finer)
@part
def _finer_inputs(design, engine, here):
    return finer_inputs(engine.slots, engine.moving, design.calibration, engine.fixed.tables.stretch, here)


@select_further.of(Plain)
@part
def _plain_select(design, engine, here):
    pass


@select_further.of(Finer)
@part
def _finer_select(design, engine, here):
    select_more(design.structure, engine.slots, engine.moving, engine.fixed.tables.classes, here)


@mix_inputs.of(Plain)
@part
def _plain_mix(design, engine):
    return mix(engine.moving.mixer, engine.moving.inputs)


@mix_inputs.of(Finer)
@part
def _finer_mix(design, engine):
    return mix_finals(engine.moving.mixer, engine.moving.inputs)


@learn_mixture.of(Plain)
@part
def _plain_learn_mixture(design, engine, mixed, bit):
    learn_mix(engine.moving.mixer, engine.moving.inputs, mixed.probability, bit)


@learn_mixture.of(Finer)
@part
def _finer_learn_mixture(design, engine, mixed, bit):
    learn_mix_finals(engine.moving.mixer, engine.moving.inputs, bit)


@refine_further.of(Plain)
@part
def _plain_refine(design, engine, here, mixed, probability):
    return probability


@refine_further.of(Finer)
@part
def _finer_refine(design, engine, here, mixed, probability):
    return refine_more(engine.curves.more, engine.moving.words, here, mixed, probability)


@learn_further.of(Plain)
@part
def _plain_learn(design, engine, here, mixed, bit):
    pass


@learn_further.of(Finer)
@part
def _finer_learn(design, engine, here, mixed, bit):
    learn_more_refined(engine.curves.more, engine.moving.words, here, mixed, bit)
    learn_finer(engine.slots, engine.moving.current, here.node, design, engine.fixed.tables.reciprocal, bit)


@end_byte.of(Plain)
@part
def _plain_end(design, engine, byte, position):
    pass


@end_byte.of(Finer)
@part
def _finer_end(design, engine, byte, position):
    moving = engine.moving
    learn_structure(design.structure, moving.words, moving.layout, engine.fixed.tables.classes, byte, position)
