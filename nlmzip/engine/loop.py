"""The engine: contexts, counters, match, mixture and refinement, bit by bit.

`code_bytes` runs the arrays of memory.py in either direction. Called by codec/mix.py.
"""

import numpy as np

from ..contexts.basic import RECENT, learn_byte
from ..entropy.range_coder import DECODING, RangeCoder, code_bit
from ..kernels import njit, part
from .arrays import Engine, Here, Mixed
from .by_design import (
    context_inputs,
    counter_inputs,
    end_byte,
    learn_further,
    learn_mixture,
    mix_inputs,
    older_bytes,
    recovers,
    refine_further,
    select_further,
    set_hashes,
    slot_size,
)
from .geometry import MATCH_INPUTS
from .inputs.counters import adapt, learn_counters, learn_runs
from .inputs.fill import enter_half_byte
from .inputs.match import learn_match_bits, learn_match_byte, match_inputs
from .inputs.sources import (
    NO_SOURCES,
    TOLD,
    TOLD_BITS,
    Together,
    begin_sources,
    end_sources,
    learn_sources,
    refine_by_sources,
    source_inputs,
)
from .mixing.mixer import choose_weights, learn_slower
from .mixing.refine import curve_place, fetch_curve, learn_curves, refine
from .mixing.selectors import select
from .tables import MOST_OBSERVATIONS, squash

_BIAS = np.float32(0.3)
_THREE_BYTES = np.uint64(0xFFFFFF)
_NOT_DECODING = np.uint64(0)
_PROBABILITY_SHIFT = np.uint16(4)


@part
def _share_seen(n_seen, n_contexts):
    """Thirds of the contexts that have seen this node, 0 to 3."""
    thirds = 3 * n_seen
    return np.int64(thirds >= n_contexts) + np.int64(thirds >= 2 * n_contexts) + np.int64(n_seen == n_contexts)


@part
def _mix(engine, sources, data, here, first_of_match):
    """What the mixture says of the next bit; first_of_match: the index of the matches' first input."""
    fixed, moving = engine.fixed, engine.moving
    design, tables, inputs, mixer = moving.design, fixed.tables, moving.inputs, moving.mixer
    n_contexts, n_matches = moving.hashes.size, moving.match_expected.size
    fetch_curve(engine.curves, here)
    n_seen = counter_inputs(design, engine, here)
    matched = match_inputs(moving, data, tables.stretch, here, first_of_match)
    of_order_0 = first_of_match + MATCH_INPUTS * n_matches
    inputs[of_order_0] = tables.stretch[moving.maps.order_0[here.partial] >> _PROBABILITY_SHIFT]
    inputs[of_order_0 + 1] = _BIAS
    select(moving, tables.classes, here, matched, _share_seen(n_seen, n_contexts))
    select_further(design, engine, here)
    choose_weights(fixed.choice, mixer, inputs.size)
    source_inputs(sources, engine, here, of_order_0 + 2)
    logit = mix_inputs(design, engine)
    point, share = curve_place(logit)
    return Mixed(squash(logit), point, share)


@part
def _refined(engine, sources, here, mixed):
    """The probability that the bit is coded with."""
    probability = refine(engine.curves, here, mixed)
    probability = refine_further(engine.moving.design, engine, here, mixed, probability)
    return refine_by_sources(sources, mixed, probability)


@part
def _learn(engine, sources, here, mixed, bit):
    """Move all that the probability came from towards the bit."""
    moving, tables = engine.moving, engine.fixed.tables
    maps, partial = moving.maps, here.partial
    learn_mixture(moving.design, engine, mixed, bit)
    learn_curves(engine.curves, here, mixed, bit)
    learn_further(moving.design, engine, here, mixed, bit)
    learn_counters(engine.slots, moving, tables, here, bit)
    learn_sources(sources, tables.reciprocal, mixed, bit)
    learn_match_bits(moving, bit, recovers(moving.design))
    seen = maps.order_0_seen[partial]
    maps.order_0[partial] = adapt(maps.order_0[partial], bit, tables.reciprocal[seen])
    maps.order_0_seen[partial] = min(seen + 1, MOST_OBSERVATIONS)


@part
def _learn_byte(engine, data, byte, position):
    """Take in a byte that was coded."""
    moving = engine.moving
    learn_runs(engine.slots, moving.current, byte)
    end_byte(moving.design, engine, byte, position)
    learn_byte(moving.words, moving.layout, byte, position)
    learn_match_byte(engine, older_bytes(moving.design), data, position, recovers(moving.design))


@njit(borrowing=True)
def _code_bytes(state, buffer, information, engine, sources, data, start, stop):
    """One loop for both directions: contexts, then eight times predict, code, learn.

    Returns where it has come to, and what the sources' predictors have to be told there.
    """
    decoding = state[DECODING] != _NOT_DECODING
    moving = engine.moving
    size = slot_size(moving.design)
    first_of_match = moving.hashes.size * context_inputs(moving.design)
    for position in range(start, stop):
        coded = np.int64(0) if decoding else np.int64(data[position])
        expected_byte = set_hashes(moving.design, engine, data)
        learn_slower(moving.mixer)
        begin_sources(sources)
        recent = np.int64(moving.words[RECENT] & _THREE_BYTES)
        partial = np.int64(1)
        for bit_position in range(8):
            if bit_position & 3 == 0:
                enter_half_byte(engine, size, partial, bit_position)
            half = bit_position & 3
            node = partial & ((1 << half) - 1) | 1 << half
            here = Here(recent, expected_byte, partial, bit_position, node)
            mixed = _mix(engine, sources, data, here, first_of_match)
            probability = _refined(engine, sources, here, mixed)
            bit = code_bit(state, buffer, information, probability, coded >> (7 - bit_position) & 1)
            _learn(engine, sources, here, mixed, bit)
            partial = partial << 1 | bit
        byte = partial & 255
        if decoding:
            data[position] = np.uint8(byte)
        _learn_byte(engine, data, byte, position)
        told = end_sources(sources, byte, position)
        if told:
            return position + 1, told
    return stop, np.int64(0)


def code_bytes(
    coder: RangeCoder, engine: Engine, data: np.ndarray, start: int, stop: int, sources: Together = NO_SOURCES
) -> None:
    """Code data[start:stop] (uint8; filled in when decoding); stretches must follow one another.

    sources: what takes part beside the engine; where the kernel stops, one of them is to be told.
    """
    coder.reserve(8 * (stop - start))
    while start < stop:
        start, told = _code_bytes(
            coder.state, coder.buffer, coder.information, engine, sources.kernel, data, start, stop
        )
        for source in sources.each:
            if told & TOLD:
                source.perceive(told & TOLD, data)
            told >>= TOLD_BITS
