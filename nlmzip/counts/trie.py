"""The coded counts: contexts as paths of a trie, each with its followers and their levels.

Contexts are walked from short to long, so that each is reached from one already known,
and its followers are told by what is known of a shorter one, its reference: of orders 1
to 8, the context without its first byte; of a word so far, the longest byte context that
ends it; of a word so far after one to four words, the same without the farthest. A
context whose reference lacks a follower goes without it. Encoder and decoder walk the
same way: the source is a store in which the encoder looks contexts up, and empty for a
decoder. Called by counts_file.py.
"""

import numpy as np

from ..contexts.basic import in_word, mix_hash
from ..contexts.registry import COUNTED, hash_of_column, hash_of_order, hash_of_words
from ..entropy.range_coder import DECODING
from ..kernels import njit
from . import count_levels
from .followers import SETS, SIZE, Coding, code_followers
from .nodes import (
    AFTER_FOUR,
    AFTER_ONE,
    AFTER_THREE,
    AFTER_TWO,
    ALPHABET,
    COLUMN,
    COLUMNS,
    FIRST,
    KINDS,
    LEVEL,
    MOST_ENTRIES,
    MOST_NODES,
    MOST_ORDERS,
    MOST_WORDS,
    NONE,
    ORDER_0,
    ORDER_0_HASH,
    ORDER_7,
    ORDER_8,
    ORDERS,
    ROOT,
    SKIPPING_ONE,
    WORD,
    Nodes,
    append_child,
    append_follower,
    append_node,
    bounds,
    byte_of,
    child_of,
    child_of_letter,
    comes_after_words,
    empty_nodes,
    follows,
    kind_of,
    level_at,
    level_of,
    link_of,
    state_of,
    step,
    total_of,
    without_paths,
)
from .store import find_followers

__all__ = [
    "AFTER_FOUR", "AFTER_ONE", "AFTER_THREE", "AFTER_TWO", "ALPHABET", "COLUMN", "FIRST",
    "KINDS", "LEVEL", "MOST_ENTRIES", "MOST_NODES", "MOST_ORDERS", "MOST_WORDS", "ORDERS",
    "ORDER_0_HASH", "ORDER_7", "ORDER_8", "ROOT", "SETS", "SIZE", "SKIPPING_ONE", "WORD", "Coding",
    "Nodes", "empty_nodes", "hashes", "walk", "without_paths",
]  # fmt: skip

_SPACE = 32
_BOUNDED, _UNBOUNDED = np.bool_(True), np.bool_(False)
_COUNTS = count_levels.level_counts()
# Each kind's number in contexts/registry.py.
_NUMBERS = np.array([COUNTED.get(kind, 0) for kind in range(KINDS)])
_NO_WORD = np.uint64(0)


@njit(borrowing=True)
def _hash_of(nodes, kind, state, owner):
    """The engine's hash of a context (contexts/registry.py)."""
    if kind < ORDERS:
        return hash_of_order(kind + 1, state)
    if kind >= ORDER_7:
        return hash_of_order(kind - ORDER_7 + 7, state)
    if kind == COLUMN:
        return hash_of_column(state)
    if kind == ROOT:
        return np.uint64(ORDER_0_HASH)
    # A word that has no owner is owned by node 0, whose state is 0.
    first, owner = state_of(nodes, owner), np.int64(nodes.owner[owner])
    if kind == SKIPPING_ONE:
        return hash_of_words(_NUMBERS[kind], state, _NO_WORD, first, _NO_WORD, _NO_WORD)
    second, owner = state_of(nodes, owner), np.int64(nodes.owner[owner])
    third, owner = state_of(nodes, owner), np.int64(nodes.owner[owner])
    return hash_of_words(_NUMBERS[kind], state, first, second, third, state_of(nodes, owner))


