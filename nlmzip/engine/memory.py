"""The memory of an engine: what it begins with, and one thread's arrays, used text after text.

A `First` is made once and shared; a `Memory` belongs to one thread. `Memory.engine` gives
an engine that has read nothing, at the cost of what the text before has touched:

    moving   a copy of one block
    slots    cleared as far as this text's lines go
    curves   of a short text those that it has moved, which follow from its bytes; else all
    places   nothing: `origin` moves on, and what lies below it is of an earlier text

Called by codec/mix.py and training/.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from weakref import ref

import numpy as np

from ..contexts.basic import WORDS
from ..contexts.registry import numbers
from ..contexts.structure import structure
from ..counts.store import Store, empty
from ..entropy.logistic import stretch_table
from ..kernels.memory import LINE, zeros_on_lines
from . import geometry, tables
from .arrays import (
    Choice,
    Curves,
    Engine,
    Finer,
    Fixed,
    Maps,
    Mixer,
    Moving,
    Places,
    Plain,
    Tables,
)
from .geometry import FAILED, MATCH_CLASSES
from .inputs import counted
from .inputs.sources import PreparedSource, with_sources
from .mixing.refine import restore_curves
from .primed import Start, first_curve
from .profiles import DEFAULT_DESIGN, SELECTOR_SIZES, Design

#: Texts up to this length tell which curves they have moved; copying all is quicker for others.
_SHORT = 1 << 14
# The first rate of a text after training; finer designs have more inputs, which move together.
_RATE_AFTER_TRAINING, _FINER_RATE_AFTER_TRAINING = 0.01, 0.004
_NO_SLOTS, _NO_TEXT = np.zeros(0, np.uint16), np.zeros(0, np.uint8)
_ORDER_0_TRUST = 6  # observations that a start's order 0 counts for


@cache
def _constant_tables() -> Tables:
    return Tables(
        stretch_table(),
        tables.reciprocal_table(),
        counted.history_table(),
        tables.character_classes(),
    )


def _bases(sizes: tuple[int, ...]) -> np.ndarray:
    """Where each of the parts of these sizes begins, int64."""
    return np.cumsum((0, *sizes[:-1])).astype(np.int64)


def _rates(start: Start, design: Design) -> np.ndarray:
    """The learning rates: a start's own, or its first and those of the design."""
    later = () if start.rate.size > 1 else (design.last_rate, design.final_rate)
    return np.array([*start.rate, *later], np.float32)


def _fixed(design: Design, store: Store | None) -> Fixed:
    return Fixed(
        tables=_constant_tables(),
        choice=Choice(
            selectors=np.array(design.selectors, np.int64),
            bases=_bases(design.set_sizes) * design.inputs,
            final_selectors=np.array(design.final_selectors, np.int64),
            final_bases=_bases(design.final_sizes),
        ),
        kinds=numbers(design.kinds),
        hashed=np.array(design.matches, np.int64),
        store=empty() if store is None else store,
    )


def _moving(start: Start, design: Design) -> Moving:
    contexts, matches = len(design.kinds), len(design.matches)
    sets, finals = len(design.selectors), len(design.final_selectors)
    trust = np.full((matches, MATCH_CLASSES), 49152, np.uint16)
    trust[:, : design.match_classes] = start.match.reshape(matches, -1)
    return Moving(
        maps=Maps(start.history, start.history_seen, start.run, trust, start.order_0, start.order_0_seen),
        mixer=Mixer(
            weights=start.weights.astype(np.float32),
            chosen=np.zeros(sets, np.int64),
            logits=np.zeros(sets, np.float32),
            probabilities=np.zeros(sets, np.float32),
            final=start.final.astype(np.float32),
            final_chosen=np.zeros(finals, np.int64),
            final_probabilities=np.zeros(finals, np.float32),
            selected=np.zeros(len(SELECTOR_SIZES), np.int64),
            rates=_rates(start, design),
        ),
        inputs=np.zeros(design.inputs, np.float32),
        hashes=np.zeros(contexts, np.uint64),
        found=np.zeros(contexts, np.uint64),
        current=np.zeros((2, contexts), np.int64),
        words=np.zeros(WORDS, np.uint64),
        layout=np.zeros(4, np.int64),
        match=np.zeros((matches, 3), np.int64),
        match_expected=np.zeros(matches, np.int64),
        counts=np.zeros(32, np.int64),
        design=Finer(structure(), start.calibration, start.calibration_seen) if design.finer else Plain(),
    )


