"""Builds the predictor that an archive's settings name, from a model's arrays.

A mixture's weights belong to its networks, in the order of models/settings.py's PARTS;
Kneser-Ney comes last and takes what they leave. Called by codec/words.py and training/tuning.py.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ..errors import ModelError
from ..models.model_file import Model
from ..models.settings import parts_of, step_sizes, tuned
from .architecture import network
from .dynamic_evaluation import DynamicEvaluation
from .interpolation import Interpolation, Uniform
from .kneser_ney import KneserNey, build_tables

#: Most steps that are learnt at once where no sentence ends, unless the model says else.
DEFAULT_INTERVAL = 32


def build(model: Model, predictor: str, dynamic: bool, settings: dict | None = None):
    """A predictor with `predict() -> float32 (V,)` and `perceive(symbol)`.

    `settings` replaces what the model says (for tuning). Raises OptionError and
    ModelError.
    """
    settings = tuned(model, predictor, dynamic) if settings is None else settings
    parts = build_parts(model, predictor, dynamic, settings)
    return Interpolation(parts, settings["weights"]) if parts[1:] else parts[0]


def build_parts(
    model: Model, predictor: str, dynamic: bool, settings: dict, static_window: int = 1
) -> list:
    """The predictors that `build` mixes, networks first; each has `peek(symbol)`, too.

    static_window: steps that a network which does not learn keeps; it changes no bit.
    """
    return [make() for make in prepare_parts(model, predictor, dynamic, settings, static_window)]


def prepare_parts(
    model: Model, predictor: str, dynamic: bool, settings: dict, static_window: int = 1
) -> list[Callable]:
    """What makes the predictors of `build_parts`, text after text; tables are made once."""
    size = int(model.card["vocabulary_size"])
    reset_state = bool(model.card["reset_state"])
    makers: list[Callable] = []
    for part in parts_of(predictor):
        if part == "kn":
            makers.append(kneser_ney(model, size, reset_state).fresh)
        elif dynamic:
            window = int(settings.get("interval", DEFAULT_INTERVAL))
            step_size = float(step_sizes(predictor, settings)[part])
            makers.append(partial(_evaluated, model, part, window, reset_state, step_size))
        else:
            makers.append(partial(_evaluated, model, part, static_window, reset_state, 0.0))
    return makers or [partial(Uniform, size)]


def _evaluated(model: Model, part: str, window: int, reset_state: bool, step_size: float) -> DynamicEvaluation:
    return DynamicEvaluation(network(model, part, window, reset_state), step_size)


def kneser_ney(model: Model, size: int, reset_state: bool) -> KneserNey:
    """The Kneser-Ney predictor of a model. Raises ModelError if its ids are impossible."""
    arrays = model.section("kneser_ney")
    try:
        contexts, words, counts = (arrays[name] for name in ("contexts", "words", "counts"))
    except KeyError as error:
        raise ModelError(f"the model {model.name} has no Kneser-Ney array {error}") from None
    n = words.size
    if not (n and contexts.shape == (n, 2) and counts.shape == words.shape == (n,)):
        raise ModelError(f"the Kneser-Ney arrays of model {model.name} do not fit together")
    if contexts.max() > size or words.max() >= size or not counts.all():
        raise ModelError(f"the Kneser-Ney arrays of model {model.name} hold impossible symbols")
    base = size + 1
    keys = (contexts[:, 0].astype(np.int64) * base + contexts[:, 1]) * base + words
    if (np.diff(keys) <= 0).any():  # the tables are cut out of them in this order
        raise ModelError(f"the Kneser-Ney arrays of model {model.name} are not in order")
    return KneserNey(build_tables(arrays, size), reset_state)
