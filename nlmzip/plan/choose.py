"""From options to a recipe: which codings a text's frames may choose from, and which models."""

import os
from dataclasses import dataclass

from ..container.format import HASH_BYTES
from ..container.recipe import (
    Coding,
    MixCoding,
    ModelReference,
    WordsCoding,
    WordsInMix,
)
from ..engine.profiles import DEFAULT as DEFAULT_LEVEL
from ..engine.profiles import LEVELS
from ..errors import OptionError
from ..models import catalogue
from ..models.model_file import Model
from .known import Known
from .options import MIX, WORDS, Options

MIB = 1 << 20
#: Bytes of a frame, and of one of records, unless the user chooses.
FRAME, OF_RECORDS = 16 * MIB, 64 << 10


@dataclass(frozen=True)
class Choice:
    """codings: what each frame is coded by, one of these (plan/pick.py); frame_bytes: most of a
    frame, ONE_FRAME for all in one; known: the models; embedded: those that the archive brings
    along; thorough: whether time is no matter where a coding is picked."""

    codings: tuple[Coding, ...]
    frame_bytes: int
    known: Known
    embedded: tuple[Model, ...] = ()
    thorough: bool = False


def choose(options: Options, of_records: bool = False) -> Choice:
    """What options ask for, with the models loaded.

    Raises OptionError, ModelNotFoundError, ModelError, OSError.
    """
    named = options.model
    if named is None and options.codec == MIX:
        named = os.environ.get(catalogue.DEFAULT_VARIABLE) or None
    models = catalogue.sort_by_kind(named)
    _check(options, models)
    embedded = _embedded(models) if options.embed_model else ()
    naming = options.store_name and not embedded
    if options.codec == WORDS:
        codings = _of_words(options, models, naming)
    elif named is None and (options.level or DEFAULT_LEVEL) >= DEFAULT_LEVEL and catalogue.default():
        codings = (MixCoding(LEVELS[options.level or DEFAULT_LEVEL].start), _default_coding())
    else:
        codings = (_mix(options, models, naming),)
    frame_bytes = options.frame_bytes
    if frame_bytes is None:
        frame_bytes = OF_RECORDS if of_records else FRAME
    known = Known([model for model in models if model])
    return Choice(codings, frame_bytes, known, embedded, (options.level or DEFAULT_LEVEL) > DEFAULT_LEVEL)


def _check(options: Options, models) -> None:
    if options.codec == WORDS and models.bytes:
        raise OptionError(f"{models.bytes.name} is a model of bytes, of which the words codec has no use")
    if options.codec == WORDS and not models.words:
        raise OptionError("the words codec needs a model of words; name one with --model")
    if not models.words and (options.predictor, options.dynamic) != (None, None):
        raise OptionError(
            "predictor and dynamic evaluation belong to a model of words; name one with --model"
        )


def _embedded(models) -> tuple[Model, ...]:
    """The models that a reader may lack. Raises OptionError for one that has no file."""
    needed = tuple(model for model in models if model and not catalogue.is_shipped(model))
    for model in needed:
        if not model.file:
            raise OptionError(f"the model {model.name} was not read from a file, so it cannot be embedded")
    return needed


def _reference(model: Model, naming: bool) -> ModelReference:
    """How an archive refers to a model that readers need."""
    named = naming and not catalogue.is_shipped(model)
    return ModelReference(model.sha256[:HASH_BYTES], model.name if named else "")


def nearest_level(model: Model, level: int) -> int:
    """The level that a model of bytes was trained for nearest to the one asked for, the slower of two."""
    return min(model.card["levels"], key=lambda trained: (abs(trained - level), -trained))


def _default_coding() -> MixCoding:
    """The default model at the level that it was trained for."""
    model = catalogue.default()
    level = nearest_level(model, DEFAULT_LEVEL)
    return MixCoding(catalogue.shipped_number(model, level))


def _mix(options: Options, models, naming: bool) -> MixCoding:
    from ..models import settings

    level = DEFAULT_LEVEL if options.level is None else options.level
    profile, reference, words = LEVELS[level].start, None, None
    if models.bytes:
        level = nearest_level(models.bytes, level)
        profile = catalogue.shipped_number(models.bytes, level)
        if profile is None:
            profile, reference = level, _reference(models.bytes, naming)
    if models.words:
        predictor, dynamic, _ = settings.resolve(models.words, options.predictor, options.dynamic, None)
        light = models.bytes is not None
        words = WordsInMix(predictor, dynamic, _reference(models.words, naming), light)
    return MixCoding(profile, reference, words)


def _of_words(options: Options, models, naming: bool) -> tuple[WordsCoding, ...]:
    """A coding for each form that a text may have."""
    from ..models import settings

    model = models.words
    chosen = settings.resolve(model, options.predictor, options.dynamic, options.spelling_cache)
    forms = ("bytes",) if model.card.get("text_form") == "bytes" else ("plain", "general")
    return tuple(WordsCoding(*chosen, form, _reference(model, naming)) for form in forms)
