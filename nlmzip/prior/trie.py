"""The coded counts: contexts as paths of a trie, each with its followers and their levels.

Contexts are walked from short to long, so that each is reached from one already known,
and its followers are told by what is known of a shorter one, its reference: of orders 1
to 8, the context without its first byte; of a word so far, the longest byte context that
ends it; of a word so far after one to four words, the same without the farthest. A
context whose reference lacks a follower goes without it. Encoder and decoder walk the
same way: `source` is a store in which the encoder looks contexts up, and empty for a
decoder. Called by counts_file.py.
"""

import numpy as np

from ..kernels import njit
from ..mixing.contexts import in_word, mix_hash
from .followers import SETS, SIZE, code_followers
from .nodes import (
    AFTER_FOUR,
    AFTER_ONE,
    AFTER_THREE,
    AFTER_TWO,
    ALPHABET,
    COLUMN,
    COLUMNS,
    COUNTED,
    KINDS,
    MOST_ORDERS,
    MOST_WORDS,
    ORDER_0_HASH,
    ORDER_7,
    ORDER_8,
    ORDERS,
    ROOT,
    SKIPPING_ONE,
    WORD,
    Nodes,
    append_node,
    empty_nodes,
    find,
    find_letter,
    level_of,
    step,
)

__all__ = [
    "AFTER_FOUR", "AFTER_ONE", "AFTER_THREE", "AFTER_TWO", "ALPHABET", "COLUMN", "COUNTED", "KINDS",
    "MOST_ORDERS", "MOST_WORDS", "ORDERS", "ORDER_0_HASH", "ORDER_7", "ORDER_8", "ROOT", "SETS",
    "SIZE", "SKIPPING_ONE", "WORD", "Nodes", "empty_nodes", "walk_columns", "walk_orders",
    "walk_words",
]  # fmt: skip

_SPACE = 32


@njit
def walk_orders(coder, decisions, nodes, scales, source, present, near_levels, total, orders):
    """The alphabet, order 0 (seen as often as the level `total` says), and orders 1 to `orders`."""
    for byte in range(256):
        nodes.following[byte], nodes.level[byte] = byte, 1
    nodes.used[1] = 256
    zero = np.uint64(0)
    append_node(nodes, 0, ROOT, zero, -1, -1, -1, level_of(256, scales[1]), zero)
    code_followers(
        coder, decisions, nodes, scales, source, present, near_levels,
        ROOT, 0, -1, total, False, np.uint64(ORDER_0_HASH),
    )  # fmt: skip
    root = append_node(nodes, 256, ROOT, zero, -1, -1, -1, total, zero)
    first, last = root, root + 1
    for order in range(1, orders + 1):
        kind = order - 1 if order <= ORDERS else ORDER_7 + order - 7
        for node in range(first, last):
            for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
                byte = np.int64(nodes.following[entry])
                link = np.int64(1)
                if order > 1:
                    found = find(nodes, nodes.link[node], byte)
                    link = np.int64(nodes.child[found]) if found >= 0 else np.int64(-1)
                if link < 0:
                    continue
                state = nodes.state[node] << np.uint64(8) | np.uint64(byte)
                hashed = mix_hash(state, np.uint64(order))
                begin, seen = nodes.used[1], np.int64(nodes.level[entry])
                if code_followers(
                    coder, decisions, nodes, scales, source, present, near_levels,
                    kind, link, -1, seen, True, hashed,
                ):  # fmt: skip
                    nodes.child[entry] = append_node(
                        nodes, begin, kind, state, link, -1, -1, seen, hashed
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
            near = step(nodes, np.int64(nodes.near[node]), letter)
            link, second = near, np.int64(nodes.link[near])
            if kind != WORD:
                link, second = find_letter(nodes, nodes.link[node], letter), near
            if link < 0:
                continue
            total = level_of(times, most)
            state = mix_hash(nodes.state[node], np.uint64(letter))
            owner = nodes.owner[node]
            hashed = _hash_of(nodes, kind, state, owner)
            start = nodes.used[1]
            if code_followers(
                coder, decisions, nodes, scales, source, present, near_levels,
                kind, link, second, total, True, hashed,
            ):  # fmt: skip
                nodes.child[entry] = append_node(
                    nodes, start, kind, state, link, near, owner, total, hashed
                )
        node += 1


@njit
def _begin_word(coder, decisions, nodes, scales, source, present, near_levels, kind, link, near, owner, total):
    """The context before a word's first letter, after `owner`; returns its node or -1."""
    zero = np.uint64(0)
    hashed = _hash_of(nodes, kind, zero, owner)
    begin = nodes.used[1]
    if code_followers(
        coder, decisions, nodes, scales, source, present, near_levels,
        kind, link, near, total, False, hashed,
    ):  # fmt: skip
        return append_node(nodes, begin, kind, zero, link, near, owner, total, hashed)
    return np.int64(-1)


@njit
def walk_words(coder, decisions, nodes, scales, source, present, near_levels, deepest, skipping):
    """Words so far: alone, after one word up to `deepest`, and, if `skipping`, without the last."""
    counts, most, _ = scales
    near = step(nodes, np.int64(1), _SPACE)
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
                    kind, link, step(nodes, np.int64(nodes.near[ended]), _SPACE), ended,
                    level_of(times, most),
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
                    SKIPPING_ONE, root, step(nodes, np.int64(nodes.near[ended]), _SPACE), ended,
                    level_of(times, most),
                )  # fmt: skip
        _walk_letters(coder, decisions, nodes, scales, source, present, near_levels, SKIPPING_ONE, first)


@njit
def walk_columns(coder, decisions, nodes, scales, source, present, near_levels):
    """Columns, each with the character above."""
    _, most, _ = scales
    for above in range(256):
        if above and find(nodes, 1, above) < 0:
            continue
        seen = 1
        for column in range(COLUMNS):
            state = np.uint64(column) | np.uint64(above) << np.uint64(8)
            hashed = mix_hash(state, np.uint64(11))
            begin, total = nodes.used[1], level_of(seen, most)
            seen = code_followers(
                coder, decisions, nodes, scales, source, present, near_levels,
                COLUMN, np.int64(1), -1, total, False, hashed,
            )  # fmt: skip
            if seen:
                append_node(nodes, begin, COLUMN, state, 1, -1, -1, total, hashed)
