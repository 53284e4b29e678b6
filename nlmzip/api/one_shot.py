"""From bytes to an archive and back: chooses codec and settings, checks, and wraps.

The functions of the Python API, which nlmzip/__init__.py offers. Numba and the models are
imported only by what needs them.
"""

import os
import zlib
from collections.abc import Callable
from typing import NamedTuple

from ..container import archive
from ..engine.profiles import DEFAULT as DEFAULT_LEVEL
from ..engine.profiles import LEVELS
from ..errors import ArchiveError, OptionError
from ..models.catalogue import NO_MODEL
from ..plan import memory

Progress = Callable[[int, int], None]

#: The codecs that can be asked for.
MIX, WORDS = CODECS = ("mix", "words")

#: Above this many bits a byte (order 0) data is either random or nearly so.
_INCOMPRESSIBLE_BITS = 7.9
_INCOMPRESSIBLE_LEAST_BYTES = 1 << 16

#: As much of a text decides whether the default model suits it.
_HEAD_BYTES = 1 << 15


def compress(
    data: bytes,
    *,
    level: int | None = None,
    model: "str | os.PathLike | object | list | None" = None,
    codec: str = MIX,
    predictor: str | None = None,
    dynamic: bool | None = None,
    spelling_cache: bool | None = None,
    store_name: bool = True,
    embed_model: bool = False,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> bytes:
    """Compress `data` into one archive.

    level: of the mixing engine, 1 (fastest) to 9 (smallest), 5 if None; with a model of
    bytes the nearest that it was trained for. model: "none" for the mixing engine alone; a
    model's name, its path, or a loaded Model; or a list of these, at most one of each
    kind; if None, what the environment variable NLMZIP_MODEL names, or else, from level 5
    on, the shipped model of English where it makes less of the text's beginning than the
    engine alone. codec: "mix", the engine, in which a model of words takes
    part, or "words", which codes word by word. predictor, dynamic: of the
    model of words, spelling_cache: of the words codec; the model's best known setting
    where None. store_name: keep the name of a model that is not a shipped one, so that a
    reader who lacks it is told. embed_model: put models that are not shipped into the archive,
    which then decodes without them; where they save less than they take they are left out. memory_limit: bytes that the process may come to, by the
    estimate of memory.py. progress: called with bytes done and bytes in all. Data that
    coding would expand is stored. Raises ModelNotFoundError, ModelError, OptionError,
    MemoryLimitError, OSError.
    """
    data = memoryview(data).tobytes()  # any bytes-like object, and a clear TypeError for others
    _check_options(codec, level, spelling_cache)
    from ..models import catalogue

    model = catalogue.named_default() if model is None and codec == MIX else model
    given = catalogue.sort_by_kind(model)
    _check_models(given, codec, predictor, dynamic)
    embedded = _embedded(given) if embed_model else b""
    store_name = store_name and not embedded
    chosen = None
    if given.words:
        from ..models import settings

        chosen = settings.resolve(given.words, predictor, dynamic, spelling_cache)
    if not data or _incompressible(data):
        return archive.write_stored(data)
    tried = None
    if model is None and codec == MIX and (level or DEFAULT_LEVEL) >= DEFAULT_LEVEL:
        tried = catalogue.default()
    if memory_limit is not None:
        of_engine = None if codec == WORDS else level or DEFAULT_LEVEL
        needed = memory.of_encoding(len(data), of_engine, given, tried)
        memory.require(needed, memory_limit, "encode")
    if codec == WORDS:
        coded = _encode_words(data, given, chosen, store_name, progress)
    elif tried:
        coded = _encode_best(data, level, progress)
    else:
        coded = _encode_mix(data, given, level, chosen, store_name, progress)
    whole = [embedded + coded, archive.write_stored(data)]
    if embedded and codec == MIX:  # a model can be larger than what it saves
        whole.append(_encode_mix(data, catalogue.Models(), level, None, False, None))
    return min(whole, key=len)


def _embedded(given) -> bytes:
    """Members that are the models which a reader may lack. Raises OptionError for one that has no file."""
    from ..models import catalogue

    needed = [model for model in given if model and not catalogue.is_shipped(model)]
    for model in needed:
        if not model.file:
            raise OptionError(f"the model {model.name} was not read from a file, so it cannot be embedded")
    return b"".join(archive.write_model(model.file) for model in needed)


def _encode_best(data: bytes, level: int | None, progress: Progress | None) -> bytes:
    """By the engine alone or with the default model: whichever makes less of the text.

    At the default level what the text's beginning costs decides, and its second half counts
    for all of the rest. The model is of that level, and a slower one does better without on
    some text only, so there the whole of it does.
    """
    from ..models import catalogue

    choices = catalogue.Models(), catalogue.Models(bytes=catalogue.default())
    slow = level is not None and level > DEFAULT_LEVEL
    if slow or len(data) <= _HEAD_BYTES:
        told = _in_turn(progress, len(choices)) if progress else [None] * len(choices)
        coded = (_encode_mix(data, given, level, None, False, tell) for given, tell in zip(choices, told))
        return min(coded, key=len)
    begun = [_begin_mix(data, given, level, None, False) for given in choices]
    rest = 2 * (len(data) - _HEAD_BYTES) / _HEAD_BYTES
    expected = []
    for encoding, _ in begun:
        half = encoding.advance(_HEAD_BYTES // 2)
        head = encoding.advance(_HEAD_BYTES)
        expected.append(head + (head - half) * rest)
    best = begun[expected.index(min(expected))]
    del begun, encoding  # the other one's memory
    return _finish_mix(data, *best, progress)


def _in_turn(progress: Progress, n_passes: int) -> list[Progress]:
    """What each of several passes over a text tells, so that all of them are told as one."""

    def of_pass(number: int) -> Progress:
        return lambda done, total: progress((number * total + done) // n_passes, total)

    return [of_pass(number) for number in range(n_passes)]


def _check_options(codec: str, level: int | None, spelling_cache: bool | None) -> None:
    if codec not in CODECS:
        raise OptionError(f"no codec {codec}; there are {' and '.join(CODECS)}")
    if level is not None and level not in LEVELS:
        raise OptionError(f"there is no level {level}; choose one from 1 to 9")
    if codec == WORDS and level is not None:
        raise OptionError("levels belong to the mixing engine; leave out --codec words or the level")
    if codec != WORDS and spelling_cache is not None:
        raise OptionError("the spelling cache belongs to the words codec; add --codec words")


def _check_models(given, codec: str, predictor: str | None, dynamic: bool | None) -> None:
    if codec == WORDS and given.bytes:
        raise OptionError(f"{given.bytes.name} is a model of bytes, of which the words codec has no use")
    if codec == WORDS and not given.words:
        raise OptionError("the words codec needs a model of words; name one with --model")
    if not given.words and (predictor, dynamic) != (None, None):
        raise OptionError(
            "predictor and dynamic evaluation belong to a model of words; name one with --model"
        )


def _reference(model, store_name: bool) -> archive.ModelReference:
    """How an archive names a model that readers need."""
    from ..models import catalogue

    named = store_name and not catalogue.is_shipped(model)
    return archive.ModelReference(model.sha256[: archive.HASH_BYTES], model.name if named else "")


def _encode_mix(data: bytes, given, level: int | None, chosen, store_name: bool, progress) -> bytes:
    return _finish_mix(data, *_begin_mix(data, given, level, chosen, store_name), progress)


def _begin_mix(data: bytes, given, level: int | None, chosen, store_name: bool):
    """A text about to be coded, and the settings of its archive."""
    from ..codec import mix
    from ..kernels import self_test
    from ..models import catalogue
    from ..plan import byte_model

    self_test.require()
    level = DEFAULT_LEVEL if level is None else level
    reference, of_words, words = None, None, None
    if given.bytes:
        level = byte_model.nearest_level(given.bytes, level)
        beginning = byte_model.beginning(given.bytes, level)
        start = catalogue.shipped_number(given.bytes, level)
        if start is None:
            start, reference = level, _reference(given.bytes, store_name)
    else:
        start = LEVELS[level].start
        beginning = byte_model.without_model(start)
    if given.words:
        from ..predictors.as_bytes.mixed_words import PreparedWords

        predictor, dynamic, _ = chosen
        light = given.bytes is not None
        of_words = archive.MixedWords(predictor, dynamic, _reference(given.words, store_name), light)
        words = PreparedWords(given.words, predictor, dynamic, light)
    return mix.Prepared(beginning, words).state().begin(data), archive.MixSettings(start, reference, of_words)


def _finish_mix(data: bytes, encoding, settings: archive.MixSettings, progress) -> bytes:
    payload = encoding.finish(progress)
    return archive.write(archive.MIX, settings, [archive.Frame.of(data, payload)])


def _encode_words(data: bytes, given, chosen, store_name: bool, progress) -> bytes:
    from ..codec import words
    from ..kernels import self_test

    self_test.require()
    model = given.words
    form = words.form_for(data, model)
    payload = words.encode(data, model, words.WordSettings(*chosen, form), progress)
    reference = vars(_reference(model, store_name))
    settings = archive.WordSettings(*chosen, text_form=form, **reference)
    return archive.write(archive.WORDS, settings, [archive.Frame.of(data, payload)])


def decompress(
    data: bytes,
    *,
    model: "str | os.PathLike | object | list | None" = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> bytes:
    """The original of an archive, all members joined; its checksum has been verified.

    model: the model to decode with, or several that may be needed, if they are not among
    those that are found by hash. memory_limit: bytes that the process may come to; an
    archive that says it needs more, by the estimate of memory.py, is refused at once.
    Raises ArchiveError, ModelNotFoundError, ModelError, MemoryLimitError, OSError.
    """
    model = None if model == NO_MODEL else model
    members = archive.read(memoryview(data).tobytes(), memory_limit)
    if memory_limit is not None:
        memory.require(memory.of_decoding(members, len(data), model), memory_limit, "decode")
    total = sum(member.raw_length for member in members)
    parts, done = [], 0
    known = _Known(model, [])
    for member in members:
        if member.codec == archive.MODEL:
            known.embedded.append(_read_model(member))
            continue
        for frame in member.frames:

            def report(n_bytes: int, _total: int, before: int = done) -> None:
                progress(before + n_bytes, total)

            raw = _decode_frame(member, frame, known, report if progress else None)
            parts.append(frame.check(raw))
            done += len(raw)
    return b"".join(parts)


class _Known(NamedTuple):
    """The models that a caller offers, and those that the archive has brought so far."""

    offered: object
    embedded: list

    def find(self, reference, kind: str):
        """The model that an archive refers to. Raises ModelNotFoundError, ModelError."""
        from ..models import catalogue

        return catalogue.load_by_hash(
            reference.model_hash, self.offered, reference.model_name, kind, self.embedded
        )


def _read_model(member: archive.Member):
    from ..errors import ModelError
    from ..models import model_file

    try:
        return model_file.read(member.model)
    except ModelError as error:
        raise ArchiveError(f"damaged archive (its model: {error})") from None


def _decode_frame(member: archive.Member, frame: archive.Frame, known: _Known, progress) -> bytes:
    if member.codec == archive.STORED:
        return frame.payload
    from ..kernels import self_test

    settings = member.settings
    if member.codec == archive.MIX:
        from ..codec import mix

        beginning = _beginning(settings, known)
        words = _mixed_words(settings.words, known) if settings.words else None
        self_test.require()
        return mix.decode(frame.payload, frame.raw_length, beginning, progress, words)

    from ..codec import words
    from ..models.model_file import WORDS as OF_WORDS

    loaded = known.find(settings, OF_WORDS)
    self_test.require()
    word_settings = words.WordSettings(
        settings.predictor,
        settings.dynamic,
        settings.spelling_cache,
        settings.text_form,
    )
    try:
        return words.decode(frame.payload, frame.raw_length, loaded, word_settings, progress)
    except OptionError as error:  # settings that no encoder writes for this model
        raise ArchiveError(f"damaged archive ({error}); get a good copy") from None


def _beginning(settings: archive.MixSettings, known: _Known):
    """What the engine begins with for an archive of the mix codec."""
    from ..models import catalogue
    from ..plan import byte_model

    if settings.model:
        model = known.find(settings.model, catalogue.BYTES)
        return byte_model.beginning(model, settings.start)
    shipped = catalogue.shipped_by_number(settings.start)
    if shipped:
        return byte_model.beginning(*shipped)
    return byte_model.without_model(settings.start)


def _mixed_words(settings: archive.MixedWords, known: _Known):
    """The word model that takes part in an archive of the mix codec."""
    from ..models import catalogue
    from ..predictors.as_bytes.mixed_words import PreparedWords

    loaded = known.find(settings.model, catalogue.WORDS)
    try:
        return PreparedWords(loaded, settings.predictor, settings.dynamic, settings.light)
    except OptionError as error:  # settings that no encoder writes for this model
        raise ArchiveError(f"damaged archive ({error}); get a good copy") from None


def _incompressible(data: bytes) -> bool:
    """Whether bytes are so evenly spread, and repeat so little, that coding them is vain."""
    if len(data) < _INCOMPRESSIBLE_LEAST_BYTES:
        return False
    import numpy as np

    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    shares = counts[counts > 0] / len(data)
    bits = float(-(shares * np.log2(shares)).sum())
    return bits > _INCOMPRESSIBLE_BITS and len(zlib.compress(data, 1)) >= len(data)
