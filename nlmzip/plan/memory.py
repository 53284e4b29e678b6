"""How much memory decoding an archive takes, told from its header before any is taken.

An estimate from above, in bytes: the program, the engine's arrays, the models, and the
text itself. Needs neither numpy nor numba. Called by coding.py and cli/.
"""

import math
import os
from contextlib import suppress
from pathlib import Path

from ..container import archive
from ..engine import profiles
from ..engine.profiles import Design
from ..errors import ArchiveError, MemoryLimitError, ModelError
from ..models import catalogue, model_file
from ..models.card import MAXIMUM_INTERVAL, MAXIMUM_SOFTMAXES

_MIB = 1 << 20
#: Python, and with it numba and the kernels; compiling these, once on a machine, takes more.
_PYTHON, _PROGRAM = 32 * _MIB, 200 * _MIB

#: Where a machine does not tell.
_UNKNOWN_MACHINE = 4 << 30

# Of the engine, see engine/loop.py: curves of a secondary estimation, places of a match
# model, histories, and what finer designs keep of a text's structure.
_CURVES = 4 * 33 << 16
_MATCH_PLACES = 8 << 18
_HISTORIES = 10 << 10
_STRUCTURE = 1 << 20
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
#: A byte of a text that is decoded word by word, while it grows.
_OF_A_WORDS_BYTE = 2
#: A byte of the payload of words, about what it takes to spell a new one, which is remembered.
_OF_A_SPELLED_BYTE = 100


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


def of_decoding(members: "list[archive.Member]", n_archive: int, offered=None) -> int:
    """Bytes of memory that decoding takes at most, the program included.

    n_archive: bytes of the archive; offered: models as in coding.decompress. A model that
    is not to be found takes nothing, since nothing is decoded without it.
    """
    coded = [member for member in members if member.settings]
    total = sum(member.raw_length for member in members)
    n_frames = sum(len(member.frames) for member in members)
    text = (2 if n_frames == 1 else 3) * total
    for member in (each for each in coded if each.codec == archive.WORDS):
        text += _OF_A_WORDS_BYTE * member.raw_length
        text += max(_OF_A_SPELLED_BYTE * len(frame.payload) for frame in member.frames)
    models = sum(_of_reference(reference, offered) for reference in _references(coded))
    models += sum(_of_embedded(member) for member in members if member.codec == archive.MODEL)
    engines = [_engine_of(member) for member in coded if member.codec == archive.MIX]
    program = _PROGRAM if coded else _PYTHON
    parts = archive.MEMBER_BYTES * len(members) + archive.FRAME_BYTES * n_frames
    return program + parts + 4 * n_archive + text + models + max(engines, default=0)


def of_encoding(n_bytes: int, level: int | None, models: "catalogue.Models", default=None) -> int:
    """Bytes of memory that encoding with these models takes at most, the program included.

    level: None where the engine takes no part. default: the model that is tried beside.
    """
    needed = _PROGRAM + 8 * n_bytes
    for model in filter(None, (*models, default)):
        needed += of_model(model_file.card_with_arrays(model))
    if default:
        needed += of_engine(profiles.DEFAULT_DESIGN, profiles.LINE_BITS_BESIDE_COUNTS)
    if level is not None:
        of_level = profiles.LEVELS[level]
        bits = profiles.line_bits(n_bytes, of_level.most_line_bits)
        needed += of_engine(of_level.design, bits)
    return needed


def of_engine(design: Design, line_bits: int) -> int:
    """Bytes of the engine's arrays and of what they begin with."""
    contexts = len(design.kinds)
    slots = contexts * (2 * design.slot_size << line_bits)
    weights = 4 * design.inputs * sum(design.set_sizes)
    places = len(design.matches) * (_MATCH_PLACES << design.finer)
    curves = (design.curves + 3 * design.finer) * _CURVES
    start = 2 * weights + 2 * _CURVES  # of which the engine takes a copy
    more = _STRUCTURE if design.finer else 0
    return slots + weights + places + curves + contexts * 2 * _HISTORIES + start + more


def _engine_of(member: archive.Member) -> int:
    """Of the largest engine that a frame of this member needs."""
    settings = member.settings
    level = profiles.of_start(settings.start)
    if settings.model or level is None:  # of the designs that a model of bytes may have
        designs = [profiles.LONGEST_DESIGN, *([level.design] if level else [])]
        most = profiles.LINE_BITS_BESIDE_COUNTS
    else:
        designs, most = [level.design], level.most_line_bits
    bits = max(profiles.line_bits(frame.raw_length, most) for frame in member.frames)
    return max(of_engine(design, bits) for design in designs)


def _references(members: "list[archive.Member]") -> "list[tuple[bytes | int, str]]":
    """The models that members need, each once: its hash or number, and its kind."""
    found = {}
    for settings in (member.settings for member in members):
        if isinstance(settings, archive.WordSettings):
            found[settings.model_hash, model_file.WORDS] = None
            continue
        if settings.model:
            found[settings.model.model_hash, model_file.BYTES] = None
        elif profiles.of_start(settings.start) is None:
            found[settings.start, model_file.BYTES] = None
        if settings.words:
            found[settings.words.model.model_hash, model_file.WORDS] = None
    return list(found)


def _of_reference(reference: "tuple[bytes | int, str]", offered) -> int:
    """Bytes that a model takes while it is loaded and used; 0 if it is not to be found."""
    identity, kind = reference
    if isinstance(identity, int):
        shipped = catalogue.shipped_card(identity)
        card = shipped and shipped[0]
    else:
        card = catalogue.card_by_hash(identity, offered, kind)
    return of_model(card) if card else 0


def _of_embedded(member: archive.Member) -> int:
    """Bytes that a model takes which the archive brings; 0 for what is no model."""
    with suppress(ArchiveError, ModelError):
        return of_model(model_file.card_of(member.model))
    return 0


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
    networks = (size for name, size in sizes.items() if name.split(".")[0] in archive.NETWORKS)
    return n_bytes + _OF_A_NUMBER * sum(networks) + _of_windows(card)


def _of_windows(card: dict) -> int:
    """Bytes of what networks keep of each step until they learn: a row for each array, and one
    for each softmax of a mixture."""
    rows = 2 + min(max(_intervals(card), default=_STATIC_WINDOW), MAXIMUM_INTERVAL)
    designs, numbers = _entry(card, "networks"), 0
    for entry in card["arrays"]:
        part, _, name = entry["name"].partition(".")
        if part in archive.NETWORKS and entry["shape"]:
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
