"""Heads of several softmaxes: the mixture of softmaxes, and that of contexts (Yang et al. 2018).

    pi = softmax(h W_pi + b_pi)                      K priors, which follow the context
    z_k = tanh(h W_k + b_k)                          a projection for each, (m,)
    mixture of softmaxes:  p = sum of pi_k softmax(z_k W_o + b_o)          (equation 2)
    mixture of contexts:   p = softmax((sum of pi_k z_k) W_o + b_o)        (section 2.5)

Logarithms of the first are of any rank; those of the second of at most m + 2, as are
those of one softmax.
"""

from typing import NamedTuple

import numpy as np

from ...kernels import njit
from ...kernels.dense import (
    LANES,
    affine,
    descend,
    descend_bias,
    dot,
    multiply_transposed,
    softmax_in_place,
    tanh_in_place,
)
from ...kernels.elementary import ONE
from .softmax import softmax_learn, softmax_predict

_ZERO = np.float32(0.0)
# A softmax with a smaller share in a prediction learns nothing of it: no product is denormal.
_LEAST_SHARE = np.float32(1e-12)


class MixtureWeights(NamedTuple):
    """float32: (h, K), (K,), (h, K * m), (K * m,), (m, V), (V,)."""

    prior_weights: np.ndarray
    prior_bias: np.ndarray
    projection_weights: np.ndarray
    projection_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray

    @property
    def n_softmaxes(self) -> int:
        return self.prior_bias.size

    def shapes(self, width: int, vocabulary_size: int) -> list[tuple]:
        """What the arrays' shapes must be for hidden rows of `width` numbers."""
        n, projected = self.n_softmaxes, self.output_weights.shape[0]
        return [
            (width, n), (n,), (width, n * projected), (n * projected,),
            (projected, vocabulary_size), (vocabulary_size,),
        ]  # fmt: skip


class MixtureTrace(NamedTuple):
    """Activations of the window, float32.

    (T + 1, K), (T + 1, K * m), the same as (T + 1, K, m), (T + 1, m), (T + 1, K, V),
    (T + 1, V), (32,). One of the two mixtures has no rows of `mixed`, the other none of
    `components`.
    """

    priors: np.ndarray
    projected: np.ndarray
    contexts: np.ndarray  # z_k
    mixed: np.ndarray  # the sum of pi_k z_k
    components: np.ndarray  # the distribution of each softmax
    probabilities: np.ndarray
    lanes: np.ndarray


@njit
def project(weights, trace, hidden, time):
    """Fill the trace's priors and projections at `time` from hidden (h,)."""
    affine(hidden, weights.prior_weights, weights.prior_bias, trace.priors[time])
    softmax_in_place(trace.priors[time], trace.lanes)
    affine(hidden, weights.projection_weights, weights.projection_bias, trace.projected[time])
    tanh_in_place(trace.projected[time])


@njit
def learn_projections(weights, trace, hidden, at_priors, at_contexts, step, back):
    """One step of gradient descent on priors and projections; the gradient at `hidden` in `back`.

    at_priors (T, K) is at the priors' logits, at_contexts (T, K * m) after tanh, and
    overwritten. hidden, back: (T, h).
    """
    times = hidden.shape[0]
    for time in range(times):
        projected = trace.projected[time]
        for unit in range(projected.size):
            at_contexts[time, unit] *= ONE - projected[unit] * projected[unit]
    of_priors = np.empty(back.shape, np.float32)
    multiply_transposed(at_contexts, weights.projection_weights, trace.lanes, back)
    multiply_transposed(at_priors, weights.prior_weights, trace.lanes, of_priors)
    for time in range(times):
        for unit in range(back.shape[1]):
            back[time, unit] += of_priors[time, unit]
    descend(weights.projection_weights, hidden, at_contexts, step)
    descend_bias(weights.projection_bias, at_contexts, step)
    descend(weights.prior_weights, hidden, at_priors, step)
    descend_bias(weights.prior_bias, at_priors, step)


@njit
def softmaxes_predict(weights, trace, hidden, time):
    """Fill the trace's probabilities at `time`: the softmaxes are added in their order."""
    project(weights, trace, hidden, time)
    probabilities = trace.probabilities[time]
    for symbol in range(probabilities.size):
        probabilities[symbol] = _ZERO
    for k in range(weights.prior_bias.size):
        component, prior = trace.components[time, k], trace.priors[time, k]
        softmax_predict(weights, trace.contexts[time, k], trace.lanes, component)
        for symbol in range(probabilities.size):
            probabilities[symbol] += prior * component[symbol]


