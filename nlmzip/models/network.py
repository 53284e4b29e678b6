"""What the networks share when they code: the window of steps that can still be learnt.

A network is used through two calls, `predict` and `perceive`, as every predictor is.
The activations of the steps since the last update are kept, so that dynamic evaluation
can take a gradient step on exactly what was predicted. Called by models/predictors.py
and codec/dynamic_evaluation.py.
"""

import numpy as np

from ..kernels import njit
from ..kernels.dense import affine, descend, descend_bias, multiply_transposed, softmax_in_place
from ..kernels.elementary import ONE
from ..text.vocabulary import SENTENCE_END


@njit
def output_probabilities(hidden, output_weights, output_bias, lanes, probabilities):
    """probabilities = softmax(hidden @ W_o + b_o): (h,), (h, V), (V,) -> (V,)."""
    affine(hidden, output_weights, output_bias, probabilities)
    softmax_in_place(probabilities, lanes)


@njit
def learn_output(hidden, output_weights, output_bias, probabilities, targets, step, lanes, back):
    """One step of gradient descent on the output layer; the gradient at `hidden` in `back`.

    With p the predictions (T, V) and y the targets, the gradient of the summed loss at
    the logits is p - e_y, and it replaces the predictions. hidden, back: (T, h).
    """
    for time in range(targets.size):
        probabilities[time, targets[time]] -= ONE
    multiply_transposed(probabilities, output_weights, lanes, back)
    descend(output_weights, hidden, probabilities, step)
    descend_bias(output_bias, probabilities, step)


class Network:
    """Base of the networks.

    Parameters: window, the number of steps kept for learning; reset_state, whether a
    sentence's end forgets what came before it (else the state is carried on).

    A subclass gives `_predict(time)`, which fills `probabilities[time]`,
    `_append(time, symbol)` and `_learn(count, step_size)`, and keeps its state in `_roll`
    and `_restart`. There is room for one step more than the window, for `peek`.
    """

    def __init__(self, vocabulary_size: int, window: int, reset_state: bool):
        if window < 1:
            raise ValueError("a network keeps at least one step")
        self.vocabulary_size = vocabulary_size
        self.window = window
        self.reset_state = reset_state
        self.targets = np.zeros(window, np.int64)
        self.probabilities = np.zeros((window + 1, vocabulary_size), np.float32)
        self._rows = list(self.probabilities)  # a view each: slicing costs time at every token
        self._count = 0
        self._peeked = -1  # the symbol after which the next step is known
        self._known = -1  # the step that `peek` has predicted already

    def predict(self) -> np.ndarray:
        """Distribution of the next symbol, float32 (V,); valid until the next call."""
        if self._known != self._count:
            self._predict(self._count)
        return self._rows[self._count]

    def perceive(self, symbol: int) -> None:
        """Take in the symbol that was coded."""
        self.targets[self._count] = symbol
        self._append(self._count, symbol)
        self._count += 1
        self._known = self._count if symbol == self._peeked else -1
        self._peeked = -1

    def peek(self, symbol: int) -> np.ndarray:
        """The distribution after `symbol`, if that is what comes next; nothing changes.

        `predict` has to be called before, and again after what came was perceived.
        """
        self._append(self._count, symbol)
        self._predict(self._count + 1)
        self._peeked = symbol
        return self._rows[self._count + 1]

    @property
    def full(self) -> bool:
        """Whether the window has no room for another step."""
        return self._count == self.window

    def learn(self, step_size: np.float32) -> None:
        """One plain step of gradient descent on the summed loss of the window's steps."""
        self._learn(self._count, step_size)
        self._known = -1

    def advance(self) -> None:
        """Forget the window's steps; keep the state, or restart it at a sentence's end."""
        ended = self._count and self.targets[self._count - 1] == SENTENCE_END
        if ended and self.reset_state:
            self._restart()
        else:
            self._roll(self._count)
        self._count = 0
        self._peeked = self._known = -1
