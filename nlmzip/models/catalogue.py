"""Finding models: those shipped with the package and those in the user's folder.

A model is asked for by name, by path, or by the hash that an archive carries.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import ModelError, ModelNotFoundError, NlmzipError, OptionError
from ..platform.folders import models_folder
from . import model_file
from .model_file import BYTES, SUFFIX, WORDS, Model
from .shipped import FOLDER as SHIPPED_FOLDER
from .shipped import SHIPPED, Shipped

#: What --model takes for coding without a model.
NO_MODEL = "none"
#: What may code when no model is named, where it makes less of a text than the engine alone; the
#: first is preferred.
CANDIDATES = tuple(shipped for shipped in SHIPPED.values() if shipped.default)
DEFAULT = CANDIDATES[0].name
#: Names another model for when none is named.
DEFAULT_VARIABLE = "NLMZIP_MODEL"

#: A model as callers give it: a name, a path, or one that is loaded.
Named = "str | Path | Model"

_loaded: dict[tuple, Model] = {}


def folders() -> list[Path]:
    """Where models are looked for, in this order."""
    try:
        return [SHIPPED_FOLDER, models_folder()]
    except RuntimeError:  # no home folder
        return [SHIPPED_FOLDER]


def available() -> list[Path]:
    """Files of all models that can be named."""
    return [
        path
        for folder in folders()
        for path in sorted(folder.glob("*" + SUFFIX))
        if path.is_file()  # opening a named pipe would wait
    ]


def find(name_or_path: str) -> Path:
    """The file of a model: a path to one, or a name. Raises ModelNotFoundError."""
    path = Path(name_or_path)
    if path.suffix == SUFFIX or len(path.parts) > 1:
        if not path.is_file():
            raise ModelNotFoundError(f"no model file {name_or_path}; check the path")
        return path
    for candidate in available():
        if candidate.stem == name_or_path:
            return candidate
    if path.is_file():
        return path
    names = ", ".join(sorted({candidate.stem for candidate in available()})) or "none"
    places = [f" or put it into {folder}" for folder in folders()[1:]]
    raise ModelNotFoundError(
        f"no model named {name_or_path} (known: {names}); "
        f"give the path of a {SUFFIX} file{''.join(places)}"
    )


def load(name_or_path: "str | Path | Model") -> Model:
    """The model of this name or path.

    Raises ModelNotFoundError, ModelError, OSError.
    """
    if isinstance(name_or_path, Model):
        return _usable(name_or_path, name_or_path.name)
    return _read(find(str(name_or_path)))


class Models(NamedTuple):
    """The models that were given, by their kind."""

    bytes: Model | None = None
    words: Model | None = None


def as_list(given: "Named | Sequence[Named] | None") -> "list[Named]":
    """What was given as a list; empty for nothing, and for "none"."""
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    named = [each for each in several if each is not None and each != NO_MODEL]
    if named and NO_MODEL in [each for each in several if isinstance(each, str)]:
        raise OptionError("none and other models exclude each other; name one or the other")
    return named


def sort_by_kind(given: "Named | Sequence[Named] | None") -> Models:
    """Load what was given, and tell the models by their kind.

    Raises OptionError where two are of one kind, and as `load` does.
    """
    known: dict[str, Model] = {}
    for model in map(load, as_list(given)):
        other = known.setdefault(model.kind, model)
        if other.sha256 != model.sha256:
            kind = {BYTES: "bytes", WORDS: "words"}[model.kind]
            raise OptionError(
                f"{other.name} and {model.name} are both models of {kind}; name one of them"
            )
    return Models(known.get(BYTES), known.get(WORDS))


def named_default() -> str | None:
    """The model that the environment names for when none is named, if it does."""
    return os.environ.get(DEFAULT_VARIABLE) or None


def default() -> Model | None:
    """The first of the candidates; None if the package lacks them."""
    return next(iter(candidates()), None)


def candidates() -> Iterator[Model]:
    """The shipped models that may code when none is named, but for those that the package lacks."""
    return (_read(shipped.path) for shipped in CANDIDATES if shipped.path.is_file())


def is_shipped(model: Model) -> bool:
    """Whether the package brings this model, so that every reader has it."""
    return _shipped(model) is not None


def shipped_number(model: Model, level: int) -> int | None:
    """The number by which archives name a shipped model at a level; None if it has none."""
    shipped = _shipped(model)
    return shipped.numbers.get(level) if shipped else None


def _shipped(model: Model) -> Shipped | None:
    """The row of a model, None if the package does not bring it."""
    return next((shipped for shipped in SHIPPED.values() if _digest(shipped.path) == model.sha256), None)


def shipped_card(number: int | None) -> tuple[dict, int] | None:
    """The card of the shipped model, and its level, that archives name by a number, if there is one.

    The card's entry "path" says where it is.
    """
    for shipped in SHIPPED.values():
        for level, own in shipped.numbers.items():
            if own == number and shipped.path.is_file():
                return model_file.read_card(shipped.path) | {"path": shipped.path}, level
    return None


def shipped_by_number(number: int) -> tuple[Model, int] | None:
    """As shipped_card, the model itself. Raises ModelError, OSError."""
    found = shipped_card(number)
    return found and (_read(found[0]["path"]), found[1])


def load_by_hash(
    prefix: bytes,
    offered: "Named | Sequence[Named] | None" = None,
    name: str = "",
    kind: str = WORDS,
    embedded: Sequence[Model] = (),
) -> Model:
    """The model whose SHA-256 begins with `prefix`: embedded, of those offered, or else any at hand.

    `name` is what the archive calls it, for the message when it is missing; embedded: the
    models that the archive itself brings.

    Raises ModelNotFoundError when there is none, also when only others of its kind are offered.
    """
    for model in embedded:
        if model.kind == kind and model.sha256.startswith(prefix):
            return model
    wanted = f"model {name or 'of unknown name'} (hash {prefix.hex()})"
    models = [model for model in map(load, as_list(offered)) if model.kind == kind]
    for model in models:
        if model.sha256.startswith(prefix):
            return model
    if models:
        others = " and ".join(
            f"{model.name} has hash {model.sha256[: len(prefix)].hex()}" for model in models
        )
        raise ModelNotFoundError(
            f"this archive needs the {wanted}, and {others}; give the right one with --model"
        )
    damaged = None
    for path in available():
        if _digest(path).startswith(prefix):
            try:
                model = _read(path)
            except ModelError as error:
                damaged = damaged or error  # another file may be a good copy
                continue
            if model.kind == kind:  # a made-up archive may name one of the other kind
                return model
    if damaged:
        raise damaged
    places = " and ".join(str(folder) for folder in folders())
    raise ModelNotFoundError(
        f"the {wanted} that this archive needs is not in {places}; "
        "get it from whoever made the archive and give it with --model"
    )


def card_by_hash(prefix: bytes, offered: "Named | Sequence[Named] | None", kind: str) -> "dict | None":
    """The card, as read_card has it, of the model that load_by_hash would find; None if there is
    none. Loads nothing but what is offered."""
    for model in map(load, as_list(offered)):
        if model.sha256.startswith(prefix) and model.kind == kind:
            return model_file.card_with_arrays(model)
    for path in available():
        card = _card(path)
        if card.get("sha256", "").startswith(prefix.hex()) and card.get("kind", WORDS) == kind:
            return card
    return None


def _digest(path: Path) -> bytes:
    """The SHA-256 that a model file states, empty for a file that is no model."""
    return bytes.fromhex(_card(path).get("sha256", ""))


def _card(path: Path) -> dict:
    """The card of a model file, empty for a file that is no model."""
    try:
        return model_file.read_card(path)
    except (OSError, NlmzipError):
        return {}


def _usable(model: Model, name: "str | Path") -> Model:
    if model.kind not in (BYTES, WORDS):
        raise ModelError(f"{name}: no model but another kind of file; name another")
    return model


def _read(path: Path) -> Model:
    """Read a model once per process, unless its file changes."""
    status = path.stat()
    key = (path.resolve(), status.st_mtime_ns, status.st_size)
    if key not in _loaded:
        try:
            model = model_file.read_file(path)
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None
        _loaded[key] = _usable(model, path)
    return _loaded[key]
