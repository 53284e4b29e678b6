"""What the models of letter case and gaps know of the text so far, as a row of numbers.

Called by forms.py, which tells it every token; read by the kernels of letter_case.py
and gaps.py.
"""

from zlib import crc32

import numpy as np

from .letter_case import FIXED
from .tokens import Token

# Places in `History.numbers`. The present token's come first: its key (0 for </s>),
# the key's length, the kind of its first byte (0 for </s>), its case, the case that this
# key had last. Then the token before (</s> before the first one), the two last gaps that
# were coded, and the column in the line.
KEY, LENGTH, KIND, CASE, LAST_CASE = range(5)
KEY_BEFORE, KIND_BEFORE, CASE_BEFORE, GAP_BEFORE, GAP_BEFORE_THAT, COLUMN = range(5, 11)

_NEVER = FIXED - 1


def _byte_kind(byte: int) -> int:
    """1 a digit, 2 a capital, 3 a small letter, 4 any other byte of a word."""
    if byte >= 128:
        return 4
    return 1 if byte <= 57 else 2 if byte <= 90 else 3


class History:
    """`numbers` (uint64, 11): the present token, as far as it is known, and the past."""

    def __init__(self):
        self.numbers = np.zeros(11, np.uint64)
        self._last_case: dict[bytes, int] = {}

    @property
    def at_start(self) -> bool:
        """Whether the token before is a </s>."""
        return not self.numbers[KIND_BEFORE]

    def set_key(self, key: bytes) -> None:
        """Tell the key of the present token, empty for </s>."""
        numbers = self.numbers
        numbers[KEY] = crc32(key)
        numbers[LENGTH] = len(key)
        numbers[KIND] = _byte_kind(key[0]) if key else 0
        numbers[LAST_CASE] = self._last_case.get(key, _NEVER) - _NEVER

    def set_case(self, case: int) -> None:
        """Tell the case of the present token."""
        self.numbers[CASE] = case - FIXED

    def finish(self, token: Token, key: bytes, case: int) -> None:
        """Make the present token, now known whole, the one before."""
        numbers = self.numbers
        gap, word = token
        numbers[KEY_BEFORE] = numbers[KEY]
        numbers[KIND_BEFORE] = _byte_kind(word[-1]) if word else 0
        if case != FIXED:
            numbers[CASE_BEFORE] = case
            self._last_case[key] = case
        if gap:
            numbers[GAP_BEFORE_THAT] = numbers[GAP_BEFORE]
            numbers[GAP_BEFORE] = crc32(gap)
        line_feed = gap.rfind(b"\n")
        in_line = len(gap) - 1 - line_feed if line_feed >= 0 else int(numbers[COLUMN]) + len(gap)
        numbers[COLUMN] = in_line + len(word)
