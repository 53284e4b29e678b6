"""From a coding of a recipe to what codes: the one place, for both directions.

What is prepared is immutable and shared: by threads, by frames, and by later calls.
"""

import threading
from typing import Protocol

from ..container.recipe import Coding, MixCoding, WordsCoding
from ..errors import ArchiveError, OptionError
from ..models import catalogue
from .known import Known


class State(Protocol):
    """What moves while a frame is coded; each call begins as if it were the first."""

    def encode(self, data: bytes, progress=None) -> bytes: ...

    def decode(self, payload: bytes, raw_length: int, progress=None) -> bytes: ...


class Prepared(Protocol):
    """What is shared: immutable."""

    def state(self, shared: dict) -> State:
        """shared: what all states of a thread share, of which one is at work at a time."""


#: The last few that were prepared; others are prepared again.
_MOST_KEPT = 4
_kept: dict[tuple, Prepared] = {}
_lock = threading.Lock()


def prepare(coding: Coding, known: Known) -> Prepared:
    """What codes as a recipe says.

    Raises ModelNotFoundError, ModelError, OSError; ArchiveError where no encoder writes such
    settings for these models.
    """
    from ..kernels import self_test

    self_test.require()
    models = _models(coding, known)
    key = (coding, *(model and model.sha256 for model in models))
    with _lock:
        found = _kept.pop(key, None)
        if found is None:
            try:
                found = _made(coding, *models)
            except OptionError as error:
                raise ArchiveError(f"damaged archive ({error}); get a good copy") from None
            while len(_kept) >= _MOST_KEPT:
                del _kept[next(iter(_kept))]
        _kept[key] = found
        return found


def _models(coding: Coding, known: Known):
    """The models of bytes and of words that a coding needs, None for none."""
    if isinstance(coding, WordsCoding):
        return None, known.of_words(coding.model)
    of_bytes = known.of_bytes(coding.model) if coding.model else None
    of_words = known.of_words(coding.words.model) if coding.words else None
    return of_bytes, of_words


def _made(coding: Coding, of_bytes, of_words) -> Prepared:
    if isinstance(coding, WordsCoding):
        from ..codec import words

        settings = words.WordSettings(
            coding.predictor, coding.dynamic, coding.spelling_cache, coding.text_form
        )
        return words.Prepared(of_words, settings)
    from ..codec import mix

    part = None
    if coding.words:
        from ..predictors.as_bytes.prepare import prepare_source

        part = prepare_source(of_words, coding.words.predictor, coding.words.dynamic, coding.words.light)
    return mix.Prepared(_beginning(coding, of_bytes), part)


def _beginning(coding: MixCoding, of_bytes):
    """What the engine begins with."""
    from ..engine import byte_model

    if of_bytes:
        return byte_model.beginning(of_bytes, coding.profile)
    shipped = catalogue.shipped_by_number(coding.profile)
    if shipped:
        return byte_model.beginning(*shipped)
    return byte_model.without_model(coding.profile)
