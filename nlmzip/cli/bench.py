"""`nlmzip bench`: our codecs and other compressors on files."""

import json
import shlex
import sys

import click

from ..files import Source, printable
from . import messages
from .options import model_option
from .progress import byte_progress


@click.command(short_help="Compare with other compressors.")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@model_option
@click.option(
    "--train",
    "training",
    metavar="TEXT",
    help="Also compare with compressors that are given this text, as the model was its own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a line for each row.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def bench(paths, model, training, as_json, as_csv, quiet):
    """Compress each FILE with the mixing engine, with every predictor of the model that is
    named, with both together, and with other compressors; decode and compare, and print
    sizes and times.

    zstd, brotli and PPMd take part where the packages of nlmzip[bench] are installed.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other", click.get_current_context())

    from ..bench import measurement, table
    from ..bench.peers import EXTRA_PACKAGES, peers
    from ..models import catalogue

    about_model, default = None, measurement.MIX
    if model in (None, catalogue.NO_MODEL):
        model = None
    else:
        path = catalogue.find(model)
        model = catalogue.load(path)
        about_model = {
            "name": model.name,
            "bytes": path.stat().st_size,
            "sha256": model.sha256.hex(),
        }
        default = measurement.mix_name(model)
    training = None if training is None else _read(training)
    about_training = None if training is None else {"bytes": len(training)}
    others, missing = peers()
    for package in [] if quiet else missing:
        messages.complain(
            f"no {EXTRA_PACKAGES[package]} here, so it is left out;"
            f" get it with: {shlex.quote(sys.executable)} -m pip install {package}"
        )
    comparisons = []

    def show(comparison) -> None:
        if not (as_json or as_csv):
            click.echo(f"{printable(comparison.name)}: {comparison.n_bytes:,} bytes")
            click.echo("\n".join(table.text_table(comparison, default)) + "\n")

    def measure(path: str) -> None:
        data = _read(path)

        def watch(contestant: str):
            return byte_progress(f"{printable(path)}, {contestant}", quiet)

        comparison = measurement.compare(path, data, model, others, training, watch)
        comparisons.append(comparison)
        show(comparison)

    status = messages.for_each_file(paths, measure, quiet=quiet)
    if len(comparisons) > 1:
        comparisons.append(measurement.total(comparisons))
        show(comparisons[-1])
    if as_json:
        click.echo(json.dumps(table.json_value(comparisons, about_model, about_training), indent=2))
    elif as_csv:
        click.echo(table.csv_text(comparisons, about_model), nl=False)
    elif comparisons:
        notes = table.footnotes(
            comparisons[0], about_model, about_training, measurement.engine_bytes()
        )
        click.echo("\n".join(map(printable, notes)))
    return status


def _read(path: str) -> bytes:
    with Source(path) as source:
        return source.read()
