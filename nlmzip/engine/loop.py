"""The engine: contexts, counters, match, mixture and refinement, bit by bit.

`Engine` holds the arrays, `code_bytes` runs them in either direction. All state is
bounded by the number of lines given when it is made. Called by codec/mix.py.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ..contexts.basic import (
    RECENT,
    WORD_LENGTH,
    WORDS,
    learn_byte,
    mix_hash,
)
from ..contexts.registry import numbers, set_contexts
from ..contexts.structure import (
    OLDER,
    Structure,
    learn_structure,
    structure,
)
from ..counts.store import Store, empty
from ..entropy.range_coder import DECODING, RangeCoder, code_bit
from ..kernels import njit
from ..kernels.memory import prefetch, zeros_on_lines
from . import tables
from .inputs import counted, counters, finer
from .inputs.counters import adapt, counter_inputs, learn_counters, learn_runs
from .inputs.fill import enter_half_byte
from .inputs.finer import finer_inputs, learn_finer
from .inputs.match import (
    CLASSES,
    FAILED,
    expected_bit,
    expected_class,
    learn_match_bit,
    learn_match_byte,
    match_inputs,
    recent_hash,
    trust_class,
)
from .inputs.match import INPUTS as MATCH_INPUTS
from .inputs.sources import begin_byte, end_byte, fill_inputs, learn_bit, refine
from .mixing.mixer import learn_mix, learn_mix_finals, mix, mix_finals
from .mixing.refine import curve_place, learn_refined, refined
from .mixing.selectors import learn_more_refined, refine_more, select_more
from .primed import CURVES, Start, first_curve
from .profiles import DEFAULT_DESIGN, SELECTOR_SIZES, Design
from .tables import MOST_OBSERVATIONS, squash

#: The learning rate of the weights falls by this factor a byte.
_RATE_DECAY = np.float32(0.99997)
# The first rate of a text after training; finer designs have more inputs, which move together.
_RATE_AFTER_TRAINING, _FINER_RATE_AFTER_TRAINING = 0.01, 0.004
_ORDER_0_TRUST = 6  # observations that a start's order 0 counts for
_BIAS = np.float32(0.3)
_MATCH_PLACES = 1 << 18
_CURVE_SHIFT = np.uint64(48)
_THREE_BYTES = np.uint64(0xFFFFFF)
_NOT_DECODING = np.uint64(0)
_LONGEST_WORD = 15
_PROBABILITY_SHIFT = np.uint16(4)
_HALF, _QUARTER = np.float32(0.5), np.float32(0.25)
# Places in `rates`: of the weights now and at last, and of the final mixers.
_NOW, _AT_LAST, _FINAL = range(3)


class Tables(NamedTuple):
    """See tables.py."""

    stretch: np.ndarray
    reciprocal: np.ndarray
    history: np.ndarray
    classes: np.ndarray


class Maps(NamedTuple):
    """Adaptive 16-bit probabilities: of bit histories, runs, match lengths and order 0."""

    history: np.ndarray  # (contexts, 1024)
    history_seen: np.ndarray  # (contexts, 1024)
    run: np.ndarray  # (contexts, 64)
    match: np.ndarray  # (matches, 64)
    order_0: np.ndarray  # (256,)
    order_0_seen: np.ndarray  # (256,)


class Mixer(NamedTuple):
    """See mixer.py. bases: first weight of each set; chosen: of its chosen row."""

    weights: np.ndarray
    bases: np.ndarray
    chosen: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    final: np.ndarray  # (rows, sets)
    final_bases: np.ndarray
    final_chosen: np.ndarray
    final_probabilities: np.ndarray
    selectors: np.ndarray  # of each set and final mixer: which small context chooses its row
    final_selectors: np.ndarray
    selected: np.ndarray  # int64 (small contexts,): the value of each
    rates: np.ndarray  # (3,), the first decays


class More(NamedTuple):
    """What finer designs have beyond the others."""

    structure: Structure
    calibration: np.ndarray  # uint16 (contexts, 512), finer.py
    calibration_seen: np.ndarray  # int64 (contexts, 512)
    curves: np.ndarray  # float32 (3 * CURVES, 33): refinements by other small contexts


class Engine(NamedTuple):
    """All that the engine knows; everything but `tables`, `kinds` and `hashed` moves."""

    tables: Tables
    slots: np.ndarray  # uint16 (contexts, lines * slot size)
    maps: Maps
    mixer: Mixer
    inputs: np.ndarray  # float32 (inputs,)
    kinds: np.ndarray  # int64 (contexts,): the number of each one in contexts/registry.py
    hashes: np.ndarray  # uint64 (contexts,)
    current: np.ndarray  # int64 (2, contexts): the slots of this half byte and of this byte
    words: np.ndarray  # uint64 (6,), contexts/basic.py
    layout: np.ndarray  # int64 (4,), contexts/basic.py
    hashed: np.ndarray  # int64 (matches,): how many bytes each match model hashes
    match: np.ndarray  # int64 (matches, 3), match.py
    match_expected: np.ndarray  # int64 (matches,): the bit that each one has next, or -1
    match_places: np.ndarray  # int64 (matches, places)
    by_byte: np.ndarray  # float32 (CURVES, 33): refinement by the last byte
    by_trigram: np.ndarray  # float32 (CURVES, 33): refinement by the last three
    store: Store  # what a training text saw, store.py
    counts: np.ndarray  # int64 (32,), for fill.py
    more: More | None


@cache
def _constant_tables() -> Tables:
    return Tables(
        tables.stretch_table(),
        tables.reciprocal_table(),
        counted.history_table(),
        tables.character_classes(),
    )


def _bases(sizes: tuple[int, ...]) -> np.ndarray:
    """Where each of the parts of these sizes begins, int64."""
    return np.cumsum((0, *sizes[:-1])).astype(np.int64)


def _more(start: Start) -> More:
    return More(
        structure=structure(),
        calibration=start.calibration.copy(),
        calibration_seen=start.calibration_seen.astype(np.int64),
        curves=np.tile(first_curve(), (3 * CURVES, 1)),
    )


def engine(
    line_bits: int, start: Start, design: Design = DEFAULT_DESIGN, store: Store | None = None
) -> Engine:
    """An engine that has read nothing, with 2^line_bits slots for each context.

    start: one that fits the design; store: what new slots are filled from.
    """
    contexts, matches = len(design.kinds), len(design.matches)
    sets, finals = len(design.selectors), len(design.final_selectors)
    trust = np.full((matches, CLASSES), 49152, np.uint16)
    trust[:, : design.match_classes] = start.match.reshape(matches, -1)
    return Engine(
        tables=_constant_tables(),
        slots=zeros_on_lines((contexts, design.slot_size << line_bits), np.uint16),
        maps=Maps(
            history=start.history.copy(),
            history_seen=start.history_seen.astype(np.int64),
            run=start.run.copy(),
            match=trust,
            order_0=start.order_0.copy(),
            order_0_seen=start.order_0_seen.astype(np.int64),
        ),
        mixer=Mixer(
            weights=start.weights.astype(np.float32),
            bases=_bases(design.set_sizes) * design.inputs,
            chosen=np.zeros(sets, np.int64),
            logits=np.zeros(sets, np.float32),
            probabilities=np.zeros(sets, np.float32),
            final=start.final.astype(np.float32),
            final_bases=_bases(design.final_sizes),
            final_chosen=np.zeros(finals, np.int64),
            final_probabilities=np.zeros(finals, np.float32),
            selectors=np.array(design.selectors, np.int64),
            final_selectors=np.array(design.final_selectors, np.int64),
            selected=np.zeros(len(SELECTOR_SIZES), np.int64),
            rates=_rates(start, design),
        ),
        inputs=np.zeros(design.inputs, np.float32),
        kinds=numbers(design.kinds),
        hashes=np.zeros(contexts, np.uint64),
        current=np.zeros((2, contexts), np.int64),
        words=np.zeros(WORDS, np.uint64),
        layout=np.zeros(4, np.int64),
        hashed=np.array(design.matches, np.int64),
        match=np.zeros((matches, 3), np.int64),
        match_expected=np.zeros(matches, np.int64),
        match_places=np.zeros((matches, _MATCH_PLACES << design.finer), np.int64),
        by_byte=start.by_byte.astype(np.float32),
        by_trigram=np.tile(first_curve(), (CURVES if design.curves > 1 else 1, 1)),
        store=empty() if store is None else store,
        counts=np.zeros(32, np.int64),
        more=_more(start) if design.finer else None,
    )


def _rates(start: Start, design: Design) -> np.ndarray:
    """The learning rates: a start's own, or its first and those of the design."""
    later = () if start.rate.size > 1 else (design.last_rate, design.final_rate)
    return np.array([*start.rate, *later], np.float32)


