"""The minimal gated unit of Zhou et al. (2016, equation 5), trained; used by designs.py.

f_t = sigmoid(x_t W_x + h_{t-1} W_h + b), n_t = tanh(x_t W_x + (f_t h_{t-1}) W_n + b),
h_t = (1 - f_t) h_{t-1} + f_t n_t.
"""

from dataclasses import dataclass

import numpy as np

from ..fit.initial_weights import gate_matrices, hidden_matrix
from .recurrent import Activations, Recurrent, of_inputs, sigmoid, summed_products


@dataclass(frozen=True)
class Mgu(Recurrent):
    """Trained as training/bodies/recurrent.py says."""

    def recurrent_weights(self, random):
        return {
            "input_weights": gate_matrices(random, 2, self.embedding, self.hidden),
            "recurrent_weights": hidden_matrix(random, self.hidden, self.hidden),
            "candidate_weights": hidden_matrix(random, self.hidden, self.hidden),
            "hidden_bias": np.zeros(2 * self.hidden, np.float32),
        }

    def run(self, weights, inputs, state=None):
        """h after each step of inputs (T, B), and f and n (T, B, 2 h); after the state before."""
        gates = of_inputs(weights, inputs)
        width = gates.shape[2] // 2
        hidden = np.empty((*inputs.shape, width), gates.dtype)
        before = np.zeros_like(hidden[0]) if state is None else state[0]
        for t, step in enumerate(gates):
            f, n = np.split(step, 2, axis=1)
            f[:] = sigmoid(f + before @ weights["recurrent_weights"])
            n[:] = np.tanh(n + (f * before) @ weights["candidate_weights"])
            before = hidden[t] = (1 - f) * before + f * n
        return Activations((hidden,), gates)

    def step_back(self, weights, states, gates, before, at_states):
        f, n = np.split(gates, 2, axis=-1)
        (hidden_before,), (at_hidden,) = before, at_states
        at_n = at_hidden * f * (1 - n * n)
        at_kept = at_n @ weights["candidate_weights"].T
        at_f = (at_hidden * (n - hidden_before) + at_kept * hidden_before) * f * (1 - f)
        return np.concatenate((at_f, at_n), axis=-1), (at_hidden * (1 - f) + at_kept * f,)

    def state_gradients(self, weights, activations, before, delta):
        width = before[0].shape[2]
        kept = activations.gates[:, :, :width] * before[0]
        return {
            **super().state_gradients(weights, activations, before, delta),
            "candidate_weights": summed_products(kept, delta[:, :, width:]),
        }
