"""What `encode` and `decode` have in common: from each named file to the file it becomes."""

import os
import time
from collections.abc import Callable

import click

from ..files import STANDARD, FileError, Source, Target, printable
from . import messages
from .options import options
from .progress import byte_progress

Progress = Callable[[int, int], None]  # done bytes, total bytes

file_options = options(
    click.argument("paths", metavar="[FILE]...", nargs=-1),
    click.option("-o", "--output", metavar="OUT", help="Write to OUT; - is standard output."),
    click.option("-c", "--stdout", is_flag=True, help="Write to standard output."),
    click.option("-f", "--force", is_flag=True, help="Overwrite what is there."),
    click.option(
        "-k", "--keep", is_flag=True, expose_value=False, help="Keep FILE, which is always kept."
    ),
    click.option("-q", "--quiet", is_flag=True, help="Nothing but errors."),
    click.option("-v", "--verbose", is_flag=True, help="Say for each file what was done."),
)


def convert(
    code: Callable[[bytes, "Progress | None"], bytes],
    name_of: Callable[[str], str],
    archive_is: str,
    *,
    paths: tuple[str, ...],
    output: "str | None",
    stdout: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    test: bool = False,
) -> int:
    """Write code(content of each path) where the options say; returns the exit status.

    name_of(path) is the output's name where the options give none; archive_is
    "source" or "target" says which end no terminal can be. A test writes nowhere.
    """
    if not quiet:
        messages.show_notices()
    paths = paths or (STANDARD,)
    output = _only_output(output, stdout, len(paths))
    if test:
        if output is not None:
            raise click.UsageError("-t excludes -o and -c", click.get_current_context())
        output = os.devnull

    def convert_file(path: str) -> None:
        with Source(path) as source:
            name = output
            if name is None:
                name = STANDARD if source.is_standard else name_of(path)
            target = Target(name, force=force)
            _refuse_terminal(source if archive_is == "source" else target)
            target.check(source)
            data = source.read()
            begin = time.perf_counter()
            with byte_progress(printable(source.name), quiet) as progress:
                result = code(data, progress)
            target.write(result, like=source)
            if verbose and not quiet:
                seconds = time.perf_counter() - begin
                sizes = f"{len(data):,} -> {len(result):,} bytes"
                place = "tested" if test else f"to {target.name}"
                messages.complain(f"{sizes}, {seconds:.2f} s, {place}", source.name)

    return messages.for_each_file(paths, convert_file, quiet=quiet)


def _only_output(output: "str | None", stdout: bool, n_files: int) -> "str | None":
    """The one output that the options name, None where each file names its own."""
    if stdout:
        if output not in (None, STANDARD):
            raise click.UsageError("-o and -c exclude each other", click.get_current_context())
        return STANDARD
    if output not in (None, STANDARD) and n_files > 1:
        raise click.UsageError("-o takes only one FILE", click.get_current_context())
    return output


def _refuse_terminal(end: "Source | Target") -> None:
    if end.is_terminal():
        raise FileError(
            end.name, "is a terminal, and an archive is no text; name a file or use a pipe"
        )
