"""From bytes to an archive and back: chooses codec and settings, checks, and wraps.

The functions of the Python API, which nlmzip/__init__.py offers. Numba and the models are
imported only by what needs them.
"""

import os
import zlib
from collections.abc import Callable

from . import archive
from .errors import ArchiveError, OptionError
from .mixing.levels import DEFAULT as DEFAULT_LEVEL
from .mixing.levels import LEVELS
from .models.catalogue import DEFAULT, NO_MODEL

Progress = Callable[[int, int], None]

#: The codecs that can be asked for.
MIX, WORDS = CODECS = ("mix", "words")

#: Above this many bits a byte (order 0) data is either random or nearly so.
_INCOMPRESSIBLE_BITS = 7.9
_INCOMPRESSIBLE_LEAST_BYTES = 1 << 16


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
    progress: Progress | None = None,
) -> bytes:
    """Compress `data` into one archive.

    level: of the mixing engine, 1 (fastest) to 9 (smallest), 5 if None. model: "none" for
    the mixing engine alone; a model's name, its path, or a loaded Model;
    or a list of these; the default if None. codec: "mix", the engine, in which a model of
    words takes part, or "words", which codes word by word. predictor, dynamic: of the
    model of words, spelling_cache: of the words codec; the model's best known setting
    where None. store_name: keep the name of a model that is not a shipped one, so that a
    reader who lacks it is told. progress: called with bytes done and bytes in all. Data
    that coding would expand is stored. Raises ModelNotFoundError, ModelError,
    OptionError, OSError.
    """
    data = memoryview(data).tobytes()  # any bytes-like object, and a clear TypeError for others
    _check_options(codec, level, spelling_cache)
    start = _start_of(level)
    model = DEFAULT if model is None else model
    given = None if model == NO_MODEL else _sort(model)
    if given is None or given.words is None:
        if codec == WORDS:
            raise OptionError("the words codec needs a model of words; name one with --model")
        if (predictor, dynamic) != (None, None):
            raise OptionError(
                "predictor and dynamic evaluation belong to a model of words; "
                "name one with --model"
            )

        def encode(data: bytes, progress: Progress | None) -> bytes:
            return _encode_mix(data, start, None, None, False, progress)
    else:
        from .models import catalogue, settings

        words = given.words
        chosen = settings.resolve(words, predictor, dynamic, spelling_cache)

        def encode(data: bytes, progress: Progress | None) -> bytes:
            named = store_name and not catalogue.is_shipped(words)
            if codec == WORDS:
                return _encode_words(data, words, chosen, named, progress)
            return _encode_mix(data, start, words, chosen, named, progress)

    stored = archive.write_stored(data)
    if not data or _incompressible(data):
        return stored
    return min(encode(data, progress), stored, key=len)


def _start_of(level: int | None) -> int:
    """The number of the start that archives of a level name. Raises OptionError."""
    level = DEFAULT_LEVEL if level is None else level
    if level not in LEVELS:
        raise OptionError(f"there is no level {level}; choose one from 1 to 9")
    return LEVELS[level].start


def _check_options(codec: str, level: int | None, spelling_cache: bool | None) -> None:
    if codec not in CODECS:
        raise OptionError(f"no codec {codec}; there are {' and '.join(CODECS)}")
    if codec == WORDS and level is not None:
        raise OptionError("levels belong to the mixing engine; leave out --codec words or the level")
    if codec != WORDS and spelling_cache is not None:
        raise OptionError("the spelling cache belongs to the words codec; add --codec words")


def _sort(model):
    from .models import catalogue

    return catalogue.sort_by_kind(model)


def _encode_mix(
    data: bytes, start: int, words, chosen: tuple | None, named: bool, progress
) -> bytes:
    from .codec import mix
    from .kernels import self_test

    self_test.require()
    if words is None:
        settings = archive.MixSettings(start)
        payload = mix.encode(data, start, progress)
    else:
        from .codec.mixed_words import MixedWords

        predictor, dynamic, _ = chosen
        reference = archive.ModelReference(
            words.sha256[: archive.HASH_BYTES], words.name if named else ""
        )
        mixed = archive.MixedWords(predictor, dynamic, reference)
        settings = archive.MixSettings(start, words=mixed)
        payload = mix.encode(data, start, progress, MixedWords(words, predictor, dynamic))
    return archive.write(archive.MIX, settings, [archive.Frame.of(data, payload)])


def _encode_words(data: bytes, model, chosen: tuple, named: bool, progress) -> bytes:
    from .codec import words
    from .kernels import self_test

    self_test.require()
    form = words.form_for(data, model)
    payload = words.encode(data, model, words.WordSettings(*chosen, form), progress)
    settings = archive.WordSettings(
        *chosen,
        general=form == "general",
        model_hash=model.sha256[: archive.HASH_BYTES],
        model_name=model.name if named else "",
    )
    return archive.write(archive.WORDS, settings, [archive.Frame.of(data, payload)])


def decompress(
    data: bytes,
    *,
    model: "str | os.PathLike | object | list | None" = None,
    progress: Progress | None = None,
) -> bytes:
    """The original of an archive, all members joined; its checksum has been verified.

    model: the model to decode with, or several that may be needed, if they are not among
    those that are found by hash.
    Raises ArchiveError, ModelNotFoundError, ModelError, OSError.
    """
    model = None if model == NO_MODEL else model
    members = archive.read(memoryview(data).tobytes())
    total = sum(member.raw_length for member in members)
    parts, done = [], 0
    for member in members:
        for frame in member.frames:

            def report(n_bytes: int, _total: int, before: int = done) -> None:
                progress(before + n_bytes, total)

            raw = _decode_frame(member, frame, model, report if progress else None)
            parts.append(frame.check(raw))
            done += len(raw)
    return b"".join(parts)


def _decode_frame(member: archive.Member, frame: archive.Frame, model, progress) -> bytes:
    if member.codec == archive.STORED:
        return frame.payload
    from .kernels import self_test

    settings = member.settings
    if member.codec == archive.MIX:
        from .codec import mix

        if settings.model:
            raise ArchiveError("it mixes in a model, which is newer than this nlmzip; upgrade nlmzip")
        mixed = None
        if settings.words:
            mixed = _mixed_words(settings.words, model)
        self_test.require()
        return mix.decode(frame.payload, frame.raw_length, settings.start, progress, mixed)

    from .codec import words
    from .models import catalogue

    loaded = catalogue.load_by_hash(settings.model_hash, model, settings.model_name)
    self_test.require()
    word_settings = words.WordSettings(
        settings.predictor,
        settings.dynamic,
        settings.spelling_cache,
        "general" if settings.general else "plain",
    )
    try:
        return words.decode(frame.payload, frame.raw_length, loaded, word_settings, progress)
    except OptionError as error:  # settings that no encoder writes for this model
        raise ArchiveError(f"damaged archive ({error}); get a good copy") from None


def _mixed_words(settings: archive.MixedWords, offered):
    """The word model that takes part in an archive of the mix codec."""
    from .codec.mixed_words import MixedWords
    from .models import catalogue

    reference = settings.model
    loaded = catalogue.load_by_hash(reference.model_hash, offered, reference.model_name)
    try:
        return MixedWords(loaded, settings.predictor, settings.dynamic)
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
