"""A recurrent network unrolled over a text, so that gradients can be taken back through it.

An unrolled network has `states` h_t, the gradient of each loss at its own state, and one step
of backpropagation through time, `pull_back`; gradients.py needs no more of it. payload.py
asks for its `recurrent_weights`, too, whose norm is a bound. Another kind of network joins by
a class with these in UNROLLED. Called by payload.py.
"""

import numpy as np

from ..models.model_file import Model
from ..models.settings import parts_of

#: Floats of a block of predictions, (tokens, V), at a time.
_BLOCK = 1 << 24


class UnrolledElman:
    """The Elman network of a model (models/elman.py) over symbols, in the floats of `dtype`.

        h_t = tanh(x_t W_x + h_(t-1) W_h + b),   loss_t = -log softmax(h_t W_o + b_o)[y_t]

    symbols: int (T,), the y_t; restarts: bool (T,), whether h_(t-1) is zero and x_t that of <s>.
    """

    def __init__(
        self, arrays: dict, symbols: np.ndarray, restarts: np.ndarray, dtype: type = np.float32
    ):
        weights = {name: array.astype(dtype) for name, array in arrays.items()}
        self._symbols = symbols
        self.recurrent_weights = weights["recurrent_weights"]  # (h, h)
        self._output_weights, self._output_bias = weights["output_weights"], weights["output_bias"]
        start = len(weights["embedding"]) - 1
        previous = np.where(restarts, start, np.concatenate(([start], symbols[:-1])))
        states = weights["embedding"] @ weights["input_weights"]  # (V + 1, h)
        states = states[previous] + weights["hidden_bias"]
        for time, state in enumerate(states):
            if not restarts[time]:
                state += states[time - 1] @ self.recurrent_weights
            np.tanh(state, out=state)
        self.states = states  # (T, h)
        self._slopes = 1 - states * states

    def output_gradients(self, tokens: np.ndarray) -> np.ndarray:
        """d loss_t / d h_t of these tokens, (n, h): (p_t - e_y) W_o^T, in nats."""
        gradients = np.empty((tokens.size, self.states.shape[1]), self.states.dtype)
        size = max(1, _BLOCK // self._output_bias.size)
        for begin in range(0, tokens.size, size):
            part = tokens[begin : begin + size]
            logits = self.states[part] @ self._output_weights + self._output_bias
            logits -= logits.max(axis=1, keepdims=True)
            probabilities = np.exp(logits, out=logits)
            probabilities /= probabilities.sum(axis=1, keepdims=True)
            probabilities[np.arange(part.size), self._symbols[part]] -= 1
            gradients[begin : begin + size] = probabilities @ self._output_weights.T
        return gradients

    def pull_back(self, times: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        """Gradients at the states h_t of `times` (n,) become those at h_(t-1): (n, rows, h).

        Each row times dh_t / dh_(t-1) = diag(1 - h_t^2) W_h^T.
        """
        rows = (gradients * self._slopes[times, None]).reshape(-1, gradients.shape[2])
        return (rows @ self.recurrent_weights.T).reshape(gradients.shape)


#: Kinds of recurrent network by their part of a predictor's name.
UNROLLED = {"rnn": UnrolledElman}


def recurrent_part(model: Model) -> str | None:
    """The first network that the model predicts with and that can be unrolled, None if there is none.

    That is one whose head is a plain softmax with weights of its own.
    """
    used = {part for predictor in model.card["settings"] for part in parts_of(predictor)}
    return next((part for part in UNROLLED if part in used and _is_plain(model.section(part))), None)


def _is_plain(arrays: dict) -> bool:
    return "output_weights" in arrays and "projection_weights" not in arrays
