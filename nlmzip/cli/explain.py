"""`nlmzip explain`: a page that shows what each word of a text costs under a model."""

import os

import click

from ..errors import OptionError, printable
from ..models.model_file import BYTES
from ..models.settings import resolve
from ..platform.files import STANDARD, FileError, Source, Target
from . import messages
from .options import FILE, PREDICTOR
from .progress import byte_progress

SUFFIX = ".html"
#: More than this no browser shows with ease.
MOST_BYTES = 1_000_000


@click.command(short_help="Show what each word costs, as a page.")
@click.argument("path", metavar="FILE", type=FILE)
@click.option(
    "--model",
    "model_name",
    metavar="NAME|PATH",
    help="The model of words that explains, by name or file, such as finance.",
)
@click.option("-o", "--output", metavar="PAGE", help="Write to PAGE; - is standard output.")
@click.option(
    "--predictor",
    type=PREDICTOR,
    help="The predictor that the page begins with, and whose recurrent network it looks into;"
    " it offers all that the model has.",
)
@click.option("--dynamic/--no-dynamic", default=None, help="Whether that one goes on learning.")
@click.option(
    "--spelling-cache/--no-spelling-cache",
    default=None,
    help="Refer to earlier spellings of unknown words.",
)
@click.option(
    "--jacobians",
    metavar="TOKENS",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Measure the recurrent network's Jacobians at so many tokens, from the first on;"
    " gradients of the loss are measured at all.",
)
@click.option("-f", "--force", is_flag=True, help="Overwrite the page that is there.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def explain(
    path, model_name, output, predictor, dynamic, spelling_cache, jacobians, force, quiet
):
    """Write FILE.html, a page that stands alone: the bits of every token of FILE under each of
    the model's predictors, as the words codec codes them, and how far back in the text the
    losses of a recurrent network reach.

    FILE is text of 1 MB at most, of the model's kind; - is standard input.
    """
    model = _load(model_name)
    chosen = resolve(model, predictor, dynamic, spelling_cache)
    with Source(path) as source:
        target = Target(output or _page_name(source, path), force=force)
        if target.is_terminal():
            raise FileError(
                target.name, "is a terminal, and a page is long; name a file or use a pipe"
            )
        target.check(source)
        data = source.read()
    if not data:
        raise FileError(source.name, "is empty, so there is nothing to explain; name a text")
    if len(data) > MOST_BYTES:
        raise FileError(
            source.name,
            f"has {len(data):,} bytes, more than the {MOST_BYTES:,} of a page; name a part of it",
        )

    from ..codec.words import WordSettings, form_for
    from ..explain.page import html
    from ..explain.payload import payload

    settings = WordSettings(*chosen, form_for(data, model))
    with byte_progress(printable(source.name), quiet) as progress:
        name = printable(os.path.basename(source.name))
        made = payload(data, name, model, settings, jacobians, progress)
    target.write(html(made))
    return messages.OK


def _load(name: "str | None"):
    """The model of words that is named, here or by the environment."""
    from ..models import catalogue

    name = name or catalogue.named_default()
    if name in (None, catalogue.NO_MODEL):
        raise OptionError("no model is named; use --model with a model of words, such as finance")
    model = catalogue.load(name)
    if model.kind == BYTES:
        raise OptionError(
            f"the model {model.name} is of bytes and has no words to explain; "
            "name a model of words, such as finance"
        )
    return model


def _page_name(source: Source, path: str) -> str:
    return STANDARD if source.is_standard else path + SUFFIX
