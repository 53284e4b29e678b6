"""`nlmzip bench`: our codecs and other compressors on files."""

import json

import click

from ..errors import printable
from ..platform.files import Source, Target
from . import messages
from .each_file import for_each_file
from .options import FILE, files_of
from .progress import byte_progress


class Levels(click.ParamType):
    """Levels with commas between."""

    name = "levels"

    def convert(self, value, parameter, context):
        if isinstance(value, list):
            return value
        try:
            levels = [int(each) for each in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is no list of levels such as 1,5,9", parameter, context)
        return list(dict.fromkeys(levels))


@click.command(short_help="Compare with other compressors.")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--model",
    "models",
    metavar="NAME|PATH",
    multiple=True,
    help="Also measure this model, by name or file; may be repeated.",
)
@click.option("--level", "levels", metavar="N,N...", type=Levels(), help="The engine's levels.")
@click.option(
    "--train",
    "training",
    metavar="TEXT",
    multiple=True,
    help="Also compare with compressors that are given this text, or all files of this folder,"
    " as the model was its own; may be repeated.",
)
@click.option(
    "--plot",
    metavar="FILE.svg",
    help="Draw bits per character against speed, of all files together; .png too.",
)
@click.option(
    "-T",
    "--threads",
    metavar="N",
    type=click.IntRange(0),
    default=1,
    help="In our rows code so many frames at once; 0: as many as there are processors. One unless you"
    " choose, since the times of one core are compared.",
)
@click.option("-f", "--force", is_flag=True, help="Overwrite the picture that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a line for each row.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def bench(paths, models, levels, training, plot, threads, force, as_json, as_csv, quiet):
    """Compress each FILE with the mixing engine, with each model that is named (one of words
    with every predictor), and with other compressors; decode and compare, and print sizes
    and times.

    zstd, brotli, PPMd and the picture need the packages of nlmzip[bench]; bzip3 and zpaq take
    part where these programs are on the PATH.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other", click.get_current_context())
    target = form = None
    if plot is not None:
        from ..bench import plot as drawing

        form = drawing.require(plot)
        target = Target(plot, force=force)
        target.check()

    from ..bench import comparison, own, rows, table
    from ..bench.peers import all_given, peers
    from ..execute.threads import n_threads
    from ..models import catalogue

    named = [own.find_model(each) for each in models or _default() if each != catalogue.NO_MODEL]
    ours = own.contestants(named, levels)
    training_text = b"".join(_read(path) for path in files_of(training)) if training else None
    others, absent = peers()
    for peer in [] if quiet else absent:
        messages.complain(str(peer))
    setting = table.Setting(
        own.engine_bytes(),
        [{"name": each.name, "bytes": each.n_bytes, "sha256": each.sha256} for each in named],
        None if training_text is None else len(training_text),
        {peer.name: peer.version for peer in others},
        [peer.name for peer in absent],
        n_threads(threads),
    )
    given = all_given(others, training_text)
    measured = []

    def show(compared) -> None:
        if not (as_json or as_csv):
            click.echo(f"{printable(compared.name)}: {compared.n_bytes:,} bytes")
            click.echo("\n".join(map(printable, table.text_table(compared))) + "\n")

    def measure(path: str) -> None:
        data = _read(path)

        def watch(contestant: str):
            return byte_progress(f"{printable(path)}, {contestant}", quiet)

        compared = comparison.compare(path, data, ours, others, given, watch, threads)
        for failure in compared.failures:
            messages.complain(failure, path)
        measured.append(compared)
        show(compared)

    status = for_each_file(paths, measure, quiet=quiet)
    if any(compared.failures for compared in measured):
        status = status or messages.WARNING
    if len(measured) > 1:
        measured.append(rows.total(measured))
        show(measured[-1])
    if as_json:
        click.echo(json.dumps(table.json_value(measured, setting), indent=2))
    elif as_csv:
        click.echo(table.csv_text(measured), nl=False)
    elif measured:
        notes = table.footnotes(setting, measured[-1].rows)
        click.echo("\n".join(map(printable, notes)))
    if target and measured:
        target.write(drawing.picture(measured[-1], form))
    return status


def _default() -> list[str]:
    """The model that encode may use when none is named."""
    from ..models import catalogue

    named = catalogue.named_default()
    return [named] if named else [catalogue.DEFAULT] if catalogue.default() else []


def _read(path: str) -> bytes:
    with Source(path) as source:
        return source.read()
