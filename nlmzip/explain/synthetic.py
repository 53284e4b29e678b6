"""The same gradients on a network that was not trained, for any spectral norm of its W_h.

h_t = f(x_t + h_(t-1) W_h) with f = tanh or nothing, x_t and W_h arbitrary, W_h scaled to the
norm. Called by payload.py; the page's slider picks a row.
"""

import numpy as np

SIZE = 32  # units
N_LAGS = 24
#: The spectral norms that the slider offers.
NORMS = np.arange(5, 81) / 20  # 0.25 .. 4
_STEPS_BEFORE = 16  # so that the state no longer knows where it began


def synthetic() -> dict:
    """Lists of norms, a row for each of NORMS, an entry for each lag m = 0 .. N_LAGS.

    linear, tanh: |dh_t / dh_(t-m)|; steps: the product of the per-step norms with the tanh.
    radius: the spectral radius of W_h where its norm is one.
    """
    direction, inputs = network()
    radius = np.abs(np.linalg.eigvals(direction)).max()
    linear = _norms([np.ones(SIZE)] * N_LAGS, direction)[0]  # W^m scales by the norm's power
    rows = [_norms(_slopes(inputs, norm * direction), norm * direction) for norm in NORMS]
    powers = NORMS[:, None] ** np.arange(N_LAGS + 1)
    return {
        "spectral_norms": NORMS.tolist(),
        "radius": float(radius),
        "linear": _short(linear * powers),
        "tanh": _short([jacobians for jacobians, _ in rows]),
        "steps": _short([steps for _, steps in rows]),
    }


def network() -> tuple[np.ndarray, np.ndarray]:
    """W_h with a spectral norm of one, (SIZE, SIZE), and the x_t, (steps, SIZE)."""
    generator = np.random.default_rng(5)
    direction = generator.standard_normal((SIZE, SIZE))
    inputs = generator.standard_normal((_STEPS_BEFORE + N_LAGS, SIZE)) / 2
    return direction / np.linalg.norm(direction, 2), inputs


def _slopes(inputs: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """1 - h_t^2 of the last N_LAGS states, the last one first."""
    state = np.zeros(SIZE)
    slopes = []
    for each in inputs:
        state = np.tanh(each + state @ weights)
        slopes.append(1 - state * state)
    return slopes[: -N_LAGS - 1 : -1]


def _norms(slopes: list[np.ndarray], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Norms of the products of Jacobians diag(slopes) W^T, and products of their norms."""
    product, jacobians, steps = np.eye(SIZE), [1.0], [1.0]
    for slope in slopes:
        product = (product * slope) @ weights.T
        jacobians.append(np.linalg.norm(product, 2))
        steps.append(steps[-1] * np.linalg.norm(slope[:, None] * weights.T, 2))
    return np.array(jacobians), np.array(steps)


def _short(rows) -> list[list[float]]:
    """Four digits of each number, which a curve does not need more of."""
    return [[float(f"{value:.4g}") for value in row] for row in rows]
