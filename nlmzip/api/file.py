"""Archives as files: `nlmzip.open`, and the file object that it gives, as in `lzma` and `gzip`."""

import builtins
import io
import os

from ..container import archive
from ..platform.files import Target
from .one_shot import compress, decompress

_MODES = {"": "rb", "r": "rb", "rb": "rb", "w": "wb", "wb": "wb", "x": "xb", "xb": "xb", "a": "ab", "ab": "ab"}


class NlmzipFile(io.BufferedIOBase):
    """An archive open for reading its text ("rb"), or for writing it ("wb", "xb", "ab").

    file: a path, or a binary file object, which is not closed with this one. options: of
    nlmzip.decompress or nlmzip.compress. What is read is decoded and verified as a whole at
    the first read; what is written is coded when it is closed, and appears under its name
    whole or not at all: where an error ends a `with`, it is given up. "ab" adds a member behind
    those that are there.

    Raises ValueError for a mode that is none, FileExistsError where "xb" finds the file,
    FileError (an OSError's reason is its cause) where the file cannot be written, and the
    errors of compress and decompress.
    """

    def __init__(self, file, mode: str = "rb", **options):
        if mode not in _MODES:
            raise ValueError(f"no mode {mode!r}; there are rb, wb, xb and ab")
        self.mode = _MODES[mode]
        self._options = options
        self._text: io.BytesIO | None = None
        self._coded: bytes | None = None
        self._path = self._file = None
        if isinstance(file, (str, bytes, os.PathLike)):
            self.name = self._path = os.fsdecode(file)
            if self.mode == "xb" and os.path.lexists(self._path):
                raise FileExistsError(f"{self._path} exists already")
            if self.mode == "rb":
                self._file = builtins.open(self._path, "rb")  # a missing file is told now
            if self.mode == "ab" and (before := self._before()):  # so is one that nothing can be added to
                archive.read(before)
        else:
            self.name = getattr(file, "name", "")
            self._file = file
        if self.mode != "rb":
            self._text = io.BytesIO()

    def readable(self) -> bool:
        self._check_open()
        return self.mode == "rb"

    def writable(self) -> bool:
        self._check_open()
        return self.mode != "rb"

    def seekable(self) -> bool:
        self._check_open()
        return self.mode == "rb"

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def _reading(self) -> io.BytesIO:
        """The text to read from, decoded when it is wanted first."""
        if not self.readable():
            raise io.UnsupportedOperation("the file is not open for reading")
        if self._text is None:
            if self._coded is None:
                self._coded = self._file.read()
            text = decompress(self._coded, **self._options) if self._coded else b""
            self._text, self._coded = io.BytesIO(text), None
        return self._text

    def read(self, size: int | None = -1) -> bytes:
        return self._reading().read(size)

    def read1(self, size: int = -1) -> bytes:
        return self._reading().read1(size)

    def readinto(self, buffer) -> int:
        return self._reading().readinto(buffer)

    def readline(self, size: int | None = -1) -> bytes:
        return self._reading().readline(size)

    def peek(self, size: int = -1) -> bytes:
        """What would be read next; nothing is passed over."""
        text = self._reading()
        rest = text.getbuffer()[text.tell() :]
        return bytes(rest if size < 0 else rest[:size])

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._reading().seek(offset, whence)

    def tell(self) -> int:
        self._check_open()
        return 0 if self._text is None else self._text.tell()

    def write(self, data) -> int:
        if not self.writable():
            raise io.UnsupportedOperation("the file is not open for writing")
        return self._text.write(data)

    def give_up(self) -> None:
        """Close it without writing anything."""
        if not self.closed and self.mode != "rb":
            self._text = None
        self.close()

    def __exit__(self, kind, *_) -> None:
        if kind is not None:
            self.give_up()
        self.close()

    def close(self) -> None:
        """Code what was written, and put it under its name."""
        if self.closed:
            return
        try:
            if self.mode != "rb" and self._text is not None:
                self._finish(compress(self._text.getbuffer(), **self._options))
        finally:
            self._text = None
            if self._path is not None and self._file is not None:
                self._file.close()
            super().close()

    def _before(self) -> bytes:
        """What a file that is added to holds."""
        if not os.path.exists(self._path):
            return b""
        with builtins.open(self._path, "rb") as file:
            return file.read()

    def _finish(self, coded: bytes) -> None:
        if self._path is not None:
            before = self._before() if self.mode == "ab" else b""
            Target(self._path, force=self.mode != "xb").write(before + coded)
            return
        if self.mode == "ab" and self._file.seekable():
            self._file.seek(0, io.SEEK_END)
        rest = memoryview(coded)
        while rest:  # a raw file may take a part
            taken = self._file.write(rest)
            rest = rest[len(rest) if taken is None else taken :]


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
