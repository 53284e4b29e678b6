"""Coding what follows a context, given what follows its reference. Called by trie.py."""

import numpy as np

from ..entropy.range_coder import DECODING, POSITION
from ..kernels import njit
from ..mixing.count_levels import LEVELS
from ..mixing.store import find_followers
from .bits import code_decision
from .nodes import KINDS, ROOT, WORD, appended, level_of, sort_followers

#: Indices of probabilities: purpose, kind, and three small numbers.
SIZE = 1 << 18
#: Weight sets: purpose, kind, and a small number.
SETS = 6 * KINDS * 16

_OTHER_BYTES = 1 << 17  # index of the first probability of followers that a reference lacks
_ANY, _FOLLOWS, _MORE, _ALL, _LEVEL, _OTHER = range(6)


@njit
def _logarithm(count):
    """4 log2 of a count, roughly and rounded down; 0 below 2."""
    quarters = 0
    while count >= 32:
        count >>= 1
        quarters += 4
    while count >= 2 and count < 16:
        count <<= 1
        quarters -= 4
    if count < 2:
        return 0
    # now 16 <= count < 32
    quarters += 16
    return quarters + (1 if count >= 19 else 0) + (1 if count >= 23 else 0) + (
        1 if count >= 27 else 0
    )


@njit
def _index(purpose, kind, a, b):
    """Of a probability: a < 64, b < 64."""
    return ((purpose * KINDS + kind) * 64 + min(max(a, 0), 63)) * 16 + min(max(b, 0), 15)


@njit
def _code_flag(coder, decisions, purpose, kind, chosen, first, second, third, fourth, bit):
    return code_decision(
        coder, decisions[0], decisions[1], first, second, third, fourth,
        (purpose * KINDS + kind) * 16 + min(max(chosen, 0), 15), bit,
    )  # fmt: skip


@njit
def _code_level(
    coder, decisions, kind, total, highest, expected, near_expected, reference, level
):  # fmt: skip
    """Code a level: whether it is the highest that there can be, else six bits from the top."""
    if highest < LEVELS:
        bit = np.int64(level == highest)
        bit = _code_flag(
            coder, decisions, _ALL, kind, total,
            _index(_ALL, kind, expected, highest), _index(_ALL, kind, near_expected, highest),
            _index(_ALL, kind, reference, highest), _index(_ALL, kind, highest, expected), bit,
        )  # fmt: skip
        if bit:
            return highest
    node = 1
    for position in range(5, -1, -1):
        bit = level >> position & 1
        bit = code_decision(
            coder, decisions[0], decisions[1],
            _index(_LEVEL, kind, node, expected), _index(_LEVEL, kind, node, total),
            _index(_LEVEL, kind, node, near_expected), _index(_LEVEL, kind, node, reference),
            (_LEVEL * KINDS + kind) * 16 + min(max(total, 0), 15), bit,
        )  # fmt: skip
        node = node << 1 | bit
    return node & 63


