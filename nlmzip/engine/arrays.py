"""The arrays of the engine, by how long what they hold lasts.

    fixed     never written: one for all threads
    moving    small: in one block of memory, so that a copy of it begins another text
    the rest  large: memory.py restores what a text has touched

Kernels take an `Engine`. Made by memory.py.
"""

from typing import NamedTuple

import numpy as np

from ..contexts.structure import Structure
from ..counts.store import Store


class Tables(NamedTuple):
    """See tables.py."""

    stretch: np.ndarray
    reciprocal: np.ndarray
    history: np.ndarray
    classes: np.ndarray


class Choice(NamedTuple):
    """What chooses the rows of weights: of each set, and of each final mixer.

    int64 (sets,) and (finals,): which small context chooses, and where the rows begin, in
    weights and in rows of the final mixer.
    """

    selectors: np.ndarray
    bases: np.ndarray
    final_selectors: np.ndarray
    final_bases: np.ndarray


class Fixed(NamedTuple):
    """What no text changes."""

    tables: Tables
    choice: Choice
    kinds: np.ndarray  # int64 (contexts,): the number of each one in contexts/registry.py
    hashed: np.ndarray  # int64 (matches,): how many bytes each match model hashes
    store: Store  # what a training text saw, store.py


class Maps(NamedTuple):
    """Adaptive 16-bit probabilities: of bit histories, runs, match lengths and order 0."""

    history: np.ndarray  # (contexts, 1024)
    history_seen: np.ndarray  # uint8 (contexts, 1024)
    run: np.ndarray  # (contexts, 64)
    match: np.ndarray  # (matches, 64)
    order_0: np.ndarray  # (256,)
    order_0_seen: np.ndarray  # uint8 (256,)


class Mixer(NamedTuple):
    """See mixer.py. chosen: first weight of each set's chosen row."""

    weights: np.ndarray
    chosen: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    final: np.ndarray  # (rows, sets)
    final_chosen: np.ndarray
    final_probabilities: np.ndarray
    selected: np.ndarray  # int64 (small contexts,): the value of each
    rates: np.ndarray  # (3,), the first decays


class Plain(NamedTuple):
    """Designs that have nothing beyond the others; by_design.py."""


class Finer(NamedTuple):
    """Designs of the slow levels, and what moves in these alone; by_design.py."""

    structure: Structure
    calibration: np.ndarray  # uint16 (contexts, 512), finer.py
    calibration_seen: np.ndarray  # uint8 (contexts, 512)


class Moving(NamedTuple):
    """What moves with every byte."""

    maps: Maps
    mixer: Mixer
    inputs: np.ndarray  # float32 (inputs,)
    hashes: np.ndarray  # uint64 (contexts,)
    found: np.ndarray  # uint64 (contexts,): hashes of the present half byte
    current: np.ndarray  # int64 (2, contexts): the slots of this half byte and of this byte
    words: np.ndarray  # uint64 (6,), contexts/basic.py
    layout: np.ndarray  # int64 (4,), contexts/basic.py
    match: np.ndarray  # int64 (matches, 3), match.py
    match_expected: np.ndarray  # int64 (matches,): the bit that each one has next, or -1
    counts: np.ndarray  # int64 (32,), for fill.py
    design: Plain | Finer


class Curves(NamedTuple):
    """Secondary estimation, refine.py: float32 (curves, 33)."""

    by_byte: np.ndarray  # by the last byte
    by_trigram: np.ndarray  # by the last three
    more: np.ndarray  # of finer designs: by other small contexts


class Places(NamedTuple):
    """Where the match models find what stood here before."""

    last: np.ndarray  # int64 (matches, places): a position and `origin`; of this text if above it
    origin: np.ndarray  # int64 (1,)


class Engine(NamedTuple):
    """All that the kernel knows of a text but the bytes."""

    fixed: Fixed
    moving: Moving
    slots: np.ndarray  # uint16 (lines * slot size,)
    curves: Curves
    places: Places


class Here(NamedTuple):
    """The bit that comes next; all int64."""

    recent: int  # the last three bytes
    expected_byte: int  # of the longest match, with how far it is trusted; 0 for none
    partial: int  # the bits of this byte so far, behind a leading one
    bit_position: int  # how many these are
    node: int  # the bits of this half byte so far, behind a leading one


class Mixed(NamedTuple):
    """What the mixture says of a bit, before any refinement."""

    probability: np.float32  # of a one
    point: int  # of its logit's place on all curves, refine.py
    share: np.float32
