"""The recurrent network of Elman (1990), trained by backpropagation through time; used by designs.py.

h_t = tanh(x_t W_x + h_{t-1} W_h + b), where x_t is the embedding of the word before (<s> first).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .initial_weights import hidden_matrix
from .recurrent import Recurrent, of_inputs, step_before, summed_products


class Activations(NamedTuple):
    """states: the hidden values (T, B, h) after each step."""

    states: tuple[np.ndarray]


@dataclass(frozen=True)
class Elman(Recurrent):
    """Trained as training/recurrent.py says."""

    def recurrent_weights(self, random):
        return {
            "input_weights": hidden_matrix(random, self.embedding, self.hidden),
            "recurrent_weights": hidden_matrix(random, self.hidden, self.hidden),
            "hidden_bias": np.zeros(self.hidden, np.float32),
        }

    def run(self, weights, inputs, state=None):
        """Activations of each step of inputs (T, B), after the state before."""
        hidden = of_inputs(weights, inputs)
        before = np.zeros_like(hidden[0]) if state is None else state[0]
        for step in hidden:
            step += before @ weights["recurrent_weights"]
            np.tanh(step, out=step)
            before = step
        return Activations((hidden,))

    def back(self, weights, activations, state, back):
        """Gradient before tanh (T, B, h), and by name; `back` (T, B, h) is at the hidden values."""
        (hidden,) = activations.states
        delta, slopes = back, 1 - hidden * hidden
        transposed = weights["recurrent_weights"].T
        delta[-1] *= slopes[-1]
        for t in range(len(delta) - 2, -1, -1):
            delta[t] += delta[t + 1] @ transposed
            delta[t] *= slopes[t]
        before = step_before(hidden, state and state[0])
        return delta, {"recurrent_weights": summed_products(before, delta)}
