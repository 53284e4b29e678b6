"""The recurrent network of Elman (1990), trained by backpropagation through time; used by designs.py.

h_t = tanh(x_t W_x + h_{t-1} W_h + b), where x_t is the embedding of the word before (<s> first).
"""

from dataclasses import dataclass

import numpy as np

from ..fit.initial_weights import hidden_matrix
from .recurrent import Activations, Recurrent, of_inputs


@dataclass(frozen=True)
class Elman(Recurrent):
    """Trained as training/bodies/recurrent.py says."""

    def recurrent_weights(self, random):
        return {
            "input_weights": hidden_matrix(random, self.embedding, self.hidden),
            "recurrent_weights": hidden_matrix(random, self.hidden, self.hidden),
            "hidden_bias": np.zeros(self.hidden, np.float32),
        }

    def run(self, weights, inputs, state=None):
        """h after each step of inputs (T, B), after the state before; no gates but h itself."""
        hidden = of_inputs(weights, inputs)
        before = np.zeros_like(hidden[0]) if state is None else state[0]
        for step in hidden:
            step += before @ weights["recurrent_weights"]
            np.tanh(step, out=step)
            before = step
        return Activations((hidden,), hidden)

    def step_back(self, weights, states, gates, before, at_states):
        (hidden,), (at_hidden,) = states, at_states
        return at_hidden * (1 - hidden * hidden), (0.0,)
