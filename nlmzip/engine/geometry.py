"""How large everything in the engine is, in one place: what kernels index, and what memory it takes.

Needs neither numpy nor numba. Read by profiles.py, the kernels, memory.py, and plan/memory.py.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .profiles import Design

#: Numbers, of two bytes, of a slot: counters.py and finer.py say what they are.
SLOT, FINER_SLOT = 32, 64
#: Inputs that a context gives the mixer.
CONTEXT_INPUTS, FINER_CONTEXT_INPUTS = 4, 8
#: Inputs of a match model, and classes of trust that it tells apart: twice as many where matches
#: recover, of which FAILED and more are for those that failed before.
MATCH_INPUTS = 2
MATCH_CLASSES, FAILED = 64, 32
#: Inputs are padded with zeros to a multiple of this: partial sums of a dot product.
LANES = 16
#: Bit histories, and places of a calibration (finer.py).
HISTORIES, CALIBRATIONS = 1 << 10, 1 << 9
#: Curves of a secondary estimation, and their points.
CURVES, POINTS = 1 << 16, 33
#: Further secondary estimations of finer designs.
FURTHER = 3

_PLACES = 1 << 18  # of a match model; twice as many in finer designs
#: Slots: a multiple of the places where one may stand, as a power of two (inputs/counters.py).
_LEAST_SLOTS = 1 << 12
_STRUCTURE = 1 << 20  # bytes that finer designs keep of a text's structure, at most
_OF_A_FLOAT, _OF_A_NUMBER, _OF_A_PLACE = 4, 2, 8


def padded(inputs: int) -> int:
    """Inputs with those that fill the last vector."""
    return -(-inputs // LANES) * LANES


def n_slots(n_bytes: int, n_contexts: int, most: int) -> int:
    """Slots that all contexts share: enough for a text of this size, and at most `most`."""
    return min(max(1 << (n_contexts * n_bytes).bit_length(), _LEAST_SLOTS), most)


def places_shape(design: "Design") -> tuple[int, int]:
    """Match models, and places of each."""
    return len(design.matches), _PLACES << design.finer


def curve_shapes(design: "Design") -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Curves and points: by the last byte, by the last three (one where they have none), further ones."""
    by_trigram = CURVES if design.curves > 1 else 1
    return (CURVES, POINTS), (by_trigram, POINTS), (FURTHER * CURVES * design.finer, POINTS)


def _n_bytes_of_moving(design: "Design") -> int:
    """Bytes of what moves with every byte, about: weights, maps, structure."""
    weights = _OF_A_FLOAT * design.inputs * sum(design.set_sizes)
    of_a_context = 3 * (HISTORIES + CALIBRATIONS * design.finer)
    return weights + len(design.kinds) * of_a_context + _STRUCTURE * design.finer


def n_bytes(design: "Design", n_slots: int) -> int:
    """Bytes of the arrays of an engine with so many slots, about."""
    curves = _OF_A_FLOAT * sum(rows * points for rows, points in curve_shapes(design))
    matches, places = places_shape(design)
    slots = _OF_A_NUMBER * design.slot_size * n_slots
    return slots + _OF_A_PLACE * matches * places + curves + _n_bytes_of_moving(design)


def n_bytes_shared(design: "Design") -> int:
    """Bytes of what engines of this design begin with, about: a start, and what is copied of it."""
    return 2 * _n_bytes_of_moving(design) + _OF_A_FLOAT * CURVES * POINTS
