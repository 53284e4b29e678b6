"""What the bodies of recurrent networks share: they read one symbol a step, and keep a state.

Row 0 of the symbols and states is what the window begins with, row t + 1 what step t leaves.
"""

import numpy as np


class Recurrent:
    """Base of elman.py and lstm.py; models/network.py says what a body does.

    `trace` has `previous`, int64 (T + 2,), the symbol read at each step, and states, float32
    (T + 2, h) each, the first of which is what the head reads.
    """

    def __init__(self, weights, trace, states: list[np.ndarray]):
        self.weights, self.trace = weights, trace
        self._states = states
        self.hidden = states[0][1:]

    def restart(self) -> None:
        """A state of zeros, and <s> before the first symbol."""
        self.trace.previous[0] = self.weights.embedding.shape[0] - 1
        for state in self._states:
            state[0] = 0.0

    def append(self, time: int, symbol: int) -> None:
        self.trace.previous[time + 1] = symbol

    def roll(self, count: int) -> None:
        self.trace.previous[0] = self.trace.previous[count]
        for state in self._states:
            state[0] = state[count]
