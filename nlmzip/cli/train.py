"""`nlmzip train`: texts to a model file."""

import math
import os
import re

import click

from ..errors import OptionError
from ..models.card import HEADS, MAXIMUM_SOFTMAXES
from ..platform import signals
from ..platform.files import Source, Target
from ..platform.signals import received
from . import messages
from .options import FILE, PREDICTOR, files_of, training_threads_option
from .progress import StageProgress

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_OF_BYTES = {"size", "contexts"}
_OF_WORDS = {
    "predictor", "symbols", "vocabulary", "embedding", "hidden", "context", "forget_bias", "head", "softmaxes",
    "tied", "direct", "epochs", "reset_state",
}  # fmt: skip


@click.command(short_help="Train a model on your own texts.")
@click.argument("texts", metavar="TEXT...", nargs=-1, required=True, type=FILE)
@click.option(
    "-o", "--output", metavar="MODEL.nlm", required=True, help="Write the model to this file."
)
@click.option(
    "--dev", metavar="TEXT", help="Choose settings on this text, not on a part of the others."
)
@click.option(
    "--codec",
    type=click.Choice(("mix", "words")),
    default="mix",
    help="mix, the default: a model of bytes, which tells the mixing engine what such texts hold;"
    " words: vocabulary, counts and networks over words.",
)
@click.option("--size", metavar="BYTES", help="Most bytes of a model of bytes, such as 8M, its default.")
@click.option(
    "--contexts",
    type=click.Choice(("short", "long", "longest")),
    help="Of a model of bytes: contexts of two words, of four, or of four and of up to eight"
    " bytes, for texts that repeat themselves; else the texts decide.",
)
@click.option("--name", help="What the model calls itself; else what MODEL.nlm says.")
@click.option(
    "--symbols",
    type=click.Choice(("words", "bytes")),
    help="What the networks read and predict: words, the default, or single bytes.",
)
@click.option(
    "--predictor",
    type=PREDICTOR,
    multiple=True,
    help="Networks to train, and a mixture to choose weights for, such as kn+nplm+rnn+lstm; may be"
    " given several times. Each network also gets settings alone and with kn. Else nplm and rnn, of bytes lstm.",
)
@click.option(
    "--vocabulary", type=click.IntRange(3, 2**18), metavar="N", help="Most symbols to keep."
)
@click.option(
    "--embedding", type=click.IntRange(1, 4096), metavar="N", help="Numbers for each word or byte."
)
@click.option(
    "--hidden", type=click.IntRange(1, 4096), metavar="N", help="Hidden units of each network."
)
@click.option(
    "--context",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Words, or bytes, that the feed-forward network sees.",
)
@click.option(
    "--forget-bias",
    type=click.FloatRange(-30, 30),
    metavar="X",
    help="Where the forget gate of an LSTM begins, 1 unless you choose; 3 for longer memory.",
)
@click.option(
    "--head",
    type=click.Choice(HEADS),
    help="What predicts from hidden units: one softmax, the default, or a mixture of softmaxes (mos)"
    " or of contexts (moc).",
)
@click.option(
    "--softmaxes",
    type=click.IntRange(1, MAXIMUM_SOFTMAXES),
    metavar="K",
    help="Of a mixture, 3 unless you choose.",
)
@click.option("--tied", is_flag=True, default=None, help="Predict words by their embeddings, too.")
@click.option(
    "--direct",
    is_flag=True,
    default=None,
    help="Connect the feed-forward network's embeddings to its output.",
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
@training_threads_option
@click.option("-f", "--force", is_flag=True, help="Overwrite what is there.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def train(texts, output, codec, dev, name, threads, force, quiet, **chosen):
    """Train a model on each TEXT, a file or a folder of files, and write it to one file.

    A model of bytes, for the mixing engine, takes some minutes. With --codec words, Ctrl-C
    ends training early and keeps the best so far.
    """
    chosen = {key: value for key, value in chosen.items() if value not in (None, ())}
    _check(codec, chosen)
    target = Target(output, force=force)

    def read(path: str) -> bytes:
        with Source(path) as source:
            target.check(source)
            return source.read()

    data = [read(path) for path in files_of(texts)]
    dev_data = None if dev is None else read(dev)

    name = name or os.path.splitext(os.path.basename(output))[0]
    with StageProgress(quiet) as progress:
        if codec == "mix":
            from ..execute.threads import n_threads
            from ..training.counts.train import CountsOptions, train_counts

            counts_options = CountsOptions(name, **chosen)
            model = train_counts(data, dev_data, counts_options, progress, n_threads(threads))
            signals.check()  # half a model of bytes is none
        else:
            from ..training import TrainingOptions, train_model

            model = train_model(data, dev_data, TrainingOptions(name=name, **chosen), progress)
    target.write(model)
    if received():
        messages.complain("interrupted; this is the best model so far", target.name)
        return messages.SIGNALLED + received()
    return messages.OK


def _check(codec: str, chosen: dict) -> None:
    """Raises OptionError for options of the other kind of model; makes the rest what is asked for."""
    other = set(chosen) & (_OF_WORDS if codec == "mix" else _OF_BYTES)
    if other:
        names = ", ".join(sorted("--" + name.replace("_", "-") for name in other))
        kind, needed = ("words", "add --codec words") if codec == "mix" else ("bytes", "leave it out")
        verb = "is" if len(other) == 1 else "are"
        raise OptionError(f"{names} {verb} of models of {kind}; {needed}")
    if "predictor" in chosen:
        chosen["predictors"] = chosen.pop("predictor")
    if math.isnan(chosen.get("forget_bias", 0)):
        raise OptionError("--forget-bias is no number; give one from -30 to 30")
    if "size" in chosen:
        chosen["size"] = _bytes(chosen["size"])


def _bytes(size: str) -> int:
    """A number of bytes, with K, M or G for powers of a thousand. Raises OptionError."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([kKmMgG]?)[bB]?", size)
    if not match:
        raise OptionError(f"{size} is no size; write a number of bytes, or one such as 8M")
    return round(float(match[1]) * _UNITS[match[2].upper()])
