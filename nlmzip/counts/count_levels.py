"""Counts in levels about a third apart: close enough to predict with, and few to code."""

import numpy as np

#: Levels 0 (not seen) to LEVELS - 1.
LEVELS = 64
#: Steps of `logarithms` for a doubling.
STEPS = 4


def level_counts() -> np.ndarray:
    """The count that each level stands for, int64 (LEVELS,): 0 to 5 exactly, then by 4/3."""
    counts = [0, 1, 2, 3, 4, 5]
    while len(counts) < LEVELS:
        counts.append(counts[-1] * 4 // 3 + 1)
    return np.array(counts, np.int64)


def upper_borders() -> np.ndarray:
    """The largest count of each level, int64 (LEVELS,): halfway to the next."""
    counts = level_counts()
    return np.append((counts[:-1] + counts[1:]) // 2, np.int64(1) << 40)


def levels_of(counts: np.ndarray) -> np.ndarray:
    """The level of each count, uint8."""
    return np.searchsorted(upper_borders(), counts, side="left").astype(np.uint8)


def logarithms() -> np.ndarray:
    """log2 of each level's count in quarters, rounded down, int64 (LEVELS,); 0 for level 0."""
    return np.array([_quarters(int(count)) for count in level_counts()], np.int64)


def _quarters(count: int) -> int:
    """4 log2 of a count, rounded down, by whole numbers alone: log2 of its fourth power."""
    return max(count**STEPS, 1).bit_length() - 1
