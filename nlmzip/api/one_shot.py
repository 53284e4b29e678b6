"""From bytes to an archive and back in one call; files and pieces go the same way."""

import io
import os
from collections.abc import Iterator

from ..container.layout import read_layout
from ..execute.ordered import Progress
from ..execute.session import Session
from ..models.catalogue import NO_MODEL
from ..plan import memory
from ..plan.known import Known
from ..plan.options import Options
from . import streams


def compress(
    data: bytes,
    *,
    level: int | None = None,
    model: "str | os.PathLike | object | list | None" = None,
    codec: str = "mix",
    predictor: str | None = None,
    dynamic: bool | None = None,
    spelling_cache: bool | None = None,
    store_name: bool = True,
    embed_model: bool = False,
    frame: int | str | None = None,
    threads: int = 1,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> bytes:
    """Compress `data` into one archive.

    level: of the mixing engine, 1 (fastest) to 9 (smallest), 5 if None; with a model of
    bytes the nearest that it was trained for. model: "none" for the mixing engine alone; a
    model's name, its path, or a loaded Model; or a list of these, at most one of each
    kind; if None, what the environment variable NLMZIP_MODEL names, or else, from level 5
    on, the shipped model of English for each frame of which it makes less than the engine
    alone, as far as its beginning tells. codec: "mix", the engine, in which a model of words
    takes part, or "words", which codes word by word. predictor, dynamic: of the
    model of words, spelling_cache: of the words codec; the model's best known setting
    where None. store_name: keep the name of a model that is not a shipped one, so that a
    reader who lacks it is told. embed_model: put models that are not shipped into the archive,
    which then decodes without them; where they save less than they take they are left out.
    frame: most bytes that are coded together, "all" for all of them; what suits the model if
    None. threads: how many frames are coded at once, 0 for as many as there are processors; it
    changes no byte. memory_limit: bytes that the process may come to, by the
    estimate of plan/memory.py. progress: called with bytes done and bytes in all. Data that
    coding would expand is stored. Raises ModelNotFoundError, ModelError, OptionError,
    MemoryLimitError, OSError.
    """
    data = memoryview(data).tobytes()  # any bytes-like object, and a clear TypeError for others
    options = Options(
        level, model, codec, predictor, dynamic, spelling_cache, store_name, embed_model, frame
    )
    with Session(threads, memory_limit) as session:
        archive = streams.encode(
            session, io.BytesIO(data).read, options, n_bytes=len(data), progress=progress
        )
        return b"".join(archive)


def decompress(
    data: bytes,
    *,
    model: "str | os.PathLike | object | list | None" = None,
    threads: int = 1,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> bytes:
    """The original of an archive, all members joined; its checksums have been verified.

    model: the model to decode with, or several that may be needed, if they are not among
    those that are found by hash. threads: as of compress. memory_limit: bytes that the process
    may come to; a frame that says it needs more, by the estimate of plan/memory.py, is refused
    before it is decoded. Raises ArchiveError, ModelNotFoundError, ModelError, MemoryLimitError,
    OSError.
    """
    data = memoryview(data).tobytes()
    known = Known(None if model == NO_MODEL else model)
    n_bytes = read_layout(io.BytesIO(data)).raw_length if progress else None
    with Session(threads, memory_limit) as session:
        text = streams.decode(session, io.BytesIO(data).read, known, progress=progress, n_bytes=n_bytes)
        return _joined(text, memory_limit)


def _joined(text: Iterator[bytes], memory_limit: int | None) -> bytes:
    """All pieces as one. Raises MemoryLimitError where they come to more than may be."""
    gathered, n_bytes = [], 0
    for piece in text:
        gathered.append(piece)
        n_bytes += len(piece)
        if memory_limit is not None:
            memory.require(memory.of_gathering(n_bytes), memory_limit, "decode")
    return b"".join(gathered)
