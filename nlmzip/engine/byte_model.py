"""Models of bytes: what the engine begins with when a model is named.

A card of kind "mix" says how many counts there are; the arrays are the coded counts and,
for each level of the engine that the model was trained for, a start (engine/primed.py).
Called by codec/mix.py, plan/prepare.py and training/.
"""

from typing import NamedTuple

import numpy as np

from ..counts import cached_store, trie
from ..counts.counts_file import CodedCounts
from ..counts.store import Store
from ..errors import ModelError
from ..models.card import ORDERS
from ..models.model_file import BYTES, Model
from . import geometry
from . import primed as engine_start
from .primed import Start
from .profiles import (
    LEVELS,
    LONG_DESIGN,
    LONG_TEXT,
    LONGEST_DESIGN,
    MOST_SLOTS_BESIDE_COUNTS,
    MOST_SLOTS_OF_LONG,
    Design,
    of_start,
)


class Beginning(NamedTuple):
    """What the engine begins with: how far to trust what, and what was seen before.

    most_slots: how many slots there are at most; beside counts of a text that is not long.
    """

    start: Start
    design: Design
    most_slots: int
    store: Store | None = None

    def n_slots(self, n_bytes: int) -> int:
        """How many slots there are for a text of so many bytes."""
        is_long = self.store is not None and n_bytes > LONG_TEXT
        most = MOST_SLOTS_OF_LONG if is_long else self.most_slots
        return geometry.n_slots(n_bytes, len(self.design.kinds), most)


def entries(coded: CodedCounts, starts: dict[int, Start]) -> tuple[dict, dict[str, np.ndarray]]:
    """What a card and the arrays of a model file say of counts and of each level's start."""
    counts = {key: value for key, value in coded._asdict().items() if key != "payload"}
    if coded.orders == trie.ORDERS:
        del counts[ORDERS]
    card = {
        "kind": BYTES,
        "counts": counts,
        "levels": sorted(starts),
    }
    arrays = {"counts": np.frombuffer(coded.payload, np.uint8)}
    for level, start in starts.items():
        packed = engine_start.pack(start)
        arrays |= {f"level{level}.{name}": array for name, array in packed.items()}
    return card, arrays


def without_model(number: int) -> Beginning:
    """What the engine begins with at a shipped start. Raises ModelError for an unknown number."""
    start, level = engine_start.shipped(number), of_start(number)
    return Beginning(start, level.design, level.most_slots)


def design_of(card: dict, level: int) -> Design:
    """What the engine looks at with this model's card at this level."""
    if card["counts"].get(ORDERS, trie.ORDERS) > trie.ORDERS:
        return LONGEST_DESIGN
    if card["counts"]["words"] > 2:
        return LONG_DESIGN
    return LEVELS[level].design


def beginning(model: Model, level: int) -> Beginning:
    """What the engine begins with at this level.

    Raises ModelError if the model was not trained for it, or is damaged.
    """
    if level not in model.card["levels"]:
        raise ModelError(f"model {model.name} was not trained for level {level}")
    design = design_of(model.card, level)
    try:
        start = engine_start.unpack(model.section(f"level{level}"))
    except (TypeError, ValueError):
        start = None
    if start is None or not engine_start.fits(start, design):
        raise ModelError(f"the start of model {model.name} does not fit this engine")
    return Beginning(start, design, MOST_SLOTS_BESIDE_COUNTS, cached_store.store_of(model))
