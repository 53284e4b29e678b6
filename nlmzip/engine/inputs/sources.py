"""What takes part in the mixture beside the engine's own contexts: sources of distributions.

A source fills trees (byte_trees.py) with the probabilities of the next byte. To the kernel it is
a named tuple; each kind of these registers what begins a byte and what ends one:

    begin_source(source)                 fill its trees
    end_source(source, byte, position)   take the byte in; what its predictors are to be told

The trees of all sources lie in one array, so the rest of the kernel knows no kinds. The last
tree chooses the rows of a weight set, and corrects the mixture in the end. Called by loop.py
and codec/mix.py; kinds stand in predictors/as_bytes/.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ...kernels import part
from ...kernels.by_kind import by_kind, by_types
from ..arrays import Fixed, Moving
from ..geometry import padded
from ..profiles import Design
from . import byte_trees
from .byte_trees import (
    SET_SIZE,
    Calibration,
    calibration,
    learn_curve,
    learn_trees,
    refined_by_tree,
    tree_class,
    tree_inputs,
)

_ONE = np.float32(1.0)

#: Bits of what one source's predictors are told, and a mask of these.
TOLD_BITS = 8
TOLD = (1 << TOLD_BITS) - 1


class FirstWeights(NamedTuple):
    """What a source begins with: the weight of its logit, and the share of its own weight set."""

    weight: np.float32
    share: np.float32


#: Beside an engine without a model. On pieces of 4 and 40 KB of dev texts, which the models were
#: not trained on, weights of 0.4 to 0.8 and shares of 0.3 to 0.5 come within 1.5% of one another;
#: a model's own kind of text wants added of both, other text less.
ALONE = FirstWeights(np.float32(0.45), np.float32(0.3))
#: Beside one that knows such text itself: of weights from 0 to 0.45 and shares from 0.01 to 0.3
#: the best on the first 60 KB of three dev texts, by 1% against the ones above.
LIGHT = FirstWeights(np.float32(0.1), np.float32(0.05))


class PreparedSource(Protocol):
    """What all texts share of a source."""

    n_trees: int
    first_weights: FirstWeights

    def taking_part(self, trees: np.ndarray, trust: np.ndarray) -> "Source":
        """One that has read nothing; trees: float32 (n_trees, 512), trust: float32 (n_trees,), both its own."""


class Source(Protocol):
    """What moves of a source while one text is coded."""

    kernel: NamedTuple  # of a kind that has registered what the kernel calls

    def perceive(self, told: int, data: np.ndarray) -> None:
        """Take in what the kernel told of data (uint8), all of it coded."""


class Alone(NamedTuple):
    """No sources."""


class Sources(NamedTuple):
    """All sources of an engine. trust: of calibration."""

    trees: np.ndarray  # float32 (n, 512)
    calibration: Calibration
    each: tuple  # the kernel's part of each


class Together(NamedTuple):
    """The sources that take part in a text: for the kernel, and their predictors."""

    kernel: Alone | Sources
    each: tuple[Source, ...]


NO_SOURCES = Together(Alone(), ())


def together(prepared: Sequence[PreparedSource]) -> Together:
    """Sources that have read nothing."""
    n_trees = sum(source.n_trees for source in prepared)
    if not n_trees:
        return NO_SOURCES
    trees, learnt = np.zeros((n_trees, 2 * byte_trees.LEAVES), np.float32), calibration(n_trees)
    each, first = [], 0
    for source in prepared:
        of = slice(first, first + source.n_trees)
        each.append(source.taking_part(trees[of], learnt.trust[of]))
        first += source.n_trees
    return Together(Sources(trees, learnt, tuple(source.kernel for source in each)), tuple(each))


@by_kind
def begin_source(source):
    """Fill the source's trees, before a byte is coded."""


@by_kind
def end_source(source, byte, position):
    """Take in a byte; returns what the predictors have to be told (int64, up to TOLD), 0 for nothing."""


def _begin_each(each):
    """begin_source of each in a tuple."""


@by_types(_begin_each)
def _choose_begin_each(each):
    if not len(each):
        return lambda each: None

    def first_and_others(each):
        begin_source(each[0])
        _begin_each(each[1:])

    return first_and_others


def _end_each(each, byte, position):
    """end_source of each in a tuple: what is to be told, the first one's in the lowest bits."""


@by_types(_end_each)
def _choose_end_each(each, byte, position):
    if not len(each):
        return lambda each, byte, position: np.int64(0)

    def first_and_others(each, byte, position):
        told = end_source(each[0], byte, position)
        return told | _end_each(each[1:], byte, position) << TOLD_BITS

    return first_and_others


@by_kind
def begin_sources(sources):
    """Before a byte is coded."""


@by_kind
def source_inputs(sources, engine, here, first):
    """Before a bit is coded: inputs from the index `first` on, and the row of the last weight set."""


