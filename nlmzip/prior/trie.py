"""The coded counts: contexts as paths of a trie, each with its followers and their levels.

Contexts are walked from short to long, so that each is reached from one already known,
and its followers are told by what is known of a shorter one, its reference: of orders 1
to 6, the context without its first byte; of a word so far, the longest byte context that
ends it; of a word so far after one to four words, the same without the farthest. A
context whose reference lacks a follower goes without it. Encoder and decoder walk the
same way: `source` is a store in which the encoder looks contexts up, and empty for a
decoder. Called by counts_file.py.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from ..mixing import contexts
from ..mixing.contexts import in_word, mix_hash
from ..mixing.count_levels import LEVELS
from ..mixing.store import find_followers
from .bits import code_decision

#: Kinds of context, beginning with orders 1 to 6.
ORDERS = 6
WORD, AFTER_ONE, SKIPPING_ONE, AFTER_TWO, COLUMN, AFTER_THREE, AFTER_FOUR = range(ORDERS, 13)
KINDS = 13
#: Most words that a context goes back.
MOST_WORDS = 4
#: Their numbers in the engine (mixing/contexts.py).
COUNTED = (*range(11), contexts.AFTER_THREE, contexts.AFTER_FOUR)
#: Columns told apart, as mixing/contexts.py does.
COLUMNS = 256

#: Followers of node 0.
ALPHABET = 256
#: Hash under which a source holds the followers of order 0.
ORDER_0_HASH = 0

#: Indices of probabilities: purpose, kind, and three small numbers.
SIZE = 1 << 18

_ROOT = KINDS  # the context of order 0, and its reference
_OTHER_BYTES = 1 << 17  # index of the first probability of followers that a reference lacks
_ANY, _FOLLOWS, _MORE, _ALL, _LEVEL, _OTHER = range(6)
SETS = 6 * (KINDS + 1) * 16
_SPACE = 32


class Nodes(NamedTuple):
    """Contexts (n,) and their followers: those from first[i] to first[i] + size[i].

    kind: uint8; state: uint64, the bytes of an order or the hash of the word so far;
    link: int32, the reference; near: int32, the longest byte context known to stand
    before; owner: int32, the word or words before; total: uint8, level of how often the
    context was seen; hashed: uint64, the engine's hash. following, level: uint8 (m,);
    child: int32 (m,), the context that a follower leads to, or -1. used: int64 (2,),
    contexts and followers so far. Node 0 is the alphabet, node 1 the context of order 0.
    """

    kind: np.ndarray
    state: np.ndarray
    link: np.ndarray
    near: np.ndarray
    owner: np.ndarray
    total: np.ndarray
    hashed: np.ndarray
    first: np.ndarray
    size: np.ndarray
    following: np.ndarray
    level: np.ndarray
    child: np.ndarray
    used: np.ndarray


def empty_nodes(n_contexts: int, n_followers: int) -> Nodes:
    """Room for so many contexts and followers."""
    return Nodes(
        kind=np.zeros(n_contexts, np.uint8),
        state=np.zeros(n_contexts, np.uint64),
        link=np.full(n_contexts, -1, np.int32),
        near=np.full(n_contexts, -1, np.int32),
        owner=np.full(n_contexts, -1, np.int32),
        total=np.zeros(n_contexts, np.uint8),
        hashed=np.zeros(n_contexts, np.uint64),
        first=np.zeros(n_contexts, np.uint32),
        size=np.zeros(n_contexts, np.uint16),
        following=np.zeros(n_followers, np.uint8),
        level=np.zeros(n_followers, np.uint8),
        child=np.full(n_followers, -1, np.int32),
        used=np.zeros(2, np.int64),
    )


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
    return ((purpose * (KINDS + 1) + kind) * 64 + min(max(a, 0), 63)) * 16 + min(max(b, 0), 15)


@njit
def _find(nodes, node, byte):
    """Entry of this follower of a node, or -1."""
    for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
        if nodes.following[entry] == byte:
            return entry
    return -1


@njit
def _find_letter(nodes, node, letter):
    """The node of a word that this letter, in either case, leads to; or -1."""
    for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
        if nodes.child[entry] >= 0 and in_word(np.int64(nodes.following[entry])) == letter:
            return np.int64(nodes.child[entry])
    return np.int64(-1)


@njit
def _step(nodes, near, byte):
    """The longest byte context that ends in this byte, from that before it."""
    while True:
        entry = _find(nodes, near, byte)
        if entry >= 0 and nodes.child[entry] >= 0 and nodes.kind[nodes.child[entry]] < ORDERS:
            return np.int64(nodes.child[entry])
        if nodes.link[near] < 0:
            return near
        near = np.int64(nodes.link[near])


@njit
def _level_of(count, most):
    level = 0
    while most[level] < count:
        level += 1
    return level


@njit
def _code_flag(coder, decisions, purpose, kind, chosen, first, second, third, fourth, bit):
    return code_decision(
        coder, decisions[0], decisions[1], first, second, third, fourth,
        (purpose * (KINDS + 1) + kind) * 16 + min(max(chosen, 0), 15), bit,
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
            (_LEVEL * (KINDS + 1) + kind) * 16 + min(max(total, 0), 15), bit,
        )  # fmt: skip
        node = node << 1 | bit
    return node & 63


@njit
def _code_followers(
    coder, decisions, nodes, scales, source, present, near_levels,
    kind, link, near, total, bounded, hashed,
):  # fmt: skip
    """Code what follows a context, and append it; returns the count of all, 0 for no such context.

    total: level of how often the context was seen, which bounds its followers if `bounded`;
    present, near_levels: uint8 (256,), zeros, left as they were.
    """
    encoding = coder[0][4] == np.uint64(0)
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
                    _level_of(mass, most) if bounded else LEVELS, (expected + 8) // 4,
                    (near_expected - 29) // 3 if in_near else 15, in_reference, level,
                )  # fmt: skip
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
                        if present[byte] and not _appended(nodes, begin, byte):
                            break
                        byte += 1
                node = 1
                for position in range(7, -1, -1):
                    bit = byte >> position & 1
                    index = _OTHER_BYTES + (last << 8 | node)
                    bit = _code_flag(
                        coder, decisions, _OTHER, _ROOT, position, index, _OTHER_BYTES + node,
                        index, _OTHER_BYTES + node, bit,
                    )  # fmt: skip
                    node = node << 1 | bit
                byte = node & 255
                level = _code_level(
                    coder, decisions, kind, min(mass, 15), LEVELS, 15, 15, 15, np.int64(present[byte])
                )
                if nodes.used[1] >= nodes.following.size or _appended(nodes, begin, byte):
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
        _sort(nodes, begin)
    if place >= 0:
        for entry in range(np.int64(data[place]) + 1):
            present[data[place + 1 + 2 * entry]] = 0
    return mass_of_all


@njit
def _appended(nodes, begin, byte):
    for entry in range(begin, nodes.used[1]):
        if nodes.following[entry] == byte:
            return True
    return False


@njit
def _sort(nodes, begin):
    """Most frequent followers first; equal ones keep their order."""
    for entry in range(begin + 1, nodes.used[1]):
        byte, level = nodes.following[entry], nodes.level[entry]
        place = entry
        while place > begin and nodes.level[place - 1] < level:
            nodes.following[place] = nodes.following[place - 1]
            nodes.level[place] = nodes.level[place - 1]
            place -= 1
        nodes.following[place], nodes.level[place] = byte, level


@njit
def _append_node(nodes, begin, kind, state, link, near, owner, total, hashed):
    """A context whose followers are those from `begin` on; returns its index."""
    node = nodes.used[0]
    if node >= nodes.kind.size:
        raise ValueError("more contexts than the model says")
    nodes.kind[node] = kind
    nodes.state[node] = state
    nodes.link[node] = link
    nodes.near[node] = near
    nodes.owner[node] = owner
    nodes.total[node] = total
    nodes.hashed[node] = hashed
    nodes.first[node] = begin
    nodes.size[node] = nodes.used[1] - begin
    nodes.used[0] += 1
    return node


@njit
def walk_orders(coder, decisions, nodes, scales, source, present, near_levels, total):
    """The alphabet, order 0 (seen as often as the level `total` says), and orders 1 to 6."""
    for byte in range(256):
        nodes.following[byte], nodes.level[byte] = byte, 1
    nodes.used[1] = 256
    zero = np.uint64(0)
    _append_node(nodes, 0, _ROOT, zero, -1, -1, -1, _level_of(256, scales[1]), zero)
    _code_followers(
        coder, decisions, nodes, scales, source, present, near_levels,
        _ROOT, 0, -1, total, False, np.uint64(ORDER_0_HASH),
    )  # fmt: skip
    root = _append_node(nodes, 256, _ROOT, zero, -1, -1, -1, total, zero)
    first, last = root, root + 1
    for order in range(1, ORDERS + 1):
        for node in range(first, last):
            for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
                byte = np.int64(nodes.following[entry])
                link = np.int64(1)
                if order > 1:
                    found = _find(nodes, nodes.link[node], byte)
                    link = np.int64(nodes.child[found]) if found >= 0 else np.int64(-1)
                if link < 0:
                    continue
                state = nodes.state[node] << np.uint64(8) | np.uint64(byte)
                hashed = mix_hash(state, np.uint64(order))
                begin, seen = nodes.used[1], np.int64(nodes.level[entry])
                if _code_followers(
                    coder, decisions, nodes, scales, source, present, near_levels,
                    order - 1, link, -1, seen, True, hashed,
                ):  # fmt: skip
                    nodes.child[entry] = _append_node(
                        nodes, begin, order - 1, state, link, -1, -1, seen, hashed
                    )
        first, last = last, nodes.used[0]


@njit
def _hash_of(nodes, kind, state, owner):
    """The engine's hash of a context of words (mixing/contexts.py)."""
    if kind == WORD:
        return mix_hash(state, np.uint64(7))
    before = nodes.state[owner]
    if kind == AFTER_ONE:
        return mix_hash(state, before + np.uint64(8))
    if kind == SKIPPING_ONE:
        return mix_hash(state, before + np.uint64(9))
    one = mix_hash(state, before)
    owner = np.int64(nodes.owner[owner])
    before = nodes.state[owner]
    if kind == AFTER_TWO:
        return mix_hash(one, before + np.uint64(10))
    two = mix_hash(one, before)
    owner = np.int64(nodes.owner[owner])
    before = nodes.state[owner]
    if kind == AFTER_THREE:
        return mix_hash(two, before + np.uint64(39))
    return mix_hash(mix_hash(two, before), nodes.state[nodes.owner[owner]] + np.uint64(40))


