"""One text through all compressors: what each file takes, and how long both directions last.

Every figure is of an archive that was decoded and compared with the text. Called by
cli/bench.py and the scripts in benchmarks/.
"""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import nlmzip

from .. import archive
from ..codec import words
from ..entropy.range_coder import Encoder
from ..errors import NlmzipError
from ..mixing import start
from ..models import settings
from ..models.model_file import Model
from ..text.forms import FORMS
from ..text.speller import Speller
from .peers import Codec, Peer

GIVEN = "given the training text"
#: The contestant that needs no model.
MIX = "mix"

#: As much of a text is coded before time is taken, so that kernels are compiled.
_WARM_UP_BYTES = 4096

#: A context manager that yields a progress callable or None, for the contestant of this name.
Watch = Callable[[str], "object"]


@dataclass(frozen=True)
class Row:
    """What one contestant made of one text, or of several.

    n_bytes: whole files, or what a file adds to a training text that both sides have;
    seconds of encoding and decoding are None where they would include that text.
    bits: where an archive's payload went ("words", "spelling", "other"), None if unknown.
    """

    contestant: str
    n_bytes: int
    encode_seconds: float | None = None
    decode_seconds: float | None = None
    bits: dict | None = None
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """All rows of a text; n_characters is None for a text that is not UTF-8."""

    name: str
    n_bytes: int
    n_characters: int | None
    rows: list[Row] = field(default_factory=list)

    def bpc(self, row: Row) -> float | None:
        """8 * archive bytes / text bytes, None for an empty text."""
        return 8 * row.n_bytes / self.n_bytes if self.n_bytes else None

    def bits_per_character(self, row: Row) -> float | None:
        return 8 * row.n_bytes / self.n_characters if self.n_characters else None

    def bits_per_byte(self, row: Row, kind: str) -> float | None:
        """Bits of one kind ("words", ...) for each byte of the text."""
        return row.bits[kind] / self.n_bytes if row.bits and self.n_bytes else None

    def megabytes_per_second(self, seconds: float | None) -> float | None:
        return self.n_bytes / 1e6 / seconds if seconds else None


def contestants(model: Model) -> list[tuple[str, bool]]:
    """The (predictor, dynamic) for which a model has settings, each network beside its mixture."""
    return [
        (predictor, dynamic)
        for predictor in sorted(settings.available(model), key=settings.parts_of)
        for dynamic in (False, True)
        if _is_tuned(model, predictor, dynamic)
    ]


def _is_tuned(model: Model, predictor: str, dynamic: bool) -> bool:
    if predictor == "uniform":
        return not dynamic
    return ("dynamic" if dynamic else "static") in model.card["settings"][predictor]


def contestant_name(predictor: str, dynamic: bool) -> str:
    return f"{predictor} dynamic" if dynamic else predictor


def compare(
    name: str,
    data: bytes,
    model: Model | None,
    others: list[Peer],
    training: bytes | None = None,
    watch: Watch = lambda contestant: nullcontext(),
) -> Comparison:
    """Measure the mixing engine, a model's predictors and other compressors on one text.

    Raises NlmzipError if a round trip fails.
    """
    try:
        n_characters = len(data.decode())
    except UnicodeDecodeError:
        n_characters = None
    comparison = Comparison(name, len(data), n_characters)
    measure_mix(data[:_WARM_UP_BYTES])
    comparison.rows.append(measure_mix(data, watch))
    if model:
        measure_mix(data[:_WARM_UP_BYTES], model=model)
        comparison.rows.append(measure_mix(data, watch, model))
        details = detail_bits(data, model, model.card["default"]["spelling_cache"])
        for predictor, dynamic in contestants(model):
            measure_predictor(data[:_WARM_UP_BYTES], model, predictor, dynamic)
            row = measure_predictor(data, model, predictor, dynamic, details, watch)
            comparison.rows.append(row)
    comparison.rows.extend(measure_peer(peer, data) for peer in others)
    if training is not None:
        comparison.rows.extend(
            measure_peer_given(peer, training, data) for peer in others if peer.takes_training
        )
    return comparison


def total(comparisons: list[Comparison]) -> Comparison:
    """All texts together: sums over the rows of each contestant."""
    characters = [each.n_characters for each in comparisons]
    rows = [
        _sum_rows(list(same)) for same in zip(*(each.rows for each in comparisons), strict=True)
    ]
    return Comparison(
        "total",
        sum(each.n_bytes for each in comparisons),
        None if None in characters else sum(characters),
        rows,
    )


def _sum_rows(rows: list[Row]) -> Row:
    def add(values: list):
        return None if None in values else sum(values)

    kinds = [row.bits for row in rows]
    notes = {row.note for row in rows}
    return Row(
        rows[0].contestant,
        sum(row.n_bytes for row in rows),
        add([row.encode_seconds for row in rows]),
        add([row.decode_seconds for row in rows]),
        None if None in kinds else {kind: sum(bits[kind] for bits in kinds) for kind in kinds[0]},
        notes.pop() if len(notes) == 1 else "best of each" if all(notes) else "",
    )


