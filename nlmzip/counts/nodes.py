"""Contexts and their followers in memory while they are coded: the nodes of a trie.

Called by followers.py and trie.py.
"""

from typing import NamedTuple

import numpy as np

from ..contexts.basic import in_word
from ..contexts.registry import CONTEXTS, COUNTED
from ..kernels import njit
from . import count_levels

#: Kinds of context, beginning with orders 1 to 6: those that contexts/registry.py says can be
#: counted, by their numbers there, and order 0, which the engine looks up nowhere.
KINDS = len(COUNTED) + 1
ORDERS = 6


# All that kernels hand on are integers of numpy: for each of Python's, numba would compile
# the kernel that takes it once more.
def _kind(name: str) -> np.int64:
    return np.int64(CONTEXTS[name].counted)


WORD, SKIPPING_ONE, COLUMN = _kind("word"), _kind("skipping one word"), _kind("column")
AFTER_ONE, AFTER_TWO = _kind("after one word"), _kind("after two words")
AFTER_THREE, AFTER_FOUR = _kind("after three words"), _kind("after four words")
ORDER_7, ORDER_8 = _kind("order 7"), _kind("order 8")
#: The kind of order 0, which also stands for having no context.
ROOT = np.int64(13)
#: Most bytes and most words that a context goes back.
MOST_ORDERS, MOST_WORDS = 8, 4
#: Columns told apart, as contexts/registry.py does.
COLUMNS = 256

#: Followers of node 0.
ALPHABET = 256
#: Where there is no context, and the context of order 0.
NONE, ORDER_0 = np.int64(0), np.int64(1)
#: Hash under which a source holds the followers of order 0.
ORDER_0_HASH = 0

#: Bits of a follower's second byte: its level, and whether it leads to a context.
LEVEL, LEADS = count_levels.LEVELS - 1, 128
_LEADS_SHIFT = 7

#: Most contexts and followers that have room beside what stands in the high bits.
MOST_NODES, MOST_ENTRIES = 1 << 28, 1 << 26
_KIND_SHIFT, _TOTAL_SHIFT = np.uint32(28), np.uint32(26)
_LINK, FIRST = np.uint32(MOST_NODES - 1), np.uint32(MOST_ENTRIES - 1)

_LARGEST = count_levels.upper_borders()


class Nodes(NamedTuple):
    """Contexts (n,) and their followers, in few arrays for the processor's cache.

    first: uint32, the first follower, and in the high bits the level of how often the
    context was seen; link: uint32, the reference, and in the high bits the kind. children:
    uint32, the first context that a follower leads to; those of the next ones stand behind
    it. near: uint32, the longest byte context known to stand before; owner: uint32, the
    word or words before; state: uint64, the bytes of an order or a column, or the hash of
    a word so far, kept by a word alone (see state_of). followers: uint8 (m, 2), each a
    byte and its level with LEADS. used: int64 (2,), contexts and followers so far. Node 0
    is the alphabet, node 1 the context of order 0.
    """

    first: np.ndarray
    link: np.ndarray
    children: np.ndarray
    near: np.ndarray
    owner: np.ndarray
    state: np.ndarray
    followers: np.ndarray
    used: np.ndarray


def empty_nodes(n_contexts: int, n_followers: int) -> Nodes:
    """Room for so many contexts and followers. What is never written takes no memory."""
    return Nodes(
        first=np.zeros(n_contexts + 1, np.uint32),
        link=np.zeros(n_contexts, np.uint32),
        children=np.zeros(n_contexts, np.uint32),
        near=np.zeros(n_contexts, np.uint32),
        owner=np.zeros(n_contexts, np.uint32),
        state=np.zeros(n_contexts, np.uint64),
        followers=np.zeros((n_followers, 2), np.uint8),
        used=np.zeros(2, np.int64),
    )


def without_paths(nodes: Nodes) -> Nodes:
    """The nodes without what only a walk needs, most of which can then be freed."""
    nothing = np.zeros(0, np.uint32)
    return nodes._replace(children=nothing, near=nothing)


@njit(borrowing=True)
def bounds(nodes, node):
    """Where the followers of a node begin and end."""
    return np.int64(nodes.first[node] & FIRST), np.int64(nodes.first[node + 1] & FIRST)


@njit(borrowing=True)
def total_of(nodes, node):
    """The level of how often a context was seen."""
    return np.int64(nodes.first[node] >> _TOTAL_SHIFT)


@njit(borrowing=True)
def link_of(nodes, node):
    """The reference of a context."""
    return np.int64(nodes.link[node] & _LINK)