@njit
def _times_ended(nodes, node, counts):
    """How often the word so far was followed by a byte that belongs to no word."""
    times = 0
    for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
        if in_word(np.int64(nodes.following[entry])) < 0:
            times += counts[nodes.level[entry]]
    return times


@njit
def _walk_letters(coder, decisions, nodes, scales, source, present, near_levels, kind, first):
    """From the beginnings of words at nodes from `first` on to longer ones, letter by letter."""
    counts, most, _ = scales
    node = first
    while node < nodes.used[0]:
        begin, end = np.int64(nodes.first[node]), np.int64(nodes.first[node]) + nodes.size[node]
        for entry in range(begin, end):
            letter = in_word(np.int64(nodes.following[entry]))
            if letter < 0:
                continue
            times, known = 0, False
            for other in range(begin, end):
                if in_word(np.int64(nodes.following[other])) == letter:
                    if other < entry:
                        known = True
                        nodes.child[entry] = nodes.child[other]
                        break
                    times += counts[nodes.level[other]]
            if known:
                continue
            near = _step(nodes, np.int64(nodes.near[node]), letter)
            link, second = near, np.int64(nodes.link[near])
            if kind != WORD:
                link, second = _find_letter(nodes, nodes.link[node], letter), near
            if link < 0:
                continue
            total = _level_of(times, most)
            state = mix_hash(nodes.state[node], np.uint64(letter))
            owner = nodes.owner[node]
            hashed = _hash_of(nodes, kind, state, owner)
            start = nodes.used[1]
            if _code_followers(
                coder, decisions, nodes, scales, source, present, near_levels,
                kind, link, second, total, True, hashed,
            ):  # fmt: skip
                nodes.child[entry] = _append_node(
                    nodes, start, kind, state, link, near, owner, total, hashed
                )
        node += 1


