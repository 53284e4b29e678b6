"""Which recurrent network of a model is looked into, and its body and head; called by payload.py."""

import numpy as np

from ..models.model_file import Model
from ..models.modes import modes
from ..models.settings import networks_of
from ..training.bodies.recurrent import Recurrent
from ..training.designs import NETWORKS, head_of
from .losses import Losses
from .recurrence import Unrolled


def recurrent_parts(model: Model, predictor: str) -> list[str]:
    """The recurrent networks that the model predicts with, those of `predictor` first."""
    used = {part for each, _ in modes(model) for part in networks_of(each)}
    parts = dict.fromkeys([*networks_of(predictor), *sorted(used, key=list(NETWORKS).index)])
    return [part for part in parts if issubclass(NETWORKS[part], Recurrent)]


def unrolled(
    model: Model, part: str, symbols: np.ndarray, restarts: np.ndarray, dtype: type = np.float32
) -> tuple[Unrolled, Losses]:
    """A network of the model over a text's symbols, in the floats of `dtype`.

    symbols: int (T,); restarts: bool (T,), where the state is zero and <s> is read.
    """
    weights = {name: array.astype(dtype) for name, array in model.section(part).items()}
    body = NETWORKS[part](int(model.card["vocabulary_size"]))
    network = Unrolled(body, weights, symbols, restarts)
    head = head_of(model.card.get("networks", {}).get(part, {}))
    return network, Losses(head, weights, network.states[:, : network.width], symbols)


def bounding_matrix(model: Model, part: str) -> np.ndarray | None:
    """W_h where |W_h| bounds the norm of every step: of an Elman network, float64 (h, h).

    There a step's Jacobian is W_h^T times slopes of 1 at most. Of gated networks it is None: they
    carry a share of the state on beside W_h, and what goes through W_h is multiplied by the
    state or the cell, too, which may be larger than 1.
    """
    return model.section(part)["recurrent_weights"].astype(np.float64) if part == "rnn" else None
