"""The models that the package brings: one row each, and a file of that name in pretrained/.

A row's numbers never change once archives were written: a model that is trained again gets
new ones. Needs neither numpy nor numba. Called by catalogue.py.
"""

from pathlib import Path
from typing import NamedTuple

from .model_file import SUFFIX

FOLDER = Path(__file__).parents[1] / "pretrained"


class Shipped(NamedTuple):
    """numbers: of a model of bytes, by each level of the engine that it has a start for, what
    archives name it by, beside the starts of engine/profiles.py; default: whether it may code
    where no model is named."""

    name: str
    numbers: dict[int, int] = {}
    default: bool = False

    @property
    def path(self) -> Path:
        """Its file, which an installation may lack."""
        return FOLDER / (self.name + SUFFIX)


#: By name.
SHIPPED = {
    shipped.name: shipped
    for shipped in (
        Shipped("english", numbers={5: 16}, default=True),
        Shipped("finance"),
    )
}
