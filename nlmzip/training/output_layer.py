"""The softmax output layer and its cross-entropy, which all networks share; called by nplm.py and elman.py.

Nearly all the time of training goes here, so everything after the product of hidden
values and weights happens in place, in one array of (tokens, vocabulary).
"""

import numpy as np


def cross_entropy(hidden, output_weights, output_bias, targets):
    """Mean loss of the targets in nats and its gradients, by reverse accumulation.

    hidden (n, h), output_weights (h, V), output_bias (V,), targets (n,) integers.
    The arrays are all of one dtype: float32 in training, float64 or complex128 in checks.
    Returns (loss, hidden_gradient (n, h), weights_gradient (h, V), bias_gradient (V,)).
    """
    n = len(targets)
    rows = np.arange(n)
    values = _shifted_logits(hidden, output_weights, output_bias)  # (n, V)
    target_logits = values[rows, targets]
    np.exp(values, out=values)
    totals = values.sum(axis=1)
    loss = (np.log(totals) - target_logits).mean()
    values *= (1 / (n * totals))[:, None]
    values[rows, targets] -= 1 / n  # (p - e_y) / n, the gradient at the logits
    return loss, values @ output_weights.T, hidden.T @ values, values.sum(axis=0)


def log_probabilities(hidden, output_weights, output_bias, targets, rows_at_once=512):
    """Natural logarithms of the targets' probabilities, (n,); arguments as in `cross_entropy`."""
    answer = np.empty(len(targets), hidden.dtype)
    for start in range(0, len(targets), rows_at_once):
        block = slice(start, start + rows_at_once)
        values = _shifted_logits(hidden[block], output_weights, output_bias)
        target_logits = values[np.arange(len(values)), targets[block]]
        np.exp(values, out=values)
        answer[block] = target_logits - np.log(values.sum(axis=1))
    return answer


def _shifted_logits(hidden, output_weights, output_bias):
    """Logits less the largest of their row, (n, V): exp cannot overflow."""
    values = hidden @ output_weights
    values += output_bias
    values -= values.real.max(axis=1, keepdims=True)
    return values
