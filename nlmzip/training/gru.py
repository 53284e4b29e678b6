"""The gated recurrent unit of Cho et al. (2014, equations 5 to 8), trained; used by designs.py.

[z, r]_t = sigmoid(x_t W_x + h_{t-1} W_h + b), n_t = tanh(x_t W_x + (r_t h_{t-1}) W_n + b),
h_t = z_t h_{t-1} + (1 - z_t) n_t.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .initial_weights import gate_matrices, hidden_matrix
from .recurrent import Recurrent, of_inputs, sigmoid, step_before, summed_products


class Activations(NamedTuple):
    """states: the hidden values (T, B, h) after each step; gates (T, B, 3 h) after sigmoid and tanh."""

    states: tuple[np.ndarray]
    gates: np.ndarray


@dataclass(frozen=True)
class Gru(Recurrent):
    """Trained as training/recurrent.py says."""

    def recurrent_weights(self, random):
        return {
            "input_weights": gate_matrices(random, 3, self.embedding, self.hidden),
            "recurrent_weights": gate_matrices(random, 2, self.hidden, self.hidden),
            "candidate_weights": hidden_matrix(random, self.hidden, self.hidden),
            "hidden_bias": np.zeros(3 * self.hidden, np.float32),
        }

    def run(self, weights, inputs, state=None):
        """Activations of each step of inputs (T, B), after the state before."""
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

    def back(self, weights, activations, state, back):
        """Gradient at x_t W_x + b (T, B, 3 h), and by name; `back` (T, B, h) is at the hidden values."""
        (hidden,), gates = activations
        before = step_before(hidden, state and state[0])
        delta, width = np.empty_like(gates), hidden.shape[2]
        of_gates, of_candidate = weights["recurrent_weights"].T, weights["candidate_weights"].T
        later = np.zeros_like(hidden[0])  # what flows back from the steps after t
        for t in reversed(range(len(gates))):
            z, r, n = np.split(gates[t], 3, axis=1)
            at_z, at_r, at_n = np.split(delta[t], 3, axis=1)
            at_hidden = back[t] + later
            at_z[:] = at_hidden * (before[t] - n) * z * (1 - z)
            at_n[:] = at_hidden * (1 - z) * (1 - n * n)
            at_kept = at_n @ of_candidate
            at_r[:] = at_kept * before[t] * r * (1 - r)
            later = at_hidden * z + at_kept * r + delta[t, :, : 2 * width] @ of_gates
        kept = gates[:, :, width : 2 * width] * before
        return delta, {
            "recurrent_weights": summed_products(before, delta[:, :, : 2 * width]),
            "candidate_weights": summed_products(kept, delta[:, :, 2 * width :]),
        }
