"""`nlmzip train`: texts to a model file."""

import os

import click

from ..files import Source, Target
from ..signals import received
from . import messages
from .progress import StageProgress


@click.command(short_help="Train a model on your own texts.")
@click.argument("texts", metavar="TEXT...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="MODEL.nlm", required=True, help="Write the model to this file."
)
@click.option(
    "--dev", metavar="TEXT", help="Choose settings on this text, not on a part of the others."
)
@click.option("--name", help="What the model calls itself; else what MODEL.nlm says.")
@click.option(
    "--vocabulary", type=click.IntRange(3, 2**18), metavar="N", help="Most symbols to keep."
)
@click.option(
    "--embedding", type=click.IntRange(1, 4096), metavar="N", help="Numbers for each word."
)
@click.option(
    "--hidden", type=click.IntRange(1, 4096), metavar="N", help="Hidden units of each network."
)
@click.option(
    "--context",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Words that the feed-forward network sees.",
)
@click.option("--epochs", type=click.IntRange(1), metavar="N", help="Most passes over the text.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="Another start gives another model.",
)
@click.option(
    "--reset-state/--carry-state",
    default=None,
    help="Begin afresh at every line, or remember the lines before; else the text decides.",
)
@click.option("-f", "--force", is_flag=True, help="Overwrite what is there.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def train(texts, output, dev, name, force, quiet, **chosen):
    """Train vocabulary, counts, networks and speller on each TEXT, and write one model file.

    Ctrl-C ends it early and keeps the best so far.
    """
    target = Target(output, force=force)

    def read(path: str) -> bytes:
        with Source(path) as source:
            target.check(source)
            return source.read()

    data = [read(path) for path in texts]
    dev_data = None if dev is None else read(dev)

    from ..training import TrainingOptions, train_model

    stem = os.path.splitext(os.path.basename(output))[0]
    options = {key: value for key, value in chosen.items() if value is not None}
    with StageProgress(quiet) as progress:
        model = train_model(data, dev_data, TrainingOptions(name=name or stem, **options), progress)
    target.write(model)
    if received():
        messages.complain("interrupted; this is the best model so far", target.name)
        return messages.SIGNALLED + received()
    return messages.OK
