"""`nlmzip encode`: files to archives."""

from functools import partial

import click

from ..container.format import MAGIC
from ..models.catalogue import NO_MODEL
from ..platform.files import STANDARD, Skipped
from .convert import Work, convert, file_options
from .gather import gather
from .names import encoded_name
from .options import (
    PREDICTOR,
    frame_option,
    level_options,
    load_models,
    models_option,
)

#: The byte behind each record.
DELIMITERS = {"lines": ord("\n"), "nul": 0}


@click.command(short_help="Compress files.")
@file_options
@click.option(
    "--verify", is_flag=True, help="Decode what was written before it counts as done; --rm always does."
)
@level_options
@models_option
@frame_option
@click.option(
    "--lines",
    "records_by",
    flag_value="lines",
    type=str,
    default=None,
    help="Make each line a record that get can fetch; with frames of 64K unless --frame says otherwise.",
)
@click.option(
    "--records-by",
    "records_by",
    type=click.Choice((*DELIMITERS, "file")),
    default=None,
    help="What a record is: one of the lines, what stands before each NUL, or a whole FILE, of which all"
    " go into the one archive that -o names, in their order.",
)
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
    " (rnn, lstm, gru, mgu) network, or several of these together, such as kn+rnn.",
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
    level, models, codec, predictor, dynamic, spelling_cache, no_name, embed_model, frame, records_by,
    memory_limit, threads, **files,
):  # fmt: skip
    """Compress each FILE to FILE.nlmz. Without FILE, or where it is -, standard input is
    compressed to standard output.

    The mixing engine codes, which suits any text, at a level from -1 (fastest) to -9
    (smallest), -5 if none is named. A model that is named takes part in it; if none is, the
    shipped model of English does, for each frame of which it makes less, from -5 on.
    NLMZIP_MODEL can name another one, or none. What is not chosen is what the model does
    best. The archive says all that decode has to know, and names its models.
    """
    from ..api import streams
    from ..execute.session import Session
    from ..plan.known import Known
    from ..plan.options import Options

    model = load_models(models)
    asked = Options(
        level, model, codec, predictor, dynamic, spelling_cache, not no_name, embed_model, frame
    )
    known = Known(None if model == NO_MODEL else model)

    def refuse(path, beginning):
        if not files["force"] and path != STANDARD and beginning.startswith(MAGIC):
            raise Skipped(path, "is an archive already, skipped; use --force to encode it again")

    with Session(threads, memory_limit) as session:

        def code(read, job):
            more = {"n_bytes": job.source.n_bytes, "verify": job.verify, "progress": job.progress}
            if records_by:
                delimiter = DELIMITERS[records_by]
                records = streams.split(read, delimiter)
                return streams.encode_records(session, records, asked, delimiter, **more)
            return streams.encode(session, read, asked, **more)

        def decoded(written, progress):
            return streams.decode(session, written.read, known, progress=progress)

        name_of = partial(encoded_name, force=files["force"])
        if records_by == "file":
            return gather(session, asked, decoded, **files)
        work = Work(code, name_of, "target", refuse, decoded)
        return convert(work, n_at_once=session.n_threads, **files)
