"""Options that several commands share."""

import os
import re
from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from ..errors import OptionError
from ..platform.files import FileError


def options(*decorators: Callable) -> Callable:
    """Several click decorators as one, in the order in which help shows them."""

    def decorate(function: Callable) -> Callable:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class FileName(click.ParamType):
    """A file's name, as it was given; the shell completes it."""

    name = "filename"

    def shell_complete(self, context, parameter, incomplete):
        return [CompletionItem(incomplete, type="file")]


FILE = FileName()
files_argument = click.argument("paths", metavar="[FILE]...", nargs=-1, type=FILE)


class MemorySize(click.ParamType):
    """Bytes of memory as xz has them: a number, with K, M or G for powers of 1,024, a share of
    the machine's memory such as 50%, max, or 0, which is the default."""

    name = "size"
    problem = "is no size such as 512M, 50% or max"

    def convert(self, value, parameter, context):
        from ..plan import memory

        if isinstance(value, int):
            return value
        if value == "max":
            return UNLIMITED
        match = re.fullmatch(r"([0-9]{1,15})(?:(%)|([kKmMgG]?)(?:i?B)?)", value)
        if not match:
            self.fail(f"{value!r} {self.problem}", parameter, context)
        number, percent, unit = match.groups()
        if percent:
            return memory.of_machine() * int(number) // 100
        if number == "0":
            return None
        return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit.upper()]


UNLIMITED = 1 << 63

memory_option = click.option(
    "-M",
    "--memory-limit",
    metavar="SIZE",
    type=MemorySize(),
    help="Refuse what would take more memory: 512M, 50% of the machine's, or max, no limit."
    " Where archives are decoded, all that the machine has unless you choose.",
)


def memory_limit_of(chosen: "int | None") -> int:
    """The limit in bytes that was chosen, or the machine's memory."""
    from ..plan import memory

    return memory.of_machine() if chosen is None else chosen


message_options = options(
    click.option("-q", "--quiet", is_flag=True, help="Nothing but errors."),
    click.option("-v", "--verbose", is_flag=True, help="Say for each file what was done."),
)
progress_option = click.option("--no-progress", is_flag=True, help="No progress bar.")


def _threads_option(what: str) -> Callable:
    return click.option(
        "-T", "--threads", metavar="N", type=click.IntRange(0), default=0,
        help=f"{what} so much at once; 0, the default: as much as there are processors, less where"
        " memory is short. It changes no byte.",
    )  # fmt: skip


threads_option = _threads_option("Code")
training_threads_option = _threads_option("Count, and try settings,")


class FrameSize(MemorySize):
    """Bytes of a frame: a number, with K, M or G for powers of 1,024, or all."""

    problem = "is no size such as 512K or 8M, nor all"

    def convert(self, value, parameter, context):
        if value == "all" or isinstance(value, int):
            return value
        size = None if value.endswith("%") or value == "max" else super().convert(value, parameter, context)
        if not size:
            self.fail(f"{value!r} {self.problem}", parameter, context)
        return size


frame_option = click.option(
    "--frame",
    metavar="SIZE",
    type=FrameSize(),
    help="Code so much at a time, apart from the rest (K, M, G), or all of it: larger frames are"
    " smaller archives, smaller ones are read from any place sooner, and coded on more threads.",
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


class ModelName(FileName):
    """A model's name or file; the shell completes both."""

    name = "model"

    def shell_complete(self, context, parameter, incomplete):
        from ..models import catalogue

        names = sorted({path.stem for path in catalogue.available()} | {catalogue.NO_MODEL})
        known = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return super().shell_complete(context, parameter, incomplete) + known


models_option = click.option(
    "--model",
    "models",
    metavar="NAME|PATH",
    type=ModelName(),
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
