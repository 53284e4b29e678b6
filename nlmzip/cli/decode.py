"""`nlmzip decode` and `nlmzip test`: archives to files, or to nothing but the news that they are whole."""

import re

import click

from ..container.layout import read_layout
from ..errors import NlmzipError, OptionError
from .convert import Work, convert, file_options, reading_options
from .names import decoded_name
from .options import load_models, memory_limit_of, models_option
from .progress import is_wanted


class Stretch(click.ParamType):
    """FROM:TO, either of which may be left out."""

    name = "stretch"

    def convert(self, value, parameter, context):
        if isinstance(value, slice):
            return value
        match = re.fullmatch(r"([0-9]{0,18}):([0-9]{0,18})", value)
        if not match:
            self.fail(f"{value!r} is no stretch such as 1000:2000, 1000: or :2000", parameter, context)
        begin, end = (int(each) if each else None for each in match.groups())
        if end is not None and end < (begin or 0):
            self.fail(f"{value!r} ends before it begins", parameter, context)
        return slice(begin or 0, end)


@click.command(short_help="Get the files back.")
@file_options
@click.option("-t", "--test", is_flag=True, help="Check each FILE, and write nothing.")
@click.option(
    "--bytes",
    "stretch",
    metavar="FROM:TO",
    type=Stretch(),
    help="Only the text's bytes from FROM on, counted from 0, and before TO; what stands before its"
    " frame is not decoded.",
)
@models_option
def decode(models, memory_limit, threads, stretch, **files):
    """Write what each FILE.nlmz holds to FILE. Without FILE, or where it is -, standard input
    is decoded to standard output.

    An archive finds its models in the package and in your models folder; --model says
    where else they are. Nothing is written before its checksum holds.
    """
    return _convert(models, memory_limit, threads, stretch, **files)


@click.command(short_help="Check archives.")
@reading_options
@models_option
def test(models, memory_limit, threads, **files):
    """Decode each FILE, or standard input, compare checksums, and write nothing."""
    return _convert(models, memory_limit, threads, None, test=True, **files)


def _convert(models, memory_limit, threads, stretch, **files):
    from ..api import streams
    from ..execute.session import Session
    from ..models.catalogue import NO_MODEL
    from ..plan.known import Known

    model = load_models(models)
    if stretch and (files.get("remove") or files.get("test")):
        raise OptionError("--bytes gives a part of the text; leave out --rm and -t")

    with Session(threads, memory_limit_of(memory_limit)) as session:

        def code(read, job):
            known = Known(None if model == NO_MODEL else model)
            more = {"progress": job.progress, "warn": job.warn}
            if stretch:
                return streams.decode_stretch(session, read, job.source.seekable, stretch, known, **more)
            return streams.decode(session, read, known, n_bytes=_length(job.source, files), **more)

        work = Work(code, decoded_name, "source")
        return convert(work, n_at_once=session.n_threads, **files)


def _length(source, files) -> "int | None":
    """Bytes of the text, where somebody wants to know and it can be told."""
    if not is_wanted(files["quiet"] or files["no_progress"]) or source.seekable is None:
        return None
    file = source.seekable
    place = file.tell()
    try:
        return read_layout(file).raw_length
    except NlmzipError:  # which decoding will tell
        return None
    finally:
        file.seek(place)
