"""`nlmzip bench`: a model's predictors and other compressors on files."""

import json
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
    """Compress each FILE with every predictor of the model and with other compressors, decode
    and compare, and print sizes and times.

    zstd, brotli and PPMd take part where the packages of nlmzip[bench] are installed.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other", click.get_current_context())

    from ..bench import measurement, table
    from ..bench.peers import EXTRA_PACKAGES, peers
    from ..models import library

    path = library.find(model or library.DEFAULT)
    model = library.load(path)
    about_model = {
        "name": model.name,
        "bytes": path.stat().st_size,
        "sha256": model.sha256.hex(),
    }
    training = None if training is None else _read(training)
    about_training = None if training is None else {"bytes": len(training)}
    others, missing = peers()
    for package in missing:
        messages.complain(
            f"no {EXTRA_PACKAGES[package]} here, so it is left out;"
            f" get it with: {sys.executable} -m pip install {package}"
        )
    default = measurement.contestant_name(
        model.card["default"]["predictor"], model.card["default"]["dynamic"]
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
        click.echo("\n".join(table.footnotes(comparisons[0], about_model, about_training)))
    return status


def _read(path: str) -> bytes:
    with Source(path) as source:
        return source.read()
