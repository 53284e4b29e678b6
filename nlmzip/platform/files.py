"""File policy: names, standard streams, and output that appears whole or not at all.

Called by cli/. Knows nothing of what the bytes mean. What goes wrong is raised as a
FileError, whose text says what and what to do, and whose `name` says where; a name
that calls for a second look only is Skipped.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from typing import BinaryIO

from ..errors import NlmzipError

STANDARD = "-"  # standard input or output, as the command line names it


class FileError(NlmzipError):
    """A file or stream that cannot be read or written; `name` is how messages call it."""

    def __init__(self, name: str, problem: str):
        super().__init__(problem)
        self.name = name


class Skipped(FileError):
    """A file left alone on purpose: a warning."""


# --- names -----------------------------------------------------------------------------


def input_name(path: str) -> str:
    """What messages call the input `path`."""
    return "standard input" if path == STANDARD else path


def explain(error: OSError) -> str:
    """What an OSError means and what to do, in one line."""
    explanations = {
        errno.ENOENT: "no such file or folder; check the name",
        errno.ENOTDIR: "a part of the name is a file, not a folder; check the name",
        errno.EISDIR: "is a folder; name a file",
        errno.EACCES: "permission denied; check who may read the file and write in its folder",
        errno.EPERM: "not permitted; check who may read the file and write in its folder",
        errno.EROFS: "the file system is read-only; use -o FILE or -c to write elsewhere",
        errno.ENOSPC: "no space left on the device; free some and try again",
        errno.EDQUOT: "the disk quota is used up; free some space and try again",
        errno.EFBIG: "grows larger than the system allows; raise the limit or write elsewhere",
        errno.ENAMETOOLONG: "the name is too long; use -o FILE for a shorter one",
        errno.ELOOP: "the links lead in a circle; check the name",
        errno.EBADF: "is closed; open it or name a file",
    }
    what = error.strerror or str(error)
    return explanations.get(
        error.errno, f"{what[:1].lower()}{what[1:]}; check the device and try again"
    )


@contextlib.contextmanager
def _explained(name: str):
    """OSErrors within are raised as FileErrors about `name`; a closed pipe stays what it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(name, explain(error)) from error


# --- reading ---------------------------------------------------------------------------


class Source:
    """A file, or standard input where `path` is "-", opened for reading."""

    def __init__(self, path: str):
        self.is_standard = path == STANDARD
        self.name = input_name(path)
        self._path = path
        with _explained(self.name):
            self._file = open(0 if self.is_standard else path, "rb", closefd=not self.is_standard)
            self.status = os.fstat(self._file.fileno())

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_) -> None:
        self._file.close()

    def is_terminal(self) -> bool:
        return self._file.isatty()

    def read(self, n_bytes: int = -1) -> bytes:
        """At most so many bytes, all that are left where that is negative; b"" at the end."""
        with _explained(self.name):
            return self._file.read(n_bytes)

    @property
    def n_bytes(self) -> int | None:
        """How much there is to read, where that is known."""
        regular = stat.S_ISREG(self.status.st_mode)
        return self.status.st_size if regular and not self.is_standard else None

    @property
    def seekable(self) -> "BinaryIO | None":
        """The open file, if it can be read from any place."""
        with _explained(self.name):
            return self._file if self._file.seekable() else None

    def explained(self):
        """A context in which what goes wrong with the open file is told as of this source."""
        return _explained(self.name)

    def check_removable(self) -> None:
        """Raise a FileError if `remove` could not remove just the file that is read."""
        if self.is_standard or not stat.S_ISREG(self.status.st_mode):
            raise FileError(self.name, "is no file that could be removed; leave out --rm")
        if os.path.islink(self._path):
            raise FileError(
                self.name, "is a link; name the file that it points at, or leave out --rm"
            )

    def remove(self) -> None:
        """Remove the file; raises a FileError if it is not any more as it was when it was opened."""
        with _explained(self.name):
            now = os.lstat(self._path)
            if _version(now) != _version(self.status):
                raise FileError(self.name, "has changed meanwhile and is kept; look which one is right")
            if os.name == "nt":  # where nothing that is open can be removed
                self._file.close()
            os.unlink(self._path)


