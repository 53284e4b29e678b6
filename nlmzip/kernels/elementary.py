"""Elementary functions in float32 from + - * / and bit operations alone.

The C library's exp and tanh differ between machines, and even between CPUs of one
machine; these do not. All are plain kernels that vectorise inside a caller's loop.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compile import njit

ONE = np.float32(1.0)
TWO = np.float32(2.0)

_LOG2_E = np.float32(1.44269504)
# log 2 in two parts: the first has trailing zero bits, so that n * part is exact.
_LOG_2_HIGH = np.float32(0.693359375)
_LOG_2_LOW = np.float32(-2.12194440e-4)
# Adding 1.5 * 2^23 rounds a float32 to the nearest integer and leaves it in the low bits.
_ROUND = np.float32(12582912.0)
_ROUND_BITS = np.int32(0x4B400000)
_EXPONENT_BIAS = np.int32(127)
_EXPONENT_SHIFT = np.int32(23)
_LOWEST = np.float32(-87.0)
_HIGHEST = np.float32(88.0)
# Taylor coefficients of e^r from r^3 on: with |r| <= log(2) / 2 the first term left out,
# r^8 / 8!, is below a hundredth of a unit in the last place.
_C3 = np.float32(1.0 / 6.0)
_C4 = np.float32(1.0 / 24.0)
_C5 = np.float32(1.0 / 120.0)
_C6 = np.float32(1.0 / 720.0)
_C7 = np.float32(1.0 / 5040.0)
_HALF = np.float32(0.5)
# log: the bits of sqrt(1/2), and coefficients of artanh(s) / s - 1 in s^2.
_ROOT_BITS = np.int32(0x3F3504F3)
_A3, _A5, _A7, _A9 = (np.float32(1.0 / n) for n in (3, 5, 7, 9))
_SATURATED = np.float32(10.0)
_CLOSED = np.float32(-30.0)


@intrinsic
def bits_of_float32(typing_context, value):
    """The int32 with the same bits as a float32."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.int32(types.float32), generate


@intrinsic
def float32_of_bits(typing_context, bits):
    """The float32 with the same bits as an int32."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


@njit
def exp(x):
    """e^x, float32, within 2 units in the last place; x is clamped to [-87, 88]."""
    return exp_within(min(max(x, _LOWEST), _HIGHEST))


@njit
def exp_within(x):
    """exp for an x that is known to lie in [-87, 88], where clamping would cost time alone."""
    rounded = x * _LOG2_E + _ROUND
    n = rounded - _ROUND
    r = (x - n * _LOG_2_HIGH) - n * _LOG_2_LOW
    tail = (((_C7 * r + _C6) * r + _C5) * r + _C4) * r + _C3
    series = ((tail * r + _HALF) * r) * r + r + ONE
    exponent = (bits_of_float32(rounded) - _ROUND_BITS) + _EXPONENT_BIAS
    return series * float32_of_bits(np.int32(exponent << _EXPONENT_SHIFT))


@njit
def tanh(x):
    """Hyperbolic tangent, float32, absolute error below 2e-7."""
    doubled = exp(TWO * min(max(x, -_SATURATED), _SATURATED))
    return (doubled - ONE) / (doubled + ONE)


@njit
def sigmoid(x):
    """1 / (1 + e^-x), float32, within 4 units in the last place; x counts as -30 at least."""
    return ONE / (ONE + exp(-max(x, _CLOSED)))


@njit
def log(x):
    """Natural logarithm, float32, absolute error below 1e-6; x a positive normal number."""
    bits = bits_of_float32(x)
    exponent = np.int32((bits - _ROOT_BITS) >> _EXPONENT_SHIFT)
    # x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh((m - 1) / (m + 1)).
    m = float32_of_bits(np.int32(bits - (exponent << _EXPONENT_SHIFT)))
    s = (m - ONE) / (m + ONE)
    square = s * s
    tail = (((_A9 * square + _A7) * square + _A5) * square + _A3) * square
    n = np.float32(exponent)
    return (n * _LOG_2_LOW + TWO * (s * tail + s)) + n * _LOG_2_HIGH
