"""Coding what follows a context, given what follows its reference. Called by trie.py."""

from typing import NamedTuple

import numpy as np

from ..entropy.range_coder import DECODING, POSITION
from ..kernels import njit
from . import count_levels
from .bits import code_decision
from .count_levels import LEVELS
from .nodes import (
    KINDS,
    NONE,
    ROOT,
    WORD,
    append_follower,
    appended,
    bounds,
    byte_of,
    kind_of,
    level_at,
    sort_followers,
    total_of,
)

#: Indices of probabilities: purpose, kind, and two small numbers.
SIZE = 1 << 18
#: Weight sets: purpose, kind, and a small number.
SETS = 6 * KINDS * 16

_OTHER_BYTES = 1 << 17  # index of the first probability of followers that a reference lacks
_ANY, _FOLLOWS, _MORE, _ALL, _LEVEL, _OTHER = map(np.int64, range(6))

_ANY_LEVEL, _UNKNOWN = np.int64(LEVELS), np.int64(15)
_COUNTS = count_levels.level_counts()
_LARGEST = count_levels.upper_borders()
_LOGARITHMS = count_levels.logarithms()


class Coding(NamedTuple):
    """What codes followers: a range coder's state, buffer and information; cells and weights
    of decisions (bits.py); and what is known of the followers while they are coded.

    source: starts, data and shift of the store that is coded, empty for a decoder.
    present, near_levels: uint8 (256,), zeros between two contexts.
    """

    coder: tuple[np.ndarray, np.ndarray, np.ndarray]
    cells: np.ndarray
    weights: np.ndarray
    source: tuple[np.ndarray, np.ndarray, np.uint64]
    present: np.ndarray
    near_levels: np.ndarray


def _quarters(size: int) -> np.ndarray:
    """4 log2 of the counts below `size`, by their five highest bits and rounded down; 0 below 2."""
    count = np.arange(size)
    whole = np.array([max(int(n), 1).bit_length() - 1 for n in count])
    five_bits = (count << 4) >> whole  # 16 to 31
    quarters = 4 * whole + (five_bits >= 19) + (five_bits >= 23) + (five_bits >= 27)
    return np.where(count < 2, 0, quarters)


_SMALL = 1 << 10
_QUARTERS = _quarters(_SMALL)


@njit(borrowing=True)
def _logarithm(count):
    """4 log2 of a count, roughly and rounded down; 0 below 2."""
    quarters = 0
    while count >= _SMALL:
        count >>= 4
        quarters += 16
    return quarters + _QUARTERS[max(count, 0)]


@njit(borrowing=True)
def _index(purpose, kind, a, b):
    """Of a probability: a < 64, b < 16; both are held to it."""
    return ((purpose * KINDS + kind) * 64 + min(max(a, 0), 63)) * 16 + min(max(b, 0), 15)


@njit(inline=True, borrowing=True)
def _code(coding, purpose, kind, chosen, first, second, third, fourth, bit):
    """Code a bit under the probabilities of these indices and the weights of `chosen` < 16."""
    return code_decision(
        coding.coder, coding.cells, coding.weights, first, second, third, fourth,
        (purpose * KINDS + kind) * 16 + min(max(chosen, 0), 15), bit,
    )  # fmt: skip


@njit(borrowing=True)
def _code_level(coding, kind, total, highest, expected, near_expected, reference, level):
    """Code a level: whether it is the highest that there can be, else six bits from the top."""
    if highest < _ANY_LEVEL:
        bit = _code(
            coding, _ALL, kind, total,
            _index(_ALL, kind, expected, highest), _index(_ALL, kind, near_expected, highest),
            _index(_ALL, kind, reference, highest), _index(_ALL, kind, highest, expected),
            np.int64(level == highest),
        )  # fmt: skip
        if bit:
            return highest
    node = 1
    for position in range(5, -1, -1):
        bit = _code(
            coding, _LEVEL, kind, total,
            _index(_LEVEL, kind, node, expected), _index(_LEVEL, kind, node, total),
            _index(_LEVEL, kind, node, near_expected), _index(_LEVEL, kind, node, reference),
            level >> position & 1,
        )  # fmt: skip
        node = node << 1 | bit
    return node & 63


