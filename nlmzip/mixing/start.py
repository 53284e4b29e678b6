"""What the engine begins a text with: mixing weights and maps, learnt on texts in general.

A start says nothing of what a text contains, only how far each kind of context can be
trusted. `untrained` is the start before any text; the package ships one that was learnt
(corpora/engine/), in the format of a model file, and an archive names it by its version.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..kernels import njit
from ..models import model_file
from . import counters, match, mixer, refine, tables
from .contexts import CONTEXTS
from .tables import squash

#: Sizes of the small contexts that choose a weight set's weights: partial byte; match and
#: confidence; last byte; classes of the last three bytes; byte before the last; length of
#: the word.
SET_SIZES = (256, 512, 256, 4096, 256, 128)
SETS = len(SET_SIZES)

# Places of the inputs: four of each context, two of the match, order 0, a constant.
MATCH_INPUT = CONTEXTS * counters.INPUTS
ORDER_0_INPUT = MATCH_INPUT + match.INPUTS
BIAS_INPUT = ORDER_0_INPUT + 1
#: All inputs, padded with zeros to whole vectors.
INPUTS = -(-(BIAS_INPUT + 1) // mixer.LANES) * mixer.LANES

#: Curves of each secondary estimation.
CURVES = 1 << 16

#: The shipped start with which archives are written.
VERSION = 1
FOLDER = Path(__file__).parents[1] / "pretrained" / "engine"

_FLOATS = ("weights", "final", "rate", "by_byte")
_HALF = np.float32(0.5)
_UNTRAINED_RATE = 0.02


class Start(NamedTuple):
    """The arrays that are copied into a new engine; floats may be of any width."""

    weights: np.ndarray  # (INPUTS * sum(SET_SIZES),)
    final: np.ndarray  # (256, SETS)
    rate: np.ndarray  # (1,): the first learning rate of the weights
    history: np.ndarray  # uint16 (CONTEXTS, 1024)
    history_seen: np.ndarray  # uint8 (CONTEXTS, 1024), at most 62
    run: np.ndarray  # uint16 (CONTEXTS, 64)
    match: np.ndarray  # uint16 (32,)
    order_0: np.ndarray  # uint16 (256,)
    order_0_seen: np.ndarray  # uint8 (256,), at most 62
    by_byte: np.ndarray  # (CURVES, 33)


@njit
def _fill_curve(curve):
    for point in range(curve.size):
        curve[point] = squash(np.float32(point - 16) * _HALF)


def first_curve() -> np.ndarray:
    """The curve that changes no probability, float32 (33,)."""
    curve = np.empty(refine.POINTS, np.float32)
    _fill_curve(curve)
    return curve


def untrained() -> Start:
    """The start before any text: all inputs count alike."""
    return Start(
        weights=np.full(INPUTS * sum(SET_SIZES), 0.15, np.float32),
        final=np.full((256, SETS), np.float32(1) / np.float32(SETS), np.float32),
        rate=np.full(1, _UNTRAINED_RATE, np.float32),
        history=np.tile(tables.first_history_probabilities(), (CONTEXTS, 1)),
        history_seen=np.zeros((CONTEXTS, tables.HISTORIES), np.uint8),
        run=np.full((CONTEXTS, 64), 49152, np.uint16),
        match=np.full(match.CLASSES, 49152, np.uint16),
        order_0=np.full(256, 32768, np.uint16),
        order_0_seen=np.zeros(256, np.uint8),
        by_byte=np.tile(first_curve(), (CURVES, 1)),
    )


def path(version: int) -> Path:
    """The file of a shipped start."""
    return FOLDER / f"{version}{model_file.SUFFIX}"


@cache
def shipped(version: int = VERSION) -> Start:
    """The start of this version, floats widened to float32; not to be changed.

    Raises ModelError if the package lacks it or it is damaged.
    """
    try:
        model = model_file.read_file(path(version))
        start = Start(*(unpack(model.arrays[name], name) for name in Start._fields))
    except FileNotFoundError:
        if version > VERSION:
            raise ModelError(f"it needs engine start {version}; upgrade nlmzip") from None
        raise ModelError(f"engine start {version} is missing; install nlmzip again") from None
    except (ModelError, KeyError):
        start = None
    if start is None or not _fits(start):
        raise ModelError(f"{path(version)} is damaged; install nlmzip again")
    return start


def _fits(start: Start) -> bool:
    """Whether the arrays are what kernels, which check no bounds, index and compute with."""
    same = all(
        (array.shape, array.dtype) == (expected.shape, expected.dtype)
        for array, expected in zip(start, untrained(), strict=True)
    )
    return (
        same
        and max(start.history_seen.max(), start.order_0_seen.max()) <= tables.MOST_OBSERVATIONS
        and all(np.isfinite(getattr(start, name)).all() for name in _FLOATS)
    )


def pack(start: Start) -> dict[str, np.ndarray]:
    """The arrays of a start's file: floats as the bits of float16, which compress."""
    arrays = start._asdict()
    return arrays | {name: arrays[name].astype(np.float16).view(np.uint16) for name in _FLOATS}


def unpack(array: np.ndarray, name: str) -> np.ndarray:
    """An array of a start's file, floats widened exactly."""
    return array.view(np.float16).astype(np.float32) if name in _FLOATS else array
