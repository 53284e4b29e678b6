"""Gaps: what stands between two words, coded byte by byte by an adaptive model.

The whole gap so far is part of each context, so that a gap seen before costs little, as
a pointer to it would, and a new one is spelled from its likely beginnings. The other
part tells the words around, the gaps before, and the column at which the next word
would end, which foresees the line ends of wrapped text. Called by forms.py.
"""

import numpy as np

from ..kernels import njit
from .adaptive import adaptive_model, code_adaptive, mix_hash
from .history import (
    CASE,
    CASE_BEFORE,
    COLUMN,
    GAP_BEFORE,
    GAP_BEFORE_THAT,
    KEY,
    KEY_BEFORE,
    KIND,
    LAST_CASE,
    LENGTH,
)
from .tokens import MAXIMUM_LENGTH

END = 256
_LEVELS = 8
_SLOT_BITS = 16
_LONGEST_LINE = np.uint64(120)
_ONE = np.uint64(1)
_FOUR = np.uint64(4)
_SHIFT = np.uint64(64 - _SLOT_BITS)


@njit
def _cases(history):
    """The case of this word, of this key when it was last seen, and of the word before."""
    return (history[CASE] * _FOUR + history[LAST_CASE]) * _FOUR + history[CASE_BEFORE]


@njit
def _set_contexts(history, contexts):
    """The part of each level's context that does not change within the gap."""
    kind = history[KIND]
    contexts[0] = np.uint64(0)
    contexts[1] = _ONE
    contexts[2] = mix_hash(mix_hash(kind, history[GAP_BEFORE]), history[GAP_BEFORE_THAT])
    contexts[3] = mix_hash(mix_hash(kind, history[GAP_BEFORE]), _cases(history))
    contexts[4] = mix_hash(history[KEY_BEFORE], np.uint64(kind == 0))
    contexts[5] = mix_hash(history[KEY], history[CASE])
    contexts[6] = mix_hash(history[KEY_BEFORE], history[KEY])
    column = min(history[COLUMN] + history[LENGTH], _LONGEST_LINE)
    contexts[7] = mix_hash(column, np.uint64(kind == 0))


@njit
def _code_gap(state, buffer, information, model, history, gap, length, least):
    """Code the first `length` bytes of `gap` (uint8, MAXIMUM_LENGTH; filled when decoding)."""
    contexts = np.empty(_LEVELS, np.uint64)
    slots = np.empty(_LEVELS, np.int64)
    _set_contexts(history, contexts)
    last = np.uint64(0)
    so_far = np.uint64(0)
    for position in range(MAXIMUM_LENGTH):
        slots[0] = np.int64(mix_hash(contexts[0], last) >> _SHIFT)
        for level in range(1, _LEVELS):
            slots[level] = np.int64(mix_hash(contexts[level], so_far) >> _SHIFT)
        symbol = np.int64(gap[position]) if position < length else END
        possible = END if position < least else END + 1
        symbol = code_adaptive(state, buffer, information, model, slots, possible, symbol)
        if symbol == END:
            return position
        gap[position] = np.uint8(symbol)
        last = np.uint64(symbol) + _ONE
        so_far = mix_hash(so_far, last)
    return MAXIMUM_LENGTH


class GapModel:
    """Codes gaps and learns them."""

    def __init__(self):
        self._model = adaptive_model(END + 1, _LEVELS, _SLOT_BITS)
        self._gap = np.zeros(MAXIMUM_LENGTH, np.uint8)

    def code(self, coder, history, gap: bytes | None, least: int) -> bytes:
        """Code a gap of `least` to MAXIMUM_LENGTH bytes (None when decoding): the gap."""
        if gap:
            self._gap[: len(gap)] = np.frombuffer(gap, np.uint8)
        coder.reserve(MAXIMUM_LENGTH + 1)
        length = _code_gap(
            coder.state, coder.buffer, coder.information,
            self._model, history.numbers, self._gap, len(gap or b""), least,
        )  # fmt: skip
        return self._gap[:length].tobytes()