def _version(status: os.stat_result) -> tuple:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


# --- writing ---------------------------------------------------------------------------

# What some systems lack: Windows has text files, whose line ends it would change, and no
# owners, modes and times of a descriptor.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_TIMES_BY_DESCRIPTOR = os.utime in os.supports_fd
_HAS_OWNERS = hasattr(os, "fchown")


def _names_no_file(path: str) -> bool:
    return os.path.basename(path) in ("", os.curdir, os.pardir)


def _folder_of(path: str) -> str:
    return os.path.dirname(path) or os.curdir


class Target:
    """Where the result goes: a file, or standard output where `path` is "-".

    `check` says early what could only be said after long work. A file appears
    under its name whole or not at all, by a temporary file beside it and a rename. A
    link is followed, so what it points at is written, and a device or named pipe is
    written to as it stands.
    """

    def __init__(self, path: str, *, force: bool = False):
        self.is_standard = path == STANDARD
        self.name = "standard output" if self.is_standard else path
        # No more is resolved than has to be: a folder above may be one that cannot be looked into.
        odd = os.path.islink(path) or _names_no_file(path)
        self._path = os.path.realpath(path) if odd and not self.is_standard else path
        self._force = force

    def _status(self) -> "os.stat_result | None":
        """The status of what is there now, None where nothing is."""
        with _explained(self.name):
            if self.is_standard:
                return os.fstat(1)
            try:
                return os.stat(self._path)
            except FileNotFoundError:
                return None

    def is_terminal(self) -> bool:
        if self.is_standard:
            return os.isatty(1)
        if self._path == os.devnull:  # Windows takes it for a terminal
            return False
        status = self._status()
        if status is None or not stat.S_ISCHR(status.st_mode):
            return False
        with _explained(self.name), open(self._path, "wb", buffering=0) as device:
            return device.isatty()

    def check(self, source: "Source | None" = None) -> None:
        """Raise a FileError if it is known already that `write` would fail or destroy `source`."""
        if _names_no_file(self.name):  # of which realpath has made something else
            raise FileError(self.name, "names no file; add a file's name")
        status = self._status()
        if status is None:
            folder = _folder_of(self._path)
            if not os.path.isdir(folder):
                raise FileError(self.name, f"there is no folder {folder}; make it first")
            return
        if stat.S_ISDIR(status.st_mode):
            raise FileError(self.name, "is a folder; name a file")
        if not stat.S_ISREG(status.st_mode):
            return
        if source is not None and os.path.samestat(status, source.status):
            raise FileError(
                self.name, "input and output are the same file; use -o with another name"
            )
        if not self.is_standard and not self._force:
            raise self._exists()

    @property
    def keeps(self) -> bool:
        """Whether what is written can be read again."""
        status = self._status()
        return not self.is_standard and (status is None or stat.S_ISREG(status.st_mode))

    def check_keeps(self) -> None:
        """Raise a FileError if what is written could not be read again."""
        if not self.keeps:
            raise FileError(self.name, "is no file that keeps what is written; leave out --rm")

    def _exists(self) -> FileError:
        return FileError(self.name, "exists already; use --force to overwrite it")

    def open(self, like: "Source | None" = None) -> "Output":
        """Where the result is written to, piece by piece; a file takes owner, mode and times from
        the file `like`, where there is one."""
        with _explained(self.name):
            status = self._status()
            if self.is_standard:
                return _Standard(self.name)
            if status is not None and not stat.S_ISREG(status.st_mode):
                return _Device(self.name, self._path)
            status = None if like is None or like.is_standard else like.status
            return _File(self.name, self._path, status, self._put_in_place)

    def write(self, data: bytes) -> None:
        """Write `data`, and nothing else."""
        with self.open() as output:
            output.write(data)
            output.finish()

    def _put_in_place(self, temporary: str) -> None:
        """Give the finished file its name; without force never over another file."""
        if self._force:
            os.replace(temporary, self._path)
            return
        try:
            os.link(temporary, self._path)  # fails where the name is taken, in one step
        except FileExistsError:
            raise self._exists() from None
        except OSError:  # a file system without hard links
            if os.path.lexists(self._path):
                raise self._exists() from None
            os.replace(temporary, self._path)


