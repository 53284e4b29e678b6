"""`nlmzip info`: what archives and models say of themselves; needs neither numpy nor numba."""

import io
import json
import os

import click

from ..container.format import MAGIC
from ..errors import printable
from ..models import catalogue, model_file
from ..plan import description, memory
from ..platform.files import STANDARD, FileError, Source
from .each_file import for_each_file
from .options import FILE


@click.command(short_help="Describe archives and models.")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON array, an object for each FILE."
)
def info(paths, as_json):
    """Say what each FILE, an archive or a model, holds, without decoding it.

    A model can also be given by the name that --model takes.
    """
    reports = []

    def describe(path: str) -> None:
        report = report_on(file_of(path))
        reports.append(report)
        if not as_json:
            lines = model_lines if report["kind"] == "model" else archive_lines
            click.echo("\n".join(lines(report)))

    status = for_each_file(paths, describe)
    if as_json:
        click.echo(json.dumps(reports, indent=2))
    return status


def report_on(path: str) -> dict:
    """What an archive or a model says of itself, as JSON values. Raises FileError, ArchiveError
    and ModelError."""
    with Source(path) as source, source.explained():
        file = source.seekable or io.BytesIO(source.read())  # a pipe cannot be read again
        beginning = file.read(4)
        file.seek(0)
        if beginning.startswith(model_file.MAGIC):
            return {"file": source.name, "kind": "model", "card": model_file.card_in(file)}
        if not beginning.startswith(MAGIC):
            raise FileError(source.name, "neither an nlmzip archive nor a model; name one")
        return {"file": source.name, "kind": "archive", **description.describe(file)}


def file_of(path: str) -> str:
    """`path`, or where there is no such file the model of that name."""
    if path != STANDARD and not os.path.lexists(path):
        for model in catalogue.available():
            if model.stem == path:
                return str(model)
    return path


def bits_a_byte(n_archive: int, n_original: int) -> str:
    return f"{8 * n_archive / n_original:.3f} bits a byte" if n_original else "no text"


#: What people call the bytes behind records.
_DELIMITERS = {0: "NUL", ord("\n"): "line feed"}


def archive_lines(report: dict) -> list[str]:
    members = report["members"]
    original = sum(member["original_size"] for member in members)
    lines = [
        f"{printable(report['file'])}: archive of {original:,} bytes in {report['bytes']:,},"
        f" {bits_a_byte(report['bytes'], original)}"
    ]
    lines.append(f"  decoding takes at most {memory.mebibytes(report['memory']):,} MiB of memory")
    lines += [f"  {problem}, and the text is whole" for problem in report["problems"]]
    for number, member in enumerate(members, 1):
        lines.append(
            f"  member {number}: {member['original_size']:,} bytes in {member['compressed_size']:,}"
        )
        if member.get("delimiter") in _DELIMITERS:
            member = member | {"delimiter": _DELIMITERS[member["delimiter"]]}
        for key, value in member.items():
            if key not in ("original_size", "compressed_size") and value is not None:
                lines.append(f"    {label(key):<15} {shown(value)}")
    return lines


def model_lines(report: dict) -> list[str]:
    card = report["card"]
    size = f"{card['file_bytes']:,} bytes"
    lines = [f"{printable(report['file'])}: model {printable(card['name'])}, {size}"]
    for key, value in card.items():
        if key in ("name", "file_bytes", "format", "arrays"):
            continue
        if isinstance(value, dict):
            lines.append(f"  {label(key)}")
            lines.extend(f"    {label(name):<15} {shown(each)}" for name, each in value.items())
        else:
            lines.append(f"  {label(key):<17} {shown(value)}")
    return lines


def label(key: str) -> str:
    return printable(key.replace("_", " "))


def shown(value: object) -> str:
    """A value of a card or header for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{label(key)} {shown(each)}" for key, each in value.items())
    if isinstance(value, list):
        return " ".join(map(shown, value)) or "none"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return printable(str(value))
