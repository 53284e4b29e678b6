"""How far back a token's loss reaches: norms of gradients through time.

Measured by backpropagation through time (Werbos 1990) on an unrolled network. With J_t the
Jacobian dh_t / dh_(t-1),

    |d loss_t / d h_(t-m)|  <=  |d loss_t / d h_t| * |dh_t / dh_(t-m)|,
    |dh_t / dh_(t-m)|  <=  |J_t| |J_(t-1)| ... |J_(t-m+1)|  <=  |W_h|^m

(Pascanu et al. 2013; norms of vectors are Euclidean, those of matrices spectral). Called by
payload.py.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .spectral_norm import spectral_norms


class GradientNorms(NamedTuple):
    """Norms by token t and lag m, token after token, each with its lags in order.

    loss: |d loss_t / d h_(t-m)| of every token, m = 0, 1 ... ; jacobians: |dh_t / dh_(t-m)|
    of the first tokens, m = 1, 2 ... ; the first of each is |J_t|. Both float64. A token's
    lags end at the first state of its sentence (or text), and at the most that was asked for.
    """

    loss: np.ndarray
    jacobians: np.ndarray


def gradient_norms(
    network, restarts: np.ndarray, n_lags: int, n_jacobians: int, progress: Callable[[int], None]
) -> GradientNorms:
    """The norms on a network of recurrence.py.

    restarts: as it took them; n_jacobians: the tokens whose Jacobians are measured.
    progress is called with the tokens that are done, of T + n_jacobians.
    """
    n_tokens = len(restarts)
    starts = [*np.flatnonzero(restarts), n_tokens]
    lags = _positions(starts)
    np.minimum(lags, n_lags, out=lags)
    at_state = network.output_gradients()
    norms = np.empty((n_tokens, n_lags + 1))
    norms[:, 0] = np.linalg.norm(at_state, axis=1)
    for begin, end in pairwise(starts):
        for time in range(end - 1, begin, -1):
            reached = slice(time, min(end, time + n_lags))
            at_state[reached] = network.pull_back(time, at_state[reached])
            tokens = np.arange(reached.start, reached.stop)
            norms[tokens, tokens - time + 1] = np.linalg.norm(at_state[reached], axis=1)
            if time % 1024 == 0:
                progress(end - time)
        progress(end)
    loss = norms[np.arange(n_lags + 1) <= lags[:, None]]

    jacobians = []
    for token in range(n_jacobians):
        jacobians.append(spectral_norms(_jacobians(network, token, lags[token])))
        progress(n_tokens + token)
    return GradientNorms(loss, np.concatenate([np.empty(0), *jacobians]))


def _positions(starts: list[int]) -> np.ndarray:
    """How many states of its sentence stand before each token's, int64 (T,)."""
    return np.concatenate([np.arange(end - begin) for begin, end in pairwise(starts)])


def _jacobians(network, token: int, n_lags: int) -> np.ndarray:
    """dh_t / dh_(t-m) for m = 1 .. n_lags: (n_lags, s, s)."""
    size = network.states.shape[1]
    product = np.eye(size, dtype=network.states.dtype)
    products = np.empty((n_lags, size, size), product.dtype)
    for lag in range(n_lags):
        product = network.pull_back(token - lag, product)
        products[lag] = product
    return products
