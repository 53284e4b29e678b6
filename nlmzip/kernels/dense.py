"""Dense kernels over float32 arrays with the order of every sum written down.

Two orders occur. A matrix-vector product adds one scaled row after another, so each
output is a sum over rows in order, whatever the vector width. A dot product keeps 32
partial sums (element i goes to sum i mod 32) and folds them in a halving tree.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compile import njit
from .elementary import ONE, exp, sigmoid, tanh

#: Number of partial sums of a reduction.
LANES = 32
#: Weights that move while coding stay within this bound: no overflow, hence no NaN.
WEIGHT_LIMIT = np.float32(64.0)

_ZERO = np.float32(0.0)
_LOWEST_LOGIT = np.float32(-30.0)


@intrinsic
def _dot_lanes(typing_context, a, b, lanes):
    """lanes[j] = sum of a[i] * b[i] over i = j, j + 32, ... in the whole blocks of 32.

    numba keeps an array of partial sums in memory; a vector value stays in registers,
    which is eight times as fast. Vectors are a fiction of the code generator: each
    element is an ordinary IEEE addition on every target.
    """

    def generate(context, builder, signature, arguments):
        a, b, lanes = (
            context.make_array(type_)(context, builder, value)
            for type_, value in zip(signature.args, arguments)
        )
        vector = ir.VectorType(ir.FloatType(), LANES)
        sums = cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * LANES))
        width = ir.Constant(a.nitems.type, LANES)

        def load(array, offset):
            pointer = builder.gep(array.data, [offset])
            value = builder.load(builder.bitcast(pointer, vector.as_pointer()))
            value.align = 4
            return value

        with cgutils.for_range(builder, builder.udiv(a.nitems, width)) as loop:
            offset = builder.mul(loop.index, width)
            product = builder.fmul(load(a, offset), load(b, offset))
            builder.store(builder.fadd(builder.load(sums), product), sums)
        stored = builder.store(
            builder.load(sums), builder.bitcast(lanes.data, vector.as_pointer())
        )
        stored.align = 4
        return context.get_dummy_value()

    return types.void(a, b, lanes), generate


@njit
def fold(lanes):
    """Sum of 32 partial sums: halves are added until one is left."""
    width = LANES // 2
    while width:
        for lane in range(width):
            lanes[lane] += lanes[lane + width]
        width //= 2
    return lanes[0]


@njit
def dot(a, b, lanes):
    """Dot product of two contiguous float32 vectors, as long as `a`; `lanes` is scratch, float32 (32,)."""
    _dot_lanes(a, b, lanes)
    whole = a.size - a.size % LANES
    for lane in range(a.size - whole):
        lanes[lane] += a[whole + lane] * b[whole + lane]
    return fold(lanes)


@njit
def affine(x, weights, bias, out):
    """out = x @ weights + bias: (K,), (K, N), (N,) -> (N,)."""
    for column in range(out.size):
        out[column] = bias[column]
    add_product(x, weights, out)


@njit
def add_product(x, weights, out):
    """out += x @ weights, one row of the weights after the other."""
    for row in range(x.size):
        factor = x[row]
        for column in range(out.size):
            out[column] += factor * weights[row, column]


@njit
def tanh_in_place(x):
    for index in range(x.size):
        x[index] = tanh(x[index])


@njit
def sigmoid_in_place(x):
    for index in range(x.size):
        x[index] = sigmoid(x[index])


@njit
def softmax_in_place(logits, lanes):
    """Turn logits (N,) into probabilities; a logit 30 below the largest counts as that."""
    size = logits.size
    whole = size - size % LANES
    for lane in range(LANES):
        lanes[lane] = logits[0]
    for first in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] = max(lanes[lane], logits[first + lane])
    for index in range(whole, size):
        lanes[0] = max(lanes[0], logits[index])
    largest = lanes[0]
    for lane in range(1, LANES):
        largest = max(largest, lanes[lane])

    for index in range(size):
        logits[index] = exp(max(logits[index] - largest, _LOWEST_LOGIT))
    for lane in range(LANES):
        lanes[lane] = _ZERO
    for first in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] += logits[first + lane]
    for lane in range(size - whole):
        lanes[lane] += logits[whole + lane]
    scale = ONE / fold(lanes)
    for index in range(size):
        logits[index] *= scale


@njit
def multiply_transposed(gradients, weights, lanes, out):
    """out = gradients @ weights.T: (T, N), (K, N) -> (T, K); more columns of weights do not count."""
    for row in range(weights.shape[0]):
        for time in range(gradients.shape[0]):
            out[time, row] = dot(gradients[time], weights[row], lanes)


@njit
def _clamp(weight):
    return min(max(weight, -WEIGHT_LIMIT), WEIGHT_LIMIT)


@njit
def descend(weights, activations, gradients, step):
    """weights -= step * activations.T @ gradients: (K, N), (T, K), (T, N); time in order.

    Four times are taken at once, which spares memory traffic and changes no bit. More
    columns of weights stay as they are.
    """
    times, columns = gradients.shape
    for row in range(weights.shape[0]):
        target = weights[row]
        time = 0
        while time + 4 <= times:
            a = step * activations[time, row]
            b = step * activations[time + 1, row]
            c = step * activations[time + 2, row]
            d = step * activations[time + 3, row]
            for column in range(columns):
                moved = (target[column] - a * gradients[time, column]) - b * gradients[time + 1, column]
                moved = (moved - c * gradients[time + 2, column]) - d * gradients[time + 3, column]
                target[column] = _clamp(moved)
            time += 4
        while time < times:
            a = step * activations[time, row]
            for column in range(columns):
                target[column] = _clamp(target[column] - a * gradients[time, column])
            time += 1


@njit
def descend_bias(bias, gradients, step):
    """bias -= step * sum of gradients over time: (N,), (T, N)."""
    for time in range(gradients.shape[0]):
        descend_row(bias, gradients[time], step)


@njit
def descend_row(row, gradient, step):
    """row -= step * gradient, both (N,)."""
    for column in range(row.size):
        row[column] = _clamp(row[column] - step * gradient[column])
