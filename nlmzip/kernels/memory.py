"""Where numbers lie: arrays that begin at a cache line, and fetching a line ahead of its use."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: Bytes of a cache line.
LINE = 64


def zeros_on_lines(shape: tuple[int, int], dtype) -> np.ndarray:
    """Zeros whose first element begins a cache line; whole arrays may straddle two otherwise."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(n_bytes + LINE, np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + n_bytes].view(dtype).reshape(shape)


@intrinsic
def prefetch(typing_context, array, index):
    """Tell the processor that array[index] will be wanted soon; changes nothing.

    index: int64, or a tuple of these for each dimension.
    """

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        held = context.make_array(kind)(context, builder, arguments[0])
        several = isinstance(index, types.BaseTuple)
        indices = cgutils.unpack_tuple(builder, arguments[1]) if several else [arguments[1]]
        place = cgutils.get_item_pointer(context, builder, kind, held, indices, wraparound=False)
        pointer = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", (pointer,), ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        )
        builder.call(fetch, [builder.bitcast(place, pointer), number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate
