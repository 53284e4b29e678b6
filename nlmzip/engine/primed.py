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
from . import profiles, tables
from .geometry import CALIBRATIONS, CURVES, HISTORIES, POINTS
from .profiles import DEFAULT_DESIGN, Design
from .tables import squash

#: The shipped start of the default level.
VERSION = profiles.LEVELS[profiles.DEFAULT].start
FOLDER = Path(__file__).parents[1] / "pretrained" / "engine"

_FLOATS = ("weights", "final", "rate", "by_byte")
_HALF = np.float32(0.5)
_UNTRAINED_RATE = 0.02
# Steps from 0 to 1 of a rounded start.
_WEIGHT_STEPS, _CURVE_STEPS = 256, 512


class Start(NamedTuple):
    """The arrays that are copied into a new engine; floats may be of any width.

    Sizes are those of a design (profiles.py): contexts and matches are its kinds and matches.
    """

    weights: np.ndarray  # (inputs * sum(set_sizes),)
    final: np.ndarray  # (sum(final_sizes), sets)
    rate: np.ndarray  # (1,): the first learning rate of the weights; or (3,): with the last, and the final mixer's
    history: np.ndarray  # uint16 (contexts, 1024)
    history_seen: np.ndarray  # uint8 (contexts, 1024), at most 62
    run: np.ndarray  # uint16 (contexts, 64)
    match: np.ndarray  # uint16 (matches * match_classes,)
    order_0: np.ndarray  # uint16 (256,)
    order_0_seen: np.ndarray  # uint8 (256,), at most 62
    by_byte: np.ndarray  # (CURVES, 33)
    # Of finer designs only, see finer.py: uint16 and uint8 (contexts, 512), at most 62.
    calibration: np.ndarray = np.zeros((0, CALIBRATIONS), np.uint16)
    calibration_seen: np.ndarray = np.zeros((0, CALIBRATIONS), np.uint8)


@njit(borrowing=True)
def _fill_curve(curve):
    for point in range(curve.size):
        curve[point] = squash(np.float32(point - 16) * _HALF)


def first_curve() -> np.ndarray:
    """The curve that changes no probability, float32 (33,)."""
    curve = np.empty(POINTS, np.float32)
    _fill_curve(curve)
    return curve


def first_calibration() -> np.ndarray:
    """A calibration that changes no probability, uint16 (CALIBRATIONS,)."""
    middles = (np.arange(CALIBRATIONS) % 32) * 2048 + 1024
    return middles.astype(np.uint16)


def untrained(design: Design = DEFAULT_DESIGN) -> Start:
    """The start before any text: all inputs count alike."""
    contexts, sets = len(design.kinds), len(design.selectors)
    share = np.float32(1) / np.float32(sets)
    start = Start(
        weights=np.full(design.inputs * sum(design.set_sizes), design.first_weight, np.float32),
        final=np.full((sum(design.final_sizes), sets), share, np.float32),
        rate=np.full(1, _UNTRAINED_RATE, np.float32),
        history=np.tile(tables.first_history_probabilities(), (contexts, 1)),
        history_seen=np.zeros((contexts, HISTORIES), np.uint8),
        run=np.full((contexts, 64), 49152, np.uint16),
        match=np.full(len(design.matches) * design.match_classes, 49152, np.uint16),
        order_0=np.full(256, 32768, np.uint16),
        order_0_seen=np.zeros(256, np.uint8),
        by_byte=np.tile(first_curve(), (CURVES, 1)),
    )
    if design.finer:
        start = start._replace(
            calibration=np.tile(first_calibration(), (contexts, 1)),
            calibration_seen=np.zeros((contexts, CALIBRATIONS), np.uint8),
        )
    return start


def widened(start: Start, design: Design) -> Start:
    """A start for a design with more contexts at the end of its kinds than this one was learnt for.

    They begin as the last one does, with which they share its weights.
    """
    known = len(start.history)
    sharing = len(design.kinds) - known + 1
    rows = start.weights.reshape(sum(design.set_sizes), -1)
    # Of this start's inputs: where the last context's begin, and those that are of no context.
    last, others = (known - 1) * design.context_inputs, known * design.context_inputs
    n_others = design.bias_input + 1 - design.match_input
    wider = np.zeros((len(rows), design.inputs), np.float32)
    wider[:, :last] = rows[:, :last]
    wider[:, last : design.match_input] = np.tile(rows[:, last:others] / np.float32(sharing), (1, sharing))
    wider[:, design.match_input :][:, :n_others] = rows[:, others:][:, :n_others]
    learnt = ("history", "history_seen", "run", "calibration", "calibration_seen")
    repeated = np.minimum(np.arange(len(design.kinds)), known - 1)
    arrays = {name: array[repeated] for name in learnt if (array := getattr(start, name)).size}
    return start._replace(weights=wider.ravel(), **arrays)


def path(number: int) -> Path:
    """The file of a shipped start. Raises ModelError for a number that this version lacks."""
    level = profiles.of_start(number)
    if level is None:
        raise ModelError(f"it needs engine start {number}; upgrade nlmzip")
    return FOLDER / f"{level.file}{model_file.SUFFIX}"


@cache
def shipped(number: int = VERSION) -> Start:
    """The start that archives name so, floats widened to float32; not to be changed.

    Raises ModelError if the package lacks it or it is damaged.
    """
    file = path(number)
    try:
        arrays = model_file.read_file(file).arrays
        start = unpack(arrays)
    except FileNotFoundError:
        raise ModelError(f"engine start {number} is missing; install nlmzip again") from None
    except (ModelError, TypeError):
        start = None
    if start is None or not fits(start, profiles.of_start(number).design):
        raise ModelError(f"{file} is damaged; install nlmzip again")
    return start


def fits(start: Start, design: Design) -> bool:
    """Whether the arrays are of this design and what kernels, which check no bounds, index and compute with."""
    expected = untrained(design)
    if start.rate.shape == (3,):
        expected = expected._replace(rate=np.zeros(3, np.float32))
    same = all(
        (array.shape, array.dtype) == (wanted.shape, wanted.dtype)
        for array, wanted in zip(start, expected, strict=True)
    )
    seen = (start.history_seen, start.order_0_seen, start.calibration_seen)
    return (
        same
        and max(int(each.max(initial=0)) for each in seen) <= tables.MOST_OBSERVATIONS
        and all(np.isfinite(getattr(start, name)).all() for name in _FLOATS)
    )


def rounded(start: Start) -> Start:
    """The start with fewer digits, so that its file is small; floats of float32."""
    weights, curves = np.float32(_WEIGHT_STEPS), np.float32(_CURVE_STEPS)
    return start._replace(
        weights=np.round(start.weights.astype(np.float32) * weights) / weights,
        by_byte=np.round(start.by_byte.astype(np.float32) * curves) / curves,
        final=start.final.astype(np.float16).astype(np.float32),
    )


def pack(start: Start) -> dict[str, np.ndarray]:
    """The arrays of a start's file, but for empty ones: floats as the bits of float16, which compress."""
    packed = {}
    for name, array in start._asdict().items():
        if array.size:
            packed[name] = array.astype(np.float16).view(np.uint16) if name in _FLOATS else array
    return packed


def unpack(arrays: dict[str, np.ndarray]) -> Start:
    """The start of a file's arrays, floats widened exactly. Raises TypeError if some are missing."""
    return Start(
        **{
            name: array.view(np.float16).astype(np.float32) if name in _FLOATS else array
            for name, array in arrays.items()
        }
    )