@njit
def hashes(nodes):
    """The engine's hash of each context so far, uint64."""
    hashed = np.empty(nodes.used[0], np.uint64)
    for node in range(hashed.size):
        hashed[node] = _hash_of(
            nodes, kind_of(nodes, node), state_of(nodes, node), np.int64(nodes.owner[node])
        )
    return hashed


@njit(borrowing=True)
def _place_of(coding, nodes, kind, link, state, owner):
    """Where the source has a context; -1 if it has not, and for a decoder."""
    if coding.coder[0][DECODING] != np.uint64(0):
        return np.int64(-1)
    if comes_after_words(kind):
        state = state_of(nodes, link)
    starts, data, shift = coding.source
    return find_followers(starts, data, shift, _hash_of(nodes, kind, state, owner))


@njit(borrowing=True)
def _code_context(coding, nodes, kind, link, near, total, bounded, state, owner):
    """Code a context and append it if anything follows it; returns the count of its followers.

    The arguments are those of code_followers, and the context's own state, if it has one,
    and owner.
    """
    place = _place_of(coding, nodes, kind, link, state, owner)
    count = code_followers(coding, nodes, kind, link, near, total, bounded, place)
    if count:
        append_node(nodes, kind, link, total)
    return count


@njit(borrowing=True)
def _walk_orders(coding, nodes, total, orders):
    """The alphabet, order 0 (seen as often as the level `total` says), and orders 1 to `orders`."""
    for byte in range(ALPHABET):
        append_follower(nodes, byte, np.int64(1))
    append_node(nodes, ROOT, NONE, level_of(np.int64(ALPHABET)))
    place = _place_of(coding, nodes, ROOT, NONE, np.uint64(0), NONE)
    code_followers(coding, nodes, ROOT, NONE, NONE, total, _UNBOUNDED, place)
    append_node(nodes, ROOT, NONE, total)
    first, last = ORDER_0, ORDER_0 + 1
    for order in range(1, orders + 1):
        kind = np.int64(order - 1 if order <= ORDERS else ORDER_7 + order - 7)
        for node in range(first, last):
            begin, end = bounds(nodes, node)
            for entry in range(begin, end):
                byte, seen = byte_of(nodes, entry), level_at(nodes, entry)
                link = ORDER_0
                if order > 1:
                    link = child_of(nodes, link_of(nodes, node), byte)
                if link == 0:
                    continue
                state = nodes.state[node] << np.uint64(8) | np.uint64(byte)
                child = nodes.used[0]
                if _code_context(coding, nodes, kind, link, NONE, seen, _BOUNDED, state, NONE):
                    nodes.state[child] = state
                    append_child(nodes, node, entry, child)
        first, last = last, nodes.used[0]


@njit(borrowing=True)
def _times_ended(nodes, node):
    """How often the word so far was followed by a byte that belongs to no word."""
    times = 0
    begin, end = bounds(nodes, node)
    for entry in range(begin, end):
        if in_word(byte_of(nodes, entry)) < 0:
            times += _COUNTS[level_at(nodes, entry)]
    return times


@njit(borrowing=True)
def _times_followed(nodes, node, entry, letter):
    """How often this letter, which is that of `entry`, follows in either case; 0 if it did before."""
    times = 0
    begin, end = bounds(nodes, node)
    for other in range(begin, end):
        if in_word(byte_of(nodes, other)) == letter:
            if other < entry:
                return 0
            times += _COUNTS[level_at(nodes, other)]
    return times


@njit(borrowing=True)
def _code_word(coding, nodes, kind, link, near, second, total, bounded, state, owner):
    """Code the context of a word so far, near which stands a byte context; its node, or NONE."""
    node = nodes.used[0]
    if not _code_context(coding, nodes, kind, link, second, total, bounded, state, owner):
        return NONE
    nodes.near[node] = near
    if kind == WORD:
        nodes.state[node] = state
    else:
        nodes.owner[node] = owner
    return node


