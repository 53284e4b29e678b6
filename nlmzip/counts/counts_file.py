"""Counts between a store and the bytes of a model file (trie.py is how they are coded)."""

from typing import NamedTuple

import numpy as np

from ..entropy.range_coder import Decoder, Encoder, RangeCoder
from ..errors import ModelError
from . import bits, trie
from . import count_levels as levels
from .store import Store, build, empty

#: Most contexts and followers that a model may hold: decoding takes about 30
#: bytes for each context.
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
    if n_contexts + 2 > trie.MOST_NODES or n_followers + trie.ALPHABET > trie.MOST_ENTRIES:
        raise ModelError("counts of so many contexts cannot be coded; prune more of them")
    coder = Encoder()
    coder.reserve(_BYTES_A_FOLLOWER * (n_contexts + n_followers) // 8 + (1 << 16))
    nodes = trie.empty_nodes(n_contexts + 2, n_followers + trie.ALPHABET)
    said = total, words, skipping, orders
    _walk(coder, nodes, source, *said)
    coded = CodedCounts(coder.finish(), *nodes.used.tolist(), *said)
    nodes = trie.without_paths(nodes)
    known = _known(nodes)
    del nodes
    return coded, _store(*known)


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
    # What each step needs no more is freed before the next one takes as much.
    del coder
    nodes = trie.without_paths(nodes)
    known = _known(nodes)
    del nodes
    return _store(*known)


def _walk(
    coder: RangeCoder,
    nodes: trie.Nodes,
    source: Store,
    total: int,
    words: int,
    skipping: bool,
    orders: int,
) -> None:
    coding = trie.Coding(
        (coder.state, coder.buffer, coder.information),
        bits.new_cells(trie.SIZE),
        bits.new_weights(trie.SETS),
        tuple(source),
        present=np.zeros(256, np.uint8),
        near_levels=np.zeros(256, np.uint8),
    )
    trie.walk(coding, nodes, total, words, skipping, orders)


def _known(nodes: trie.Nodes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of all contexts their hashes, where their followers begin, and these with their levels."""
    n_contexts, n_followers = nodes.used
    first, followers = nodes.first[: n_contexts + 1], nodes.followers[:n_followers]
    hashed = trie.hashes(nodes)
    first &= trie.FIRST
    followers[:, 1] &= trie.LEVEL
    return hashed, first, followers


def _store(hashed: np.ndarray, first: np.ndarray, followers: np.ndarray) -> Store:
    """What the engine looks up: all contexts but the alphabet and that of order 0."""
    return build(hashed[2:], first[2:], followers[:, 0], followers[:, 1])
