"""The modes of a model of words: each of its predictors as it was tuned, static and dynamic.

A mode is (predictor, dynamic), where `dynamic` says whether dynamic evaluation moves the
networks. Called by bench/, explain/ and the scripts in benchmarks/.
"""

from . import settings
from .model_file import Model


def modes(model: Model) -> list[tuple[str, bool]]:
    """The modes for which a model has settings, each network beside its mixture."""
    return [
        (predictor, dynamic)
        for predictor in sorted(settings.available(model), key=settings.parts_of)
        for dynamic in (False, True)
        if settings.has_mode(model, predictor, dynamic)
    ]


def name_of_mode(predictor: str, dynamic: bool) -> str:
    """What tables and pages call a mode, such as "kn+rnn dynamic"."""
    return f"{predictor} dynamic" if dynamic else predictor
