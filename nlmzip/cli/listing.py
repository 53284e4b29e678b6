"""`nlmzip list`: a line for each archive with its sizes; needs neither numpy nor numba."""

import json

import click

from ..errors import printable
from ..platform.files import STANDARD, FileError
from .each_file import for_each_file
from .info import archive_lines, report_on
from .options import files_argument, message_options

_TITLES = ("compressed", "original", "ratio", "bpc", "codec", "model", "name")
_LEFT = {"codec", "model", "name"}


@click.command("list", short_help="Show the sizes of archives.")
@files_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: files, and total.")
@message_options
def list_command(paths, as_json, quiet, verbose):
    """Show for each FILE, or standard input, its size, that of what it holds, their ratio, bits
    a byte (bpc), codec and models, without decoding it; of several files the sums too.

    -v shows all that info does.
    """
    reports = []

    def read(path: str) -> None:
        report = report_on(path)
        if report["kind"] != "archive":
            raise FileError(report["file"], "is a model; see nlmzip info, or name an archive")
        reports.append(report)

    status = for_each_file(paths or (STANDARD,), read, quiet=quiet)
    files = [_summary(report) for report in reports]
    total = _total(files)
    if as_json:
        click.echo(json.dumps({"files": files, "total": total}, indent=2))
    elif verbose:
        for report in reports:
            click.echo("\n".join(archive_lines(report)))
    elif files:
        rows = files + ([total | {"file": f"{len(files)} files"}] if len(files) > 1 else [])
        click.echo("\n".join(_table([_TITLES, *map(_cells, rows)])))
    return status


def _summary(report: dict) -> dict:
    """The row of an archive, as JSON has it."""
    members = report["members"]
    original = sum(member["original_size"] for member in members)
    return {
        "file": report["file"],
        **_sizes(report["bytes"], original),
        "codec": _joined(_codec(coding) for coding in _codings(members)),
        "model": _joined(name for coding in _codings(members) for name in _models(coding)) or None,
    }


def _total(files: list[dict]) -> dict:
    return {"files": len(files)} | _sizes(
        *(sum(file[size] for file in files) for size in ("compressed_size", "original_size"))
    )


def _sizes(compressed: int, original: int) -> dict:
    """Ratio and bits a byte are None of an empty text."""
    return {
        "compressed_size": compressed,
        "original_size": original,
        "ratio": round(compressed / original, 4) if original else None,
        "bits_per_byte": round(8 * compressed / original, 4) if original else None,
    }


def _codings(members: list[dict]) -> list[dict]:
    """What frames of these members are coded by."""
    return [
        {"codec": member["codec"]} | coding
        for member in members
        for coding in member.get("codings", [member])
    ]


def _codec(coding: dict) -> str:
    level = coding.get("level")
    return coding["codec"] + (f" -{level}" if level else "")


def _models(coding: dict) -> list[str]:
    """Names of the models that a coding needs, or the beginnings of their hashes."""
    names = (
        coding.get(f"{kind}_name") or coding.get(f"{kind}_hash") for kind in ("model", "words")
    )
    return [name for name in names if name]


def _joined(names) -> str:
    return ", ".join(dict.fromkeys(names))


def _cells(row: dict) -> tuple[str, ...]:
    ratio, bits = row["ratio"], row["bits_per_byte"]
    return (
        f"{row['compressed_size']:,}",
        f"{row['original_size']:,}",
        "-" if ratio is None else f"{ratio:.3f}",
        "-" if bits is None else f"{bits:.3f}",
        row.get("codec", ""),
        printable(row.get("model") or ""),
        printable(row["file"]),
    )


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Lines whose columns are as wide as they have to be."""
    widths = [max(map(len, column)) for column in zip(*rows)]

    def cell(title: str, text: str, width: int) -> str:
        return text.ljust(width) if title in _LEFT else text.rjust(width)

    return ["  ".join(map(cell, _TITLES, row, widths)).rstrip() for row in rows]
