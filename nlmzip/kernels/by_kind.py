"""Kernels that are chosen by the kind of their first argument while their caller is compiled.

A kind is a class of named tuples. A function declared with `by_kind` says what all kinds have
to offer; `of(kind)` registers the kernel of one:

    @by_kind
    def begin_source(source):
        '''Fill the source's trees before a byte is coded.'''

    @begin_source.of(Bytes)
    @part
    def _begin(source): ...

A kernel that calls begin_source(source) calls the one for its type, at no cost. Unlike with a
branch, what is not of this kind is not even compiled; and a kind is added without a change to
those that call it. Called by engine/.
"""

from collections.abc import Callable
from functools import partial

from numba import types
from numba.extending import overload

from .compile import PART_FLAGS

#: Let kernels call a function by the types of its arguments, which the decorated one is told; it
#: returns what to compile.
by_types = partial(overload, jit_options=PART_FLAGS, inline="always")

#: How a function of so many arguments hands them on.
_FORWARD = {
    1: lambda kernel: lambda a: kernel(a),
    2: lambda kernel: lambda a, b: kernel(a, b),
    3: lambda kernel: lambda a, b, c: kernel(a, b, c),
    4: lambda kernel: lambda a, b, c, d: kernel(a, b, c, d),
    5: lambda kernel: lambda a, b, c, d, e: kernel(a, b, c, d, e),
    6: lambda kernel: lambda a, b, c, d, e, f: kernel(a, b, c, d, e, f),
}


def by_kind(function: Callable) -> Callable:
    """Let kernels call `function`, of at most six arguments, by the kind of the first."""
    kernels: dict[type, Callable] = {}

    def of(kind: type) -> Callable:
        def register(kernel: Callable) -> Callable:
            kernels[kind] = kernel
            return kernel

        return register

    @by_types(function, strict=False)
    def choose(*arguments):
        kind = arguments[0].instance_class if isinstance(arguments[0], types.BaseNamedTuple) else None
        return _FORWARD[len(arguments)](kernels[kind]) if kind in kernels else None

    function.of = of
    return function
