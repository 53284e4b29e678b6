"""A digest of the arithmetic that every archive depends on, checked before any coding.

Libraries built with fast-math switch denormals off for a whole process, rounding modes
can be changed, and a compiler could fuse a multiplication with an addition. Any of
these would write archives that no other machine can read. So a few operations whose
results tell such a process from a sound one are run on arguments that the compiler does
not know, and their bits are compared with the one value that stands below.
"""

import zlib

import numpy as np

from ..errors import NlmzipError
from . import floating_mode, njit
from .dense import (
    LANES,
    add_product,
    descend,
    dot,
    multiply_transposed,
    softmax_in_place,
    tanh_in_place,
)
from .elementary import ONE, exp

#: CRC-32 of the results on every sound machine.
EXPECTED = 0xB61B48A3

_WIDTH = 48
_SYMBOLS = 83
_STEPS = 6
_ZERO = np.float32(0.0)

_checked = False


@njit
def _run(probes, activations, weights, lanes, results):
    """Fill `results` (float32): single operations first, then steps of a small network."""
    tiny, third, epsilon = probes[0], probes[1], probes[2]
    # A denormal result, unless they are flushed, and then a denormal operand, unless they count as zero.
    results[0] = (tiny * third) * probes[4]
    results[1] = ONE / probes[3]  # rounding to nearest, up and down
    results[2] = -ONE / probes[3]
    # 1 + 2e + e^2 rounds to 1 + 2e; a fused operation would keep e^2.
    results[3] = (ONE + epsilon) * (ONE + epsilon) - (ONE + (epsilon + epsilon))
    results[4] = np.sqrt(probes[3])
    results[5] = exp(third)
    results[6] = exp(-probes[3])
    logits = np.zeros((1, weights.shape[1]), np.float32)
    back = np.zeros((1, weights.shape[0]), np.float32)
    for step in range(_STEPS):
        hidden = activations[step : step + 1]
        tanh_in_place(hidden[0])
        logits[:] = _ZERO
        add_product(hidden[0], weights, logits[0])
        softmax_in_place(logits[0], lanes)
        logits[0, step] -= ONE
        multiply_transposed(logits, weights, lanes, back)
        descend(weights, hidden, logits, third)
        results[7 + 2 * step] = dot(back[0], hidden[0], lanes)
        results[8 + 2 * step] = weights[step, step]


def digest() -> int:
    """CRC-32 of the self-test's results in this process."""
    # Integers to floats exactly: no random generator, no library function.
    grid = np.arange((_STEPS + _SYMBOLS) * _WIDTH, dtype=np.int64) * 40503 % 65536
    numbers = ((grid - 32768).astype(np.float32) / np.float32(32768.0)).reshape(-1, _WIDTH)
    activations = np.ascontiguousarray(numbers[:_STEPS])
    weights = np.ascontiguousarray(numbers[_STEPS:].T)
    probes = np.array([2.0**-126, 0.0, 2.0**-12, 3.0, 1.0], np.float32)
    probes[1] = np.float32(1.0) / np.float32(3.0)
    results = np.zeros(7 + 2 * _STEPS, np.float32)
    _run(probes, activations, weights, np.zeros(LANES, np.float32), results)
    return zlib.crc32(results.astype("<f4").tobytes())


def require() -> None:
    """Raise NlmzipError unless this process computes what every other machine does."""
    global _checked
    if _checked:
        return
    if not floating_mode.is_sound() or digest() != EXPECTED:
        raise NlmzipError(
            "this process does not compute with IEEE 754 floats (denormals flushed, another "
            "rounding mode, or a broken compiler), so nobody could decode what it writes; "
            "run nlmzip without the library that changes the floating-point mode"
        )
    _checked = True
