"""`nlmzip decode`: archives to files."""

import click

from ..files import decoded_name
from .convert import convert, file_options
from .options import load_models, models_option


@click.command(short_help="Get the files back.")
@file_options
@click.option("-t", "--test", is_flag=True, help="Check each FILE, and write nothing.")
@models_option
def decode(models, **files):
    """Write what each FILE.nlmz holds to FILE. Without FILE, or where it is -, standard input
    is decoded to standard output.

    An archive finds its models in the package and in your models folder; --model says
    where else they are. Nothing is written before the checksum holds.
    """

    model = load_models(models)

    def decompress(data, progress):
        import nlmzip

        return nlmzip.decompress(data, model=model, progress=progress)

    return convert(decompress, decoded_name, "source", **files)
