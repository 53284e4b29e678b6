"""Arithmetic of the naive twins: hashes, the logistic domain, adaptive probabilities."""

import functools
import math

import numpy as np

F = np.float32
MASK_64 = (1 << 64) - 1
LANES = 16


def mix_hash(value: int, more: int) -> int:
    mixed = (value + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9 + more * 0x94D049BB133111EB
    mixed &= MASK_64
    mixed = (mixed ^ mixed >> 31) * 0x9E3779B97F4A7C15 & MASK_64
    return mixed ^ mixed >> 29


def exp(x):
    """e^x in float32: x = n log 2 + r, seven terms of the series of e^r, times 2^n."""
    x = min(max(x, F(-87)), F(88))
    n = np.rint(x * F(1.44269504))
    r = (x - n * F(0.693359375)) - n * F(-2.12194440e-4)
    series = F(1 / 5040)
    for coefficient in (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2):
        series = series * r + F(coefficient)
    return np.ldexp(series * r * r + r + F(1), int(n))


def squash(logit):
    return F(1) / (F(1) + exp(-logit))


@functools.cache
def stretch(probability: int):
    """The logit of a 16-bit probability, whose four lowest bits do not count."""
    p = ((probability >> 4) + 0.5) / 4096
    return F(math.log(p / (1 - p)))


def clamp(logit):
    return min(max(logit, F(-11.5)), F(11.5))


def dot(weights, inputs):
    """16 partial sums and a halving tree."""
    sums = np.zeros(LANES, np.float32)
    for product in (weights * inputs).reshape(-1, LANES):
        sums = sums + product
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    return sums[0]


def signed(value, positive):
    return value if positive else -value


class Probability:
    """A 16-bit probability of a one that moves by 65536 / (n + 3/2), n at most 62."""

    def __init__(self, value=32768, seen=0):
        self.value, self.seen = int(value), int(seen)

    def move(self, bit, rate=None):
        """Towards the bit; with a fixed rate nothing is counted."""
        if rate is None:
            rate = (1 << 17) // (2 * self.seen + 3)
            self.seen = min(self.seen + 1, 62)
        moved = self.value + ((bit * 65535 - self.value) * rate >> 16)
        self.value = min(max(moved, 16), 65519)

    @property
    def margin(self):
        """Twice the distance from a half, float32."""
        return F(self.value - 32768) / F(16384)
