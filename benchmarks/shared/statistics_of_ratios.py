"""Ratios of sums over sentences, such as bits per character, and their standard errors.

Sentences are the sampling units: tokens of one sentence are not independent, sentences
are. Called by heldout_table.py.
"""

import math
from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """A value and its standard error."""

    value: float
    standard_error: float

    def __format__(self, specification: str) -> str:
        """Value and error in brackets: `f"{estimate:.4f}"` gives 0.5545 (0.0059)."""
        return f"{self.value:{specification}} ({self.standard_error:{specification.lstrip('+')}})"


def ratio(x: np.ndarray, y: np.ndarray) -> Estimate:
    """sum(x) / sum(y) over n sampling units, both (n,), n at least 2.

    The standard error is that of the linearised ratio (Cochran 1977, section 6.4): with
    r the ratio, sqrt(n / (n - 1) * sum((x_i - r y_i)^2)) / sum(y). Where x is a difference
    of two models' losses on the same units, it is the paired standard error.
    """
    n = len(x)
    value = float(x.sum() / y.sum())
    residuals = x - value * y
    spread = math.sqrt(n / (n - 1) * float((residuals**2).sum())) if n > 1 else math.nan
    return Estimate(value, spread / float(y.sum()))