@njit
def _begin_word(coder, decisions, nodes, scales, source, present, near_levels, kind, link, near, owner, total):
    """The context before a word's first letter, after `owner`; returns its node or -1."""
    zero = np.uint64(0)
    hashed = _hash_of(nodes, kind, zero, owner)
    begin = nodes.used[1]
    if _code_followers(
        coder, decisions, nodes, scales, source, present, near_levels,
        kind, link, near, total, False, hashed,
    ):  # fmt: skip
        return _append_node(nodes, begin, kind, zero, link, near, owner, total, hashed)
    return np.int64(-1)


@njit
def walk_words(coder, decisions, nodes, scales, source, present, near_levels, deepest, skipping):
    """Words so far: alone, after one word up to `deepest`, and, if `skipping`, without the last."""
    counts, most, _ = scales
    near = _step(nodes, np.int64(1), _SPACE)
    total = np.int64(nodes.total[1])
    root = _begin_word(
        coder, decisions, nodes, scales, source, present, near_levels, WORD, np.int64(1), near, -1, total
    )
    if root < 0:
        return
    _walk_letters(coder, decisions, nodes, scales, source, present, near_levels, WORD, root)
    # Which context stands before the first letter that follows an ended word.
    begun = np.full(nodes.kind.size, -1, np.int32)
    first, last = root, nodes.used[0]
    words_end = last
    for depth in range(1, deepest + 1):
        kind = AFTER_ONE if depth == 1 else AFTER_TWO if depth == 2 else AFTER_THREE + depth - 3
        for ended in range(first, last):
            link = root if depth == 1 else np.int64(begun[nodes.link[ended]])
            times = _times_ended(nodes, ended, counts)
            if times and link >= 0 and nodes.state[ended] != np.uint64(0):
                begun[ended] = _begin_word(
                    coder, decisions, nodes, scales, source, present, near_levels,
                    kind, link, _step(nodes, np.int64(nodes.near[ended]), _SPACE), ended,
                    _level_of(times, most),
                )  # fmt: skip
        first, last = last, nodes.used[0]
        _walk_letters(coder, decisions, nodes, scales, source, present, near_levels, kind, first)
        last = nodes.used[0]
    if skipping:
        first = nodes.used[0]
        for ended in range(root + 1, words_end):
            times = _times_ended(nodes, ended, counts)
            if times:
                _begin_word(
                    coder, decisions, nodes, scales, source, present, near_levels,
                    SKIPPING_ONE, root, _step(nodes, np.int64(nodes.near[ended]), _SPACE), ended,
                    _level_of(times, most),
                )  # fmt: skip
        _walk_letters(coder, decisions, nodes, scales, source, present, near_levels, SKIPPING_ONE, first)


@njit
def walk_columns(coder, decisions, nodes, scales, source, present, near_levels):
    """Columns, each with the character above."""
    _, most, _ = scales
    for above in range(256):
        if above and _find(nodes, 1, above) < 0:
            continue
        seen = 1
        for column in range(COLUMNS):
            state = np.uint64(column) | np.uint64(above) << np.uint64(8)
            hashed = mix_hash(state, np.uint64(11))
            begin, total = nodes.used[1], _level_of(seen, most)
            seen = _code_followers(
                coder, decisions, nodes, scales, source, present, near_levels,
                COLUMN, np.int64(1), -1, total, False, hashed,
            )  # fmt: skip
            if seen:
                _append_node(nodes, begin, COLUMN, state, 1, -1, -1, total, hashed)