@njit
def code_followers(
    coder, decisions, nodes, scales, source, present, near_levels,
    kind, link, near, total, bounded, hashed,
):  # fmt: skip
    """Code what follows a context, and append it; returns the count of all, 0 for no such context.

    total: level of how often the context was seen, which bounds its followers if `bounded`;
    present, near_levels: uint8 (256,), zeros, left as they were.
    """
    encoding = coder[0][DECODING] == np.uint64(0)
    if not encoding and np.int64(coder[0][POSITION]) > coder[1].size + 7:
        raise ValueError("their end is missing")
    counts, most, logarithms = scales
    starts, data, shift = source
    first_reference = np.int64(nodes.first[link])
    n_reference = np.int64(nodes.size[link])
    if n_reference == 0:
        return 0
    others_allowed = kind == WORD
    left, others, place = 0, 0, np.int64(-1)
    if encoding:
        place = find_followers(starts, data, shift, hashed)
        if place >= 0:
            for entry in range(np.int64(data[place]) + 1):
                present[data[place + 1 + 2 * entry]] = data[place + 2 + 2 * entry]
                others += 1
            mass = most[total]
            for entry in range(first_reference, first_reference + n_reference):
                level = present[nodes.following[entry]]
                if bounded and mass < 1:
                    break
                if level:
                    left += 1
                    mass -= counts[level]
            others -= left
            if not others_allowed:
                others = 0
    top = np.int64(nodes.level[first_reference])
    reference_total = np.int64(nodes.total[link])
    share = (logarithms[reference_total] - logarithms[top]) // 2
    near_size, near_total, near_kind = 0, 0, 15
    if near >= 0:
        near_size, near_total = np.int64(nodes.size[near]), np.int64(nodes.total[near])
        near_kind = np.int64(nodes.kind[near])
    any_follows = np.int64(left + others > 0)
    any_follows = _code_flag(
        coder, decisions, _ANY, kind, total,
        _index(_ANY, kind, total, share), _index(_ANY, kind, total, n_reference),
        _index(_ANY, kind, near_total, near_size), _index(_ANY, kind, total, near_kind), any_follows,
    )  # fmt: skip
    begin = nodes.used[1]
    mass_of_all = 0
    if any_follows:
        if near >= 0:
            for entry in range(nodes.first[near], np.int64(nodes.first[near]) + near_size):
                near_levels[nodes.following[entry]] = nodes.level[entry]
        mass = most[total]
        reference_left = counts[reference_total]
        for entry in range(first_reference, first_reference + n_reference):
            if bounded and mass < 1:
                break
            byte, in_reference = nodes.following[entry], np.int64(nodes.level[entry])
            n_left = first_reference + n_reference - entry
            level = np.int64(present[byte])
            bit = np.int64(level > 0)
            reference_left = max(reference_left, counts[in_reference])
            expected = _logarithm(mass) + logarithms[in_reference] - _logarithm(reference_left)
            in_near = np.int64(near_levels[byte])
            near_expected = 63
            if near >= 0:
                near_expected = min(near_total, 12)
                if in_near:
                    near_expected = 37 + _logarithm(mass) + logarithms[in_near] - logarithms[near_total]
                    near_expected = min(max(near_expected, 13), 62)
            certain = n_left == 1 and nodes.used[1] == begin and not others_allowed
            if not certain:
                bit = _code_flag(
                    coder, decisions, _FOLLOWS, kind, mass,
                    _index(_FOLLOWS, kind, expected + 24, in_reference),
                    _index(_FOLLOWS, kind, mass, n_left),
                    _index(_FOLLOWS, kind, near_expected, near_kind),
                    _index(_FOLLOWS, kind, in_reference, total), bit,
                )  # fmt: skip
            else:
                bit = 1
            reference_left -= counts[in_reference]
            if bit:
                level = _code_level(
                    coder, decisions, kind, min(mass, 15),
                    level_of(mass, most) if bounded else LEVELS, (expected + 8) // 4,
                    (near_expected - 29) // 3 if in_near else 15, in_reference, level,
                )  # fmt: skip
                if level == 0:
                    raise ValueError("a follower that was never seen")
                if nodes.used[1] >= nodes.following.size:
                    raise ValueError("more followers than the model says")
                nodes.following[nodes.used[1]] = byte
                nodes.level[nodes.used[1]] = np.uint8(level)
                nodes.used[1] += 1
                present[byte] = 0
                left -= 1
                mass_of_all += counts[level]
                if bounded:
                    mass -= counts[level]
                else:
                    bit = np.int64(left > 0)
                    bit = _code_flag(
                        coder, decisions, _MORE, kind, total,
                        _index(_MORE, kind, total, n_left), _index(_MORE, kind, level, total),
                        _index(_MORE, kind, expected + 24, in_reference),
                        _index(_MORE, kind, in_reference, n_left), bit,
                    )  # fmt: skip
                    if not bit:
                        break
        if others_allowed:
            last = np.int64(nodes.state[link] & np.uint64(255))
            while True:
                n_so_far = nodes.used[1] - begin
                if n_so_far:
                    bit = np.int64(others > 0)
                    bit = _code_flag(
                        coder, decisions, _OTHER, kind, n_so_far,
                        _index(_OTHER, kind, total, n_so_far), _index(_OTHER, kind, mass, n_so_far),
                        _index(_OTHER, kind, total, near_kind), _index(_OTHER, kind, n_reference, 0), bit,
                    )  # fmt: skip
                    if not bit:
                        break
                byte = 0
                if encoding:
                    while True:
                        if present[byte] and not appended(nodes, begin, byte):
                            break
                        byte += 1
                node = 1
                for position in range(7, -1, -1):
                    bit = byte >> position & 1
                    index = _OTHER_BYTES + (last << 8 | node)
                    bit = _code_flag(
                        coder, decisions, _OTHER, ROOT, position, index, _OTHER_BYTES + node,
                        index, _OTHER_BYTES + node, bit,
                    )  # fmt: skip
                    node = node << 1 | bit
                byte = node & 255
                level = _code_level(
                    coder, decisions, kind, min(mass, 15), LEVELS, 15, 15, 15, np.int64(present[byte])
                )
                if level == 0:
                    raise ValueError("a follower that was never seen")
                if nodes.used[1] >= nodes.following.size or appended(nodes, begin, byte):
                    raise ValueError("more followers than the model says")
                nodes.following[nodes.used[1]] = np.uint8(byte)
                nodes.level[nodes.used[1]] = np.uint8(level)
                nodes.used[1] += 1
                mass_of_all += counts[level]
                present[byte] = 0
                others -= 1
        if near >= 0:
            for entry in range(nodes.first[near], np.int64(nodes.first[near]) + near_size):
                near_levels[nodes.following[entry]] = 0
        sort_followers(nodes, begin)
    if place >= 0:
        for entry in range(np.int64(data[place]) + 1):
            present[data[place + 1 + 2 * entry]] = 0
    return mass_of_all
