"""The adaptive model of letter case: lower, Capitalised or UPPER. Called by forms.py."""

import numpy as np

from ..kernels import njit
from .adaptive import adaptive_model, code_adaptive, mix_hash
from .history import CASE_BEFORE, GAP_BEFORE, KEY, KEY_BEFORE, KIND_BEFORE, LAST_CASE

_CASES = 3
_LEVELS = 6
_SLOT_BITS = 16
_SHIFT = np.uint64(64 - _SLOT_BITS)


@njit
def _code_case(state, buffer, information, model, history, case):
    contexts = np.empty(_LEVELS, np.uint64)
    contexts[0] = mix_hash(history[CASE_BEFORE], history[KIND_BEFORE])
    contexts[1] = mix_hash(contexts[0], history[LAST_CASE])
    contexts[2] = mix_hash(contexts[1], history[GAP_BEFORE])
    contexts[3] = mix_hash(contexts[1], history[KEY_BEFORE])
    contexts[4] = mix_hash(history[KEY], np.uint64(history[KIND_BEFORE] == 0))
    contexts[5] = mix_hash(history[KEY], history[KEY_BEFORE])
    slots = np.empty(_LEVELS, np.int64)
    for level in range(_LEVELS):
        slots[level] = np.int64(mix_hash(contexts[level], np.uint64(0)) >> _SHIFT)
    return code_adaptive(state, buffer, information, model, slots, _CASES, case)


class CaseModel:
    """Codes the case of words whose key has one, and learns it."""

    def __init__(self):
        self._model = adaptive_model(_CASES, _LEVELS, _SLOT_BITS)

    def code(self, coder, history, case: int) -> int:
        """Code LOWER, CAPITALISED or UPPER (anything when decoding): the case."""
        coder.reserve(1)
        return int(
            _code_case(
                coder.state, coder.buffer, coder.information, self._model, history.numbers, case
            )
        )