def detail_bits(data: bytes, model: Model, spelling_cache: bool) -> dict:
    """Bits of everything but the words' symbols: the same whatever predicts the words.

    Keys "spelling" and "other" (letter case and gaps, of which plain text has none).
    """
    form = FORMS[words.form_for(data, model)](
        words.load_vocabulary(model), Speller(model.arrays), spelling_cache
    )
    coder = Encoder()
    for token in form.tokens(data):
        form.code_details(coder, form.symbol(token), token)
    spelling = form.bits["spelling"]
    return {"spelling": spelling, "other": sum(form.bits.values()) - spelling}


def measure_predictor(
    data: bytes,
    model: Model,
    predictor: str,
    dynamic: bool,
    details: dict | None = None,
    watch: Watch = lambda contestant: nullcontext(),
) -> Row:
    """A row of our own, from an archive in the model's text form and with its spelling cache.

    details: what `detail_bits` gives for the text. Raises NlmzipError if the archive
    does not decode to the text.
    """
    contestant = contestant_name(predictor, dynamic)
    row, member = _round_trip(
        contestant, data, watch, model=model, codec="words", predictor=predictor, dynamic=dynamic
    )
    if member.codec == archive.STORED:
        return replace(row, note="stored")
    if details is None:
        return row
    payload_bits = 8 * sum(len(frame.payload) for frame in member.frames)
    return replace(row, bits={"words": payload_bits - sum(details.values()), **details})


def mix_name(model: Model, predictor: str | None = None, dynamic: bool | None = None) -> str:
    """What the mixing engine is called where a predictor takes part, the model's best if None."""
    predictor, dynamic, _ = settings.resolve(model, predictor, dynamic, None)
    return f"{MIX} with {contestant_name(predictor, dynamic)}"


def measure_mix(
    data: bytes,
    watch: Watch = lambda contestant: nullcontext(),
    model: Model | None = None,
    predictor: str | None = None,
    dynamic: bool | None = None,
) -> Row:
    """The mixing engine's row, alone or with a predictor of a model of words, its best if None.

    Raises NlmzipError as `measure_predictor` does.
    """
    if model is None:
        row, member = _round_trip(MIX, data, watch, model="none")
    else:
        name = mix_name(model, predictor, dynamic)
        chosen = {"model": model, "predictor": predictor, "dynamic": dynamic}
        row, member = _round_trip(name, data, watch, **chosen)
    return replace(row, note="stored") if member.codec == archive.STORED else row


def engine_bytes() -> int:
    """Size of the file that the mixing engine starts from."""
    return start.path(start.VERSION).stat().st_size


def _round_trip(contestant: str, data: bytes, watch: Watch, **settings):
    """A row of our own and the archive's member, once it has decoded to the text."""
    with watch(contestant) as progress:
        begin = time.perf_counter()
        coded = nlmzip.compress(data, **settings, progress=progress)
        encoded = time.perf_counter()
    with watch(contestant) as progress:
        decoding = time.perf_counter()
        decoded = nlmzip.decompress(coded, model=settings["model"], progress=progress)
        done = time.perf_counter()
    if decoded != data:
        raise NlmzipError(f"the archive of {contestant} does not give the text back; report this")
    (member,) = archive.read(coded)
    return Row(contestant, len(coded), encoded - begin, done - decoding), member


def measure_peer(peer: Peer, data: bytes) -> Row:
    """A peer's row, of the best of its codecs whose archive decodes to the text.

    Raises NlmzipError if none does.
    """
    return _best(peer.name, [_measure_codec(peer.name, codec, data) for codec in peer.codecs])


def measure_peer_given(peer: Peer, training: bytes, data: bytes) -> Row:
    """What the text adds for a peer whose both sides have the training text already.

    The least of what its codecs make of both together, less the length of the training
    text alone, and of what they make of the text if they are given the training text.
    """
    name = f"{peer.name} {GIVEN}"
    rows = [_measure_difference(name, codec, training, data) for codec in peer.codecs]
    if peer.given:
        rows += [_measure_codec(name, codec, data) for codec in peer.given(training)]
    return replace(_best(name, rows), encode_seconds=None, decode_seconds=None)


def _best(name: str, rows: list[Row | None]) -> Row:
    decoded = [row for row in rows if row]
    if not decoded:
        raise NlmzipError(f"no archive of {name} gives the text back; uninstall it to leave it out")
    return min(decoded, key=lambda row: row.n_bytes)


def _measure_codec(name: str, codec: Codec, data: bytes) -> Row | None:
    """None if the archive does not decode to the text."""
    begin = time.perf_counter()
    coded = codec.compress(data)
    encoded = time.perf_counter()
    try:
        decoded = codec.decompress(coded)
    except Exception:  # of whatever kind: each package has its own
        return None
    done = time.perf_counter()
    if decoded != data:
        return None
    return Row(name, len(coded), encoded - begin, done - encoded, note=codec.note)


def _measure_difference(name: str, codec: Codec, training: bytes, data: bytes) -> Row | None:
    both = _measure_codec(name, codec, training + data)
    return both and replace(both, n_bytes=both.n_bytes - len(codec.compress(training)))
