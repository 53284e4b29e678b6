"""Options that several commands share."""

import os
from collections.abc import Callable, Iterable

import click

from ..errors import OptionError
from ..files import FileError


def options(*decorators: Callable) -> Callable:
    """Several click decorators as one, in the order in which help shows them."""

    def decorate(function: Callable) -> Callable:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _level_option(level: int) -> Callable:
    """The flag of one level; help shows the first, the default and the last."""
    names = {1: ("-1", "--fast"), 9: ("-9", "--best")}.get(level, (f"-{level}",))
    text = {1: "The fastest level of the mixing engine.", 5: "The default level.", 9: "The smallest archives."}
    return click.option(
        *names, "level", flag_value=level, type=int, default=None,
        help=text.get(level, "A level in between."), hidden=level not in text,
    )  # fmt: skip


level_options = options(*map(_level_option, range(1, 10)))


models_option = click.option(
    "--model",
    "models",
    metavar="NAME|PATH",
    multiple=True,
    help="A model by name (nlmzip models lists them), a model file, or none; may be given"
    " several times, for models of different kinds. encode without it takes english or none,"
    " whichever suits the text's beginning.",
)


class Predictor(click.ParamType):
    """The name of a predictor: its parts, joined by +."""

    name = "predictor"

    def convert(self, value, parameter, context):
        from ..models.settings import parts_of

        try:
            parts_of(value)
        except OptionError as error:
            self.fail(str(error), parameter, context)
        return value


PREDICTOR = Predictor()


def load_models(names: "tuple[str, ...]") -> "list | str | None":
    """The models that options name, so that a wrong one is told once and before any file;
    None, for the default, and "none" stay what they are."""
    from ..models import catalogue

    if not names or set(names) == {catalogue.NO_MODEL}:
        return names[0] if names else None
    return [catalogue.load(name) for name in catalogue.as_list(names)]


def files_of(paths: Iterable[str]) -> list[str]:
    """The files that are named, and those of each folder in the order of their names.

    Raises FileError for a folder without files.
    """
    found = []
    for path in paths:
        if os.path.isdir(path):
            inside = sorted(entry.path for entry in os.scandir(path) if entry.is_file())
            if not inside:
                raise FileError(path, "holds no files; name a folder that does, or a file")
            found += inside
        else:
            found.append(path)
    return found
