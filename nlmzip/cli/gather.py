"""`nlmzip encode --records-by file`: many files into one archive, of which each is a record."""

import hashlib
import os
import time
from collections.abc import Iterator

import click

from ..container.recipe import BY_LENGTHS
from ..errors import printable
from ..platform.files import STANDARD, FileError, Source, Target
from . import messages
from .convert import only_output, refuse_terminal
from .each_file import for_each_file
from .progress import byte_progress

FOLDER = "is a folder; name the files in it"


def gather(
    session, asked, decoded, *, paths: tuple[str, ...], output: "str | None", stdout: bool, force: bool,
    remove: bool, verify: bool, quiet: bool, verbose: bool, no_progress: bool,
) -> int:  # fmt: skip
    """Write the archive of all files, whole or not at all; returns the exit status.

    asked: the options of its encoder; decoded(file, progress): the text of what was written. The
    rest are options of encode.
    """
    from ..api import streams

    name = STANDARD if stdout else output
    only_output(output, stdout, 1)
    context = click.get_current_context()
    if not paths:
        raise click.UsageError("--records-by file takes the files by their names", context)
    if name is None:
        raise click.UsageError("--records-by file makes one archive of all FILEs; name it with -o", context)
    if remove:
        raise click.UsageError("--rm removes a FILE that has an archive of its own; leave it out", context)
    if not quiet:
        messages.show_notices()

    def write(_) -> None:
        begin = time.perf_counter()
        target = Target(name, force=force)
        refuse_terminal(target)
        read = _Read(paths)
        read.check(target)
        with byte_progress(printable(target.name), quiet or no_progress) as progress:
            more = {"verify": verify and not target.keeps, "progress": progress}
            with target.open() as result:
                for piece in streams.encode_records(session, read.records(), asked, BY_LENGTHS, **more):
                    result.write(piece)

                def check(written) -> None:
                    digest = hashlib.sha256()
                    for piece in decoded(written, progress):
                        digest.update(piece)
                    if digest.digest() != read.digest.digest():
                        raise FileError(
                            target.name, "decodes to something else and is not kept; report this"
                        )

                result.finish(check if verify else None)
        if verbose and not quiet:
            sizes = f"{len(paths):,} records, {read.n_bytes:,} -> {result.n_written:,} bytes"
            messages.complain(f"{sizes}, {time.perf_counter() - begin:.2f} s", target.name)

    return for_each_file([name], write)


class _Read:
    """Files that are read one after the other, and what was read."""

    def __init__(self, paths: tuple[str, ...]):
        self._paths = paths
        self.n_bytes = 0
        self.digest = hashlib.sha256()

    def check(self, target: Target) -> None:
        """Raises FileError for what can be told before any of them is read."""
        for path in self._paths:
            if os.path.isdir(path):
                raise FileError(path, FOLDER)
            with Source(path) as source:
                target.check(source)

    def records(self) -> Iterator[bytes]:
        for path in self._paths:
            with Source(path) as source:
                record = source.read()
            self.n_bytes += len(record)
            self.digest.update(record)
            yield record
