"""Archives of records: `Records` fetches any of them, `RecordWriter` makes one."""

import builtins
import io
import operator
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress

from ..container.layout import Layout
from ..container.recipe import BY_LENGTHS
from ..errors import ArchiveError, OptionError
from ..execute.seek import FrameReader
from ..execute.session import Session
from ..models.catalogue import NO_MODEL
from ..plan.known import Known
from .writing import MODES, Writing, can_seek


class Records(Sequence):
    """The records of an archive that RecordWriter or `nlmzip encode --lines` made: `len`, `[i]`,
    slices, which are lists, and iteration; each without its delimiter.

        >>> import io
        >>> kept = io.BytesIO()
        >>> with RecordWriter(kept, model="none") as writer:
        ...     for word in (b"to", b"be", b"or", b"not"):
        ...         writer.write(word)
        >>> with Records(kept) as records:
        ...     len(records), records[-1], records[:2]
        (4, b'not', [b'to', b'be'])

    path_or_file: a path, or a seekable binary file object, such as fsspec's, which is read from
    its beginning and not closed with this one. model, memory_limit: as of nlmzip.decompress;
    threads: how many frames are decoded at once where several are read.

    Only frames that hold what is asked for are decoded, each once for a slice or an iteration;
    those read last are kept. Threads may share it. Made from a path it can be pickled, by that
    path: whoever unpickles it opens the file anew, and so does a process that was forked.

    Raises ArchiveError for what is no archive, or one of no records, and OSError; and when
    records are read IndexError beyond the end, ArchiveError for damage, ModelNotFoundError,
    ModelError, MemoryLimitError, and ValueError once it is closed.
    """

    def __init__(self, path_or_file, *, model=None, threads: int = 1, memory_limit: int | None = None):
        is_path = isinstance(path_or_file, (str, bytes, os.PathLike))
        self._source = os.path.abspath(os.fsdecode(path_or_file)) if is_path else path_or_file
        self._options = {"model": model, "threads": threads, "memory_limit": memory_limit}
        self._opened: _Opened | None = _Opened(self._source, **self._options)

    @property
    def _frames(self) -> FrameReader:
        if self._opened is None:
            raise ValueError("the records are closed")
        if self._opened.is_of_another_process:
            self._opened = _Opened(self._source, **self._options)
        return self._opened.frames

    @property
    def problems(self) -> list[str]:
        """What is wrong with the archive's indexes, where its records are whole all the same."""
        return list(self._frames.layout.problems)

    def __len__(self) -> int:
        return self._frames.layout.n_records

    def __getitem__(self, index):
        if isinstance(index, slice):
            return list(self.read(range(*index.indices(len(self)))))
        number, n_records = operator.index(index), len(self)
        if not -n_records <= number < n_records:
            raise IndexError(beyond_the_end(number, n_records))
        frames = self._frames
        ((frame, (place,)),) = _by_frame(frames.layout, range(n_records)[number:][:1])
        return _trimmed(frames.layout, frame, frames.record(frame, place))

    def __iter__(self) -> Iterator[bytes]:
        return self.read(range(len(self)))

    def __reversed__(self) -> Iterator[bytes]:
        return self.read(range(len(self))[::-1])

    def read(self, numbers: range, delimiters: bool = False, progress=None) -> Iterator[bytes]:
        """The records of these numbers, which are from 0 on, one after the other.

        delimiters: whether to leave them where they stand behind records; progress: called with
        the bytes that were decoded, and None.
        """
        frames = self._frames
        wanted = list(_by_frame(frames.layout, numbers))
        with closing(frames.in_order(frames.records, wanted, progress)) as found:
            for (frame, _), records in zip(wanted, found):
                for record in records:
                    yield record if delimiters else _trimmed(frames.layout, frame, record)

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if it was opened here."""
        opened, self._opened = self._opened, None
        if opened:
            opened.close()

    def __reduce__(self):
        if not isinstance(self._source, str):
            raise TypeError("records of a file object cannot be pickled; make them from a path")
        return _unpickled, (self._source, self._options)


def _unpickled(path: str, options: dict) -> Records:
    return Records(path, **options)


class _Opened:
    """An open archive of records, and the process that opened it: a forked one has the place in
    the file in common with it, and none of its threads."""

    def __init__(self, source, model, threads: int, memory_limit: int | None):
        self._process = os.getpid()
        self._session = Session(threads, memory_limit)
        self._owned = builtins.open(source, "rb") if isinstance(source, str) else None
        file = self._owned or source
        try:
            if not can_seek(file):
                raise io.UnsupportedOperation("the archive's file cannot be read from any place")
            self.frames = FrameReader(self._session, file, Known(None if model == NO_MODEL else model))
            _check(self.frames.layout)
        except BaseException:
            self.close()
            raise

    @property
    def is_of_another_process(self) -> bool:
        return self._owned is not None and self._process != os.getpid()

    def close(self) -> None:
        self._session.close()
        if self._owned:
            self._owned.close()


def _check(layout: Layout) -> None:
    """Raises ArchiveError for what is no archive of records."""
    if not layout.is_of_records:
        raise ArchiveError(
            "holds a text that is no records; decode it, or encode it with --lines to get single records"
        )
    if layout.n_records > _MOST_RECORDS:
        raise ArchiveError("damaged archive (more records than there can be); get a good copy")


#: As much as Python's `len` can say.
_MOST_RECORDS = (1 << 63) - 1


def beyond_the_end(number: int, n_records: int) -> str:
    """That there is no such record, and which there are."""
    there = f"they are 0 to {n_records - 1:,}" if n_records else "there is none at all"
    return f"no record {number}; {there}"


def _by_frame(layout: Layout, numbers: range) -> Iterator[tuple[int, range]]:
    """The frames that hold these records, and which of its records each frame gives."""
    while numbers:
        frame = layout.frame_of_record(numbers[0])
        end = layout.record_ends[frame]
        first = end - layout.spans[frame].n_records
        stop = min(end, numbers.stop) if numbers.step > 0 else max(first - 1, numbers.stop)
        here = range(numbers.start, stop, numbers.step)
        yield frame, range(here.start - first, here.stop - first, here.step)
        numbers = numbers[len(here) :]


def _trimmed(layout: Layout, frame: int, record: bytes) -> bytes:
    """A record of a frame without its delimiter."""
    delimiter = layout.spans[frame].recipe.delimiter
    if delimiter == BY_LENGTHS or record[-1] != delimiter:
        return record
    return record[:-1]


class RecordWriter:
    """Writes an archive of records, each of which Records can fetch: `write` each, then `close`.

    path_or_file: a path, which appears under its name whole or not at all and is given up where
    an error ends a `with` or nobody closes it, or a binary file object, which stays open. mode:
    "wb", "xb", or "ab", which adds records behind those that are there. delimiter: a byte that no
    record holds, such as b"\\n", which then stands behind each, so that the archive decodes to
    lines; without one records hold any bytes, and decode to these one after the other. frame:
    bytes of records that are coded together, 64 KiB if None: more make the archive smaller, less
    make fetching a single one faster; with 1 each is coded alone. threads, memory_limit, options:
    as of nlmzip.compress.

    Raises ValueError for a mode that is none, OptionError for what is no delimiter, FileExistsError
    where "xb" finds the file, ArchiveError where "ab" finds something else than records, FileError
    where the file cannot be written, and the errors of compress. It is for one thread at a time.
    """

    def __init__(
        self, path_or_file, mode: str = "wb", *, frame: int | str | None = None,
        delimiter: bytes | None = None, threads: int = 1, memory_limit: int | None = None, **options,
    ):  # fmt: skip
        if mode not in MODES:
            raise ValueError(f"no mode {mode!r}; there are wb, xb and ab")
        if delimiter is not None and (not isinstance(delimiter, bytes) or len(delimiter) != 1):
            raise OptionError(f"{delimiter!r} is no delimiter; give one byte, or None for any records")
        self._delimiter = delimiter or b""
        if isinstance(path_or_file, (str, bytes, os.PathLike)):
            path_or_file = os.fsdecode(path_or_file)
        options |= {"frame": frame, "threads": threads, "memory_limit": memory_limit}
        told_apart = delimiter[0] if delimiter else BY_LENGTHS
        self._writing = Writing(path_or_file, MODES[mode], options, told_apart)

    def write(self, record: bytes) -> None:
        """Add a record. Raises ValueError for one that holds the delimiter, and once closed."""
        record = memoryview(record).tobytes()
        if self._delimiter and self._delimiter in record:
            raise ValueError(f"the record holds the delimiter {self._delimiter!r}; leave out the delimiter")
        self._writing.write(record + self._delimiter)

    def close(self) -> None:
        """Write what is left, and put a path under its name."""
        self._writing.finish()

    def give_up(self) -> None:
        """Write nothing more, and leave a path as it was."""
        self._writing.give_up()

    def __enter__(self) -> "RecordWriter":
        return self

    def __exit__(self, kind, *_) -> None:
        if kind is not None:
            self.give_up()
        self.close()

    def __del__(self):
        with suppress(AttributeError):  # it was never made
            self.give_up()