def learnt(engine: Engine) -> Start:
    """What this engine, having read some text, would begin another one with."""
    maps, mixer = engine.maps, engine.mixer
    start = Start(
        weights=mixer.weights.astype(np.float16),
        final=mixer.final.astype(np.float16),
        rate=np.full(1, _RATE_AFTER_TRAINING, np.float32),
        history=maps.history.copy(),
        history_seen=maps.history_seen.astype(np.uint8),
        run=maps.run.copy(),
        match=maps.match[:, : CLASSES if engine.more else FAILED].ravel(),
        order_0=maps.order_0.copy(),
        order_0_seen=np.minimum(maps.order_0_seen, _ORDER_0_TRUST).astype(np.uint8),
        by_byte=engine.by_byte.astype(np.float16),
    )
    if engine.more is not None:
        start = start._replace(
            rate=np.full(1, _FINER_RATE_AFTER_TRAINING, np.float32),
            calibration=engine.more.calibration.copy(),
            calibration_seen=engine.more.calibration_seen.astype(np.uint8),
        )
    return start


@njit
def _select(selected, classes, recent, word_length, partial, bit_position, matched, confidence):
    """The small contexts that every design can choose weights by."""
    last, before, before_that = recent & 255, recent >> 8 & 255, recent >> 16
    selected[0] = partial
    selected[1] = (matched * 4 + confidence) * 8 + bit_position
    selected[2] = last
    three = (classes[last] * 8 + classes[before]) * 8 + classes[before_that]
    selected[3] = three * 8 + bit_position
    selected[4] = before
    selected[5] = min(word_length, _LONGEST_WORD) * 8 + bit_position


