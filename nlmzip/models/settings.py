"""What a model was tuned to: its predictors, their settings, and the best of them.

A predictor's name is "uniform", or parts joined by "+": "kn" (Kneser-Ney), "nplm",
"rnn" (Elman), "lstm", "gru", "mgu" (minimal gated unit). Needs neither numpy nor numba, so that a wrong option is told at once.
Called by coding.py, predictors/build.py and bench/.
"""

from ..errors import OptionError
from .model_file import Model
from .networks import NETWORKS

#: In the order in which a mixture weighs them.
PARTS = (*NETWORKS, "kn")


def parts_of(predictor: str) -> list[str]:
    """The parts of a predictor's name, networks first and Kneser-Ney last.

    Raises OptionError for a name that is none.
    """
    parts = [] if predictor == "uniform" else predictor.split("+")
    if not set(parts) <= set(PARTS) or len(set(parts)) < len(parts):
        raise OptionError(
            f"no predictor {predictor}; there are uniform, kn, {', '.join(NETWORKS)} "
            "and mixtures such as kn+rnn"
        )
    return [name for name in PARTS if name in parts]


def name_of(parts: list[str]) -> str:
    """The name of these parts together as cards and archives write it, Kneser-Ney first."""
    return "+".join(sorted(parts, key=("kn", *NETWORKS).index)) or "uniform"


def networks_of(predictor: str) -> list[str]:
    """The networks among the parts of a predictor, in their order."""
    return [part for part in parts_of(predictor) if part in NETWORKS]


def step_sizes(predictor: str, settings: dict) -> dict[str, float]:
    """The step size of each network of a predictor: its own, or the one that all share."""
    networks, given = networks_of(predictor), settings["step_size"]
    return dict(zip(networks, given if isinstance(given, list) else [given] * len(networks)))


def has_network(predictor: str) -> bool:
    """Whether dynamic evaluation has something to move."""
    return bool(networks_of(predictor))


def available(model: Model) -> list[str]:
    """The predictors that this model has settings for, simplest first."""
    return ["uniform", *model.card["settings"]]


def has_mode(model: Model, predictor: str, dynamic: bool) -> bool:
    """Whether this predictor was tuned with, or without, dynamic evaluation."""
    try:
        tuned(model, predictor, dynamic)
    except OptionError:
        return False
    return True


def tuned(model: Model, predictor: str, dynamic: bool) -> dict:
    """What was tuned for this predictor: "weights", "step_size", "interval", "dev_nats".

    Raises OptionError if the model lacks the predictor, or if dynamic evaluation is
    asked for where there is no network to move.
    """
    parts = parts_of(predictor)
    if dynamic and not has_network(predictor):
        raise OptionError(
            f"dynamic evaluation needs a network and {predictor} has none; "
            f"use --no-dynamic, or a predictor with {' or '.join(NETWORKS)}"
        )
    if not parts:
        return {}
    mode = "dynamic" if dynamic else "static"
    for name, settings in model.card["settings"].items():
        if parts_of(name) == parts and mode in settings:
            return settings[mode]
    known = any(parts_of(name) == parts for name in model.card["settings"])
    raise OptionError(
        f"the model {model.name} has no {f'{mode} ' if known else ''}predictor {predictor}; "
        f"it has {', '.join(available(model))}; "
        f"weights are chosen in training: nlmzip train --codec words --predictor {predictor}"
    )


def resolve(
    model: Model, predictor: str | None, dynamic: bool | None, spelling_cache: bool | None
) -> tuple[str, bool, bool]:
    """Fill what was left open with the best that is known on the model's dev text.

    Raises OptionError as `tuned` does.
    """
    best = model.card["default"]
    if predictor is None and dynamic in (None, best["dynamic"]):
        predictor, dynamic = best["predictor"], best["dynamic"]
    elif predictor is None:
        predictor = min(
            (name for name in model.card["settings"] if has_mode(model, name, dynamic)),
            key=lambda name: tuned(model, name, dynamic)["dev_nats"],
            default="uniform",
        )
    elif dynamic is None:
        dynamic = has_network(predictor) and has_mode(model, predictor, True)
        if dynamic and has_mode(model, predictor, False):
            adapting, fixed = (tuned(model, predictor, mode)["dev_nats"] for mode in (True, False))
            dynamic = adapting < fixed
    tuned(model, predictor, dynamic)
    return predictor, dynamic, best["spelling_cache"] if spelling_cache is None else spelling_cache
