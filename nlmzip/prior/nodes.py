"""Contexts and their followers in memory while they are coded: the nodes of a trie.

Called by followers.py and trie.py.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import njit
from ..mixing import contexts
from ..mixing.contexts import in_word

#: Kinds of context, beginning with orders 1 to 6.
ORDERS = 6
WORD, AFTER_ONE, SKIPPING_ONE, AFTER_TWO, COLUMN, AFTER_THREE, AFTER_FOUR = range(ORDERS, 13)
#: The kind of order 0, which also stands for having no context.
ROOT = 13
ORDER_7, ORDER_8 = 14, 15
KINDS = 16
#: Most bytes and most words that a context goes back.
MOST_ORDERS, MOST_WORDS = 8, 4
#: Their numbers in the engine (mixing/contexts.py), which looks order 0 up nowhere.
COUNTED = (
    *range(11), contexts.AFTER_THREE, contexts.AFTER_FOUR, None, contexts.ORDER_7, contexts.ORDER_8
)  # fmt: skip
#: Columns told apart, as mixing/contexts.py does.
COLUMNS = 256

#: Followers of node 0.
ALPHABET = 256
#: Hash under which a source holds the followers of order 0.
ORDER_0_HASH = 0


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
def find(nodes, node, byte):
    """Entry of this follower of a node, or -1."""
    for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
        if nodes.following[entry] == byte:
            return entry
    return -1


@njit
def find_letter(nodes, node, letter):
    """The node of a word that this letter, in either case, leads to; or -1."""
    for entry in range(nodes.first[node], np.int64(nodes.first[node]) + nodes.size[node]):
        if nodes.child[entry] >= 0 and in_word(np.int64(nodes.following[entry])) == letter:
            return np.int64(nodes.child[entry])
    return np.int64(-1)


@njit
def step(nodes, near, byte):
    """The longest byte context that ends in this byte, from that before it."""
    while True:
        entry = find(nodes, near, byte)
        if entry >= 0 and nodes.child[entry] >= 0 and nodes.kind[nodes.child[entry]] < ORDERS:
            return np.int64(nodes.child[entry])
        if nodes.link[near] < 0:
            return near
        near = np.int64(nodes.link[near])


@njit
def level_of(count, most):
    """The level of a count; most: the largest count of each level."""
    level = 0
    while most[level] < count:
        level += 1
    return level


@njit
def appended(nodes, begin, byte):
    """Whether this byte is among the followers appended from `begin` on."""
    for entry in range(begin, nodes.used[1]):
        if nodes.following[entry] == byte:
            return True
    return False


@njit
def sort_followers(nodes, begin):
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
def append_node(nodes, begin, kind, state, link, near, owner, total, hashed):
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