@njit(borrowing=True)
def kind_of(nodes, node):
    """The kind of a context."""
    return np.int64(nodes.link[node] >> _KIND_SHIFT)


@njit(borrowing=True)
def byte_of(nodes, entry):
    """The byte of a follower."""
    return np.int64(nodes.followers[entry, 0])


@njit(borrowing=True)
def level_at(nodes, entry):
    """The level of a follower."""
    return np.int64(nodes.followers[entry, 1]) & LEVEL


@njit(borrowing=True)
def follows(nodes, node, byte):
    """Whether a node has this follower."""
    begin, end = bounds(nodes, node)
    for entry in range(begin, end):
        if byte_of(nodes, entry) == byte:
            return True
    return False


@njit(borrowing=True)
def child_of(nodes, node, byte):
    """The context that this follower of a node leads to, or NONE."""
    child = np.int64(nodes.children[node])
    if child:
        begin, end = bounds(nodes, node)
        for entry in range(begin, end):
            leads = np.int64(nodes.followers[entry, 1]) >> _LEADS_SHIFT
            if byte_of(nodes, entry) == byte:
                return child if leads else NONE
            child += leads
    return NONE


@njit(borrowing=True)
def child_of_letter(nodes, node, letter):
    """The node of a word that this letter, in either case, leads to; or NONE."""
    child = np.int64(nodes.children[node])
    if child:
        begin, end = bounds(nodes, node)
        for entry in range(begin, end):
            if nodes.followers[entry, 1] & LEADS:
                if in_word(byte_of(nodes, entry)) == letter:
                    return child
                child += 1
    return NONE


@njit(borrowing=True)
def step(nodes, near, byte):
    """The longest byte context of up to order 6 that ends in this byte, from that before it."""
    while True:
        child = child_of(nodes, near, byte)
        if child and kind_of(nodes, child) < ORDERS:
            return child
        if near == ORDER_0:
            return near
        near = link_of(nodes, near)


@njit(borrowing=True)
def comes_after_words(kind):
    """Whether a context of this kind is a word so far with others before it."""
    return WORD < kind < ROOT and kind != COLUMN


@njit(borrowing=True)
def state_of(nodes, node):
    """The state of a node; a word after others has the state of the word without them."""
    while comes_after_words(kind_of(nodes, node)):
        node = link_of(nodes, node)
    return nodes.state[node]


@njit(borrowing=True)
def level_of(count):
    """The level of a count."""
    level = 0
    while _LARGEST[level] < count:
        level += 1
    return level


@njit(borrowing=True)
def appended(nodes, begin, byte):
    """Whether this byte is among the followers appended from `begin` on."""
    for entry in range(begin, nodes.used[1]):
        if byte_of(nodes, entry) == byte:
            return True
    return False


@njit(borrowing=True)
def append_follower(nodes, byte, level):
    """A follower of the context that is coded now."""
    entry = nodes.used[1]
    if entry >= nodes.followers.shape[0]:
        raise ValueError("more followers than the model says")
    nodes.followers[entry, 0] = byte
    nodes.followers[entry, 1] = level
    nodes.used[1] = entry + 1


@njit(borrowing=True)
def sort_followers(nodes, begin):
    """Most frequent followers first; equal ones keep their order."""
    for entry in range(begin + 1, nodes.used[1]):
        byte, level = nodes.followers[entry, 0], nodes.followers[entry, 1]
        place = entry
        while place > begin and nodes.followers[place - 1, 1] < level:
            nodes.followers[place, 0] = nodes.followers[place - 1, 0]
            nodes.followers[place, 1] = nodes.followers[place - 1, 1]
            place -= 1
        nodes.followers[place, 0], nodes.followers[place, 1] = byte, level


@njit(borrowing=True)
def append_node(nodes, kind, link, total):
    """A context whose followers are those appended since the last one; returns its index."""
    node = nodes.used[0]
    if node >= nodes.link.size:
        raise ValueError("more contexts than the model says")
    nodes.link[node] = link | kind << _KIND_SHIFT
    nodes.first[node] |= np.uint32(total << _TOTAL_SHIFT)
    nodes.first[node + 1] = nodes.used[1]
    nodes.used[0] = node + 1
    return node


@njit(borrowing=True)
def append_child(nodes, node, entry, child):
    """Let this follower of a node lead to the context just appended."""
    nodes.followers[entry, 1] |= np.uint8(LEADS)
    if nodes.children[node] == 0:
        nodes.children[node] = child
