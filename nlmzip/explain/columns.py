"""Numbers as the page carries them: columns in base64, rounded to a step that is stated.

A page of 200 KB of text has a million numbers; two bytes each keep it small. The page's
script (page/data.js) reads them again. Called by payload.py.
"""

import base64

import numpy as np

_LARGEST = (1 << 16) - 1


def rounded(values: np.ndarray, step: float, first: float = 0.0) -> dict:
    """A column of `first + step * n`, n in 0 .. 65535, the nearest to each value."""
    numbers = np.rint((np.asarray(values, np.float64) - first) / step)
    codes = np.clip(numbers, 0, _LARGEST).astype("<u2")
    return {"first": first, "step": step, "uint16": _text(codes)}


def floats(values: np.ndarray) -> dict:
    """A column of float32."""
    return {"float32": _text(np.asarray(values, "<f4"))}


def values(column: dict) -> np.ndarray:
    """What the page reads from a column: float64 (n,)."""
    if "float32" in column:
        return np.frombuffer(base64.b64decode(column["float32"]), "<f4").astype(np.float64)
    codes = np.frombuffer(base64.b64decode(column["uint16"]), "<u2")
    return column["first"] + column["step"] * codes


def _text(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")