@njit
def _choose_weights(mixer, n_inputs):
    """The rows of weights for the small contexts' values."""
    for index in range(mixer.selectors.size):
        row = mixer.selected[mixer.selectors[index]]
        mixer.chosen[index] = mixer.bases[index] + row * n_inputs
    for index in range(mixer.final_chosen.size):
        row = mixer.selected[mixer.final_selectors[index]]
        mixer.final_chosen[index] = mixer.final_bases[index] + row


@njit
def _share_seen(n_seen, n_contexts):
    """Thirds of the contexts that have seen this node, 0 to 3."""
    thirds = 3 * n_seen
    return np.int64(thirds >= n_contexts) + np.int64(thirds >= 2 * n_contexts) + np.int64(n_seen == n_contexts)


@njit
def _code_bytes(state, buffer, information, engine, more, added, data, start, stop):
    """One loop for both directions: contexts, then eight times predict, code, learn.

    more: engine.more; added: see added_inputs.py; where one is None, its branches are not
    even compiled. Returns where it has come to, and what to tell.
    """
    decoding = state[DECODING] != _NOT_DECODING
    inputs, maps, stretch = engine.inputs, engine.maps, engine.tables.stretch
    tables_, mixer_, slots, current = engine.tables, engine.mixer, engine.slots, engine.current
    words, layout, match_, classes = engine.words, engine.layout, engine.match, engine.tables.classes
    expected, hashes = engine.match_expected, engine.hashes
    n_matches, n_contexts = expected.size, hashes.size
    found = np.empty(n_contexts, np.uint64)
    slot_size, context_inputs = counters.SLOT, counters.INPUTS
    if more is not None:
        slot_size, context_inputs = finer.SLOT, finer.INPUTS
    match_input = n_contexts * context_inputs
    order_0_input = match_input + MATCH_INPUTS * n_matches
    inputs[order_0_input + 1] = _BIAS
    starts, followers, shift = engine.store
    recovering = more is not None
    twice = engine.by_trigram.shape[0] > 1
    for position in range(start, stop):
        byte = np.int64(0) if decoding else np.int64(data[position])
        expected_byte = np.int64(0)
        if more is not None:
            expected_byte = expected_class(match_, data)
            known = more.structure
            set_contexts(engine.kinds, words, layout, data, known, np.uint64(expected_byte), hashes)
        else:
            set_contexts(engine.kinds, words, layout, data, None, np.uint64(0), hashes)
        mixer_.rates[_NOW] = max(mixer_.rates[_NOW] * _RATE_DECAY, mixer_.rates[_AT_LAST])
        recent = np.int64(words[RECENT] & _THREE_BYTES)
        partial = np.int64(1)
        if added is not None:
            begin_byte(added)
        for bit_position in range(8):
            if bit_position & 3 == 0:
                enter_half_byte(
                    slots, hashes, current, slot_size, partial, bit_position, starts, followers,
                    shift, engine.counts, found,
                )  # fmt: skip
            first = (recent & 255) << 8 | partial
            second = np.int64(mix_hash(np.uint64(recent), np.uint64(partial)) >> _CURVE_SHIFT)
            if twice:  # its rows are far apart
                prefetch(engine.by_trigram, second, 5)
                prefetch(engine.by_trigram, second, 27)
            half_position = bit_position & 3
            node = partial & ((1 << half_position) - 1) | 1 << half_position
            if more is not None:
                n_seen = finer_inputs(
                    slots, current, node, maps, more.calibration, stretch, partial, bit_position, inputs
                )
            else:
                n_seen = counter_inputs(
                    slots, current, node, maps, stretch, partial, bit_position, inputs
                )
            matched = 0
            for which in range(n_matches):
                bit = expected_bit(match_, which, data, partial, bit_position)
                expected[which] = bit
                if bit >= 0 and matched == 0:
                    matched = 2 + 2 * (trust_class(match_, which) % FAILED // 5) + bit
                place = match_input + MATCH_INPUTS * which
                match_inputs(match_, which, bit, maps.match, stretch, inputs, place)
            inputs[order_0_input] = stretch[maps.order_0[partial] >> _PROBABILITY_SHIFT]
            _select(
                mixer_.selected, classes, recent, layout[WORD_LENGTH], partial, bit_position,
                matched, _share_seen(n_seen, n_contexts),
            )  # fmt: skip
            if more is not None:
                select_more(
                    mixer_.selected, more.structure, slots, current, match_, expected, words,
                    classes, expected_byte, layout, node, partial, bit_position,
                )  # fmt: skip
            _choose_weights(mixer_, inputs.size)
            if added is not None:
                fill_inputs(added, mixer_, stretch, partial, bit_position, inputs, order_0_input + 2)
            if more is not None:
                logit = mix_finals(mixer_, inputs)
            else:
                logit = mix(mixer_, inputs)
            mixed = squash(logit)
            point, share = curve_place(logit)
            probability = mixed + refined(engine.by_byte, first, point, share)
            if twice:
                refined_twice = refined(engine.by_trigram, second, point, share)
                probability = (probability + refined_twice + refined_twice) * _QUARTER
            else:
                probability = probability * _HALF
            if more is not None:
                probability = refine_more(more.curves, words, expected_byte, partial, point, share, probability)

            if added is not None:
                probability = refine(added, probability, point, share)

            bit = byte >> (7 - bit_position) & 1
            bit = code_bit(state, buffer, information, probability, bit)

            rate, final_rate = mixer_.rates[_NOW], mixer_.rates[_FINAL]
            if more is not None:
                learn_mix_finals(mixer_, inputs, bit, rate, final_rate)
            else:
                learn_mix(mixer_, inputs, mixed, bit, rate, final_rate)
            learn_refined(engine.by_byte, first, point, share, bit)
            if twice:
                learn_refined(engine.by_trigram, second, point, share, bit)
            if more is not None:
                learn_more_refined(more.curves, words, expected_byte, partial, point, share, bit)
                learn_finer(slots, current, node, more, tables_.reciprocal, bit)
            learn_counters(slots, current, node, maps, tables_, partial, bit_position, bit)
            if added is not None:
                learn_bit(added, tables_.reciprocal, point, share, bit)
            for which in range(n_matches):
                learn_match_bit(match_, which, expected[which], maps.match, bit, recovering)
            seen = maps.order_0_seen[partial]
            maps.order_0[partial] = adapt(maps.order_0[partial], bit, tables_.reciprocal[seen])
            maps.order_0_seen[partial] = min(seen + 1, MOST_OBSERVATIONS)
            partial = partial << 1 | bit
        byte = partial & 255
        if decoding:
            data[position] = np.uint8(byte)
        learn_runs(slots, current, byte)
        if more is not None:
            learn_structure(more.structure, words, layout, classes, byte, position)
        learn_byte(words, layout, byte, position)
        for which in range(n_matches):
            n = engine.hashed[which]
            older = np.uint64(0)
            if more is not None:
                older = more.structure.marks[OLDER]
            hashed = recent_hash(words, older, n)
            learn_match_byte(match_, which, n, hashed, engine.match_places, data, position, recovering)
        if added is not None:
            told = end_byte(added, byte, position)
            if told:
                return position + 1, told
    return stop, 0


def code_bytes(
    coder: RangeCoder, engine: Engine, data: np.ndarray, start: int, stop: int, added=None
) -> None:
    """Code data[start:stop] (uint8; filled in when decoding); stretches must follow one another.

    added: what else takes part; its `inputs` are for the kernel, which stops wherever
    `perceive(told, data)` has to be called.
    """
    coder.reserve(8 * (stop - start))
    inputs = added and added.inputs
    while start < stop:
        start, told = _code_bytes(
            coder.state, coder.buffer, coder.information, engine, engine.more, inputs, data, start, stop
        )
        if told:
            added.perceive(told, data)
