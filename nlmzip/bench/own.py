"""Our own rows of a comparison: which there are for the models and levels that are named.

A row is a name and the settings that `nlmzip.compress` takes. Called by comparison.py,
cli/bench.py and the scripts in benchmarks/.
"""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import nlmzip

from ..codec import words
from ..container.frame import Frame
from ..container.parser import read_members
from ..container.recipe import Recipe, WordsCoding
from ..engine import primed
from ..entropy.range_coder import Encoder
from ..errors import NlmzipError
from ..models import catalogue, model_file
from ..models.model_file import Model
from ..models.modes import modes, name_of_mode
from .rows import Row

#: What the mixing engine's rows are called.
MIX = "mix"

#: As much of a text is coded before time is taken, so that kernels are compiled and loaded.
_WARM_UP_BYTES = 4096

#: A context manager that yields a progress callable or None, for the contestant of this name.
Watch = Callable[[str], "object"]


def unwatched(contestant: str):
    return nullcontext()


@dataclass(frozen=True)
class Own:
    """A contestant of ours: what `nlmzip.compress` is called with.

    words: the model of words whose bits are told apart in the row, if it is one's.
    model_name: for tables of several models. is_default: what `nlmzip encode` does.
    """

    name: str
    settings: dict = field(default_factory=dict)
    words: Model | None = None
    model_name: str = ""
    is_default: bool = False


@dataclass(frozen=True)
class NamedModel:
    """A model that was named to the bench; `words` is the loaded one, if it is of words."""

    name: str
    path: Path
    sha256: str
    words: Model | None

    @property
    def n_bytes(self) -> int:
        return self.path.stat().st_size


def find_model(name_or_path: str) -> NamedModel:
    """Raises ModelNotFoundError, ModelError, OSError."""
    path = catalogue.find(name_or_path)
    card = model_file.read_card(path)
    of_words = None if "kind" in card else catalogue.load(path)
    return NamedModel(card["name"], path, card["sha256"], of_words)


def contestants(models: list[NamedModel], levels: list[int] | None = None) -> list[Own]:
    """The engine without a model, then what codes with each model; the engine at each level.

    Raises OptionError, ModelError for what `nlmzip.compress` does not take.
    """
    made = _engine(MIX, {"model": catalogue.NO_MODEL}, levels, is_default=not models)
    for model in models:
        if model.words:
            made += of_words(model.words, prefix=f"{model.name}: " if len(models) > 1 else "")
        else:
            about = {"model": str(model.path)}
            made += _engine(f"{MIX} {model.name}", about, levels, True, model.name)
    for each in made:
        nlmzip.compress(b"", **each.settings)  # says what is wrong before anything is measured
    return made


def _engine(
    name: str, about: dict, levels: list[int] | None, is_default: bool, model_name: str = ""
) -> list[Own]:
    """The engine's rows: one, or one for each level."""
    if not levels:
        return [Own(name, about, None, model_name, is_default)]
    return [
        Own(f"{name} level {level}", {**about, "level": level}, None, model_name)
        for level in levels
    ]


def of_words(model: Model, prefix: str = "") -> list[Own]:
    """The engine with a model's best predictor; then each of its predictors in the words codec."""
    best = model.card["default"]["predictor"], model.card["default"]["dynamic"]
    in_engine = engine_with(model, *best)
    made = [replace(in_engine, name=prefix + in_engine.name, is_default=True)]
    for predictor, dynamic in modes(model):
        chosen = {"model": model, "codec": "words", "predictor": predictor, "dynamic": dynamic}
        name = prefix + name_of_mode(predictor, dynamic)
        made.append(Own(name, chosen, model, model.name))
    return made


def engine_with(model: Model, predictor: str, dynamic: bool, engine: str | None = None) -> Own:
    """The engine, with a model of bytes of its own or without, and this predictor of words in it."""
    name = f"{MIX} with {name_of_mode(predictor, dynamic)}"
    models = model if engine is None else [engine, model]
    chosen = {"model": models, "predictor": predictor, "dynamic": dynamic}
    return Own(name, chosen, None, model.name)


# --- measuring -------------------------------------------------------------------------


