"""The gated recurrent unit of Cho et al. (2014, equations 5 to 8), trained; used by designs.py.

[z, r]_t = sigmoid(x_t W_x + h_{t-1} W_h + b), n_t = tanh(x_t W_x + (r_t h_{t-1}) W_n + b),
h_t = z_t h_{t-1} + (1 - z_t) n_t.
"""

from dataclasses import dataclass

import numpy as np

from ..fit.initial_weights import gate_matrices, hidden_matrix
from .recurrent import Activations, Recurrent, of_inputs, sigmoid, summed_products


@dataclass(frozen=True)
class Gru(Recurrent):
    """Trained as training/bodies/recurrent.py says."""

    def recurrent_weights(self, random):
        return {
            "input_weights": gate_matrices(random, 3, self.embedding, self.hidden),
            "recurrent_weights": gate_matrices(random, 2, self.hidden, self.hidden),
            "candidate_weights": hidden_matrix(random, self.hidden, self.hidden),
            "hidden_bias": np.zeros(3 * self.hidden, np.float32),
        }

    def run(self, weights, inputs, state=None):
        """h after each step of inputs (T, B), and z, r and n (T, B, 3 h); after the state before."""
        gates = of_inputs(weights, inputs)
        width = gates.shape[2] // 3
        hidden = np.empty((*inputs.shape, width), gates.dtype)
        before = np.zeros_like(hidden[0]) if state is None else state[0]
        for t, step in enumerate(gates):
            z, r, n = np.split(step, 3, axis=1)
            step[:, : 2 * width] = sigmoid(step[:, : 2 * width] + before @ weights["recurrent_weights"])
            n[:] = np.tanh(n + (r * before) @ weights["candidate_weights"])
            before = hidden[t] = z * before + (1 - z) * n
        return Activations((hidden,), gates)

    def step_back(self, weights, states, gates, before, at_states):
        z, r, n = np.split(gates, 3, axis=-1)
        (hidden_before,), (at_hidden,) = before, at_states
        at_n = at_hidden * (1 - z) * (1 - n * n)
        at_kept = at_n @ weights["candidate_weights"].T
        at_z = at_hidden * (hidden_before - n) * z * (1 - z)
        at_r = at_kept * hidden_before * r * (1 - r)
        return np.concatenate((at_z, at_r, at_n), axis=-1), (at_hidden * z + at_kept * r,)

    def state_gradients(self, weights, activations, before, delta):
        width = before[0].shape[2]
        kept = activations.gates[:, :, width : 2 * width] * before[0]
        return {
            **super().state_gradients(weights, activations, before, delta),
            "candidate_weights": summed_products(kept, delta[:, :, 2 * width :]),
        }
