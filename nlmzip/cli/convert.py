"""What `encode`, `decode` and `test` have in common: from each named file to the file it becomes."""

import hashlib
import io
import os
import stat
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import BinaryIO, NamedTuple

import click

from ..errors import printable
from ..platform.files import STANDARD, FileError, Output, Source, Target
from . import messages, turns
from .each_file import for_each_file
from .options import (
    FILE,
    files_argument,
    memory_option,
    message_options,
    options,
    progress_option,
    threads_option,
)
from .progress import byte_progress

Progress = Callable[[int, "int | None"], None]  # done bytes, total bytes

_output_options = options(
    click.option("-o", "--output", metavar="OUT", type=FILE, help="Write to OUT; - is standard output."),
    click.option("-c", "--stdout", is_flag=True, help="Write to standard output."),
    click.option("-f", "--force", is_flag=True, help="Overwrite what is there."),
    click.option(
        "-k", "--keep", "remove", flag_value=False, type=bool, default=False,
        help="Keep FILE, which is the default.",
    ),
    click.option(
        "--rm", "remove", flag_value=True, type=bool,
        help="Remove FILE, once what was written has been read back and verified.",
    ),
)  # fmt: skip
reading_options = options(
    files_argument, message_options, progress_option, memory_option, threads_option
)
file_options = options(
    files_argument, _output_options, message_options, progress_option, memory_option, threads_option
)

FOLDER = "is a folder; make one file of it with tar -cf - FOLDER | nlmzip > FOLDER.tar.nlmz"

#: Bytes that are read at once where nothing else says how many.
_AT_ONCE = 1 << 20
#: By which it is told what a file is; no more, since a pipe may not have more yet.
_BEGINNING = 8


class Job(NamedTuple):
    """One file on its way: progress, and warn, which is called with what is wrong where the text
    is whole all the same; verify: whether what cannot be read back is to be checked before it is
    written."""

    source: Source
    progress: Progress
    warn: Callable[[str], None]
    verify: bool


class Work(NamedTuple):
    """What is done with the content of each file.

    code(read, job): what becomes of what is read, piece by piece. name_of(path): the output's name
    where no option gives one. binary: which end, "source" or "target", no terminal can be.
    refuse(path, beginning): raises what speaks against it. decoded(file, progress): what is had
    again from what was written; None where reading it back is all that there is to do.
    """

    code: Callable[[Callable[[int], bytes], Job], Generator[bytes]]
    name_of: Callable[[str], str]
    binary: str
    refuse: Callable[[str, bytes], None] = lambda path, beginning: None
    decoded: "Callable[[BinaryIO, Progress], Iterator[bytes]] | None" = None


class Places(NamedTuple):
    """Where results go, as the options say: output is None where each file names its own."""

    output: "str | None"
    force: bool
    remove: bool
    verify: bool
    test: bool


def convert(
    work: Work,
    *,
    paths: tuple[str, ...],
    output: "str | None" = None,
    stdout: bool = False,
    force: bool = False,
    remove: bool = False,
    verify: bool = False,
    quiet: bool,
    verbose: bool,
    no_progress: bool,
    test: bool = False,
    n_at_once: int = 1,
) -> int:
    """Do the work on each path, write where the options say; returns the exit status.

    A test writes nowhere. n_at_once: how many files may be done side by side.
    """
    if not quiet:
        messages.show_notices()
    paths = paths or (STANDARD,)
    places = Places(only_output(output, stdout, len(paths)), force, remove, verify or remove, test)
    _check(places, paths)
    if test:
        places = places._replace(output=os.devnull)

    def convert_file(path: str) -> int:
        conversion = _Conversion(work, path, places, no_bar=quiet or no_progress, quiet=quiet)
        begin = time.perf_counter()
        n_read, output = conversion.run()
        if verbose and not quiet:
            seconds = time.perf_counter() - begin
            place = "tested" if test else f"to {output.name}"
            sizes = f"{n_read:,} -> {output.n_written:,} bytes"
            messages.complain(f"{sizes}, {seconds:.2f} s, {place}", conversion.name)
        return messages.WARNING if conversion.warned else messages.OK

    several = n_at_once if all(map(_is_file, paths)) else 1
    return for_each_file(paths, convert_file, quiet=quiet, n_at_once=several)