@njit
def softmaxes_learn(weights, trace, hidden, targets, step, back):
    """One step of gradient descent; the gradient at `hidden` in `back`, both (T, h).

    With s_k = pi_k p_k(y) / p(y), what softmax k has of the target's probability, the
    gradient of the loss -log p(y) is s_k (p_k - e_y) at the logits of softmax k, where it
    replaces p_k, and pi_k - s_k at those of the priors.
    """
    times = targets.size
    n, width = trace.contexts.shape[1:]
    at_priors = np.empty((times, n), np.float32)
    for time in range(times):
        target = targets[time]
        for k in range(n):
            component, prior = trace.components[time, k], trace.priors[time, k]
            share = prior * component[target] / trace.probabilities[time, target]
            if share < _LEAST_SHARE:
                share = _ZERO
            at_priors[time, k] = prior - share
            for symbol in range(component.size):
                component[symbol] *= share
            component[target] -= share
    rows = trace.components[:times].reshape(times * n, trace.components.shape[2])
    contexts = trace.contexts[:times].reshape(times * n, width)
    at_contexts = np.empty((times * n, width), np.float32)
    multiply_transposed(rows, weights.output_weights, trace.lanes, at_contexts)
    descend(weights.output_weights, contexts, rows, step)
    descend_bias(weights.output_bias, rows, step)
    at_projected = at_contexts.reshape(times, n * width)
    learn_projections(weights, trace, hidden, at_priors, at_projected, step, back)


@njit
def contexts_predict(weights, trace, hidden, time):
    """Fill the trace's probabilities at `time`: the projections are added in their order."""
    project(weights, trace, hidden, time)
    mixed = trace.mixed[time]
    for unit in range(mixed.size):
        mixed[unit] = _ZERO
    for k in range(weights.prior_bias.size):
        context, prior = trace.contexts[time, k], trace.priors[time, k]
        for unit in range(mixed.size):
            mixed[unit] += prior * context[unit]
    softmax_predict(weights, mixed, trace.lanes, trace.probabilities[time])


@njit
def contexts_learn(weights, trace, hidden, targets, step, back):
    """One step of gradient descent; the gradient at `hidden` in `back`, both (T, h).

    With g the gradient at the mixed context, pi_k g is that at z_k, and
    pi_k (z_k g - sum of pi_j z_j g) that at the priors' logits.
    """
    times = targets.size
    n, width = trace.contexts.shape[1:]
    at_mixed = np.empty((times, width), np.float32)
    softmax_learn(
        weights, trace.mixed[:times], targets, step, trace.lanes, trace.probabilities[:times], at_mixed
    )
    at_priors = np.empty((times, n), np.float32)
    at_contexts = np.empty((times, n * width), np.float32)
    for time in range(times):
        mean = dot(trace.mixed[time], at_mixed[time], trace.lanes)
        for k in range(n):
            prior = trace.priors[time, k]
            at_priors[time, k] = prior * (dot(trace.contexts[time, k], at_mixed[time], trace.lanes) - mean)
            for unit in range(width):
                at_contexts[time, k * width + unit] = prior * at_mixed[time, unit]
    learn_projections(weights, trace, hidden, at_priors, at_contexts, step, back)


class _Mixture:
    """What both heads keep (predictors/bodies/network.py says what a head does); each names its kernels."""

    def __init__(self, weights: MixtureWeights, window: int, n_components: int, n_mixed: int):
        self.weights = weights
        width, size = weights.output_weights.shape[0], weights.output_bias.size
        n, rows = weights.n_softmaxes, window + 1
        projected = np.zeros((rows, n * width), np.float32)
        self.trace = MixtureTrace(
            priors=np.zeros((rows, n), np.float32),
            projected=projected,
            contexts=projected.reshape(rows, n, width),
            mixed=np.zeros((n_mixed, width), np.float32),
            components=np.zeros((n_components, n, size), np.float32),
            probabilities=np.zeros((rows, size), np.float32),
            lanes=np.zeros(LANES, np.float32),
        )
        self.probabilities = self.trace.probabilities

    def predict(self, hidden: np.ndarray, time: int) -> None:
        self.predict_kernel(self.weights, self.trace, hidden, time)

    def learn(self, hidden: np.ndarray, targets: np.ndarray, step_size: np.float32) -> np.ndarray:
        back = np.empty(hidden.shape, np.float32)
        self.learn_kernel(self.weights, self.trace, hidden, targets, step_size, back)
        return back


class MixtureOfSoftmaxes(_Mixture):
    """Distributions are mixed."""

    predict_kernel, learn_kernel = staticmethod(softmaxes_predict), staticmethod(softmaxes_learn)

    def __init__(self, weights: MixtureWeights, window: int):
        super().__init__(weights, window, n_components=window + 1, n_mixed=0)


class MixtureOfContexts(_Mixture):
    """Projected hidden values are mixed, before one softmax."""

    predict_kernel, learn_kernel = staticmethod(contexts_predict), staticmethod(contexts_learn)

    def __init__(self, weights: MixtureWeights, window: int):
        super().__init__(weights, window, n_components=0, n_mixed=window + 1)
