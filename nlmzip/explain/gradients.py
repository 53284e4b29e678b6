"""How far back a token's loss reaches: norms of gradients through time.

Measured by backpropagation through time (Werbos 1990) on an unrolled network. With s_t the
state, which is h_t or the (h_t, c_t) of an LSTM, and J_t the Jacobian ds_t / ds_(t-1),

    |d loss_t / d s_(t-m)|  <=  |d loss_t / d s_t| * |ds_t / ds_(t-m)|,
    |ds_t / ds_(t-m)|  <=  |J_t| |J_(t-1)| ... |J_(t-m+1)|

of any network, and the last is <= |W_h|^m of an Elman network
(Bengio et al. 1994, Pascanu et al. 2013; norms of vectors are Euclidean, those of matrices
spectral). Called by payload.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .losses import Losses
from .recurrence import Unrolled
from .spectral_norm import spectral_norms

#: Tokens that are followed back together; of Jacobians so many that their floats are no more.
_TOKENS_AT_ONCE, _JACOBIANS_AT_ONCE = 4096, 64
_FLOATS = 1 << 22


class GradientNorms(NamedTuple):
    """Norms by token t and lag m, token after token, each with its lags in order.

    loss: |d loss_t / d s_(t-m)| of every token, m = 0, 1 ... ; jacobians: |ds_t / ds_(t-m)|
    of the first tokens, m = 1, 2 ... ; the first of each is |J_t|. Both float64. A token's
    lags end at the first state of its sentence (or text), and at the most that was asked for.
    """

    loss: np.ndarray
    jacobians: np.ndarray


def gradient_norms(
    network: Unrolled,
    losses: Losses,
    restarts: np.ndarray,
    n_lags: int,
    n_jacobians: int,
    progress: Callable[[int], None],
) -> GradientNorms:
    """The norms on a network and its losses.

    restarts: as it took them; n_jacobians: the tokens whose Jacobians are measured.
    progress is called with the tokens that are done, of T + n_jacobians.
    """
    n_tokens, size = network.states.shape
    tokens = np.arange(n_tokens)
    lags = np.minimum(tokens - np.maximum.accumulate(np.where(restarts, tokens, 0)), n_lags)

    def lengths(gradients: np.ndarray) -> np.ndarray:
        return np.linalg.norm(gradients[:, 0], axis=1)

    loss = np.empty((n_tokens, n_lags + 1))
    for begin in range(0, n_tokens, _TOKENS_AT_ONCE):
        block = tokens[begin : begin + _TOKENS_AT_ONCE]
        at_state = np.zeros((block.size, 1, size), network.states.dtype)
        at_state[:, 0, : network.width] = losses.gradients(block)  # nothing else of s_t is read
        loss[block, 0] = lengths(at_state)
        loss[block, 1:] = _norms_back(network, at_state, block, lags[block], n_lags, lengths)
        progress(begin + block.size)

    jacobians = np.empty((n_jacobians, n_lags))
    at_once = max(1, min(_JACOBIANS_AT_ONCE, _FLOATS // (size * size)))
    for begin in range(0, n_jacobians, at_once):
        block = tokens[begin : min(begin + at_once, n_jacobians)]
        identity = np.eye(size, dtype=network.states.dtype)
        identities = np.repeat(identity[None], block.size, axis=0)
        jacobians[block] = _norms_back(
            network, identities, block, lags[block], n_lags, spectral_norms
        )
        progress(n_tokens + begin + block.size)

    numbers = np.arange(n_lags + 1)
    return GradientNorms(
        loss[numbers <= lags[:, None]],
        jacobians[numbers[1:] <= lags[:n_jacobians, None]],
    )


def _norms_back(
    network: Unrolled, gradients: np.ndarray, tokens: np.ndarray, lags: np.ndarray, n_lags: int, norms
) -> np.ndarray:
    """Norms of gradients at the states of `tokens`, (n, rows, s), pulled back: (n, n_lags).

    The tokens follow one another.
    A token's row holds its own `lags`; what follows means nothing. norms: of (n, rows, s).
    """
    found = np.zeros((tokens.size, n_lags))
    steps = network.steps(max(0, tokens[0] - n_lags), tokens[-1] + 1)
    for lag in range(1, n_lags + 1):
        left = lags >= lag
        gradients = gradients[left[lags >= lag - 1]]
        if not len(gradients):
            break
        gradients = steps.pull_back(tokens[left] - lag + 1, gradients)
        found[left, lag - 1] = norms(gradients)
    return found
