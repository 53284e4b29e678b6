"""What `encode`, `decode` and `test` have in common: from each named file to the file it becomes."""

import os
import time
from collections.abc import Callable
from typing import NamedTuple

import click

from ..errors import printable
from ..platform.files import STANDARD, FileError, Source, Target
from . import messages
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

Progress = Callable[[int, int], None]  # done bytes, total bytes

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


class Work(NamedTuple):
    """What is done with the content of each file.

    code(content, progress): the result. name_of(path): the output's name where no option
    gives one. binary: which end, "source" or "target", no terminal can be. refuse(path,
    content): raises what speaks against it. verify(content, written, progress): raises
    ArchiveError where the content cannot be had again from what was written; None where
    reading it back is all that there is to do.
    """

    code: Callable[[bytes, "Progress | None"], bytes]
    name_of: Callable[[str], str]
    binary: str
    refuse: Callable[[str, bytes], None] = lambda path, content: None
    verify: "Callable[[bytes, bytes, Progress | None], None] | None" = None


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
) -> int:
    """Do the work on each path, write where the options say; returns the exit status.

    A test writes nowhere.
    """
    if not quiet:
        messages.show_notices()
    paths = paths or (STANDARD,)
    output = _only_output(output, stdout, len(paths))
    if test and (output is not None or remove):
        raise _usage_error("-t excludes -o, -c and --rm")
    if remove and (output == STANDARD or (output is None and STANDARD in paths)):
        raise _usage_error("--rm needs a file that is written; leave it out, or name one with -o")
    if test:
        output = os.devnull
    no_bar = quiet or no_progress

    def convert_file(path: str) -> None:
        if work.binary == "target" and os.path.isdir(path):
            raise FileError(path, FOLDER)
        with Source(path) as source:
            name = output
            if name is None:
                name = STANDARD if source.is_standard else work.name_of(path)
            target = Target(name, force=force)
            _refuse_terminal(source if work.binary == "source" else target)
            target.check(source)
            if remove:
                source.check_removable()
                target.check_keeps()
            data = source.read()
            work.refuse(path, data)
            begin = time.perf_counter()
            with byte_progress(printable(source.name), no_bar) as progress:
                result = work.code(data, progress)

            def read_back(written: bytes) -> None:
                if written != result:
                    raise FileError(target.name, "is not what was written; check the device")
                if work.verify:
                    with byte_progress(f"{printable(source.name)}, verifying", no_bar) as progress:
                        work.verify(data, written, progress)

            target.write(result, like=source, check=read_back if verify or remove else None)
            if remove:
                source.remove()
            if verbose and not quiet:
                seconds = time.perf_counter() - begin
                sizes = f"{len(data):,} -> {len(result):,} bytes"
                place = "tested" if test else f"to {target.name}"
                messages.complain(f"{sizes}, {seconds:.2f} s, {place}", source.name)

    return messages.for_each_file(paths, convert_file, quiet=quiet)


def _usage_error(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())


def _only_output(output: "str | None", stdout: bool, n_files: int) -> "str | None":
    """The one output that the options name, None where each file names its own."""
    if stdout:
        if output not in (None, STANDARD):
            raise _usage_error("-o and -c exclude each other")
        return STANDARD
    if output not in (None, STANDARD) and n_files > 1:
        raise _usage_error("-o takes only one FILE")
    return output


def _refuse_terminal(end: "Source | Target") -> None:
    if end.is_terminal():
        raise FileError(
            end.name, "is a terminal, and an archive is no text; name a file or use a pipe"
        )
