"""Options that several commands share."""

from collections.abc import Callable

import click


def options(*decorators: Callable) -> Callable:
    """Several click decorators as one, in the order in which help shows them."""

    def decorate(function: Callable) -> Callable:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


model_option = click.option(
    "--model",
    metavar="NAME|PATH",
    help="A model by name (nlmzip models lists them), a model file, or none; the default of encode is none.",
)


def _level_option(level: int) -> Callable:
    """The flag of one level; help shows the first, the default and the last."""
    names = {1: ("-1", "--fast"), 9: ("-9", "--best")}.get(level, (f"-{level}",))
    text = {1: "The fastest level of the mixing engine.", 5: "The default level.", 9: "The smallest archives."}
    return click.option(
        *names, "level", flag_value=level, type=int, default=None,
        help=text.get(level, "A level in between."), hidden=level not in text,
    )  # fmt: skip


level_options = options(*map(_level_option, range(1, 10)))


def load_model(name_or_path: "str | None"):
    """The model that an option names, so that a wrong one is told once and before any file;
    None, for the default, and "none" stay what they are."""
    from ..models import catalogue

    return name_or_path if name_or_path in (None, catalogue.NO_MODEL) else catalogue.load(name_or_path)
