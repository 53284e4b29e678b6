"""The engine: contexts, counters, match, mixture and refinement, bit by bit.

`code_bytes` runs the arrays of memory.py in either direction. Called by codec/mix.py.
"""

import numpy as np

from ..contexts.basic import (
    RECENT,
    WORD_LENGTH,
    learn_byte,
)
from ..contexts.registry import set_contexts
from ..contexts.structure import OLDER, learn_structure
from ..entropy.range_coder import DECODING, RangeCoder, code_bit
from ..kernels import njit
from ..kernels.memory import prefetch
from .arrays import Engine
from .inputs import counters, finer
from .inputs.counters import adapt, counter_inputs, learn_counters, learn_runs
from .inputs.fill import enter_half_byte
from .inputs.finer import finer_inputs, learn_finer
from .inputs.match import (
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
from .mixing.refine import (
    curve_by_byte,
    curve_by_trigram,
    curve_place,
    learn_refined,
    refined,
)
from .mixing.selectors import learn_more_refined, refine_more, select_more
from .tables import MOST_OBSERVATIONS, squash

#: The learning rate of the weights falls by this factor a byte.
_RATE_DECAY = np.float32(0.99997)
_BIAS = np.float32(0.3)
_THREE_BYTES = np.uint64(0xFFFFFF)
_NOT_DECODING = np.uint64(0)
_LONGEST_WORD = 15
_PROBABILITY_SHIFT = np.uint16(4)
_HALF, _QUARTER = np.float32(0.5), np.float32(0.25)
# Places in `rates`: of the weights now and at last, and of the final mixers.
_NOW, _AT_LAST, _FINAL = range(3)


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
def _choose_weights(choice, mixer, n_inputs):
    """The rows of weights for the small contexts' values."""
    for index in range(choice.selectors.size):
        row = mixer.selected[choice.selectors[index]]
        mixer.chosen[index] = choice.bases[index] + row * n_inputs
    for index in range(mixer.final_chosen.size):
        row = mixer.selected[choice.final_selectors[index]]
        mixer.final_chosen[index] = choice.final_bases[index] + row


@njit
def _share_seen(n_seen, n_contexts):
    """Thirds of the contexts that have seen this node, 0 to 3."""
    thirds = 3 * n_seen
    return np.int64(thirds >= n_contexts) + np.int64(thirds >= 2 * n_contexts) + np.int64(n_seen == n_contexts)


@njit
def _code_bytes(state, buffer, information, engine, more, added, data, start, stop):
    """One loop for both directions: contexts, then eight times predict, code, learn.

    more: of what moves; added: see sources.py; where one is None, its branches are not
    even compiled. Returns where it has come to, and what to tell.
    """
    decoding = state[DECODING] != _NOT_DECODING
    fixed, moving, slots, curves = engine.fixed, engine.moving, engine.slots, engine.curves
    inputs, maps, mixer_, current = moving.inputs, moving.maps, moving.mixer, moving.current
    tables_, choice = fixed.tables, fixed.choice
    stretch, classes = tables_.stretch, tables_.classes
    words, layout, match_ = moving.words, moving.layout, moving.match
    expected, hashes = moving.match_expected, moving.hashes
    n_matches, n_contexts = expected.size, hashes.size
    slot_size, context_inputs = counters.SLOT, counters.INPUTS
    if more is not None:
        slot_size, context_inputs = finer.SLOT, finer.INPUTS
    match_input = n_contexts * context_inputs
    order_0_input = match_input + MATCH_INPUTS * n_matches
    inputs[order_0_input + 1] = _BIAS
    starts, followers, shift = fixed.store
    recovering = more is not None
    twice = curves.by_trigram.shape[0] > 1
    for position in range(start, stop):
        byte = np.int64(0) if decoding else np.int64(data[position])
        expected_byte = np.int64(0)
        if more is not None:
            expected_byte = expected_class(match_, data)
            known = more.structure
            set_contexts(fixed.kinds, words, layout, data, known, np.uint64(expected_byte), hashes)
        else:
            set_contexts(fixed.kinds, words, layout, data, None, np.uint64(0), hashes)
        mixer_.rates[_NOW] = max(mixer_.rates[_NOW] * _RATE_DECAY, mixer_.rates[_AT_LAST])
        recent = np.int64(words[RECENT] & _THREE_BYTES)
        partial = np.int64(1)
        if added is not None:
            begin_byte(added)
        for bit_position in range(8):
            if bit_position & 3 == 0:
                enter_half_byte(
                    slots, hashes, current, slot_size, partial, bit_position, starts, followers,
                    shift, moving.counts, moving.found,
                )  # fmt: skip
            first, second = curve_by_byte(recent, partial), curve_by_trigram(recent, partial)
            if twice:  # its rows are far apart
                prefetch(curves.by_trigram, second, 5)
                prefetch(curves.by_trigram, second, 27)
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
            _choose_weights(choice, mixer_, inputs.size)
            if added is not None:
                fill_inputs(added, mixer_, choice.bases, stretch, partial, bit_position, inputs, order_0_input + 2)
            if more is not None:
                logit = mix_finals(mixer_, inputs)
            else:
                logit = mix(mixer_, inputs)
            mixed = squash(logit)
            point, share = curve_place(logit)
            probability = mixed + refined(curves.by_byte, first, point, share)
            if twice:
                refined_twice = refined(curves.by_trigram, second, point, share)
                probability = (probability + refined_twice + refined_twice) * _QUARTER
            else:
                probability = probability * _HALF
            if more is not None:
                probability = refine_more(curves.more, words, expected_byte, partial, point, share, probability)

            if added is not None:
                probability = refine(added, probability, point, share)

            bit = byte >> (7 - bit_position) & 1
            bit = code_bit(state, buffer, information, probability, bit)

            rate, final_rate = mixer_.rates[_NOW], mixer_.rates[_FINAL]
            if more is not None:
                learn_mix_finals(mixer_, inputs, bit, rate, final_rate)
            else:
                learn_mix(mixer_, inputs, mixed, bit, rate, final_rate)
            learn_refined(curves.by_byte, first, point, share, bit)
            if twice:
                learn_refined(curves.by_trigram, second, point, share, bit)
            if more is not None:
                learn_more_refined(curves.more, words, expected_byte, partial, point, share, bit)
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
            n = fixed.hashed[which]
            older = np.uint64(0)
            if more is not None:
                older = more.structure.marks[OLDER]
            hashed = recent_hash(words, older, n)
            learn_match_byte(match_, which, n, hashed, engine.places, data, position, recovering)
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
            coder.state, coder.buffer, coder.information, engine, engine.moving.more, inputs, data, start, stop
        )
        if told:
            added.perceive(told, data)
