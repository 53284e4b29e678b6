"""The engine: contexts, counters, match, mixture and refinement, bit by bit.

`Engine` holds the arrays, `code_bytes` runs them in either direction. All state is
bounded by the number of lines given when it is made. Called by codec/mix.py.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ..entropy.range_coder import DECODING, RangeCoder, code_bit
from ..kernels import njit
from . import counters, tables
from .contexts import CONTEXTS, RECENT, WORD_LENGTH, learn_byte, mix_hash, set_contexts
from .counters import adapt, counter_inputs, find_slot, learn_counters, learn_runs
from .match import LENGTH, expected_bit, learn_match_bit, learn_match_byte, length_class
from .match import match_inputs
from .mixer import learn_mix, mix
from .more_inputs import begin_byte, end_byte, fill_inputs, learn_bit, refine
from .refine import curve_place, learn_refined, refined
from .start import BIAS_INPUT, CURVES, INPUTS, MATCH_INPUT, ORDER_0_INPUT, SET_SIZES, SETS, Start
from .start import first_curve
from .tables import MOST_OBSERVATIONS, squash

#: The learning rate of the weights falls to this, by this factor a byte.
_LAST_RATE, _RATE_DECAY = np.float32(0.002), np.float32(0.99997)
_FINAL_RATE = np.float32(0.005)
_RATE_AFTER_TRAINING = 0.01
_ORDER_0_TRUST = 6  # observations that a start's order 0 counts for
_BIAS = np.float32(0.3)
_MATCH_PLACES = 1 << 18
_CURVE_SHIFT = np.uint64(48)
_THREE_BYTES = np.uint64(0xFFFFFF)
_NOT_DECODING = np.uint64(0)
_LONGEST_WORD = 15
_PROBABILITY_SHIFT = np.uint16(4)
_QUARTER = np.float32(0.25)


class Tables(NamedTuple):
    """See tables.py."""

    stretch: np.ndarray
    reciprocal: np.ndarray
    history: np.ndarray
    classes: np.ndarray


class Maps(NamedTuple):
    """Adaptive 16-bit probabilities: of bit histories, runs, match lengths and order 0."""

    history: np.ndarray  # (CONTEXTS, 1024)
    history_seen: np.ndarray  # (CONTEXTS, 1024)
    run: np.ndarray  # (CONTEXTS, 64)
    match: np.ndarray  # (32,)
    order_0: np.ndarray  # (256,)
    order_0_seen: np.ndarray  # (256,)


class Mixer(NamedTuple):
    """See mixer.py. bases: first weight of each set; chosen: of its chosen row."""

    weights: np.ndarray
    bases: np.ndarray
    chosen: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    final: np.ndarray  # (256, sets)
    final_chosen: np.ndarray
    rate: np.ndarray  # (1,), decays


class Engine(NamedTuple):
    """All that the engine knows; everything but `tables` moves."""

    tables: Tables
    slots: np.ndarray  # uint16 (CONTEXTS, lines * 32)
    maps: Maps
    mixer: Mixer
    inputs: np.ndarray  # float32 (INPUTS,)
    hashes: np.ndarray  # uint64 (CONTEXTS,)
    current: np.ndarray  # int64 (2, CONTEXTS): the slots of this half byte and of this byte
    words: np.ndarray  # uint64 (4,), contexts.py
    layout: np.ndarray  # int64 (4,), contexts.py
    match: np.ndarray  # int64 (2,), match.py
    match_places: np.ndarray  # int64
    by_byte: np.ndarray  # float32 (CURVES, 33): refinement by the last byte
    by_trigram: np.ndarray  # float32 (CURVES, 33): refinement by the last three


@cache
def _constant_tables() -> Tables:
    return Tables(
        tables.stretch_table(),
        tables.reciprocal_table(),
        tables.history_table(),
        tables.character_classes(),
    )


def engine(line_bits: int, start: Start) -> Engine:
    """An engine that has read nothing, with 2^line_bits slots of 64 bytes for each context."""
    bases = np.concatenate(([0], np.cumsum(SET_SIZES)[:-1])) * INPUTS
    return Engine(
        tables=_constant_tables(),
        slots=np.zeros((CONTEXTS, counters.SLOT << line_bits), np.uint16),
        maps=Maps(
            history=start.history.copy(),
            history_seen=start.history_seen.astype(np.int64),
            run=start.run.copy(),
            match=start.match.copy(),
            order_0=start.order_0.copy(),
            order_0_seen=start.order_0_seen.astype(np.int64),
        ),
        mixer=Mixer(
            weights=start.weights.astype(np.float32),
            bases=bases.astype(np.int64),
            chosen=np.zeros(SETS, np.int64),
            logits=np.zeros(SETS, np.float32),
            probabilities=np.zeros(SETS, np.float32),
            final=start.final.astype(np.float32),
            final_chosen=np.zeros(1, np.int64),
            rate=start.rate.astype(np.float32),
        ),
        inputs=np.zeros(INPUTS, np.float32),
        hashes=np.zeros(CONTEXTS, np.uint64),
        current=np.zeros((2, CONTEXTS), np.int64),
        words=np.zeros(4, np.uint64),
        layout=np.zeros(4, np.int64),
        match=np.zeros(2, np.int64),
        match_places=np.zeros(_MATCH_PLACES, np.int64),
        by_byte=start.by_byte.astype(np.float32),
        by_trigram=np.tile(first_curve(), (CURVES, 1)),
    )


def learnt(engine: Engine) -> Start:
    """What this engine, having read some text, would begin another one with."""
    return Start(
        weights=engine.mixer.weights.astype(np.float16),
        final=engine.mixer.final.astype(np.float16),
        rate=np.full(1, _RATE_AFTER_TRAINING, np.float32),
        history=engine.maps.history.copy(),
        history_seen=engine.maps.history_seen.astype(np.uint8),
        run=engine.maps.run.copy(),
        match=engine.maps.match.copy(),
        order_0=engine.maps.order_0.copy(),
        order_0_seen=np.minimum(engine.maps.order_0_seen, _ORDER_0_TRUST).astype(np.uint8),
        by_byte=engine.by_byte.astype(np.float16),
    )


@njit
def _enter_half_byte(slots, hashes, current, partial, bit_position):
    """Find each context's slot for the next four bits."""
    line_mask = np.uint64(slots.shape[1] // counters.SLOT - 1)
    for context in range(CONTEXTS):
        hashed = hashes[context]
        if bit_position:
            hashed = mix_hash(hashed, np.uint64(partial))
        slot = find_slot(slots, context, line_mask, hashed)
        if slot < 0:  # nothing is known here yet
            slot = ~slot
        current[0, context] = slot
        if bit_position == 0:
            current[1, context] = slot


@njit
def _choose_weights(mixer, classes, recent, word_length, partial, bit_position, matched, n_seen):
    last, before, before_that = recent & 255, recent >> 8 & 255, recent >> 16
    bases, chosen = mixer.bases, mixer.chosen
    chosen[0] = bases[0] + partial * INPUTS
    confidence = matched * 4 + min(n_seen // 4, 3)
    chosen[1] = bases[1] + (confidence * 8 + bit_position) * INPUTS
    chosen[2] = bases[2] + last * INPUTS
    three = (classes[last] * 8 + classes[before]) * 8 + classes[before_that]
    chosen[3] = bases[3] + (three * 8 + bit_position) * INPUTS
    chosen[4] = bases[4] + before * INPUTS
    length = min(word_length, _LONGEST_WORD)
    chosen[5] = bases[5] + (length * 8 + bit_position) * INPUTS
    mixer.final_chosen[0] = partial


@njit
def _code_bytes(state, buffer, information, engine, more, data, start, stop):
    """One loop for both directions: contexts, then eight times predict, code, learn.

    more: None, or see more_inputs.py. Returns where it has come to, and what to tell.
    """
    decoding = state[DECODING] != _NOT_DECODING
    inputs, maps, stretch = engine.inputs, engine.maps, engine.tables.stretch
    tables_, mixer_, slots, current = engine.tables, engine.mixer, engine.slots, engine.current
    words, layout, match_ = engine.words, engine.layout, engine.match
    inputs[BIAS_INPUT] = _BIAS
    for position in range(start, stop):
        byte = np.int64(0) if decoding else np.int64(data[position])
        set_contexts(words, layout, data, engine.hashes)
        mixer_.rate[0] = max(mixer_.rate[0] * _RATE_DECAY, _LAST_RATE)
        recent = np.int64(words[RECENT] & _THREE_BYTES)
        partial = np.int64(1)
        if more is not None:
            begin_byte(more)
        for bit_position in range(8):
            if bit_position & 3 == 0:
                _enter_half_byte(slots, engine.hashes, current, partial, bit_position)
            half_position = bit_position & 3
            node = partial & ((1 << half_position) - 1) | 1 << half_position
            n_seen = counter_inputs(
                slots, current, node, maps, stretch, partial, bit_position, inputs
            )
            expected = expected_bit(match_, data, partial, bit_position)
            matched = 0
            if expected >= 0:
                matched = 2 + 2 * (length_class(match_[LENGTH]) // 5) + expected
            match_inputs(match_, expected, maps.match, stretch, inputs, MATCH_INPUT)
            inputs[ORDER_0_INPUT] = stretch[maps.order_0[partial] >> _PROBABILITY_SHIFT]
            _choose_weights(
                mixer_, tables_.classes, recent, layout[WORD_LENGTH], partial, bit_position,
                matched, n_seen,
            )  # fmt: skip
            if more is not None:
                fill_inputs(more, mixer_, stretch, partial, bit_position, inputs)
            logit = mix(mixer_, inputs)
            mixed = squash(logit)
            point, share = curve_place(logit)
            first = (recent & 255) << 8 | partial
            place = mix_hash(np.uint64(recent), np.uint64(partial)) >> _CURVE_SHIFT
            second = np.int64(place)
            probability = mixed + refined(engine.by_byte, first, point, share)
            refined_twice = refined(engine.by_trigram, second, point, share)
            probability = (probability + refined_twice + refined_twice) * _QUARTER
            if more is not None:
                probability = refine(more, probability, point, share)

            bit = byte >> (7 - bit_position) & 1
            bit = code_bit(state, buffer, information, probability, bit)

            learn_mix(mixer_, inputs, mixed, bit, mixer_.rate[0], _FINAL_RATE)
            learn_refined(engine.by_byte, first, point, share, bit)
            learn_refined(engine.by_trigram, second, point, share, bit)
            learn_counters(slots, current, node, maps, tables_, partial, bit_position, bit)
            if more is not None:
                learn_bit(more, tables_.reciprocal, point, share, bit)
            learn_match_bit(match_, expected, maps.match, bit)
            seen = maps.order_0_seen[partial]
            rate = tables_.reciprocal[seen]
            maps.order_0[partial] = adapt(maps.order_0[partial], bit, rate)
            maps.order_0_seen[partial] = min(seen + 1, MOST_OBSERVATIONS)
            partial = partial << 1 | bit
        byte = partial & 255
        if decoding:
            data[position] = np.uint8(byte)
        learn_runs(slots, current, byte)
        learn_byte(words, layout, byte, position)
        learn_match_byte(match_, engine.match_places, words, data, position)
        if more is not None:
            told = end_byte(more, byte, position)
            if told:
                return position + 1, told
    return stop, 0


def code_bytes(
    coder: RangeCoder, engine: Engine, data: np.ndarray, start: int, stop: int, more=None
) -> None:
    """Code data[start:stop] (uint8; filled in when decoding); stretches must follow one another.

    more: what else takes part; its `inputs` are for the kernel, which stops wherever
    `perceive(told, data)` has to be called.
    """
    coder.reserve(8 * (stop - start))
    inputs = more and more.inputs
    while start < stop:
        start, told = _code_bytes(
            coder.state, coder.buffer, coder.information, engine, inputs, data, start, stop
        )
        if told:
            more.perceive(told, data)