@by_kind
def refine_by_sources(sources, mixed, probability):
    """The last correction of a bit's probability."""


@by_kind
def learn_sources(sources, reciprocal, mixed, bit):
    """After a bit."""


@by_kind
def end_sources(sources, byte, position):
    """After a byte; what the predictors have to know before the next one, 0 for nothing."""


@begin_sources.of(Alone)
@part
def _begin_alone(sources):
    pass


@begin_sources.of(Sources)
@part
def _begin_sources(sources):
    _begin_each(sources.each)


@source_inputs.of(Alone)
@part
def _alone_inputs(sources, engine, here, first):
    pass


@source_inputs.of(Sources)
@part
def _source_inputs(sources, engine, here, first):
    inputs, chosen = engine.moving.inputs, engine.moving.mixer.chosen
    stretch = engine.fixed.tables.stretch
    tree_inputs(sources.trees, sources.calibration, stretch, here.partial, inputs, first)
    last = chosen.size - 1
    row = tree_class(sources.calibration, here.bit_position, inputs, first)
    chosen[last] = engine.fixed.choice.bases[last] + row * inputs.size


@refine_by_sources.of(Alone)
@part
def _refine_alone(sources, mixed, probability):
    return probability


@refine_by_sources.of(Sources)
@part
def _refine_by_sources(sources, mixed, probability):
    return refined_by_tree(sources.calibration, probability, mixed.point, mixed.share)


@learn_sources.of(Alone)
@part
def _learn_alone(sources, reciprocal, mixed, bit):
    pass


@learn_sources.of(Sources)
@part
def _learn_sources(sources, reciprocal, mixed, bit):
    learn_trees(sources.calibration, reciprocal, bit)
    learn_curve(sources.calibration, mixed.point, mixed.share, bit)


@end_sources.of(Alone)
@part
def _end_alone(sources, byte, position):
    return np.int64(0)


@end_sources.of(Sources)
@part
def _end_sources(sources, byte, position):
    return _end_each(sources.each, byte, position)


def _widened(fixed: Fixed, moving: Moving, width: int, wider: int) -> tuple[Fixed, Moving]:
    """More inputs, that are not in use yet."""
    mixer, choice = moving.mixer, fixed.choice
    rows = np.zeros((mixer.weights.size // width, wider), np.float32)
    rows[:, :width] = mixer.weights.reshape(-1, width)
    moving = moving._replace(inputs=np.zeros(wider, np.float32), mixer=mixer._replace(weights=rows.reshape(-1)))
    return fixed._replace(choice=choice._replace(bases=choice.bases // width * wider)), moving


def _first_row(prepared: Sequence[PreparedSource]) -> np.ndarray:
    """First weights of the inputs of all trees.

    Each tree's logit begins with a part of its source's weight, and a source's last one, the
    mixture of its others, with a half.
    """
    rows = []
    for source in prepared:
        row, weight = np.zeros(source.n_trees * byte_trees.INPUTS, np.float32), source.first_weights.weight
        row[:: byte_trees.INPUTS] = weight / max(2 * (source.n_trees - 1), 1)
        row[-byte_trees.INPUTS] = weight / min(source.n_trees, 2)
        rows.append(row)
    return np.concatenate(rows)


def with_sources(
    fixed: Fixed, moving: Moving, design: Design, prepared: Sequence[PreparedSource]
) -> tuple[Fixed, Moving]:
    """First weights for the sources' inputs, and a weight set more.

    The new set begins as the last tree alone, and the final mixer with its share of it.
    """
    if not prepared:
        return fixed, moving
    sets, share = moving.mixer.chosen.size, prepared[-1].first_weights.share
    place, width = design.bias_input + 1, design.inputs
    first = _first_row(prepared)
    if first.size > width - place:
        wider = padded(place + first.size)
        fixed, moving = _widened(fixed, moving, width, wider)
        width = wider
    mixer, choice = moving.mixer, fixed.choice
    rows = mixer.weights.reshape(-1, width).copy()
    rows[:, place : place + first.size] = first
    own = np.zeros((SET_SIZE, width), np.float32)
    own[:, place + first.size - byte_trees.INPUTS] = 1
    of_own = np.full((len(mixer.final), 1), share, np.float32)
    mixer = mixer._replace(
        weights=np.concatenate((rows, own)).reshape(-1),
        chosen=np.zeros(sets + 1, np.int64),
        logits=np.zeros(sets + 1, np.float32),
        probabilities=np.zeros(sets + 1, np.float32),
        final=np.concatenate((mixer.final * (_ONE - share), of_own), axis=1),
    )
    choice = choice._replace(bases=np.append(choice.bases, rows.size))
    return fixed._replace(choice=choice), moving._replace(mixer=mixer)
