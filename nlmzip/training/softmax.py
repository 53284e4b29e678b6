"""The softmax head and its cross-entropy, for the bodies in nplm.py, elman.py, lstm.py and gru.py.

Nearly all the time of training goes here, so everything after the product of hidden
values and weights happens in place, in one array of (tokens, vocabulary). All arrays are
of one dtype: float32 in training, float64 or complex128 in checks.
"""

from dataclasses import dataclass

import numpy as np

from .initial_weights import output_matrix

ROWS_AT_ONCE = 512  # of predictions, where only those of the targets are wanted


@dataclass(frozen=True)
class Softmax:
    """p = softmax(h W_o + b_o), h (n, width) being what a body makes of the words before."""

    def initial_weights(self, random, width, vocabulary_size):
        """Float32 arrays by name; random is a numpy Generator."""
        return {
            "output_weights": output_matrix(random, width, vocabulary_size),
            "output_bias": np.zeros(vocabulary_size, np.float32),
        }

    def cross_entropy(self, weights, hidden, targets):
        """Mean loss of the targets (n,) in nats and its gradients, by reverse accumulation.

        Returns (loss, gradient at `hidden` (n, width), gradients by name).
        """
        n = len(targets)
        rows = np.arange(n)
        values = shifted_logits(hidden, weights)  # (n, V)
        target_logits = values[rows, targets]
        np.exp(values, out=values)
        totals = values.sum(axis=1)
        loss = (np.log(totals) - target_logits).mean()
        values *= (1 / (n * totals))[:, None]
        values[rows, targets] -= 1 / n  # (p - e_y) / n, the gradient at the logits
        gradients = {"output_weights": hidden.T @ values, "output_bias": values.sum(axis=0)}
        return loss, values @ weights["output_weights"].T, gradients

    def log_probabilities(self, weights, hidden, targets):
        """Natural logarithms of the targets' probabilities, (n,)."""
        answer = np.empty(len(targets), hidden.dtype)
        for start in range(0, len(targets), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            values = shifted_logits(hidden[block], weights)
            target_logits = values[np.arange(len(values)), targets[block]]
            np.exp(values, out=values)
            answer[block] = target_logits - np.log(values.sum(axis=1))
        return answer


def shifted_logits(hidden, weights):
    """Logits less the largest of their row, (n, V): exp cannot overflow."""
    values = hidden @ weights["output_weights"]
    values += weights["output_bias"]
    values -= values.real.max(axis=1, keepdims=True)
    return values