@njit(borrowing=True)
def _walk_letters(coding, nodes, kind, first):
    """From the beginnings of words at nodes from `first` on to longer ones, letter by letter."""
    node = first
    while node < nodes.used[0]:
        begin, end = bounds(nodes, node)
        for entry in range(begin, end):
            letter = in_word(byte_of(nodes, entry))
            if letter < 0:
                continue
            times = _times_followed(nodes, node, entry, letter)
            if times == 0:
                continue
            near = step(nodes, np.int64(nodes.near[node]), letter)
            link, second = near, link_of(nodes, near)
            if kind != WORD:
                link, second = child_of_letter(nodes, link_of(nodes, node), letter), near
            if link == 0:
                continue
            state = mix_hash(nodes.state[node], np.uint64(letter))
            child = _code_word(
                coding, nodes, kind, link, near, second, level_of(times), _BOUNDED, state,
                np.int64(nodes.owner[node]),
            )  # fmt: skip
            if child:
                append_child(nodes, node, entry, child)
        node += 1


@njit(borrowing=True)
def _begin_word(coding, nodes, kind, link, before, total, owner):
    """The context before a word's first letter, after `owner`, whose byte context is `before`."""
    near = step(nodes, before, _SPACE)
    return _code_word(coding, nodes, kind, link, near, near, total, _UNBOUNDED, np.uint64(0), owner)


@njit
def _walk_words(coding, nodes, deepest, skipping):
    """Words so far: alone, after one word up to `deepest`, and, if `skipping`, without the last."""
    root = _begin_word(coding, nodes, WORD, ORDER_0, ORDER_0, total_of(nodes, ORDER_0), NONE)
    if root == 0:
        return
    _walk_letters(coding, nodes, WORD, root)
    # Which context stands before the first letter that follows an ended word: of the words
    # that are walked now, from `first` on, and of those before them, from `earlier` on.
    first, last = root, nodes.used[0]
    words_end = last
    earlier, begun = first, np.zeros(0, np.uint32)
    for depth in range(1, deepest + 1):
        kind = AFTER_ONE if depth == 1 else AFTER_TWO if depth == 2 else AFTER_THREE + depth - 3
        begun_before, begun = begun, np.zeros(last - first if depth < deepest else 0, np.uint32)
        for ended in range(first, last):
            link = root
            if depth > 1:
                link = np.int64(begun_before[link_of(nodes, ended) - earlier])
            times = _times_ended(nodes, ended)
            if times and link and state_of(nodes, ended) != np.uint64(0):
                near = np.int64(nodes.near[ended])
                node = _begin_word(coding, nodes, kind, link, near, level_of(times), ended)
                if depth < deepest:
                    begun[ended - first] = node
        earlier, first, last = first, last, nodes.used[0]
        _walk_letters(coding, nodes, kind, first)
        last = nodes.used[0]
    if skipping:
        first = nodes.used[0]
        for ended in range(root + 1, words_end):
            times = _times_ended(nodes, ended)
            if times:
                near = np.int64(nodes.near[ended])
                _begin_word(coding, nodes, SKIPPING_ONE, root, near, level_of(times), ended)
        _walk_letters(coding, nodes, SKIPPING_ONE, first)


@njit(borrowing=True)
def _walk_columns(coding, nodes):
    """Columns, each with the character above."""
    for above in range(256):
        if above and not follows(nodes, ORDER_0, above):
            continue
        seen = np.int64(1)
        for column in range(COLUMNS):
            state = np.uint64(column) | np.uint64(above) << np.uint64(8)
            node, total = nodes.used[0], level_of(seen)
            seen = _code_context(coding, nodes, COLUMN, ORDER_0, NONE, total, _UNBOUNDED, state, NONE)
            if seen:
                nodes.state[node] = state


@njit
def walk(coding, nodes, total, deepest, skipping, orders):
    """Code all contexts: orders, then words after up to `deepest` words, then columns."""
    _walk_orders(coding, nodes, total, orders)
    _walk_words(coding, nodes, deepest, skipping)
    _walk_columns(coding, nodes)
