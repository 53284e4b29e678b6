"""The logistic domain: the logit of each probability, made of integers' logarithms by a fixed series."""

import numpy as np

#: Entries of the table: a 16-bit probability without its four lowest bits.
STRETCH_SIZE = 1 << 12
#: Logits are clamped to this: p between 1e-5 and 1 - 1e-5.
LARGEST_LOGIT = np.float32(11.5)


def _natural_logarithms(size: int) -> list[float]:
    """log 1 ... log (size - 1) at their index, by log k = log (k - 1) + 2 artanh(1 / (2k - 1))."""
    logarithms = [0.0, 0.0]
    for k in range(2, size):
        x = 1.0 / (2 * k - 1)
        square, term, artanh, n = x * x, x, 0.0, 1
        while term > 1e-20:
            artanh += term / n
            term *= square
            n += 2
        logarithms.append(logarithms[-1] + 2.0 * artanh)
    return logarithms


def stretch_table() -> np.ndarray:
    """log(p / (1 - p)), float32 (4096,), at p = (i + 1/2) / 4096."""
    logarithms = _natural_logarithms(2 * STRETCH_SIZE)
    odds = [
        logarithms[2 * i + 1] - logarithms[2 * (STRETCH_SIZE - i) - 1] for i in range(STRETCH_SIZE)
    ]
    return np.array(odds, np.float32)
