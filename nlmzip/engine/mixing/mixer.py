"""The mixture: several sets of weights, each chosen by a small context, and a final mixer.

Each set's chosen weights give one logit, w . x; a final mixer adds these logits up with
weights of its own (Mattern 2013, "Linear and geometric mixtures"; Mahoney 2005). All
weights move after every bit by gradient descent on its coding cost: (bit - p) x.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ...entropy.logistic import LARGEST_LOGIT
from ...kernels import part
from ..geometry import LANES
from ..tables import squash

# Places in `rates`: of the weights now and at last, and of the final mixers.
_NOW, _AT_LAST, _FINAL = range(3)
#: The learning rate of the weights falls by this factor a byte.
_RATE_DECAY = np.float32(0.99997)

_NOTHING = np.float32(0.0)


_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _vector_place(builder, array, offset):
    """Pointer to the LANES numbers of an array that begin at an offset."""
    return builder.bitcast(builder.gep(array.data, [offset]), _VECTOR.as_pointer())


def _load(builder, pointer):
    value = builder.load(pointer)
    value.align = 4
    return value


@intrinsic
def _dot(typing_context, weights, first, inputs):
    """Sum of weights[first + i] * inputs[i], 16 partial sums folded in a halving tree.

    Vector values stay in registers; each of their elements is an ordinary IEEE number.
    """

    def generate(context, builder, signature, arguments):
        weights = context.make_array(signature.args[0])(context, builder, arguments[0])
        inputs = context.make_array(signature.args[2])(context, builder, arguments[2])
        sums = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        width = ir.Constant(inputs.nitems.type, LANES)
        with cgutils.for_range(builder, builder.udiv(inputs.nitems, width)) as loop:
            offset = builder.mul(loop.index, width)
            weight = _load(builder, _vector_place(builder, weights, builder.add(arguments[1], offset)))
            product = builder.fmul(weight, _load(builder, _vector_place(builder, inputs, offset)))
            builder.store(builder.fadd(builder.load(sums), product), sums)
        total, size = builder.load(sums), LANES
        while size > 1:
            size //= 2
            halves = (
                builder.shuffle_vector(
                    total,
                    ir.Constant(total.type, ir.Undefined),
                    ir.Constant(ir.VectorType(ir.IntType(32), size), list(indices)),
                )
                for indices in (range(size), range(size, 2 * size))
            )
            total = builder.fadd(*halves)
        return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

    return types.float32(weights, types.int64, inputs), generate


@intrinsic
def _add_multiple(typing_context, weights, first, inputs, factor):
    """weights[first + i] += factor * inputs[i] for all i."""

    def generate(context, builder, signature, arguments):
        weights = context.make_array(signature.args[0])(context, builder, arguments[0])
        inputs = context.make_array(signature.args[2])(context, builder, arguments[2])
        factors = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(LANES):
            factors = builder.insert_element(factors, arguments[3], ir.Constant(ir.IntType(32), lane))
        width = ir.Constant(inputs.nitems.type, LANES)
        with cgutils.for_range(builder, builder.udiv(inputs.nitems, width)) as loop:
            offset = builder.mul(loop.index, width)
            pointer = _vector_place(builder, weights, builder.add(arguments[1], offset))
            product = builder.fmul(factors, _load(builder, _vector_place(builder, inputs, offset)))
            builder.store(builder.fadd(_load(builder, pointer), product), pointer, align=4)
        return context.get_dummy_value()

    return types.void(weights, types.int64, inputs, types.float32), generate


@part
def clamp_logit(logit):
    return min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)


@part
def learn_slower(mixer):
    """Let the learning rate fall, before each byte."""
    mixer.rates[_NOW] = max(mixer.rates[_NOW] * _RATE_DECAY, mixer.rates[_AT_LAST])


@part
def choose_weights(choice, mixer, n_inputs):
    """The rows of weights for the small contexts' values."""
    for index in range(choice.selectors.size):
        row = mixer.selected[choice.selectors[index]]
        mixer.chosen[index] = choice.bases[index] + row * n_inputs
    for index in range(mixer.final_chosen.size):
        row = mixer.selected[choice.final_selectors[index]]
        mixer.final_chosen[index] = choice.final_bases[index] + row


@part
def mix(mixer, inputs):
    """The mixed logit of a one; leaves each set's logit and probability in `mixer`.

    inputs: float32 (n,), n a multiple of LANES; mixer.chosen: first weight of each set.
    """
    total = _NOTHING
    row = mixer.final_chosen[0]
    for index in range(mixer.chosen.size):
        logit = clamp_logit(_dot(mixer.weights, mixer.chosen[index], inputs))
        mixer.logits[index] = logit
        mixer.probabilities[index] = squash(logit)
        total += mixer.final[row, index] * logit
    return clamp_logit(total)


@part
def learn_mix(mixer, inputs, probability, bit):
    """One gradient step of every chosen weight; `probability` is the final mixer's."""
    target, rate, final_rate = np.float32(bit), mixer.rates[_NOW], mixer.rates[_FINAL]
    for index in range(mixer.chosen.size):
        error = (target - mixer.probabilities[index]) * rate
        _add_multiple(mixer.weights, mixer.chosen[index], inputs, error)
    error = (target - probability) * final_rate
    row = mixer.final_chosen[0]
    for index in range(mixer.chosen.size):
        mixer.final[row, index] += error * mixer.logits[index]


@part
def mix_finals(mixer, inputs):
    """As `mix` with several final mixers: the mean of their logits."""
    for index in range(mixer.chosen.size):
        logit = clamp_logit(_dot(mixer.weights, mixer.chosen[index], inputs))
        mixer.logits[index] = logit
        mixer.probabilities[index] = squash(logit)
    mean = _NOTHING
    for which in range(mixer.final_chosen.size):
        row = mixer.final_chosen[which]
        total = _NOTHING
        for index in range(mixer.chosen.size):
            total += mixer.final[row, index] * mixer.logits[index]
        total = clamp_logit(total)
        mixer.final_probabilities[which] = squash(total)
        mean += total
    return mean / np.float32(mixer.final_chosen.size)


@part
def learn_mix_finals(mixer, inputs, bit):
    """As `learn_mix` after `mix_finals`: each final mixer learns from its own probability."""
    target, rate, final_rate = np.float32(bit), mixer.rates[_NOW], mixer.rates[_FINAL]
    for index in range(mixer.chosen.size):
        error = (target - mixer.probabilities[index]) * rate
        _add_multiple(mixer.weights, mixer.chosen[index], inputs, error)
    for which in range(mixer.final_chosen.size):
        error = (target - mixer.final_probabilities[which]) * final_rate
        row = mixer.final_chosen[which]
        for index in range(mixer.chosen.size):
            mixer.final[row, index] += error * mixer.logits[index]
