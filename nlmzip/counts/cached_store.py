"""A model's counts, decoded once and then mapped from the user's cache folder.

Decoding takes seconds, mapping none, and processes that run at once share the memory.
The cache is a convenience: a folder that cannot be written, or is full, costs time only,
and a file that is not exactly what was written is made again. Of processes that need a
store at once the first makes it, and the others wait. A store that was not used for
months is removed when another one is written.

    magic 8 | number of starts 8 | bytes of data 8 | CRC-32 of all that follows 4 | 0 4 |
    starts | data
"""

import logging
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from ..errors import ModelError
from ..models.model_file import Model
from ..platform.folders import cache_folder
from . import counts_file
from .store import Store

try:
    import fcntl
except ImportError:  # where there is no such lock, processes do not wait for each other
    fcntl = None

_MAGIC = b"nlmcnt\x00\x01"
_HEAD = struct.Struct("<8sQQII")
_DAY = 24 * 60 * 60
_LONGEST_UNUSED = 90 * _DAY  # seconds
_LONGEST_WAIT = 120  # for a process that unpacks, which may have been stopped
_loaded: dict[bytes, Store] = {}

_log = logging.getLogger(__name__)


def store_of(model: Model) -> Store:
    """The counts of a model of bytes. Raises ModelError if they are damaged."""
    if model.sha256 not in _loaded:
        path = _path(model)
        store = path and _map(path)
        _loaded[model.sha256] = _unpacked(model, path) if store is None else store
    return _loaded[model.sha256]


def _unpacked(model: Model, path: Path | None) -> Store:
    """The counts, decoded and kept, or what another process kept meanwhile."""
    if path is None:
        return _decode(model)
    with _alone(path.parent):
        store = _map(path)
        if store is None:
            store = _decode(model)
            _keep(path, store)
        return store


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait for other processes that unpack a model, but not for ever; go on without a lock
    where the folder cannot be locked.

    The lock is on the folder itself, so it leaves no file, and it ends with its process.
    """
    handle = None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if fcntl:
            handle = os.open(folder, os.O_RDONLY)
            if not _locked(handle):
                _log.info("waiting for another process that unpacks a model")
                until = time.monotonic() + _LONGEST_WAIT
                while not _locked(handle) and time.monotonic() < until:
                    time.sleep(0.05)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the lock could be had, at once."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _decode(model: Model) -> Store:
    _log.info("unpacking model %s, once", model.name)
    coded = counts_file.CodedCounts(model.arrays["counts"].tobytes(), **model.card["counts"])
    try:
        return counts_file.decode(coded)
    except ModelError as error:
        raise ModelError(f"model {model.name}: {error}; fetch or train it again") from None


def _path(model: Model) -> Path | None:
    try:
        return cache_folder() / f"counts-{model.sha256.hex()[:32]}.bin"
    except RuntimeError:  # no home folder
        return None


def _map(path: Path) -> Store | None:
    """The store in this file; None if there is none, or not all of it."""
    with suppress(OSError, ValueError, struct.error):
        if not path.is_file():  # opening a named pipe would wait
            return None
        with open(path, "rb") as file:
            magic, n_starts, n_data, checksum, _ = _HEAD.unpack(file.read(_HEAD.size))
        if magic != _MAGIC or path.stat().st_size != _HEAD.size + 4 * n_starts + n_data:
            return None
        if n_starts < 3 or (n_starts - 1) & (n_starts - 2):  # buckets are a power of two
            return None
        mapped = np.memmap(path, np.uint8, "r", _HEAD.size)
        if zlib.crc32(mapped) != checksum:
            return None
        body = np.asarray(mapped)
        starts = body[: 4 * n_starts].view(np.uint32)
        if starts[-1] != n_data or (starts[1:] < starts[:-1]).any():
            return None
        _note_use(path)
        return Store.of(starts, body[4 * n_starts :])
    return None


def _note_use(path: Path) -> None:
    """Let the file's time tell the day of its last use."""
    with suppress(OSError):  # it may be another user's
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)


def _remove_unused(folder: Path) -> None:
    """Remove stores, and beginnings of stores, that were long not used.

    A process that maps one keeps it until it ends.
    """
    for path in folder.glob("counts-*.bin*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _LONGEST_UNUSED:
                path.unlink()


def _keep(path: Path, store: Store) -> None:
    """Write the store whole or not at all; a failure is no error."""
    starts, data = store.starts.view(np.uint8), store.data
    checksum = zlib.crc32(data, zlib.crc32(starts))
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with open(handle, "wb") as file:
            file.write(_HEAD.pack(_MAGIC, store.starts.size, data.size, checksum, 0))
            file.write(starts)
            file.write(data)
        os.replace(temporary, path)
        temporary = None
        _remove_unused(path.parent)
    except OSError:
        _log.info("the unpacked model cannot be kept in %s", path.parent)
    finally:  # also where a signal ends it
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)
