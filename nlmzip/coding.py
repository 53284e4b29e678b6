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

#: Above this many bits a byte (order 0) data is either random or nearly so.
_INCOMPRESSIBLE_BITS = 7.9
_INCOMPRESSIBLE_LEAST_BYTES = 1 << 16


def compress(
    data: bytes,
    *,
    level: int | None = None,
    model: "str | os.PathLike | object | None" = None,
    predictor: str | None = None,
    dynamic: bool | None = None,
    spelling_cache: bool | None = None,
    store_name: bool = True,
    progress: Progress | None = None,
) -> bytes:
    """Compress `data` into one archive.

    level: of the mixing engine, 1 (fastest) to 9 (smallest), 5 if None.
    model: "none" for the mixing engine alone; a model's name, its path, or a loaded Model
    for the words codec; the default if None. predictor, dynamic, spelling_cache: of the
    words codec; the model's best known setting where None. store_name: keep the name of
    a model that is not a shipped one, so that a reader who lacks it is told. progress:
    called with bytes done and bytes in all. Data that coding would expand is stored.
    Raises ModelNotFoundError, ModelError, OptionError, OSError.
    """
    data = memoryview(data).tobytes()  # any bytes-like object, and a clear TypeError for others
    model = DEFAULT if model is None else model
    if model == NO_MODEL:
        if (predictor, dynamic, spelling_cache) != (None, None, None):
            raise OptionError(
                "predictor, dynamic evaluation and spelling cache belong to a model of words; "
                "name one with --model"
            )
        start = _start_of(DEFAULT_LEVEL if level is None else level)

        def encode(data: bytes, progress: Progress | None) -> bytes:
            return _encode_mix(data, start, progress)
    else:
        from .models import catalogue, settings

        if level is not None:
            raise OptionError("levels belong to the mixing engine; leave out the model or the level")
        loaded = catalogue.load(model)
        chosen = settings.resolve(loaded, predictor, dynamic, spelling_cache)

        def encode(data: bytes, progress: Progress | None) -> bytes:
            named = store_name and not catalogue.is_shipped(loaded)
            return _encode_words(data, loaded, chosen, named, progress)

    stored = archive.write_stored(data)
    if not data or _incompressible(data):
        return stored
    return min(encode(data, progress), stored, key=len)


def _start_of(level: int) -> int:
    """The number of the start that archives of a level name. Raises OptionError."""
    if level not in LEVELS:
        raise OptionError(f"there is no level {level}; choose one from 1 to 9")
    return LEVELS[level].start


def _encode_mix(data: bytes, start: int, progress: Progress | None) -> bytes:
    from .codec import mix
    from .kernels import self_test

    self_test.require()
    payload = mix.encode(data, start, progress)
    settings = archive.MixSettings(start)
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
    model: "str | os.PathLike | object | None" = None,
    progress: Progress | None = None,
) -> bytes:
    """The original of an archive, all members joined; its checksum has been verified.

    model: the model to decode with, if it is not among those that are found by hash.
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

        if settings.references:
            raise ArchiveError("it mixes in a model, which is newer than this nlmzip; upgrade nlmzip")
        self_test.require()
        return mix.decode(frame.payload, frame.raw_length, settings.start, progress)

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


def _incompressible(data: bytes) -> bool:
    """Whether bytes are so evenly spread, and repeat so little, that coding them is vain."""
    if len(data) < _INCOMPRESSIBLE_LEAST_BYTES:
        return False
    import numpy as np

    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    shares = counts[counts > 0] / len(data)
    bits = float(-(shares * np.log2(shares)).sum())
    return bits > _INCOMPRESSIBLE_BITS and len(zlib.compress(data, 1)) >= len(data)
