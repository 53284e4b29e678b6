"""`nlmzip models`: the models that can be named; needs neither numpy nor numba."""

from pathlib import Path

import click

from ..errors import printable
from ..models import catalogue, model_file
from .each_file import for_each_file


@click.command(short_help="List the models that can be named.")
def models():
    """List what --model takes: the models of the package and of your models folder, each
    with its size and file, and none, the mixing engine alone.
    """
    click.echo(f"{catalogue.NO_MODEL}: the mixing engine alone, without a model")
    files = {}
    for path in catalogue.available():
        files.setdefault(path.stem, path)  # a name means the first that has it

    def show(path: str) -> None:
        size = model_file.read_card(path)["file_bytes"]
        click.echo(f"{printable(Path(path).stem)}: {size:,} bytes, {printable(path)}")

    return for_each_file(map(str, files.values()), show)
