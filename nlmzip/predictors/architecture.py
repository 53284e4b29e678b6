"""From a model's arrays to its networks: which body and head they are for, and whether they fit.

Kernels check no bounds, so shapes and sizes are checked here; what a card says of a
network has been checked by card.py. Called by predictors/build.py.
"""

import numpy as np

from ..errors import ModelError
from ..models.model_file import Model
from ..models.networks import body_class
from . import bodies
from .bodies.network import Network
from .heads.softmax import ProjectedSoftmax, ProjectedWeights, Softmax, SoftmaxWeights
from .heads.softmax_mixtures import (
    MixtureOfContexts,
    MixtureOfSoftmaxes,
    MixtureWeights,
)

_LARGEST_WEIGHT = 65504  # of float16, in which weights are shipped

_HEADS = {
    "softmax": (Softmax, SoftmaxWeights),
    "projected": (ProjectedSoftmax, ProjectedWeights),
    "mos": (MixtureOfSoftmaxes, MixtureWeights),
    "moc": (MixtureOfContexts, MixtureWeights),
}


def network(model: Model, part: str, window: int, reset_state: bool) -> Network:
    """A network of a model with weights of its own. Raises ModelError if they do not fit."""
    design = model.card.get("networks", {}).get(part, {})
    try:
        body, head = _built(model, part, design, window)
    except KeyError as error:
        raise ModelError(f"the model {model.name} has no {part} array {error}") from None
    except _MisfitError as error:
        raise ModelError(f"the {part} weights of model {model.name} {error}") from None
    return Network(body, head, reset_state)


class _MisfitError(ValueError):
    """What is wrong with arrays."""


def _built(model: Model, part: str, design: dict, window: int):
    """The body and the head of a network, as the card designs it."""
    arrays = {name: np.array(array, np.float32, order="C") for name, array in model.section(part).items()}
    if not all((np.abs(array) <= _LARGEST_WEIGHT).all() for array in arrays.values()):
        raise _MisfitError("are too large or no numbers")
    embedding = arrays["embedding"]
    if embedding.ndim != 2 or not all(array.ndim and array.size for array in arrays.values()):
        raise _MisfitError("are empty")
    size, dimension = int(model.card["vocabulary_size"]), embedding.shape[1]
    tied, direct = design.get("tied", False), design.get("direct", False)
    if tied:  # one array in two views: what moves one moves both
        arrays["output_weights"] = np.ascontiguousarray(embedding.T)
        arrays["embedding"] = arrays["output_weights"].T

    body = body_class(part, bodies.__name__)
    body_weights = body.Weights(*(arrays[name] for name in body.Weights._fields))
    width = body_weights.width + (body_weights.hidden_weights.shape[0] if direct else 0)
    name = design.get("head", "softmax")
    if tied and name == "softmax" and width != dimension:
        name = "projected"
    head, head_type = _HEADS[name]
    head_weights = head_type(*(arrays[name] for name in head_type._fields))

    outputs = head_weights.output_weights
    predicted = head_weights._replace(output_weights=outputs[:, :-1] if tied else outputs)
    shapes = body_weights.shapes(size) + predicted.shapes(width, size)
    n_softmaxes = getattr(head_weights, "n_softmaxes", None)
    if [a.shape for a in (*body_weights, *predicted)] != shapes or n_softmaxes != design.get("softmaxes"):
        raise _MisfitError("do not fit together")
    made = body(body_weights, window, direct=True) if direct else body(body_weights, window)
    return made, head(head_weights, window)
