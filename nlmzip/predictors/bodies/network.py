"""A network when it codes: a body that reads symbols, a head that predicts, and their window.

A network is used through two calls, `predict` and `perceive`, as every predictor is.
The activations of the steps since the last update are kept, so that dynamic evaluation
can take a gradient step on exactly what was predicted. Called by predictors/build.py
and predictors/dynamic_evaluation.py.

A body (nplm.py, elman.py, lstm.py, gru.py, mgu.py) makes of the symbols before step t the row `hidden[t]`:

    step(time)               fill hidden[time]
    append(time, symbol)     take in what came at `time`
    learn(back, step_size)   one gradient step, given the gradients at the first rows of hidden
    roll(count), restart()   forget the window's steps and keep what they led to, or nothing

A head (softmax.py, softmax_mixtures.py) makes of a row of `hidden` the row `probabilities[t]`:

    predict(hidden, time)                fill probabilities[time]
    learn(hidden, targets, step_size)    one gradient step; the gradients at `hidden` (T, h)

Both keep one step more than the window, for `peek`, and own their weights, which move.
"""

import numpy as np

from ...text.vocabulary import SENTENCE_END


class Network:
    """A body and a head over the symbols of a vocabulary, with room for the same window.

    reset_state: whether a sentence's end forgets what came before it (else the state is
    carried on).
    """

    def __init__(self, body, head, reset_state: bool):
        self.body, self.head = body, head
        self.vocabulary_size = head.probabilities.shape[1]
        self.window = head.probabilities.shape[0] - 1
        if self.window < 1:
            raise ValueError("a network keeps at least one step")
        self.reset_state = reset_state
        self.targets = np.zeros(self.window, np.int64)
        # A view of each row: slicing costs time at every token.
        self._hidden, self._probabilities = list(body.hidden), list(head.probabilities)
        self._count = 0
        self._peeked = -1  # the symbol after which the next step is known
        self._known = -1  # the step that `peek` has predicted already
        body.restart()

    def predict(self) -> np.ndarray:
        """Distribution of the next symbol, float32 (V,); valid until the next call."""
        if self._known != self._count:
            self._predict(self._count)
        return self._probabilities[self._count]

    def perceive(self, symbol: int) -> None:
        """Take in the symbol that was coded."""
        self.targets[self._count] = symbol
        self.body.append(self._count, symbol)
        self._count += 1
        self._known = self._count if symbol == self._peeked else -1
        self._peeked = -1

    def peek(self, symbol: int) -> np.ndarray:
        """The distribution after `symbol`, if that is what comes next; nothing changes.

        `predict` has to be called before, and again after what came was perceived.
        """
        self.body.append(self._count, symbol)
        self._predict(self._count + 1)
        self._peeked = symbol
        return self._probabilities[self._count + 1]

    def _predict(self, time: int) -> None:
        self.body.step(time)
        self.head.predict(self._hidden[time], time)

    @property
    def full(self) -> bool:
        """Whether the window has no room for another step."""
        return self._count == self.window

    def learn(self, step_size: np.float32) -> None:
        """One plain step of gradient descent on the summed loss of the window's steps."""
        hidden, targets = self.body.hidden[: self._count], self.targets[: self._count]
        self.body.learn(self.head.learn(hidden, targets, step_size), step_size)
        self._known = -1

    def advance(self) -> None:
        """Forget the window's steps; keep the state, or restart it at a sentence's end."""
        ended = self._count and self.targets[self._count - 1] == SENTENCE_END
        if ended and self.reset_state:
            self.body.restart()
        else:
            self.body.roll(self._count)
        self._count = 0
        self._peeked = self._known = -1
