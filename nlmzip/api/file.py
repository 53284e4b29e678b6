"""Archives as files: `nlmzip.open`, and the file object that it gives, as in `lzma` and `gzip`."""

import builtins
import io
import os
from collections.abc import Iterator

from ..execute.decode import Decoder
from ..execute.seek import FrameReader
from ..execute.session import Session
from ..models.catalogue import NO_MODEL
from ..plan.known import Known
from .writing import MODES, Writing, can_seek, check_file_object

_AT_ONCE = 1 << 18


class NlmzipFile(io.BufferedIOBase):
    """An archive open for reading its text ("rb"), or for writing it ("wb", "xb", "ab").

    file: a path, or a binary file object, which is not closed with this one. options: of
    nlmzip.decompress or nlmzip.compress. Text is decoded frame by frame as it is read, and `seek`
    goes to any place, through the archive's index, without decoding what stands before its frame.
    What is written is coded frame by frame, and a path appears under its name whole or not at
    all: where an error ends a `with`, it is given up. "ab" adds a member behind those that are
    there.

    Raises ValueError for a mode that is none, FileExistsError where "xb" finds the file,
    FileError (an OSError's reason is its cause) where the file cannot be written, and the
    errors of compress and decompress, those of options at once.
    """

    def __init__(self, file, mode: str = "rb", **options):
        modes = {"": "rb", "r": "rb", "rb": "rb", **MODES}
        if mode not in modes:
            raise ValueError(f"no mode {mode!r}; there are rb, wb, xb and ab")
        self.mode = modes[mode]
        self._text: io.BufferedReader | None = None
        self._writing: Writing | None = None
        self._owned = None
        is_path = isinstance(file, (str, bytes, os.PathLike))
        if self.mode == "rb" and not is_path:
            check_file_object(file, "read")
        self.name = os.fsdecode(file) if is_path else getattr(file, "name", "")
        if self.mode != "rb":
            self._writing = Writing(self.name if is_path else file, self.mode, options)
            return
        if is_path:
            file = self._owned = builtins.open(self.name, "rb")  # a missing file is told now
        try:
            self._text = io.BufferedReader(_Text(file, **options), _AT_ONCE)
        except BaseException:
            self._close_owned()
            raise

    def readable(self) -> bool:
        self._check_open()
        return self.mode == "rb"

    def writable(self) -> bool:
        self._check_open()
        return self.mode != "rb"

    def seekable(self) -> bool:
        self._check_open()
        return self.mode == "rb" and self._text.seekable()

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def _reading(self) -> io.BufferedReader:
        if not self.readable():
            raise io.UnsupportedOperation("the file is not open for reading")
        return self._text

    def read(self, size: int | None = -1) -> bytes:
        return self._reading().read(size)

    def read1(self, size: int = -1) -> bytes:
        return self._reading().read1(size)

    def readinto(self, buffer) -> int:
        return self._reading().readinto(buffer)

    def readline(self, size: int | None = -1) -> bytes:
        return self._reading().readline(-1 if size is None else size)

    def peek(self, size: int = -1) -> bytes:
        """What would be read next; nothing is passed over."""
        return self._reading().peek(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._reading().seek(offset, whence)

    def tell(self) -> int:
        """Bytes of the text before the place."""
        self._check_open()
        return self._writing.n_bytes if self._writing else self._text.tell()

    def write(self, data) -> int:
        if not self.writable():
            raise io.UnsupportedOperation("the file is not open for writing")
        return self._writing.write(data)

    def give_up(self) -> None:
        """Close it without writing more, and a path as if nothing had been written."""
        if self._writing:
            self._writing.give_up()
        self.close()

    def __exit__(self, kind, *_) -> None:
        if kind is not None:
            self.give_up()
        self.close()

    def close(self) -> None:
        """Code what is left of what was written, and put it under its name."""
        if self.closed:
            return
        try:
            if self._writing:
                self._writing.finish()
            if self._text:
                self._text.close()
        finally:
            self._close_owned()
            super().close()

    def _close_owned(self) -> None:
        if self._owned is not None:
            self._owned.close()


class _Text(io.RawIOBase):
    """The text of an archive: decoded as it comes, from the first `seek` on wherever one reads."""

    def __init__(self, file, *, model=None, threads: int = 1, memory_limit: int | None = None, progress=None):
        self._file = file
        self._known = Known(None if model == NO_MODEL else model)
        self._session = Session(threads, memory_limit)
        self._begin = file.tell() if can_seek(file) else 0
        self._coming: Iterator[bytes] | None = None
        self._is_empty = True  # as far as the file was read
        self._decoder = Decoder(self._session, self._known, progress=progress)
        self._frames: FrameReader | None = None
        self._ahead = memoryview(b"")
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return can_seek(self._file)

    def readinto(self, buffer) -> int:
        if self._frames:
            piece = self._at_place(len(buffer))
        else:
            if not self._ahead:
                self._ahead = memoryview(self._next())
            piece, self._ahead = self._ahead[: len(buffer)], self._ahead[len(buffer) :]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)

    def _next(self) -> bytes:
        """A piece of the text, b"" at its end."""
        self._coming = self._coming or self._decoded()
        try:
            return next(self._coming, b"")
        except BaseException:
            self._coming = None  # so that what is wrong is told again, or reading goes on
            raise

    def _decoded(self) -> Iterator[bytes]:
        """The text from here on; nothing of an empty file."""
        while piece := self._file.read(max(min(self._decoder.n_wanted, _AT_ONCE), 1)):
            self._is_empty = False
            yield from filter(None, self._decoder.feed(piece))
        if not self._is_empty:
            yield from filter(None, self._decoder.finish())

    def _at_place(self, n_bytes: int) -> bytes:
        """At most so many bytes of the frame that holds the place."""
        layout = self._frames.layout
        if self._place >= layout.raw_length:
            return b""
        number = layout.frame_at(self._place)
        begin = self._place - (layout.text_ends[number] - layout.spans[number].raw_length)
        return self._frames.text(number)[begin : begin + n_bytes]

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset += self._place
        if (whence != io.SEEK_END and offset == self._place) or not self.seekable():
            if offset != self._place:
                raise io.UnsupportedOperation("the archive's file cannot be read from any place")
            return self._place
        if self._frames is None:
            self._decoder.close()
            part = self._file if not self._begin else _From(self._file, self._begin)
            self._frames = FrameReader(self._session, part, self._known)
        if whence == io.SEEK_END:
            offset += self._frames.layout.raw_length
        if offset < 0:
            raise ValueError(f"negative seek value {offset}")
        self._place = offset
        return offset

    def tell(self) -> int:
        return self._place

    def close(self) -> None:
        if not self.closed:
            self._decoder.close()
            self._session.close()
        super().close()