@njit(borrowing=True)
def code_followers(coding, nodes, kind, link, near, total, bounded, place):
    """Code what follows a context, and append it; returns the count of all, 0 for no such context.

    total: level of how often the context was seen, which bounds its followers if `bounded`;
    near: another context whose followers are likely, or 0; place: where the source has the
    context, or -1.
    """
    state, buffer = coding.coder[0], coding.coder[1]
    encoding = state[DECODING] == np.uint64(0)
    if not encoding and np.int64(state[POSITION]) > buffer.size + 7:
        raise ValueError("their end is missing")
    data, present, near_levels = coding.source[1], coding.present, coding.near_levels
    first_reference, end_reference = bounds(nodes, link)
    n_reference = end_reference - first_reference
    if n_reference == 0:
        return 0
    others_allowed = kind == WORD
    left, others = 0, 0
    if place >= 0:
        for entry in range(np.int64(data[place]) + 1):
            present[data[place + 1 + 2 * entry]] = data[place + 2 + 2 * entry]
            others += 1
        mass = _LARGEST[total]
        for entry in range(first_reference, end_reference):
            level = np.int64(present[byte_of(nodes, entry)])
            if bounded and mass < 1:
                break
            if level:
                left += 1
                mass -= _COUNTS[level]
        others -= left
        if not others_allowed:
            others = 0
    reference_total = total_of(nodes, link)
    share = (_LOGARITHMS[reference_total] - _LOGARITHMS[level_at(nodes, first_reference)]) // 2
    first_near, end_near, near_total, near_kind = 0, 0, 0, 15
    if near:
        first_near, end_near = bounds(nodes, near)
        near_total, near_kind = total_of(nodes, near), kind_of(nodes, near)
    any_follows = _code(
        coding, _ANY, kind, total,
        _index(_ANY, kind, total, share), _index(_ANY, kind, total, n_reference),
        _index(_ANY, kind, near_total, end_near - first_near), _index(_ANY, kind, total, near_kind),
        np.int64(left + others > 0),
    )  # fmt: skip
    begin = nodes.used[1]
    mass_of_all = 0
    if any_follows:
        for entry in range(first_near, end_near):
            near_levels[byte_of(nodes, entry)] = level_at(nodes, entry)
        mass = _LARGEST[total]
        highest = total if bounded else _ANY_LEVEL
        reference_left = _COUNTS[reference_total]
        for entry in range(first_reference, end_reference):
            if bounded and mass < 1:
                break
            byte, in_reference = byte_of(nodes, entry), level_at(nodes, entry)
            n_left = end_reference - entry
            level = np.int64(present[byte])
            reference_left = max(reference_left, _COUNTS[in_reference])
            share_of_mass = _logarithm(mass)
            expected = share_of_mass + _LOGARITHMS[in_reference] - _logarithm(reference_left)
            in_near = np.int64(near_levels[byte])
            near_expected = 63
            if near:
                near_expected = min(near_total, 12)
                if in_near:
                    near_expected = 37 + share_of_mass + _LOGARITHMS[in_near] - _LOGARITHMS[near_total]
                    near_expected = min(max(near_expected, 13), 62)
            certain = n_left == 1 and nodes.used[1] == begin and not others_allowed
            bit = 1
            if not certain:
                bit = _code(
                    coding, _FOLLOWS, kind, mass,
                    _index(_FOLLOWS, kind, expected + 24, in_reference),
                    _index(_FOLLOWS, kind, mass, n_left),
                    _index(_FOLLOWS, kind, near_expected, near_kind),
                    _index(_FOLLOWS, kind, in_reference, total), np.int64(level > 0),
                )  # fmt: skip
            reference_left -= _COUNTS[in_reference]
            if bit:
                # What is left of the mass bounds the level.
                while bounded and _LARGEST[highest - 1] >= mass:
                    highest -= 1
                level = _code_level(
                    coding, kind, min(mass, 15), highest, (expected + 8) // 4,
                    (near_expected - 29) // 3 if in_near else 15, in_reference, level,
                )  # fmt: skip
                if level == 0:
                    raise ValueError("a follower that was never seen")
                append_follower(nodes, byte, level)
                present[byte] = 0
                left -= 1
                mass_of_all += _COUNTS[level]
                if bounded:
                    mass -= _COUNTS[level]
                else:
                    more = _code(
                        coding, _MORE, kind, total,
                        _index(_MORE, kind, total, n_left), _index(_MORE, kind, level, total),
                        _index(_MORE, kind, expected + 24, in_reference),
                        _index(_MORE, kind, in_reference, n_left), np.int64(left > 0),
                    )  # fmt: skip
                    if not more:
                        break
        if others_allowed:
            mass_of_all += _code_others(
                coding, nodes, kind, link, total, mass, near_kind, begin, encoding, others
            )
        for entry in range(first_near, end_near):
            near_levels[byte_of(nodes, entry)] = 0
        sort_followers(nodes, begin)
    if place >= 0:
        for entry in range(np.int64(data[place]) + 1):
            present[data[place + 1 + 2 * entry]] = 0
    return mass_of_all


@njit(borrowing=True)
def _code_others(coding, nodes, kind, link, total, mass, near_kind, begin, encoding, others):
    """Code followers that the reference lacks, and append them; returns the count of all."""
    first, end = bounds(nodes, link)
    last = np.int64(nodes.state[link] & np.uint64(255))
    mass_of_all = 0
    while True:
        n_so_far = nodes.used[1] - begin
        if n_so_far:
            bit = _code(
                coding, _OTHER, kind, n_so_far,
                _index(_OTHER, kind, total, n_so_far), _index(_OTHER, kind, mass, n_so_far),
                _index(_OTHER, kind, total, near_kind), _index(_OTHER, kind, end - first, NONE),
                np.int64(others > 0),
            )  # fmt: skip
            if not bit:
                return mass_of_all
        byte = 0
        if encoding:
            while coding.present[byte] == 0 or appended(nodes, begin, byte):
                byte += 1
        node = 1
        for position in range(7, -1, -1):
            of_all, of_last = _OTHER_BYTES + node, _OTHER_BYTES + (last << 8 | node)
            bit = _code(
                coding, _OTHER, ROOT, position, of_last, of_all, of_last, of_all, byte >> position & 1
            )
            node = node << 1 | bit
        byte = node & 255
        level = _code_level(
            coding, kind, min(mass, 15), _ANY_LEVEL, _UNKNOWN, _UNKNOWN, _UNKNOWN,
            np.int64(coding.present[byte]),
        )  # fmt: skip
        if level == 0:
            raise ValueError("a follower that was never seen")
        if appended(nodes, begin, byte):
            raise ValueError("more followers than the model says")
        append_follower(nodes, byte, level)
        mass_of_all += _COUNTS[level]
        coding.present[byte] = 0
        others -= 1