def in_one_block(arrays: tuple) -> tuple[np.ndarray, tuple]:
    """A copy of arrays, nested as they are, in one block, uint8; each begins a cache line."""
    every = _leaves(arrays)
    places = np.cumsum([0] + [-(-array.nbytes // LINE) * LINE for array in every]).tolist()
    block = zeros_on_lines((places[-1],), np.uint8)
    views = [
        block[place : place + array.nbytes].view(array.dtype).reshape(array.shape)
        for array, place in zip(every, places)
    ]
    for array, view in zip(every, views, strict=True):
        view[...] = array
    return block, _nested_as(arrays, iter(views))


def _leaves(nested) -> list[np.ndarray]:
    """The arrays of nested tuples, in order."""
    if isinstance(nested, tuple):
        return [leaf for each in nested for leaf in _leaves(each)]
    return [nested]


def _nested_as(nested, leaves: Iterator[np.ndarray]):
    """Tuples nested as these are, of other arrays."""
    if isinstance(nested, tuple):
        return type(nested)(*(_nested_as(each, leaves) for each in nested))
    return next(leaves)


class First:
    """What an engine knows before any text; never changed, so that threads share it.

    start: one that fits the design; store: what new slots are filled from; sources: what takes
    part beside the contexts.
    """

    def __init__(
        self,
        start: Start,
        design: Design = DEFAULT_DESIGN,
        store: Store | None = None,
        sources: Sequence[PreparedSource] = (),
    ):
        fixed, moving = _fixed(design, store), _moving(start, design)
        fixed, moving = with_sources(fixed, moving, design, sources)
        self.design, self.fixed = design, fixed
        self.image, self.moving = in_one_block(moving)
        self.by_byte = np.ascontiguousarray(start.by_byte, np.float32)
        self.curve = first_curve()  # of all other refinements


def _nobody() -> None:
    """In place of a reference to an owner."""


class Slots:
    """Room for slots, the largest of an engine's arrays: one engine after the other uses it."""

    def __init__(self):
        self._slots, self._used = _NO_SLOTS, 0  # how many, from the first on, may not be zeros
        self._owner = _nobody  # who has them, which must not keep them

    def taken_by(self, owner: "Memory", size: int) -> np.ndarray:
        """So many numbers of slots, uint16, that are all zeros; whoever had some before has none any more."""
        self._owner = ref(owner)
        if size > self._slots.size:
            self._slots, self._used = _NO_SLOTS, 0  # the smaller ones are freed first
            self._slots = zeros_on_lines((size,), np.uint16)
        used, self._used = self._used, max(self._used, size)
        self._slots[: min(used, size)] = 0
        return self._slots[:size]

    def require(self, owner: "Memory") -> None:
        """Raises RuntimeError if another engine has them meanwhile."""
        if self._owner() is not owner:
            raise RuntimeError("another engine has these slots meanwhile")


class Memory:
    """One thread's arrays. They are taken when they are first needed, and used again.

    slots: room that engines of the same thread share, of which one works at a time.
    """

    def __init__(self, first: First, slots: Slots | None = None):
        self._first = first
        self._block, self._moving, self._curves = None, None, None
        self._slots = slots or Slots()
        self._places = Places(np.zeros(geometry.places_shape(first.design), np.int64), np.zeros(1, np.int64))
        # How far the text before was coded, and the text; None where that is long or not known.
        self._reached, self._text = 0, None

    def engine(self, n_slots: int) -> Engine:
        """An engine that has read nothing, with so many slots for all contexts.

        It takes the place of the one before, wherever that has come to.
        """
        # An interrupt can come anywhere in here: what is not restored yet must not pass for it.
        self._places.origin[0] += self._reached
        text, self._text = self._text, None
        if self._block is None:
            block, self._moving = in_one_block(self._first.moving)
            self._block = block
        else:
            np.copyto(self._block, self._first.image)
        slots = self._slots.taken_by(self, n_slots * self._first.design.slot_size)
        self._restore_curves(text)
        self._reached, self._text = 0, _NO_TEXT
        return Engine(self._first.fixed, self._moving, slots, self._curves, self._places)

    def reach(self, data: np.ndarray, stop: int) -> None:
        """To be called before data[:stop] is coded: what has to be restored after it.

        Raises RuntimeError if another engine has the slots meanwhile.
        """
        self._slots.require(self)
        self._text = data if stop <= _SHORT else None
        self._reached = stop

    def _restore_curves(self, text: np.ndarray | None) -> None:
        first, design = self._first, self._first.design
        if self._curves is None:
            shapes = geometry.curve_shapes(design)
            self._curves, text = Curves(*(np.empty(shape, np.float32) for shape in shapes)), None
        curves = self._curves
        if text is None:
            np.copyto(curves.by_byte, first.by_byte)
            curves.by_trigram[:] = first.curve
        else:
            restore_curves(curves, first.by_byte, first.curve, text, min(self._reached, text.size))
        curves.more[:] = first.curve


def engine(
    n_slots: int, start: Start, design: Design = DEFAULT_DESIGN, store: Store | None = None
) -> Engine:
    """An engine of its own that has read nothing, with so many slots."""
    return Memory(First(start, design, store)).engine(n_slots)


def learnt(engine: Engine) -> Start:
    """What this engine, having read some text, would begin another one with."""
    maps, mixer, of_design = engine.moving.maps, engine.moving.mixer, engine.moving.design
    finer = isinstance(of_design, Finer)
    start = Start(
        weights=mixer.weights.astype(np.float16),
        final=mixer.final.astype(np.float16),
        rate=np.full(1, _RATE_AFTER_TRAINING, np.float32),
        history=maps.history.copy(),
        history_seen=maps.history_seen.copy(),
        run=maps.run.copy(),
        match=maps.match[:, : MATCH_CLASSES if finer else FAILED].ravel(),
        order_0=maps.order_0.copy(),
        order_0_seen=np.minimum(maps.order_0_seen, _ORDER_0_TRUST).astype(np.uint8),
        by_byte=engine.curves.by_byte.astype(np.float16),
    )
    if finer:
        start = start._replace(
            rate=np.full(1, _FINER_RATE_AFTER_TRAINING, np.float32),
            calibration=of_design.calibration.copy(),
            calibration_seen=of_design.calibration_seen.copy(),
        )
    return start
