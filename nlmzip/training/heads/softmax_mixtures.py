"""The heads of several softmaxes of Yang et al. (2018): mixtures of softmaxes, and of contexts.

Priors pi = softmax(h W_pi + b_pi) follow the context, and each of K projections
z_k = tanh(h W_k + b_k) is one's own. Softmaxes: p = sum of pi_k softmax(z_k W_o + b_o).
Contexts: p = softmax((sum of pi_k z_k) W_o + b_o).
"""

from dataclasses import dataclass

import numpy as np

from ..fit.initial_weights import gate_matrices, output_matrix
from .softmax import ROWS_AT_ONCE, Softmax, shifted_logits


@dataclass(frozen=True)
class _Mixture(Softmax):
    """What both share: priors and projections."""

    n_softmaxes: int = 3

    def before_output(self, random, width, projected):
        """Weights between hidden values and output weights of `projected` rows."""
        n = self.n_softmaxes
        return {
            "prior_weights": output_matrix(random, width, n),
            "prior_bias": np.zeros(n, np.float32),
            "projection_weights": gate_matrices(random, n, width, projected),
            "projection_bias": np.zeros(n * projected, np.float32),
        }

    def _project(self, weights, hidden):
        """Logarithms of the priors (n, K), and the contexts z_k (n, K, m)."""
        logits = hidden @ weights["prior_weights"] + weights["prior_bias"]
        logits -= logits.real.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        projected = np.tanh(hidden @ weights["projection_weights"] + weights["projection_bias"])
        return logits, projected.reshape(len(hidden), self.n_softmaxes, -1)

    def _back(self, weights, hidden, contexts, at_priors, at_contexts):
        """Gradient at `hidden` (n, h), and by name of what made priors and contexts."""
        at_projected = (at_contexts * (1 - contexts * contexts)).reshape(len(hidden), -1)
        back = at_projected @ weights["projection_weights"].T
        back += at_priors @ weights["prior_weights"].T
        return back, {
            "prior_weights": hidden.T @ at_priors,
            "prior_bias": at_priors.sum(axis=0),
            "projection_weights": hidden.T @ at_projected,
            "projection_bias": at_projected.sum(axis=0),
        }


@dataclass(frozen=True)
class MixtureOfSoftmaxes(_Mixture):
    """Distributions are mixed; their logarithms can be of any rank."""

    def cross_entropy(self, weights, hidden, targets):
        """As Softmax.cross_entropy."""
        n, rows = len(targets), np.arange(len(targets))
        log_priors, contexts = self._project(weights, hidden)
        components, joint = [], log_priors.copy()  # log of pi_k p_k(y), (n, K)
        for k in range(self.n_softmaxes):
            values, log_p = _softmax(contexts[:, k], weights, targets)
            components.append(values)
            joint[:, k] += log_p
        log_p = _log_sum(joint)
        shares = np.exp(joint - log_p[:, None])  # of each softmax in the target's probability
        at_contexts = np.empty_like(contexts)
        of_weights, of_bias = (np.zeros_like(weights[name]) for name in ("output_weights", "output_bias"))
        for k, values in enumerate(components):
            values *= shares[:, k, None] / n
            values[rows, targets] -= shares[:, k] / n  # s_k (p_k - e_y) / n
            at_contexts[:, k] = values @ weights["output_weights"].T
            of_weights += contexts[:, k].T @ values
            of_bias += values.sum(axis=0)
        at_priors = (np.exp(log_priors) - shares) / n
        back, gradients = self._back(weights, hidden, contexts, at_priors, at_contexts)
        return -log_p.mean(), back, gradients | {"output_weights": of_weights, "output_bias": of_bias}

    def log_probabilities(self, weights, hidden, targets):
        """As Softmax.log_probabilities."""
        answer = np.empty(len(targets), hidden.dtype)
        for start in range(0, len(targets), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            joint, contexts = self._project(weights, hidden[block])
            for k in range(self.n_softmaxes):
                joint[:, k] += _softmax(contexts[:, k], weights, targets[block])[1]
            answer[block] = _log_sum(joint)
        return answer


@dataclass(frozen=True)
class MixtureOfContexts(_Mixture):
    """Projections are mixed before one softmax, whose logarithms are of rank m + 2 at most."""

    def cross_entropy(self, weights, hidden, targets):
        """As Softmax.cross_entropy."""
        priors, contexts, mixed = self._mix(weights, hidden)
        loss, at_mixed, of_output = super().cross_entropy(weights, mixed, targets)
        agreement = (contexts * at_mixed[:, None]).sum(axis=2)  # gradient at the priors, (n, K)
        at_priors = priors * (agreement - (priors * agreement).sum(axis=1, keepdims=True))
        at_contexts = priors[:, :, None] * at_mixed[:, None]
        back, gradients = self._back(weights, hidden, contexts, at_priors, at_contexts)
        return loss, back, gradients | of_output

    def log_probabilities(self, weights, hidden, targets):
        """As Softmax.log_probabilities."""
        return super().log_probabilities(weights, self._mix(weights, hidden)[2], targets)

    def _mix(self, weights, hidden):
        """Priors (n, K), contexts (n, K, m) and their mixture (n, m)."""
        log_priors, contexts = self._project(weights, hidden)
        priors = np.exp(log_priors)
        return priors, contexts, (priors[:, :, None] * contexts).sum(axis=1)


def _softmax(contexts, weights, targets):
    """Distributions (n, V), and logarithms of what they give the targets (n,)."""
    values = shifted_logits(contexts, weights)
    target_logits = values[np.arange(len(targets)), targets]
    np.exp(values, out=values)
    totals = values.sum(axis=1)
    values /= totals[:, None]
    return values, target_logits - np.log(totals)


def _log_sum(logarithms):
    """Logarithm of the sum of each row's exponentials, (n, K) -> (n,)."""
    largest = logarithms.real.max(axis=1)
    return largest + np.log(np.exp(logarithms - largest[:, None]).sum(axis=1))
