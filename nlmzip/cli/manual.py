"""`nlmzip man`: the manual page, made of the same help as --help shows; roff, man(7).

Called by program.py with the program.
"""

import inspect

import click

_SECTIONS = {
    "EXIT STATUS": "0 all is done; 1 something failed; 2 something was left alone, such as a file"
    " that is an archive already; 128 + n after signal n. Of several files the worst counts.",
    "ENVIRONMENT": (
        ("NLMZIP_MODEL", "The model that encode takes where none is named, or none."),
        ("NLMZIP_MODELS", "The folder of your own models, instead of ~/.local/share/nlmzip/models."),
        ("NLMZIP_CACHE", "The folder for compiled kernels and unpacked models, instead of ~/.cache/nlmzip."),
        ("NO_COLOR", "Nothing is ever coloured, so it changes nothing."),
    ),
    "SEE ALSO": "gzip(1), xz(1), zstd(1), tar(1)",
}  # fmt: skip


def manual(program: click.Group, plain: click.Command, version: str) -> str:
    """The page of the program, its commands, and of the options that stand for commands."""
    context = click.Context(program, info_name="nlmzip", **program.context_settings)
    lines = [
        f'.TH NLMZIP 1 "" "nlmzip {version}" "User Commands"',
        ".SH NAME",
        r"nlmzip, unnlmzip, nlmzcat \- compress text by predicting it",
        ".SH SYNOPSIS",
        *_synopsis("nlmzip", plain, context),
        ".br",
        *_synopsis("unnlmzip", plain, context),
        ".br",
        *_synopsis("nlmzcat", plain, context),
        ".br",
        r"\fBnlmzip\fR \fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]...",
        ".SH DESCRIPTION",
        *_paragraphs(program.help),
        ".SH OPTIONS",
        *_paragraphs(plain.help),
        *_options(plain, click.Context(plain, context, "nlmzip")),
        ".SH COMMANDS",
    ]
    for name, command in program.commands.items():
        of_command = click.Context(command, context, name)
        lines += [f".SS {_escaped(name)}", *_synopsis(f"nlmzip {name}", command, of_command), ".PP"]
        lines += _paragraphs(command.help) + _options(command, of_command)
    for title, content in _SECTIONS.items():
        lines.append(f".SH {title}")
        lines += _paragraphs(content) if isinstance(content, str) else _tagged(content)
    return "\n".join(lines) + "\n"


def _synopsis(name: str, command: click.Command, context: click.Context) -> list[str]:
    pieces = " ".join(command.collect_usage_pieces(context))
    return [rf"\fB{_escaped(name)}\fR {_escaped(pieces)}"]


def _paragraphs(text: "str | None") -> list[str]:
    """A help text: paragraphs, and those behind a \\b with their lines as they are."""
    lines = []
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        kept = paragraph.startswith("\b")
        body = paragraph.lstrip("\b\n").split("\n")
        lines += [".PP", *([".nf"] if kept else []), *map(_escaped, body), *([".fi"] if kept else [])]
    return lines[1:]


def _options(command: click.Command, context: click.Context) -> list[str]:
    options = (each for each in command.get_params(context) if isinstance(each, click.Option))
    return _tagged(filter(None, (option.get_help_record(context) for option in options)))


def _tagged(records) -> list[str]:
    return [
        line for tag, text in records for line in (".TP", rf"\fB{_escaped(tag)}\fR", _escaped(text))
    ]


def _escaped(text: str) -> str:
    """Text that roff prints as it stands: hyphens that can be copied, no line that is a request."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
