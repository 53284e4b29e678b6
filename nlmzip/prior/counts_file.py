"""Counts between a store and the bytes of a model file (trie.py is how they are coded)."""

from typing import NamedTuple

import numpy as np

from ..entropy.range_coder import Decoder, Encoder, RangeCoder
from ..errors import ModelError
from ..mixing import count_levels as levels
from ..mixing.store import Store, build, empty
from . import bits, trie

#: Most contexts and followers that a model may hold: decoding takes 60 bytes for each.
MOST_CONTEXTS = MOST_FOLLOWERS = 1 << 25

_BYTES_A_FOLLOWER = 4  # of what coding writes, on the safe side


class CodedCounts(NamedTuple):
    """payload: bytes; contexts, followers: how many it holds; total: level of the text's length.

    words: how many words a context goes back; skipping: whether contexts that skip a word
    are among them; orders: of the longest byte contexts.
    """

    payload: bytes
    contexts: int
    followers: int
    total: int
    words: int
    skipping: bool
    orders: int = trie.ORDERS


def encode(
    source: Store,
    n_contexts: int,
    n_followers: int,
    total: int,
    words: int,
    skipping: bool,
    orders: int = trie.ORDERS,
) -> tuple[CodedCounts, Store]:
    """Code the counts of a store; returns them and what a decoder will have.

    n_contexts, n_followers: what the source holds, which bounds what is coded; the others
    are as in CodedCounts.
    """
    coder = Encoder()
    coder.reserve(_BYTES_A_FOLLOWER * (n_contexts + n_followers) // 8 + (1 << 16))
    nodes = trie.empty_nodes(n_contexts + 2, n_followers + trie.ALPHABET)
    _walk(coder, nodes, source, total, words, skipping, orders)
    n_contexts, n_followers = (int(n) for n in nodes.used)
    coded = CodedCounts(coder.finish(), n_contexts, n_followers, total, words, skipping, orders)
    kept = nodes.hashed, nodes.first, nodes.following, nodes.level
    return coded, _store(*kept, n_contexts, n_followers)


def decode(coded: CodedCounts) -> Store:
    """The store of coded counts. Raises ModelError if they are damaged."""
    if not (
        2 <= coded.contexts <= MOST_CONTEXTS
        and trie.ALPHABET <= coded.followers <= MOST_FOLLOWERS
        and 0 <= coded.total < levels.LEVELS
        and 1 <= coded.words <= trie.MOST_WORDS
        and trie.ORDERS <= coded.orders <= trie.MOST_ORDERS
    ):
        raise ModelError("its counts are of an impossible number")
    coder = Decoder(coded.payload)
    nodes = trie.empty_nodes(coded.contexts, coded.followers)
    try:
        _walk(coder, nodes, empty(), *coded[3:])
    except ValueError as error:
        raise ModelError(f"its counts are damaged ({error})") from None
    if not coder.finished or nodes.used.tolist() != [coded.contexts, coded.followers]:
        raise ModelError("its counts are damaged")
    kept = nodes.hashed, nodes.first, nodes.following, nodes.level
    del nodes  # the rest of it, which is most, before the store takes as much again
    return _store(*kept, coded.contexts, coded.followers)


def _walk(
    coder: RangeCoder, nodes: trie.Nodes, source: Store, total: int, words: int, skipping: bool, orders: int
) -> None:
    arrays = (coder.state, coder.buffer, coder.information)
    decisions = (bits.new_cells(trie.SIZE), bits.new_weights(trie.SETS))
    scales = (levels.level_counts(), levels.upper_borders(), levels.logarithms())
    rest = (nodes, scales, tuple(source), np.zeros(256, np.uint8), np.zeros(256, np.uint8))
    trie.walk_orders(arrays, decisions, *rest, total, orders)
    trie.walk_words(arrays, decisions, *rest, words, skipping)
    trie.walk_columns(arrays, decisions, *rest)


def _store(hashed, first, following, level, n_contexts: int, n_followers: int) -> Store:
    """What the engine looks up: all contexts but the alphabet and that of order 0."""
    begin = int(first[2]) if n_contexts > 2 else n_followers
    starts = np.append(first[2:n_contexts].astype(np.int64), n_followers) - begin
    followers = slice(begin, n_followers)
    return build(hashed[2:n_contexts], starts, following[followers], level[followers])
