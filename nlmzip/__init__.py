"""nlmzip: text compression by language models.

    >>> import nlmzip
    >>> archive = nlmzip.compress(b"to be or not to be\\n")
    >>> nlmzip.decompress(archive)
    b'to be or not to be\\n'

Numba and the models are imported by the first call that codes.
"""

import os
from collections.abc import Callable

from . import archive
from .errors import ArchiveError, ModelError, ModelNotFoundError, NlmzipError, OptionError

__version__ = "0.1.0"

__all__ = [
    "ArchiveError",
    "ModelError",
    "ModelNotFoundError",
    "NlmzipError",
    "OptionError",
    "compress",
    "decompress",
]

#: Above this many bits a byte (order 0) no word of any text is likely: keep it as it is.
_INCOMPRESSIBLE_BITS = 7.9
_INCOMPRESSIBLE_LEAST_BYTES = 1 << 16


def compress(
    data: bytes,
    *,
    model: "str | os.PathLike | object | None" = None,
    predictor: str | None = None,
    dynamic: bool | None = None,
    spelling_cache: bool | None = None,
    store_name: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """Compress `data` into one archive.

    model: a name, a path, or a loaded Model; the shipped default if None. predictor,
    dynamic, spelling_cache: the model's best known setting where None. store_name: keep
    the name of a model that is not a shipped one, so that a reader who lacks it is told.
    progress: called with bytes done and bytes in all. Data that coding would expand is
    stored. Raises ModelNotFoundError, ModelError, OptionError, OSError.
    """
    from .models import library

    loaded = library.load(model)
    settings = _settings(loaded, predictor, dynamic, spelling_cache)
    if not data or _incompressible(data):
        return archive.write_stored(data)

    from .codec import words
    from .kernels import self_test

    self_test.require()
    form = words.form_for(data, loaded)
    payload = words.encode(data, loaded, words.WordSettings(*settings, form), progress)
    header = archive.Settings(
        *settings,
        general=form == "general",
        model_hash=loaded.sha256[: archive.HASH_BYTES],
        model_name=loaded.name if store_name and not library.is_shipped(loaded) else "",
    )
    coded = archive.write(archive.WORDS, header, [archive.Frame.of(data, payload)])
    return min(coded, archive.write_stored(data), key=len)


def decompress(
    data: bytes,
    *,
    model: "str | os.PathLike | object | None" = None,
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """The original of an archive, all members joined; its checksum has been verified.

    model: the model to decode with, if it is not among those that are found by hash.
    Raises ArchiveError, ModelNotFoundError, ModelError, OSError.
    """
    members = archive.read(data)
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
    from .codec import words
    from .kernels import self_test
    from .models import library

    settings = member.settings
    loaded = library.load_by_hash(settings.model_hash, model, settings.model_name)
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


def _settings(model, predictor, dynamic, spelling_cache) -> tuple[str, bool, bool]:
    """The settings to code with: what was asked for, else what the model does best."""
    from .models import settings

    return settings.resolve(model, predictor, dynamic, spelling_cache)


def _incompressible(data: bytes) -> bool:
    """Whether the bytes are so evenly spread that models of words cannot gain anything."""
    if len(data) < _INCOMPRESSIBLE_LEAST_BYTES:
        return False
    import numpy as np

    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    shares = counts[counts > 0] / len(data)
    return float(-(shares * np.log2(shares)).sum()) > _INCOMPRESSIBLE_BITS
