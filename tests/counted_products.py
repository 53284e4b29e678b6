"""Arrays that count the multiply-adds of matrix products; called by test_statements.py."""

import numpy as np


class Counted(np.ndarray):
    """As an ndarray; whatever is computed from it counts too. `Counted.multiply_adds` is the sum."""

    multiply_adds = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [np.asarray(each) if isinstance(each, Counted) else each for each in inputs]
        if out is not None:
            options["out"] = tuple(np.asarray(each) for each in out)
        result = getattr(ufunc, method)(*plain, **options)
        if ufunc is np.matmul:
            Counted.multiply_adds += result.size * plain[0].shape[-1]
        if out is not None:
            return out[0]
        return result.view(Counted) if isinstance(result, np.ndarray) else result


def multiply_adds(function, weights: dict, *arguments) -> int:
    """Of one call of function(weights, *arguments)."""
    Counted.multiply_adds = 0
    function({name: array.view(Counted) for name, array in weights.items()}, *arguments)
    return Counted.multiply_adds
