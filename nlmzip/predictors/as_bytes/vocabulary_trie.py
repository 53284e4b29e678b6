"""The vocabulary as a trie: every beginning of a word, and the interval of words that have it.

Words are sorted as bytes, so the words that begin alike stand side by side, and the mass
of a beginning is a difference of two cumulative sums. Called by predictors/as_bytes/mixed_words.py;
read by word_bytes.py.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit


class Trie(NamedTuple):
    """Node 0 is the empty beginning; the children of a node stand in a row, ordered by letter."""

    children: np.ndarray  # int32 (nodes + 1,): first child; those of node n end where n + 1's begin
    letter: np.ndarray  # uint8 (nodes,): the last byte of the beginning
    low: np.ndarray  # int32 (nodes,): the first word that begins so
    high: np.ndarray  # int32 (nodes,): one past the last
    word: np.ndarray  # int32 (nodes,): the word that is this beginning, or -1


@njit(borrowing=True)
def _fill(text, starts, children, letter, low, high, word):
    """Level by level, so that a node's children get numbers in a row; returns the nodes."""
    letter[0], low[0], high[0] = np.uint8(0), 0, starts.size - 1
    n_nodes, first_of_level, depth = 1, 0, 0
    while first_of_level < n_nodes:
        end_of_level = n_nodes
        for node in range(first_of_level, end_of_level):
            entry, end = low[node], high[node]
            word[node] = -1
            if entry < end and starts[entry] + depth == starts[entry + 1]:
                word[node] = entry
                entry += 1
            children[node] = n_nodes
            while entry < end:
                byte = text[starts[entry] + depth]
                letter[n_nodes], low[n_nodes] = byte, entry
                while entry < end and text[starts[entry] + depth] == byte:
                    entry += 1
                high[n_nodes] = entry
                n_nodes += 1
        first_of_level = end_of_level
        depth += 1
    children[n_nodes] = n_nodes
    return n_nodes


def trie_of(words: list[bytes]) -> Trie:
    """The trie of different words in the order of their bytes."""
    text = np.frombuffer(b"".join(words), np.uint8)
    starts = np.concatenate(([0], np.cumsum([len(word) for word in words]))).astype(np.int64)
    size = text.size + 1  # nodes at most
    numbers = [np.zeros(size + 1, np.int32) for _ in range(4)]
    letter = np.zeros(size, np.uint8)
    n_nodes = _fill(text, starts, numbers[0], letter, *numbers[1:])
    children, low, high, word = (array[: n_nodes + 1] for array in numbers)
    return Trie(
        children.copy(), letter[:n_nodes].copy(), low[:-1].copy(), high[:-1].copy(), word[:-1].copy()
    )


@njit(borrowing=True)
def child_of(trie, node, byte):
    """The node of this beginning and one byte more, or -1."""
    low, high = trie.children[node], trie.children[node + 1]
    while low < high:
        middle = (low + high) // 2
        if trie.letter[middle] < byte:
            low = middle + 1
        else:
            high = middle
    if low < trie.children[node + 1] and trie.letter[low] == byte:
        return np.int64(low)
    return np.int64(-1)
