"""The one decorator through which every kernel of nlmzip is compiled.

It carries the flags on which the deterministic float path rests: no fastmath, and
numpy's error model (whose division has no branch, so that loops vectorise). It also
keeps the compiled code. numba looks only at a function's own file when it decides
whether a cached kernel is current, so a callee changed in another file would leave an
old caller alive, and an old caller writes archives that nobody else can read. The
cache folder's name therefore holds a digest of all sources that can hold a kernel, of
the versions of numba and LLVM, and of the CPU that is compiled for.
"""

import hashlib
import os
import pickle
from contextlib import suppress
from functools import partial
from pathlib import Path

import llvmlite
import numba
from llvmlite import binding
from numba.core import config

from ..platform.folders import cache_folder
from . import floating_mode

_DIGEST_BYTES = 32

#: How numba compiles every kernel.
FLAGS = {"error_model": "numpy", "fastmath": False, "nogil": True}
PART_FLAGS = FLAGS | {
    "_nrt": False, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip

#: Packages of nlmzip whose sources, in all folders inside, can hold kernels.
KERNEL_FLOORS = ("kernels", "entropy", "text", "contexts", "counts", "engine", "predictors", "codec", "training")


def source_digest(package: Path) -> str:
    """Hexadecimal digest of everything that decides what a kernel compiles to."""
    digest = hashlib.sha256()
    for part in (
        numba.__version__,
        llvmlite.__version__,
        config.CPU_NAME or binding.get_host_cpu_name(),
        config.CPU_FEATURES if config.CPU_FEATURES is not None else "host",
    ):
        digest.update(part.encode() + b"\0")
    for floor in KERNEL_FLOORS:
        for source in sorted((package / floor).rglob("*.py")):
            name = source.relative_to(package).as_posix()
            digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _kernel_cache_folder() -> str | None:
    """The folder for compiled kernels, or None where none can be written.

    None too where constants were rounded otherwise: a kernel that holds such would be loaded
    by sound processes later.
    """
    if not floating_mode.is_sound():
        return None
    try:
        folder = cache_folder() / f"kernels-{source_digest(Path(__file__).parents[1])}"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder) if os.access(folder, os.W_OK) else None
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None


CACHE_FOLDER = _kernel_cache_folder()


def _seal(file) -> None:
    """Keep a digest before whatever a cache file holds, and check it before use.

    LLVM ends the whole process over machine code that is damaged, or runs it; an index
    may name the code of another kernel. The digest covers the file's name, too.
    """

    def write(path: str, content: bytes) -> None:
        with file._open_for_write(path) as output:
            output.write(_digest(path, content) + content)

    def read(path: str):
        with open(path, "rb") as stored:
            digest, content = stored.read(_DIGEST_BYTES), stored.read()
        if digest != _digest(path, content):
            raise ValueError("damaged")
        return pickle.loads(content)

    def load_index():
        try:
            return read(file._index_path)
        except FileNotFoundError:
            return {}

    file._save_data = lambda name, data: write(file._data_path(name), file._dump(data))
    file._load_data = lambda name: read(file._data_path(name))
    file._save_index = lambda overloads: write(file._index_path, file._dump(overloads))
    file._load_index = load_index


def _digest(path: str, content: bytes) -> bytes:
    return hashlib.sha256(os.path.basename(path).encode() + b"\0" + content).digest()


def _forgive(cache) -> None:
    """Let a full disk or a damaged cache file cost time, never a failure."""
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*arguments):
        try:
            return load(*arguments)
        except Exception:  # whatever a damaged pickle raises
            with suppress(Exception):
                cache.flush()  # so that this is the last time
            return None

    def save_overload(*arguments):
        with suppress(Exception):
            save(*arguments)

    cache.load_overload, cache.save_overload = load_overload, save_overload


def njit(function=None, *, inline: bool = False, borrowing: bool = False):
    """Compile `function` with numba under the rules of the deterministic float path.

    Kernels run without the interpreter's lock, so that threads run side by side.
    inline: put its body into each caller before types are known.
    borrowing: it makes no array, so that none needs to be counted. Counting is left away,
    which in a small kernel with many arrays can take most of the time.
    """
    if function is None:
        return partial(njit, inline=inline, borrowing=borrowing)
    flags = dict(FLAGS)
    if borrowing:
        flags["_nrt"] = False
    if inline:
        flags["inline"] = "always"
    if CACHE_FOLDER is None:
        return numba.njit(**flags)(function)
    elsewhere, config.CACHE_DIR = config.CACHE_DIR, CACHE_FOLDER
    try:
        dispatcher = numba.njit(cache=True, **flags)(function)
    except RuntimeError:  # "no locator available": the folder went away meanwhile
        return numba.njit(**flags)(function)
    finally:
        config.CACHE_DIR = elsewhere
    _seal(dispatcher._cache._cache_file)
    _forgive(dispatcher._cache)
    return dispatcher


def part(function):
    """Compile `function` as a part of other kernels, whose machine code it goes into.

    It makes no array, and only kernels call it: what has to be passed to it, which can be
    hundreds of arrays' fields, costs nothing then, and compiling it for Python's calls
    would take longer than all else.
    """
    return numba.njit(**PART_FLAGS)(function)
