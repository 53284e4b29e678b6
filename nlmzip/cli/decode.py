"""`nlmzip decode` and `nlmzip test`: archives to files, or to nothing but the news that they are whole."""

import click

from ..platform.files import decoded_name
from .convert import Work, convert, file_options, reading_options
from .options import load_models, memory_limit_of, models_option


@click.command(short_help="Get the files back.")
@file_options
@click.option("-t", "--test", is_flag=True, help="Check each FILE, and write nothing.")
@models_option
def decode(models, memory_limit, **files):
    """Write what each FILE.nlmz holds to FILE. Without FILE, or where it is -, standard input
    is decoded to standard output.

    An archive finds its models in the package and in your models folder; --model says
    where else they are. Nothing is written before the checksum holds.
    """
    return _convert(models, memory_limit, **files)


@click.command(short_help="Check archives.")
@reading_options
@models_option
def test(models, memory_limit, **files):
    """Decode each FILE, or standard input, compare checksums, and write nothing."""
    return _convert(models, memory_limit, test=True, **files)


def _convert(models, memory_limit, **files):
    model, limit = load_models(models), memory_limit_of(memory_limit)

    def decompress(data, progress):
        import nlmzip

        return nlmzip.decompress(data, model=model, memory_limit=limit, progress=progress)

    return convert(Work(decompress, decoded_name, "source"), **files)
