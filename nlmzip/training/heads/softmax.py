"""The softmax head and its cross-entropy, for the bodies in nplm.py, elman.py, lstm.py, gru.py, mgu.py.

Nearly all the time of training goes here, so everything after the product of hidden
values and weights happens in place, in one array of (tokens, vocabulary). All arrays are
of one dtype: float32 in training, float64 or complex128 in checks.
"""

from dataclasses import dataclass

import numpy as np

from ..fit.initial_weights import hidden_matrix, output_matrix

ROWS_AT_ONCE = 512  # of predictions, where only those of the targets are wanted


@dataclass(frozen=True)
class Softmax:
    """p = softmax(h W_o + b_o), h (n, width) being what a body makes of the words before.

    Where there are `tie_weights` (width, m), a linear projection stands before it (tying.py).
    """

    tied = False

    def before_output(self, random, width, projected):
        """Weights between hidden values and output weights of `projected` rows."""
        return {} if width == projected else {"tie_weights": hidden_matrix(random, width, projected)}

    def initial_weights(self, random, width, vocabulary_size, embedding):
        """Float32 arrays by name; random is a numpy Generator, `embedding` the length of a word's."""
        return {
            **self.before_output(random, width, width),
            "output_weights": output_matrix(random, width, vocabulary_size),
            "output_bias": np.zeros(vocabulary_size, np.float32),
        }

    def cross_entropy(self, weights, hidden, targets):
        """Mean loss of the targets (n,) in nats and its gradients, by reverse accumulation.

        Returns (loss, gradient at `hidden` (n, width), gradients by name).
        """
        n = len(targets)
        rows = np.arange(n)
        projected = _projected(hidden, weights)
        values = shifted_logits(projected, weights)  # (n, V)
        target_logits = values[rows, targets]
        np.exp(values, out=values)
        totals = values.sum(axis=1)
        loss = (np.log(totals) - target_logits).mean()
        values *= (1 / (n * totals))[:, None]
        values[rows, targets] -= 1 / n  # (p - e_y) / n, the gradient at the logits
        gradients = {"output_weights": projected.T @ values, "output_bias": values.sum(axis=0)}
        back = values @ weights["output_weights"].T
        if "tie_weights" in weights:
            gradients["tie_weights"] = hidden.T @ back
            back = back @ weights["tie_weights"].T
        return loss, back, gradients

    def log_probabilities(self, weights, hidden, targets):
        """Natural logarithms of the targets' probabilities, (n,)."""
        answer = np.empty(len(targets), hidden.dtype)
        for start in range(0, len(targets), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            values = shifted_logits(_projected(hidden[block], weights), weights)
            target_logits = values[np.arange(len(values)), targets[block]]
            np.exp(values, out=values)
            answer[block] = target_logits - np.log(values.sum(axis=1))
        return answer


def _projected(hidden, weights):
    return hidden @ weights["tie_weights"] if "tie_weights" in weights else hidden


def shifted_logits(hidden, weights):
    """Logits less the largest of their row, (n, V): exp cannot overflow."""
    values = hidden @ weights["output_weights"]
    values += weights["output_bias"]
    values -= values.real.max(axis=1, keepdims=True)
    return values
