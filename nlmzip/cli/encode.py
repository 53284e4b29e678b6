"""`nlmzip encode`: files to archives."""

from functools import partial

import click

from ..container import archive
from ..errors import ArchiveError, NlmzipError
from ..platform.files import STANDARD, Skipped, encoded_name
from .convert import Work, convert, file_options
from .options import (
    PREDICTOR,
    level_options,
    load_models,
    memory_limit_of,
    models_option,
)


@click.command(short_help="Compress files.")
@file_options
@click.option(
    "--verify", is_flag=True, help="Decode what was written before it counts as done; --rm always does."
)
@level_options
@models_option
@click.option(
    "--codec",
    type=click.Choice(("mix", "words")),
    default="mix",
    help="mix, the default: a mixture of all that can predict a bit, also of a model's words;"
    " words: one word after the other under the model alone.",
)
@click.option(
    "--predictor",
    type=PREDICTOR,
    help="What predicts the next word: Kneser-Ney counts (kn), a feed-forward (nplm) or recurrent"
    " (rnn, lstm, gru) network, or several of these together, such as kn+rnn.",
)
@click.option(
    "--dynamic/--no-dynamic",
    default=None,
    help="Let the network go on learning from the text coded so far.",
)
@click.option(
    "--spelling-cache/--no-spelling-cache",
    default=None,
    help="Refer to earlier spellings of unknown words (of the words codec).",
)
@click.option(
    "-n/-N",
    "--no-name/--name",
    "no_name",
    help="Leave the name of a model of your own out of the archive, which saves its length.",
)
@click.option(
    "--embed-model",
    is_flag=True,
    help="Put a model of your own into the archive, so that nothing else is needed to decode it; where"
    " it saves less than it takes, code without it.",
)
def encode(
    level, models, codec, predictor, dynamic, spelling_cache, no_name, embed_model, memory_limit, **files
):
    """Compress each FILE to FILE.nlmz. Without FILE, or where it is -, standard input is
    compressed to standard output.

    The mixing engine codes, which suits any text, at a level from -1 (fastest) to -9
    (smallest), -5 if none is named. A model that is named takes part in it; if none is, the
    shipped model of English does, where it makes less of the text's beginning, from -5 on.
    NLMZIP_MODEL can name another one, or none. What is not chosen is what the model does
    best. The archive says all that decode has to know, and names its models.
    """

    model = load_models(models)

    def compress(data, progress):
        import nlmzip

        return nlmzip.compress(
            data,
            level=level,
            model=model,
            codec=codec,
            predictor=predictor,
            dynamic=dynamic,
            spelling_cache=spelling_cache,
            store_name=not no_name,
            embed_model=embed_model,
            memory_limit=memory_limit,
            progress=progress,
        )

    def decode_again(data, written, progress):
        import nlmzip

        limit = memory_limit_of(memory_limit)
        try:
            again = nlmzip.decompress(written, model=model, memory_limit=limit, progress=progress)
        except NlmzipError as error:
            raise ArchiveError(f"its archive cannot be decoded and is not kept: {error}") from None
        if again != data:
            raise ArchiveError("its archive decodes to something else and is not kept; report this")

    def refuse(path, data):
        if not files["force"] and path != STANDARD and _is_archive(data):
            raise Skipped(path, "is an archive already, skipped; use --force to encode it again")

    name_of = partial(encoded_name, force=files["force"])
    return convert(Work(compress, name_of, "target", refuse, decode_again), **files)


def _is_archive(data: bytes) -> bool:
    try:
        return bool(archive.read(data))
    except ArchiveError:
        return False
