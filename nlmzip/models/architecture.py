"""From a model's arrays to its networks: which body and head they are for, and whether they fit.

Kernels check no bounds, so shapes and sizes are checked here. Called by codec/predictors.py.
"""

import numpy as np

from ..errors import ModelError
from .elman import Elman, ElmanWeights
from .gru import Gru, GruWeights
from .lstm import Lstm, LstmWeights
from .model_file import Model
from .network import Network
from .nplm import Nplm, NplmWeights
from .softmax import Softmax, SoftmaxWeights
from .softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes, MixtureWeights

_LARGEST_WEIGHT = 65504  # of float16, in which weights are shipped

#: What a card says of a network, and what it stands for (models/card.py).
_HEADS = {
    "softmax": (Softmax, SoftmaxWeights),
    "mos": (MixtureOfSoftmaxes, MixtureWeights),
    "moc": (MixtureOfContexts, MixtureWeights),
}
_BODIES = {
    "nplm": (Nplm, NplmWeights),
    "rnn": (Elman, ElmanWeights),
    "lstm": (Lstm, LstmWeights),
    "gru": (Gru, GruWeights),
}


def network(model: Model, part: str, window: int, reset_state: bool) -> Network:
    """A network of a model with weights of its own. Raises ModelError if they do not fit."""
    entry = model.card.get("networks", {}).get(part, {})
    body, body_type = _BODIES[part]
    head, head_type = _HEADS[entry.get("head", "softmax")]
    arrays = model.section(part)
    try:
        body_weights, head_weights = (
            type_(*(np.ascontiguousarray(arrays[name], np.float32).copy() for name in type_._fields))
            for type_ in (body_type, head_type)
        )
    except KeyError as error:
        raise ModelError(f"the model {model.name} has no {part} array {error}") from None
    weights = [*body_weights, *head_weights]
    if not all((np.abs(array) <= _LARGEST_WEIGHT).all() for array in weights):
        raise ModelError(f"the {part} weights of model {model.name} are too large or no numbers")
    if body_weights.embedding.ndim != 2 or not all(array.ndim and array.size for array in weights):
        raise ModelError(f"the {part} weights of model {model.name} are empty")
    size = int(model.card["vocabulary_size"])
    shapes = body_weights.shapes(size) + head_weights.shapes(body_weights.width, size)
    n_softmaxes = getattr(head_weights, "n_softmaxes", None)
    if [array.shape for array in weights] != shapes or n_softmaxes != entry.get("softmaxes"):
        raise ModelError(f"the {part} weights of model {model.name} do not fit together")
    return Network(body(body_weights, window), head(head_weights, window), reset_state)