def measure(
    own: Own, data: bytes, watch: Watch = unwatched, details: dict | None = None, threads: int = 1
) -> Row:
    """A row of ours, from an archive that decodes, without the time of compiling kernels.

    details: bits of the text beside its words' symbols, by what they depend on, which a row of
    words then tells apart; further ones are put there, for the text's other rows. threads: how
    many frames are coded at once. Raises NlmzipError if the archive does not give the text back.
    """
    _round_trip(own, _warm_up(own, data), unwatched, threads)
    row, recipe, frames = _round_trip(own, data, watch, threads)
    if all(frame.coding is None for frame in frames):
        return replace(row, note="stored")
    in_words = own.words and all(isinstance(coding, WordsCoding) for coding in recipe.codings)
    if details is None or not in_words or any(frame.coding is None for frame in frames):
        return row
    beside = _details_of(own.words, data, recipe, frames, details)
    payload_bits = 8 * sum(len(frame.payload) for frame in frames)
    return replace(row, bits={"words": payload_bits - sum(beside.values()), **beside})


def _details_of(model: Model, data: bytes, recipe: Recipe, frames: list[Frame], details: dict) -> dict:
    """Bits of an archive beside its words' symbols; `details` as of `measure`."""
    codings = [recipe.codings[frame.coding] for frame in frames]
    cut = tuple((frame.raw_length, coding.text_form) for frame, coding in zip(frames, codings, strict=True))
    key = model.sha256, codings[0].spelling_cache, cut
    if key not in details:
        total, begin = Counter(spelling=0, other=0), 0
        for (n_bytes, form), coding in zip(cut, codings, strict=True):
            total.update(_detail_bits(data[begin : begin + n_bytes], model, form, coding.spelling_cache))
            begin += n_bytes
        details[key] = dict(total)
    return details[key]


def _warm_up(own: Own, data: bytes) -> bytes:
    """A piece of the text that is coded by the same kernels as all of it."""
    head = data[:_WARM_UP_BYTES]
    if own.words:
        form = words.form_for(data, own.words)
        whole_lines = head[: head.rfind(b"\n") + 1]
        for piece in (head, whole_lines, head + b"\nThe Form of General text.\n"):
            if words.form_for(piece, own.words) == form:
                return piece
    return head


def _round_trip(own: Own, data: bytes, watch: Watch, threads: int) -> tuple[Row, Recipe, list[Frame]]:
    """The row and the archive's only member, once it has decoded to the text."""
    with watch(own.name) as progress:
        begin = time.perf_counter()
        coded = nlmzip.compress(data, **own.settings, threads=threads, progress=progress)
        encoded = time.perf_counter()
    with watch(own.name) as progress:
        decoding = time.perf_counter()
        models = own.settings.get("model")
        decoded = nlmzip.decompress(coded, model=models, threads=threads, progress=progress)
        done = time.perf_counter()
    if decoded != data:
        raise NlmzipError(f"the archive of {own.name} does not give the text back; report this")
    (member,) = read_members(coded)
    row = Row(
        own.name,
        len(coded),
        encoded - begin,
        done - decoding,
        is_own=True,
        model=own.model_name,
        is_default=own.is_default,
    )
    return row, member.recipe, member.frames


def detail_bits(data: bytes, model: Model, spelling_cache: bool) -> dict:
    """Bits of everything but the words' symbols, of a text in one frame: the same whatever
    predicts the words.

    Keys "spelling" and "other" (letter case and gaps, of which plain text has none).
    """
    return _detail_bits(data, model, words.form_for(data, model), spelling_cache)


def _detail_bits(data: bytes, model: Model, form_name: str, spelling_cache: bool) -> dict:
    form = words.load_form(model, form_name, spelling_cache)
    coder = Encoder()
    for token in form.tokens(data):
        form.code_details(coder, form.symbol(token), token)
    spelling = form.bits["spelling"]
    return {"spelling": spelling, "other": sum(form.bits.values()) - spelling}


def engine_bytes() -> int:
    """Size of the file that the mixing engine starts from."""
    return primed.path(primed.VERSION).stat().st_size