def _check(places: Places, paths: tuple[str, ...]) -> None:
    """Raises UsageError for what does not go together."""
    if places.test and (places.output is not None or places.remove):
        raise _usage_error("-t excludes -o, -c and --rm")
    kept = places.output != STANDARD and not (places.output is None and STANDARD in paths)
    if places.remove and not kept:
        raise _usage_error("--rm needs a file that is written; leave it out, or name one with -o")


class _Conversion:
    """One file and what becomes of it."""

    def __init__(self, work: Work, path: str, places: Places, *, no_bar: bool, quiet: bool):
        self.name = self._output_name = path
        self.warned = False
        self._work, self._path, self._places = work, path, places
        self._no_bar, self._quiet = no_bar, quiet
        #: Of what was read, and of what was written, where these are to be compared.
        self._read, self._written = (hashlib.sha256(), hashlib.sha256()) if places.verify else (None, None)
        self._n_read = 0

    def run(self) -> tuple[int, Output]:
        """Convert it; how much was read, and where the result went. Raises FileError and what
        the work raises."""
        work, places = self._work, self._places
        if work.binary == "target" and os.path.isdir(self._path):
            raise FileError(self._path, FOLDER)
        with Source(self._path) as source:
            self.name = source.name
            target = self._target(source)
            with byte_progress(printable(source.name), self._no_bar) as progress:
                pieces = self._pieces(source, progress, verify=places.verify and not target.keeps)
                self._output_name = target.name
                # Work on threads that nobody waits for any more ends with the pieces.
                with closing(pieces), target.open(like=source) as output:
                    for piece in pieces:
                        self._write(output, piece)
                    turns.await_turn()
                    output.finish(self._read_back if places.verify else None)
            if places.remove:
                source.remove()
            return self._n_read, output

    def _target(self, source: Source) -> Target:
        """Where it goes, if nothing that is known by now speaks against it."""
        name = self._places.output
        if name is None:
            name = STANDARD if source.is_standard else self._work.name_of(self._path)
        target = Target(name, force=self._places.force)
        refuse_terminal(source if self._work.binary == "source" else target)
        target.check(source)
        if self._places.remove:
            source.check_removable()
            target.check_keeps()
        return target

    def _pieces(self, source: Source, progress: Progress, verify: bool) -> Generator[bytes]:
        """The result, piece by piece, of which none is there before something was read."""
        beginning = source.read(_BEGINNING)
        self._work.refuse(self._path, beginning)
        ahead = io.BytesIO(beginning)

        def read(n_bytes: int) -> bytes:
            piece = ahead.read(n_bytes) or source.read(n_bytes)
            self._n_read += len(piece)
            if self._read:
                self._read.update(piece)
            return piece

        return self._work.code(read, Job(source, progress, self._warn, verify))

    def _warn(self, problem: str) -> None:
        self.warned = True
        if not self._quiet:
            messages.complain(problem, self.name)

    def _write(self, output: Output, piece: bytes) -> None:
        if output.is_shared:
            turns.await_turn()
        output.write(piece)
        if self._written:
            self._written.update(piece)

    def _read_back(self, written: BinaryIO) -> None:
        """Raises a FileError or an ArchiveError where what was written is not what it should be."""
        found = hashlib.sha256()
        while piece := written.read(_AT_ONCE):
            found.update(piece)
        if found.digest() != self._written.digest():
            raise FileError(self._output_name, "is not what was written; check the device")
        if self._work.decoded is None:
            return
        written.seek(0)
        again = hashlib.sha256()
        with byte_progress(f"{printable(self.name)}, verifying", self._no_bar) as progress:
            for piece in self._work.decoded(written, progress):
                again.update(piece)
        if again.digest() != self._read.digest():
            raise FileError(
                self.name, "its archive decodes to something else and is not kept; report this"
            )


def _is_file(path: str) -> bool:
    try:
        return path != STANDARD and stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True  # which will be told in its turn


def _usage_error(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())


def only_output(output: "str | None", stdout: bool, n_files: int) -> "str | None":
    """The one output that the options name, None where each file names its own."""
    if stdout:
        if output not in (None, STANDARD):
            raise _usage_error("-o and -c exclude each other")
        return STANDARD
    if output not in (None, STANDARD) and n_files > 1:
        raise _usage_error("-o takes only one FILE")
    return output


def refuse_terminal(end: "Source | Target") -> None:
    if end.is_terminal():
        raise FileError(
            end.name, "is a terminal, and an archive is no text; name a file or use a pipe"
        )
