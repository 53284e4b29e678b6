"""`nlmzip get`: single records out of an archive of records."""

import io
import re

import click

from ..errors import printable
from ..platform.files import STANDARD, FileError, Source, Target
from . import messages
from .convert import only_output
from .each_file import for_each_file
from .options import (
    FILE,
    load_models,
    memory_limit_of,
    memory_option,
    models_option,
    options,
    progress_option,
    threads_option,
)
from .progress import byte_progress

#: What begins as an option does and is a record, and what stands before it until it is read.
_NEGATIVE = re.compile(r"-[0-9]*[1-9][0-9]*(:.*)?|-[0-9]+:.*")
_MARK = "\0"


class RecordNumbers(click.ParamType):
    """A number, negative from the end, or a slice of Python's."""

    name = "records"

    def convert(self, value, parameter, context):
        if not isinstance(value, str):
            return value
        value = value.removeprefix(_MARK)
        parts = value.split(":")
        if not value or len(parts) > 3 or not all(re.fullmatch("(-?[0-9]{1,18})?", part) for part in parts):
            problem = "is no record such as 17 or -1, nor several such as 100:200"
            self.fail(f"{value!r} {problem}", parameter, context)
        if len(parts) == 1:
            return int(value)
        numbers = [int(part) if part else None for part in parts]
        if numbers[2:] == [0]:
            self.fail(f"{value!r} takes steps of 0", parameter, context)
        return slice(*numbers)


class _Get(click.Command):
    def parse_args(self, context, arguments):
        """Negative numbers are records, and options are all the rest that begins with a dash."""
        marked = [_MARK + each if _NEGATIVE.fullmatch(each) else each for each in arguments]
        return super().parse_args(context, marked)


_output_options = options(
    click.option("-o", "--output", metavar="OUT", type=FILE, help="Write to OUT; - is standard output."),
    click.option("-c", "--stdout", is_flag=True, help="Write to standard output, which is the default."),
    click.option("-f", "--force", is_flag=True, help="Overwrite what is there."),
    click.option(
        "-0", "--nul", "behind", flag_value="nul", type=str, default=None,
        help="Put a NUL behind each record.",
    ),
    click.option(
        "--lines", "behind", flag_value="lines", type=str, help="Put a line feed behind each record."
    ),
    click.option("-q", "--quiet", is_flag=True, help="Nothing but errors."),
)  # fmt: skip

#: Bytes that are written at once.
_AT_ONCE = 1 << 16

_BEHIND = {"nul": b"\0", "lines": b"\n"}


@click.command(cls=_Get, short_help="Get single records.")
@click.argument("path", metavar="ARCHIVE", type=FILE)
@click.argument("wanted", metavar="RECORD...", nargs=-1, required=True, type=RecordNumbers())
@_output_options
@progress_option
@memory_option
@threads_option
@models_option
def get(path, wanted, output, stdout, force, behind, quiet, no_progress, memory_limit, threads, models):
    """Write records of ARCHIVE, which encode made with --lines or --records-by.

    Each RECORD is a number, from 0 on, or from the end where it is negative: -1 is the last one;
    or several as Python has them, FROM:TO or FROM:TO:STEP, any of which may be left out. They
    come in the order in which they are named. Behind each stands what stands behind it in the
    archive: a line feed, a NUL, or nothing behind whole files, unless -0 or --lines say what.
    """
    from ..api.records import Records, beyond_the_end

    model = load_models(models)
    if not quiet:
        messages.show_notices()
    target = Target(only_output(output, stdout, 1) or STANDARD, force=force)

    def write(path: str) -> int:
        with Source(path) as source:
            target.check(source)
            file = source.seekable or io.BytesIO(source.read())
            more = {"model": model, "threads": threads, "memory_limit": memory_limit_of(memory_limit)}
            with Records(file, **more) as records:
                for each in wanted:
                    if isinstance(each, int) and not -len(records) <= each < len(records):
                        raise FileError(source.name, beyond_the_end(each, len(records)))
                for problem in () if quiet else records.problems:
                    messages.complain(f"{problem}; its frames were looked for one by one", source.name)
                with (
                    byte_progress(printable(source.name), quiet or no_progress) as progress,
                    target.open() as result,
                ):
                    for piece in _pieces(records, wanted, _BEHIND.get(behind), progress):
                        result.write(piece)
                    result.finish()
                return messages.WARNING if records.problems else messages.OK

    return for_each_file([path], write, quiet=quiet)


def _pieces(records, wanted, behind: "bytes | None", progress):
    """The records, with what stands behind each, some together."""
    everything, gathered, n_bytes = range(len(records)), [], 0
    for each in wanted:
        numbers = everything[each] if isinstance(each, slice) else everything[each:][:1]
        for record in records.read(numbers, behind is None, progress):
            gathered += (record, behind or b"")
            n_bytes += len(record)
            if n_bytes > _AT_ONCE:
                yield b"".join(gathered)
                gathered, n_bytes = [], 0
    yield b"".join(gathered)
