"""How much memory coding takes, told from a recipe and from a frame's head before any is taken.

An estimate from above, in bytes: the program, the models, and for each frame that is coded at a
time the engine's arrays and the text itself. Needs neither numpy nor numba.
"""

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..container.recipe import Coding, WordsCoding
from ..engine import geometry, profiles
from ..engine.profiles import Design
from ..errors import MemoryLimitError
from ..models import catalogue, model_file
from ..models.card import MAXIMUM_INTERVAL, MAXIMUM_SOFTMAXES
from ..models.networks import NETWORKS
from .known import Known

if TYPE_CHECKING:
    from ..container.frame import Frame, FrameHead
    from ..container.layout import Span
    from ..container.recipe import Recipe
    from .choose import Choice

_MIB = 1 << 20
#: Python, and with it numba and the kernels; compiling these, once on a machine, takes more.
_PYTHON, _PROGRAM = 32 * _MIB, 200 * _MIB

#: Where a machine does not tell.
_UNKNOWN_MACHINE = 4 << 30

#: A word model's trees and masses, of a handful of distributions, for each word.
_OF_A_WORD = 400
#: An n-gram of a Kneser-Ney model while its tables are made.
_OF_AN_NGRAM = 160
#: A number of a network, as it is stored, as it is computed with, and gradients.
_OF_A_NUMBER = 20
#: Steps that networks keep where they do not learn, or say no interval.
_STATIC_WINDOW = 32
#: A context and a follower of a model of bytes while they are decoded.
_OF_A_CONTEXT, _OF_A_FOLLOWER = 20, 5
#: A byte of a frame: as it was read, as an array, and what it is coded to, while that grows.
_OF_A_BYTE, _OF_A_CODED_BYTE, _OF_A_STORED_BYTE = 3, 3, 4
#: A record of a frame: its length and where it ends.
_OF_A_RECORD = 48
#: A byte of what is gathered before it is cut into frames.
_OF_A_GATHERED_BYTE = 2
#: A byte of a text that is coded word by word, while it grows; and of the payload of words, about
#: what it takes to spell a new one, which is remembered. A text has less than half as many.
_OF_A_WORDS_BYTE, _OF_A_SPELLED_BYTE, _LEAST_WORDS_RATIO = 2, 100, 2


def require(needed: int, limit: int, work: str) -> None:
    """Raises MemoryLimitError where work, "encode" or "decode", takes more bytes than the limit."""
    if needed > limit:
        raise MemoryLimitError(
            f"needs up to {mebibytes(needed):,} MiB of memory to {work}, and the limit is"
            f" {limit // _MIB:,} MiB; allow more with -M {mebibytes(needed)}M"
        )


def of_machine() -> int:
    """Bytes of memory that the machine has, or, if that is less, those its container may take."""
    sizes = [_UNKNOWN_MACHINE]
    with suppress(AttributeError, ValueError, OSError):
        sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(ValueError, OSError):
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes)