class _From(io.RawIOBase):
    """A file from a place on."""

    def __init__(self, file, begin: int):
        self._file, self._begin = file, begin

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset + (self._begin if whence == io.SEEK_SET else 0), whence) - self._begin

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)


class _TextFile(io.TextIOWrapper):
    """Text over an NlmzipFile, which is given up where an error ends a `with`."""

    def __exit__(self, kind, *_) -> None:
        if kind is not None:
            self.buffer.give_up()
        self.close()


def open(
    file, mode: str = "rb", *, encoding: str | None = None, errors: str | None = None,
    newline: str | None = None, **options,
):  # fmt: skip
    """Open an archive: binary as NlmzipFile, or as text with "rt", "wt", "xt" or "at".

        >>> import io
        >>> kept = io.BytesIO()
        >>> with open(kept, "wt", encoding="utf-8") as file:
        ...     count = file.write("to be or not to be")
        >>> with open(io.BytesIO(kept.getvalue()), "rt", encoding="utf-8") as file:
        ...     file.read()
        'to be or not to be'

    Raises ValueError for a mode that is none or does not go with encoding, errors, newline.
    """
    if "t" not in mode:
        if (encoding, errors, newline) != (None, None, None):
            raise ValueError("encoding, errors and newline are of text; add t to the mode")
        return NlmzipFile(file, mode, **options)
    if "b" in mode:
        raise ValueError(f"no mode {mode!r}; it is text or binary")
    binary = NlmzipFile(file, mode.replace("t", "") + "b", **options)
    try:
        return _TextFile(binary, encoding, errors, newline)
    except BaseException:
        binary.give_up()
        raise


def register_with_fsspec() -> None:
    """Let fsspec open archives: `fsspec.open("text.nlmz", compression="nlmzip")`, or "infer".

    Raises ImportError where fsspec is not installed.
    """
    from fsspec.compression import register_compression

    def opened(file, mode: str = "rb", **_):
        return NlmzipFile(file, mode)

    register_compression("nlmzip", opened, "nlmz", force=True)
