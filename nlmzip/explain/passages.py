"""The pieces in which the page shows a text: its sentences, and of bytes its lines; called by payload.py."""

import numpy as np

from ..text.tokens import Token

#: Bytes without a line's end after which the page begins a new one.
_LONGEST_LINE = 200


def sentence_starts(ends: np.ndarray) -> np.ndarray:
    """The first token of each sentence, given which tokens end one, bool (T,)."""
    return np.flatnonzero(np.concatenate(([True], ends[:-1])))


def line_starts(tokens: list[Token]) -> np.ndarray:
    """The first token of each line, where tokens are bytes; a long line counts as several."""
    starts = [0]
    for place in range(1, len(tokens)):
        if tokens[place - 1].word == b"\n" or place - starts[-1] == _LONGEST_LINE:
            starts.append(place)
    return np.array(starts)