def mebibytes(n_bytes: int) -> int:
    """Whole MiB, rounded up."""
    return -(-n_bytes // _MIB)


class Need(NamedTuple):
    """Bytes of memory: of the program, of the models that all frames share, and of a frame while
    it is coded."""

    program: int
    models: int
    frame: int

    @property
    def total(self) -> int:
        return sum(self)


def of_frames(codings: "Sequence[Coding]", n_bytes: int, known: Known) -> Need:
    """What coding frames of n_bytes takes at most, each of which may be tried by each of these codings.

    A model that is not to be found takes nothing, since nothing is coded without it.
    """
    if not codings:
        return Need(_PYTHON, _of_embedded(known), _OF_A_STORED_BYTE * n_bytes)
    models = sum(map(of_model, _cards(codings, known))) + _of_embedded(known)
    frame = sum(_of_state(coding, n_bytes) for coding in codings)
    return Need(_PROGRAM, models, frame + _OF_A_BYTE * n_bytes)


def of_encoding(choice: "Choice", n_bytes: int | None) -> Need:
    """What encoding a text takes; n_bytes: of the text, None where that is not known."""
    longest = _frame_of(choice.frame_bytes, n_bytes)
    need = of_frames(choice.codings, longest, choice.known)
    return need._replace(program=need.program + _OF_A_GATHERED_BYTE * longest)


def _frame_of(size: int, n_bytes: int | None) -> int:
    """Bytes of the longest frame of a text."""
    if n_bytes is None:
        return size
    return min(size, n_bytes) if size else n_bytes


def of_decoding(recipe: "Recipe", frame: "FrameHead | Frame", known: Known) -> Need:
    """What decoding a frame takes."""
    records = _OF_A_RECORD * frame.n_records
    if frame.coding is None:
        need = of_frames((), frame.raw_length, known)
        return need._replace(frame=need.frame + records)
    need = of_frames(recipe.codings[frame.coding : frame.coding + 1], frame.raw_length, known)
    return need._replace(frame=need.frame + _OF_A_CODED_BYTE * frame.coded_length + records)


def of_any_frame(recipe: "Recipe", spans: "Sequence[Span]", known: Known) -> int:
    """What decoding the frame takes that takes most, in bytes; which coding a frame has only its own
    head tells, so of several the one that takes most."""
    longest = max(span.raw_length for span in spans)
    beside = _OF_A_RECORD * max(span.n_records for span in spans)
    needs = [of_frames((), longest, known).total]
    if recipe.codings:
        beside += _OF_A_CODED_BYTE * max(span.n_bytes for span in spans)
        needs += [of_frames((coding,), longest, known).total for coding in recipe.codings]
    return beside + max(needs)


def of_bringing(card: dict, known: Known) -> int:
    """What it takes to load a model that an archive brings, beside those that are known already."""
    return _PROGRAM + _of_embedded(known) + of_model(card)


def of_gathering(n_bytes: int) -> int:
    """What a text takes that is gathered piece by piece and joined."""
    return _PYTHON + 2 * n_bytes


def _of_embedded(known: Known) -> int:
    """The models that an archive has brought, whether its frames need them or not."""
    return sum(of_model(model_file.card_with_arrays(model)) + len(model.file) for model in known.embedded)


def _of_state(coding: "Coding", n_bytes: int) -> int:
    """What moves while a frame of n_bytes is coded."""
    if isinstance(coding, WordsCoding):
        return _OF_A_WORDS_BYTE * n_bytes + _OF_A_SPELLED_BYTE * n_bytes // _LEAST_WORDS_RATIO
    profile = profiles.of_start(coding.profile)
    if coding.model or profile is None:  # of the designs that a model of bytes may have
        designs = [profiles.LONGEST_DESIGN, *([profile.design] if profile else [])]
        most = profiles.MOST_SLOTS_OF_LONG
    else:
        designs, most = [profile.design], profile.most_slots
    return max(
        of_engine(design, geometry.n_slots(n_bytes, len(design.kinds), most)) for design in designs
    )


def _cards(codings: "Sequence[Coding]", known: Known) -> list[dict]:
    """The cards of all models that codings need and no archive has brought, each once."""
    cards = {}
    for coding in codings:
        if isinstance(coding, WordsCoding):
            cards[coding.model.model_hash] = known.card(coding.model, model_file.WORDS)
            continue
        if coding.model:
            cards[coding.model.model_hash] = known.card(coding.model, model_file.BYTES)
        elif shipped := catalogue.shipped_card(coding.profile):
            cards[coding.profile] = shipped[0]
        if coding.words:
            cards[coding.words.model.model_hash] = known.card(coding.words.model, model_file.WORDS)
    brought = [model.sha256.hex() for model in known.embedded]
    return [card for card in cards.values() if card and card["sha256"] not in brought]


def of_engine(design: Design, n_slots: int) -> int:
    """Bytes of the engine's arrays and of what they begin with."""
    return geometry.n_bytes(design, n_slots) + geometry.n_bytes_shared(design)


def of_model(card: dict) -> int:
    """Bytes that the model of this card takes while it is loaded and used."""
    sizes = {entry["name"]: math.prod(entry["shape"]) for entry in card["arrays"]}
    arrays = [
        model_file.ITEM_BYTES.get(entry["dtype"], 4) * sizes[entry["name"]] for entry in card["arrays"]
    ]
    # Unpacking an array can keep as much of it once more.
    unpacking = min(max(arrays, default=0), model_file.UNPACKING_BYTES)
    n_bytes = card["file_bytes"] + 2 * sum(arrays) + unpacking
    if card.get("kind") == model_file.BYTES:
        counts = card.get("counts")
        return n_bytes + _OF_A_CONTEXT * _number(counts, "contexts") + _OF_A_FOLLOWER * _number(counts, "followers")
    n_bytes += _OF_A_WORD * _number(card, "vocabulary_size") + _OF_AN_NGRAM * sizes.get("kneser_ney.words", 0)
    networks = (size for name, size in sizes.items() if name.split(".")[0] in NETWORKS)
    return n_bytes + _OF_A_NUMBER * sum(networks) + _of_windows(card)


def _of_windows(card: dict) -> int:
    """Bytes of what networks keep of each step until they learn: a row for each array, and one
    for each softmax of a mixture."""
    rows = 2 + min(max(_intervals(card), default=_STATIC_WINDOW), MAXIMUM_INTERVAL)
    designs, numbers = _entry(card, "networks"), 0
    for entry in card["arrays"]:
        part, _, name = entry["name"].partition(".")
        if part in NETWORKS and entry["shape"]:
            softmaxes = _number(_entry(designs, part), "softmaxes") if name == "output_bias" else 0
            numbers += entry["shape"][-1] * (1 + min(softmaxes, MAXIMUM_SOFTMAXES))
    return 4 * rows * numbers


def _intervals(card: dict) -> list[int]:
    """After how many steps the networks of each predictor learn at the latest."""
    modes = (_entry(modes, "dynamic") for modes in _entry(card, "settings").values())
    return [max(_number(mode, "interval"), _STATIC_WINDOW) for mode in modes]


def _entry(card: object, key: str) -> dict:
    """A part of a card, which nobody has checked yet; empty where there is none."""
    value = card.get(key) if isinstance(card, dict) else None
    return value if isinstance(value, dict) else {}


def _number(card: object, key: str) -> int:
    """What a card says, which nobody has checked yet; 0 where it says no number, or one below."""
    value = card.get(key) if isinstance(card, dict) else None
    return max(value, 0) if isinstance(value, int) else 0
