"""Archives on their way to a file, piece by piece: what NlmzipFile and RecordWriter write with."""

import builtins
import io
import os

from ..container.layout import read_layout
from ..errors import ArchiveError
from ..execute.session import Session
from ..plan.options import Options
from ..platform.files import Target
from . import streams

#: Modes for writing, and what they are called.
MODES = {"w": "wb", "wb": "wb", "x": "xb", "xb": "xb", "a": "ab", "ab": "ab"}


class Writing:
    """What is written, on its way through an encoder to a file.

    file: a path, which appears under its name whole or not at all, or a binary file object, which
    gets the archive as it comes; mode: "wb", "xb" or "ab"; options: of nlmzip.compress; delimiter:
    of records, as of Encoder. Raises FileExistsError, FileError, ArchiveError where "ab" finds
    something else, and the errors of compress. After an error nothing more can be written, and a
    path stays as it was.
    """

    def __init__(self, file, mode: str, options: dict, delimiter: int | None = None):
        is_path = isinstance(file, str)
        if not is_path:
            check_file_object(file, "write")
        options = dict(options)
        threads, memory_limit = options.pop("threads", 1), options.pop("memory_limit", None)
        progress = options.pop("progress", None)
        self.n_bytes = 0
        self._session = Session(threads, memory_limit)
        more = {} if delimiter is None else {"delimiter": delimiter}
        self._encoder = streams.piecewise(self._session, Options(**options), progress=progress, **more)
        self._output = _of_path(file, mode, delimiter is not None) if is_path else _OfFile(file, mode)

    def write(self, data) -> int:
        """Take in bytes, or a record; how many they are."""
        if self._encoder is None:
            raise ValueError("nothing can be written any more, after an error or the end")
        data = memoryview(data).cast("B")
        try:
            for piece in self._encoder.feed(data):
                self._output.write(piece)
        except BaseException:  # what was taken in and not written is lost, and so is the rest
            self.give_up()
            raise
        self.n_bytes += len(data)
        return len(data)

    def finish(self) -> None:
        """Write what is left, and put a path under its name."""
        if self._encoder is None:
            return
        encoder, self._encoder = self._encoder, None
        try:
            with self._session, encoder:
                for piece in encoder.finish():
                    self._output.write(piece)
            self._output.finish()
        finally:
            self._output.discard()

    def give_up(self) -> None:
        """Write nothing more, and leave a path as it was."""
        if self._encoder is not None:
            encoder, self._encoder = self._encoder, None
            encoder.close()
            self._session.close()
            self._output.discard()


class _OfFile:
    """A file object, which gets everything as it comes."""

    def __init__(self, file, mode: str):
        if mode == "ab" and can_seek(file):
            file.seek(0, io.SEEK_END)
        self._file = file

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:  # a raw file may take a part
            taken = self._file.write(rest)
            rest = rest[len(rest) if taken is None else taken :]

    def finish(self) -> None:
        """It stays open."""

    def discard(self) -> None:
        """What was written is there."""


def _of_path(path: str, mode: str, of_records: bool):
    """The output of a path; to be added to, with what is there in it."""
    if mode == "xb" and os.path.lexists(path):
        raise FileExistsError(f"{path} exists already")
    if mode != "ab" or not os.path.exists(path):
        return Target(path, force=mode != "xb").open()
    with builtins.open(path, "rb") as before:
        if before.peek(1):
            _check(before, of_records)
        output = Target(path, force=True).open()
        try:
            before.seek(0)
            for piece in streams.pieces(before.read):
                output.write(piece)
        except BaseException:
            output.discard()
            raise
    return output


def _check(file, of_records: bool) -> None:
    """Raises ArchiveError for what nothing, or no records, can be added to."""
    layout = read_layout(file)
    if of_records and not layout.is_of_records:
        raise ArchiveError("holds a text that is no records, to which none can be added; choose another file")


def check_file_object(file, method: str) -> None:
    """Raises TypeError for what has no such method, before anything is taken in."""
    if not callable(getattr(file, method, None)):
        raise TypeError(f"{file!r} is neither a path nor a file object that can {method}")


def can_seek(file) -> bool:
    """Whether a file object can be read from any place."""
    try:
        return file.seekable()
    except AttributeError:
        return False
