"""The long short-term memory of Hochreiter and Schmidhuber (1997), trained; used by designs.py.

[i, f, o, g]_t = x_t W_x + h_{t-1} W_h + b, sigmoid of the gates i, f and o and tanh of g;
c_t = f_t c_{t-1} + i_t g_t (Gers, Schmidhuber and Cummins 2000), h_t = o_t tanh(c_t).
"""

from dataclasses import dataclass

import numpy as np

from ..fit.initial_weights import gate_matrices
from .recurrent import Activations, Recurrent, of_inputs, sigmoid

FORGET_BIAS = 1.0


@dataclass(frozen=True)
class Lstm(Recurrent):
    """Trained as training/bodies/recurrent.py says.

    forget_bias: where the forget gate begins; at 1 the cell keeps 73% a step (Jozefowicz,
    Zaremba and Sutskever 2015), at 3 95%.
    """

    forget_bias: float = FORGET_BIAS

    @classmethod
    def own_design(cls, options) -> dict:
        return {"forget_bias": FORGET_BIAS if options.forget_bias is None else options.forget_bias}

    def recurrent_weights(self, random):
        bias = np.zeros(4 * self.hidden, np.float32)
        bias[self.hidden : 2 * self.hidden] = self.forget_bias
        return {
            "input_weights": gate_matrices(random, 4, self.embedding, self.hidden),
            "recurrent_weights": gate_matrices(random, 4, self.hidden, self.hidden),
            "hidden_bias": bias,
        }

    def run(self, weights, inputs, state=None):
        """h and c after each step of inputs (T, B), and the gates (T, B, 4 h); after the state before."""
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

    def step_back(self, weights, states, gates, before, at_states):
        i, f, o, g = np.split(gates, 4, axis=-1)
        (_, cell), (_, cell_before) = states, before
        at_hidden, at_cell = at_states
        bent = np.tanh(cell)
        at_cell = at_cell + at_hidden * o * (1 - bent**2)
        delta = np.concatenate(
            (
                at_cell * g * i * (1 - i),
                at_cell * cell_before * f * (1 - f),
                at_hidden * bent * o * (1 - o),
                at_cell * i * (1 - g * g),
            ),
            axis=-1,
        )
        return delta, (0.0, at_cell * f)
