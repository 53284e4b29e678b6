"""What an archive says of itself, for people and programs, without decoding it; called by cli/."""

from typing import BinaryIO

from ..container.format import HASH_BYTES
from ..container.layout import Layout, Span, read_frame, read_layout
from ..container.recipe import Coding, MixCoding, Recipe, WordsCoding
from ..engine import profiles
from ..errors import ModelError
from ..models import catalogue, model_file
from . import memory
from .known import Known

_DIGEST_BYTES = 32


def describe(file: BinaryIO) -> dict:
    """What `nlmzip info` tells of an archive, as JSON values. file: seekable.

    Raises ArchiveError, OSError.
    """
    layout = read_layout(file)
    return {
        "bytes": file.seek(0, 2),
        "memory": memory_of(file, layout),
        "problems": layout.problems,
        "members": [_model(file, span) for span in layout.models]
        + [_member(recipe, n_bytes, spans) for recipe, n_bytes, spans in layout.members],
    }


def memory_of(file: BinaryIO, layout: Layout) -> int:
    """Bytes that decoding takes at most, one frame at a time."""
    brought = sum(_of_model(file, span) for span in layout.models)
    needs = (memory.of_any_frame(recipe, spans, Known()) for recipe, _, spans in layout.members)
    return brought + max(needs, default=0)


def _of_model(file: BinaryIO, span: Span) -> int:
    """Bytes that a model takes which the archive brings, and loading it."""
    try:
        return memory.of_bringing(model_file.card_of(read_frame(file, span).payload), Known())
    except ModelError:  # which decoding will tell
        return 0


def _model(file: BinaryIO, span: Span) -> dict:
    digest = read_frame(file, span).payload[-_DIGEST_BYTES:]  # a model file ends with its own SHA-256
    return {
        "codec": "model",
        "original_size": 0,
        "compressed_size": span.n_bytes,
        "frames": 1,
        "model_hash": digest[:HASH_BYTES].hex(),
    }


def _member(recipe: Recipe, n_bytes: int, spans: list[Span]) -> dict:
    described = {
        "codec": ", ".join(dict.fromkeys(map(_codec, recipe.codings))) or "stored",
        "original_size": sum(span.raw_length for span in spans),
        "compressed_size": n_bytes,
        "frames": len(spans),
    }
    if recipe.has_records:
        described["records"] = sum(span.n_records for span in spans)
        described["delimiter"] = None if recipe.by_length else recipe.delimiter
    codings = [_coding(coding) for coding in recipe.codings]
    return described | (codings[0] if len(codings) == 1 else {"codings": codings} if codings else {})


def _codec(coding: Coding) -> str:
    return "words" if isinstance(coding, WordsCoding) else "mix"


def _coding(coding: Coding) -> dict:
    if isinstance(coding, MixCoding):
        return _mix(coding)
    return {
        "predictor": coding.predictor,
        "dynamic": coding.dynamic,
        "spelling_cache": coding.spelling_cache,
        "text_form": coding.text_form,
        "model_hash": coding.model.model_hash.hex(),
        "model_name": coding.model.model_name or None,
    }


def _mix(coding: MixCoding) -> dict:
    profile, shipped = profiles.of_start(coding.profile), catalogue.shipped_card(coding.profile)
    described = {"profile": coding.profile}
    if coding.model:  # the profile is the level
        described = {
            "level": coding.profile,
            "model_hash": coding.model.model_hash.hex(),
            "model_name": coding.model.model_name or None,
        }
    elif shipped:
        described = {"level": shipped[1], "model_name": shipped[0]["name"]} | described
    elif profile:
        described = {"level": profile.number} | described
    if coding.words:
        described |= {
            "predictor": coding.words.predictor,
            "dynamic": coding.words.dynamic,
            "words_hash": coding.words.model.model_hash.hex(),
            "words_name": coding.words.model.model_name or None,
        }
    return described