class Output:
    """What a result is written to: `write` pieces, then `finish`; where that does not come about,
    `discard` leaves a file as it was."""

    #: Whether others write there, too.
    is_shared = False

    def __init__(self, name: str, descriptor: int):
        self.name = name
        self.n_written = 0
        self._descriptor = descriptor

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, *_) -> None:
        self.discard()

    def write(self, data: bytes) -> None:
        with _explained(self.name):
            _write_all(self._descriptor, data)
        self.n_written += len(data)

    def finish(self, check: "Callable[[BinaryIO], None] | None" = None) -> None:
        """All has been written. check: gets what was written, open for reading, before it counts;
        where it raises, or nothing can be read again, nothing appears."""

    def discard(self) -> None:
        """Leave nothing behind, unless it is finished."""


class _Standard(Output):
    is_shared = True

    def __init__(self, name: str):
        super().__init__(name, 1)


class _Device(Output):
    """A device or a named pipe."""

    def __init__(self, name: str, path: str):
        super().__init__(name, os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0)))

    def finish(self, check=None) -> None:
        self.discard()

    def discard(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _File(Output):
    """A file, which is written under another name beside its own until it is whole."""

    def __init__(self, name: str, path: str, like: "os.stat_result | None", put_in_place):
        self._folder = _folder_of(path)
        self._like = like
        self._put_in_place = put_in_place
        self._temporary = os.path.join(self._folder, f".nlmzip-{os.urandom(8).hex()}.tmp")
        self._open = False
        super().__init__(name, os.open(self._temporary, _NEW_FILE, 0o600))
        self._open = True

    def finish(self, check=None) -> None:
        with _explained(self.name):
            _take_over(self._descriptor, self._like)
            _flush(self._descriptor)
            self._close()
            if self._like is not None and not _TIMES_BY_DESCRIPTOR:
                os.utime(self._temporary, ns=(self._like.st_atime_ns, self._like.st_mtime_ns))
            if check:
                with open(self._temporary, "rb") as written:
                    check(written)
            self._put_in_place(self._temporary)
            _flush_folder(self._folder)
            self.discard()

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._descriptor)

    def discard(self) -> None:
        self._close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._temporary)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _take_over(descriptor: int, like: "os.stat_result | None") -> None:
    """Mode and times of the file `like`; without one, what a new file gets."""
    if not _HAS_OWNERS:
        return
    if like is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    mode = stat.S_IMODE(like.st_mode) & 0o777
    if os.fstat(descriptor).st_gid != like.st_gid:
        try:
            os.fchown(descriptor, -1, like.st_gid)
        except OSError:  # another group: let it see no more than everyone may
            mode &= 0o707 | (mode & 0o007) << 3
    os.fchmod(descriptor, mode)
    if _TIMES_BY_DESCRIPTOR:
        os.utime(descriptor, ns=(like.st_atime_ns, like.st_mtime_ns))


def _flush(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # nothing to flush on this file system
            raise


def _flush_folder(folder: str) -> None:
    """Make the new name itself last; not every system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- the standard descriptors ----------------------------------------------------------


def occupy_standard_descriptors() -> None:
    """Keep 0, 1 and 2, if closed, from becoming the numbers of files that are opened later.

    What stands in for them is open the wrong way round, so that using it is an error.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if descriptor == 0 else os.O_RDONLY)


def discard_standard_output() -> None:
    """After its reader has gone: let nothing more be written there, not even at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
