"""Spectral norms of many matrices at once; called by gradients.py and synthetic.py."""

import numpy as np

#: Steps of Lanczos' iteration: the norms are then exact to 1e-4 and mostly far better.
_STEPS = 24


def spectral_norms(matrices: np.ndarray) -> np.ndarray:
    """The largest singular value of each matrix, (n, s, s) -> float64 (n,); else infinity.

    The largest eigenvalue of A^T A by the iteration of Lanczos (1950), from one vector, which
    approaches it from below; several times as fast as all singular values.
    """
    n, size = matrices.shape[:2]
    largest = np.abs(matrices).max(axis=(1, 2), initial=0.0)
    finite = np.isfinite(largest)
    scale = np.where(finite & (largest > 0), largest, 1).astype(matrices.dtype)
    scaled = matrices / scale[:, None, None]  # squares neither overflow nor vanish
    scaled[~finite] = 0
    transposed = scaled.transpose(0, 2, 1)
    steps = min(_STEPS, size)
    diagonal, beside = np.zeros((n, steps)), np.zeros((n, steps))
    before = np.zeros((n, size, 1), matrices.dtype)
    vector = np.random.default_rng(1).standard_normal((1, size, 1)).astype(matrices.dtype)
    vector = np.repeat(vector / np.linalg.norm(vector), n, axis=0)
    length = np.zeros((n, 1, 1), matrices.dtype)
    for step in range(steps):
        product = transposed @ (scaled @ vector)
        share = (vector * product).sum(axis=1, keepdims=True)
        product -= share * vector + length * before
        diagonal[:, step] = share[:, 0, 0]
        length = np.sqrt((product * product).sum(axis=1, keepdims=True))
        beside[:, step] = length[:, 0, 0]
        before, vector = vector, product / np.where(length > 0, length, 1)
    tridiagonal = np.zeros((n, steps, steps))
    index = np.arange(steps)
    tridiagonal[:, index, index] = diagonal
    tridiagonal[:, index[1:], index[:-1]] = beside[:, :-1]  # eigvalsh reads the lower half
    eigenvalues = np.linalg.eigvalsh(tridiagonal)[:, -1]
    return np.where(finite, np.sqrt(np.maximum(eigenvalues, 0)) * scale, np.inf)
