"""The long short-term memory of Hochreiter and Schmidhuber (1997), trained; used by designs.py.

[i, f, o, g]_t = x_t W_x + h_{t-1} W_h + b, sigmoid of the gates i, f and o and tanh of g;
c_t = f_t c_{t-1} + i_t g_t (Gers, Schmidhuber and Cummins 2000), h_t = o_t tanh(c_t).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .initial_weights import gate_matrices
from .recurrent import Recurrent, of_inputs, sigmoid, step_before, summed_products

FORGET_BIAS = 1.0


class Activations(NamedTuple):
    """states: h and c (T, B, h) after each step; gates (T, B, 4 h) after sigmoid and tanh."""

    states: tuple[np.ndarray, np.ndarray]
    gates: np.ndarray


@dataclass(frozen=True)
class Lstm(Recurrent):
    """Trained as training/recurrent.py says.

    forget_bias: where the forget gate begins; at 1 the cell keeps 73% a step (Jozefowicz,
    Zaremba and Sutskever 2015), at 3 95%.
    """

    forget_bias: float = FORGET_BIAS

    def recurrent_weights(self, random):
        bias = np.zeros(4 * self.hidden, np.float32)
        bias[self.hidden : 2 * self.hidden] = self.forget_bias
        return {
            "input_weights": gate_matrices(random, 4, self.embedding, self.hidden),
            "recurrent_weights": gate_matrices(random, 4, self.hidden, self.hidden),
            "hidden_bias": bias,
        }

    def run(self, weights, inputs, state=None):
        """Activations of each step of inputs (T, B), after the state before."""
        gates = of_inputs(weights, inputs)
        width = gates.shape[2] // 4
        hidden, cell = (np.empty((*inputs.shape, width), gates.dtype) for _ in range(2))
        h, c = state or (np.zeros_like(hidden[0]),) * 2
        for t, step in enumerate(gates):
            step += h @ weights["recurrent_weights"]
            step[:, : 3 * width] = sigmoid(step[:, : 3 * width])
            step[:, 3 * width :] = np.tanh(step[:, 3 * width :])
            i, f, o, g = np.split(step, 4, axis=1)
            c = cell[t] = f * c + i * g
            h = hidden[t] = o * np.tanh(c)
        return Activations((hidden, cell), gates)

    def back(self, weights, activations, state, back):
        """Gradient at x_t W_x + b (T, B, 4 h), and by name; `back` (T, B, h) is at the hidden values."""
        (hidden, cell), gates = activations
        h, c = state or (None, None)
        cell_before, bent = step_before(cell, c), np.tanh(cell)
        delta = np.empty_like(gates)
        transposed = weights["recurrent_weights"].T
        later, at_cell = np.zeros_like(cell[0]), np.zeros_like(cell[0])  # what flows back from after t
        for t in reversed(range(len(gates))):
            i, f, o, g = np.split(gates[t], 4, axis=1)
            at_hidden = back[t] + later
            at_cell += at_hidden * o * (1 - bent[t] ** 2)
            at_i, at_f, at_o, at_g = np.split(delta[t], 4, axis=1)
            at_i[:] = at_cell * g * i * (1 - i)
            at_f[:] = at_cell * cell_before[t] * f * (1 - f)
            at_o[:] = at_hidden * bent[t] * o * (1 - o)
            at_g[:] = at_cell * i * (1 - g * g)
            at_cell *= f
            later = delta[t] @ transposed
        return delta, {"recurrent_weights": summed_products(step_before(hidden, h), delta)}
