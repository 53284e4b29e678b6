"""What fuzz.py does with each input, and whether it came to its end: any bytes give data or an NlmzipError, in the memory announced.

    layout    parts of an archive, in order in pieces of any size, and by their places; what it says
              of itself. No frame is decoded.
    archive   decode it in both ways, with models of all kinds at hand, and its records, and by a
              Codec. Checksums of the texts are taken to hold, since no change of a payload would
              keep them.
    payload   a byte that says which Codec, and what it decodes without a container.
    model     read a model file (the SHA-256 is put behind the input), then code a text with it
              in both codecs, decode it, and decode what was never encoded.
    text      tokens and forms of a text, and round trips through both codecs, in frames and records.

Anything else that is raised is a finding, and so are other frames or other text in one way than in
the other, an archive that is read in one of them only, text of another length than announced, other
text than was encoded, more memory than announced, and more than SLOW seconds. Kernels are compiled
with bounds checked (NUMBA_BOUNDSCHECK), so that an index outside of an array is an IndexError and
not silence. Called by fuzz.py, in a process of its own.
"""

import io
import json
import time
import zlib
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from random import Random
from typing import NamedTuple

import nlmzip
from benchmarks.trust import fuzz_seeds
from benchmarks.trust.fuzz_archives import written
from benchmarks.trust.fuzz_models import sealed
from nlmzip.cli import info
from nlmzip.codec import words
from nlmzip.container.format import HASH_BYTES
from nlmzip.container.frame import Frame
from nlmzip.container.layout import read_frame, read_layout
from nlmzip.container.parser import FrameRead, Member, MemberBegin, Parser
from nlmzip.container.recipe import BY_LENGTHS, ModelReference, Recipe, WordsCoding
from nlmzip.counts import cached_store
from nlmzip.execute.coder import FrameCoder
from nlmzip.execute.decode import Decoder
from nlmzip.execute.seek import FrameReader
from nlmzip.execute.session import Session
from nlmzip.models import catalogue, model_file, settings
from nlmzip.plan import description, memory
from nlmzip.plan.known import Known
from nlmzip.text import forms, letter_case, tokens

TEXT = fuzz_seeds.TEXT
MODELS, BY_NAME = fuzz_seeds.MODELS, fuzz_seeds.BY_NAME
#: How archives name these.
HASHES = [model.sha256[:HASH_BYTES] for model in MODELS]
_KNOWN = {model.sha256 for model in MODELS}
#: CPU seconds of one input.
SLOW = 20
#: Decoding ends after so many bytes; a short payload can hold very much text.
ENOUGH = 1 << 16
LIMIT = fuzz_seeds.LIMIT
# What an interpreter with everything loaded takes more now and then, whatever it does.
_SLACK = 48 << 20
_PIECES = (1, 2, 7, 64, 1000, 1 << 20)


class Finding(Exception):
    """What must not happen and raises no error by itself."""


class _Enough(Exception):
    """Ends a decoding that has shown what it can."""


class Watched:
    """Holds what is done inside to the time and the memory that was announced."""

    #: What is being watched.
    now: "Watched | None" = None

    def __init__(self):
        self._announced = memory._PROGRAM
        self.decoded = 0

    def announce(self, n_bytes: int) -> None:
        if n_bytes <= LIMIT:  # of more nothing comes
            self._announced = max(self._announced, n_bytes)

    def __enter__(self) -> "Watched":
        Watched.now = self
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        self._before, self._begin = _kilobytes("VmRSS"), time.process_time()
        return self

    def __exit__(self, kind, *_) -> None:
        Watched.now = None
        seconds = time.process_time() - self._begin
        taken = (_kilobytes("VmHWM") - self._before) << 10
        if kind is not None:
            return
        if taken > self._announced - memory._PROGRAM + _SLACK:
            said = self._announced - memory._PROGRAM
            raise Finding(f"more memory than was announced: {taken >> 20} MiB beside the program for {said >> 20}")
        if seconds > SLOW:
            raise Finding(f"more than {SLOW} seconds")


def _kilobytes(key: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key))


def prepare() -> None:
    """Leave no trace of made-up models, let the checksums of texts hold, hear what is announced, and
    decode no more than enough."""
    find_path = cached_store._path
    shipped = catalogue.default()
    cached_store._path = lambda model: find_path(model) if model.sha256 == shipped.sha256 else None
    _KNOWN.add(shipped.sha256)
    check, decode = Frame.check, FrameCoder.decode

    def checked(frame: Frame, raw: bytes) -> bytes:
        if frame.raw_length != len(raw):
            raise Finding(f"{frame.raw_length} bytes were announced and {len(raw)} decoded")
        return raw if raw is not frame.payload else check(frame, raw)

    def decoded(coder: FrameCoder, frame: Frame, report) -> bytes:
        before, watched = (Watched.now.decoded if Watched.now else 0), Watched.now

        def stopping(n_done: int) -> None:
            report(n_done)
            if watched:
                watched.decoded = before + n_done
                if watched.decoded >= ENOUGH:
                    raise _Enough

        return decode(coder, frame, stopping)

    def heard(function):
        def announced(*arguments):
            need = function(*arguments)
            if Watched.now:
                Watched.now.announce(need if isinstance(need, int) else need.total)
            return need

        return announced

    Frame.check, FrameCoder.decode = checked, decoded
    for name in ("of_encoding", "of_decoding", "of_frames", "of_bringing"):
        setattr(memory, name, heard(getattr(memory, name)))


def _forget() -> None:
    """Let go of made-up models."""
    from nlmzip.plan import prepare

    for identity in set(cached_store._loaded) - _KNOWN:
        del cached_store._loaded[identity]
    for key in list(prepare._kept):
        if not {sha256 for sha256 in key[1:] if sha256} <= _KNOWN:
            del prepare._kept[key]


def coding(attempt):
    """An attempt that is watched and may end with an error of ours: whether it came to its end, or to ENOUGH."""

    @wraps(attempt)
    def came_to_its_end(data: bytes) -> bool:
        with Watched() as watched:
            try:
                return attempt(data, watched)
            except _Enough:
                return True
            except nlmzip.NlmzipError as error:
                _check_message(error)
                return False
            finally:
                _forget()

    return came_to_its_end


def outcome(read, *arguments):
    """What is read, or the error of ours that says why not."""
    try:
        return read(*arguments)
    except nlmzip.NlmzipError as error:
        _check_message(error)
        return error


class Read(NamedTuple):
    """What one of the two ways gave, and what it warned of."""

    value: object
    problems: list[str]


def _compare(in_order: "Read | Exception", sought: "Read | Exception", what: str) -> bool:
    """Whether both ways gave something, which then is the same.

    Otherwise none did, but that one who seeks may refuse what has a made-up index.
    """
    if isinstance(in_order, Exception):
        if not isinstance(sought, Exception):
            raise Finding(f"{what} by seeking only") from in_order
        return False
    if isinstance(sought, Exception):
        if not in_order.problems:
            raise Finding(f"{what} in order only") from sought
        return False
    if in_order.value != sought.value:
        raise Finding(f"other {what} in order than by seeking")
    if bool(in_order.problems) != bool(sought.problems):
        raise Finding(f"{what} with a warning in one of two ways only")
    return True


def _pieces(data: bytes) -> Iterator[bytes]:
    chance, place = Random(zlib.crc32(data)), 0
    while place < len(data):
        size = chance.choice(_PIECES)
        yield data[place : place + size]
        place += size


# --- the parts of an archive


@coding
def try_layout(data: bytes, watched: Watched) -> bool:
    """Parse and describe what may be an archive."""
    whole = _compare(outcome(_parts_in_order, data), outcome(_parts_by_places, data), "frames")
    described = outcome(description.describe, io.BytesIO(data))
    if isinstance(described, Exception):
        if whole:
            raise Finding("an archive that is whole and cannot be described") from described
        return False
    report = {"file": "it", "kind": "archive", **described}
    _one_line_each(info.archive_lines(report), report)
    return whole


def _parts_in_order(data: bytes) -> Read:
    """Recipes and frames of members with texts, and the frames of models."""
    parser, members, problems, parts = Parser(), [], [], []
    for piece in _pieces(data):
        parser.feed(piece)
        parts += parser.parts()
    parts += filter(None, [parser.finish()])
    for part in parts:
        if isinstance(part, MemberBegin):
            members.append(Member(part.recipe))
        elif isinstance(part, FrameRead):
            members[-1].frames.append(_checked(part.frame))
        elif part.problem:
            problems.append(part.problem)
    texts = [(member.recipe, member.frames) for member in members if not member.recipe.is_model]
    return Read((texts, [member.frames for member in members if member.recipe.is_model]), problems)


def _checked(frame: Frame) -> Frame:
    """A frame whose checksum holds, as far as it can be known."""
    if frame.coding is None:
        frame.check(frame.payload)
    return frame


def _parts_by_places(data: bytes) -> Read:
    """The same."""
    file = io.BytesIO(data)
    layout = read_layout(file)
    texts = [
        (recipe, [_checked(read_frame(file, span)) for span in spans])
        for recipe, _, spans in layout.members
    ]
    if sum(len(frames) for _, frames in texts) != len(layout.spans):
        raise Finding("frames that are of no member")
    return Read((texts, [[_checked(read_frame(file, span))] for span in layout.models]), layout.problems)


# --- archives


@coding
def try_archive(data: bytes, watched: Watched) -> bool:
    """Decode what may be an archive."""
    texts = []
    for read in (_text_in_order, _text_by_seeking):
        watched.decoded = 0
        texts.append(outcome(read, data))
    in_order, sought = texts
    if isinstance(in_order, nlmzip.ModelNotFoundError):
        return False  # one who seeks knows the models behind a member, too
    watched.decoded = 0
    by_codec = outcome(_of_archives.decompress, data)
    if isinstance(by_codec, bytes) and (isinstance(in_order, Exception) or in_order.value != by_codec):
        raise Finding("other text by a Codec than in order")
    return _compare(in_order, sought, "text")


def _text_in_order(data: bytes) -> Read:
    text, problems = bytearray(), []
    with (
        Session(1 + len(data) % 4 // 3, LIMIT) as session,
        Decoder(session, Known(MODELS), warn=problems.append) as decoder,
    ):
        for piece in _pieces(data):
            for decoded in decoder.feed(piece):
                text += decoded
        for decoded in decoder.finish():
            text += decoded
    _one_line_each(problems, problems)
    return Read(bytes(text), problems)


def _text_by_seeking(data: bytes) -> Read:
    texts, problems = [], []
    with Session(1, LIMIT) as session:
        reader = FrameReader(session, io.BytesIO(data), Known(MODELS), warn=problems.append)
        for number, span in enumerate(reader.layout.spans):
            try:
                texts.append(reader.text(number))
                if span.recipe.has_records and b"".join(_records(reader, number)) != texts[-1]:
                    raise Finding("records that are not the text")
            except nlmzip.ArchiveError as error:
                if "records" not in str(error):
                    raise
                # Somebody has made up how many there are: then there is the text alone.
                return _text_in_order(data)
    text = b"".join(texts)
    if len(text) != reader.layout.raw_length:
        raise Finding("a text of another length than announced")
    _one_line_each(problems, problems)
    return Read(text, problems)


def _records(reader: FrameReader, number: int) -> list[bytes]:
    """All records of a frame, with their delimiters."""
    return reader.records(number, range(reader.layout.spans[number].n_records))


@coding
def try_payload(data: bytes, watched: Watched) -> bool:
    """Decode what may be a bare payload; the Codecs stay, whatever they have decoded before."""
    if not _codecs:
        _codecs.extend(fuzz_seeds.codecs())
    codec = _codecs[data[0] % len(_codecs)] if data else _codecs[0]
    text = codec.decompress(data[1:])
    if codec.decompress(codec.compress(text)) != text:
        raise Finding("other text than was encoded by a Codec")
    return True


#: Made when they are first needed.
_codecs: list[nlmzip.Codec] = []
_of_archives = nlmzip.Codec(model="none", level=1, memory_limit=LIMIT)


# --- models


@coding
def try_model(body: bytes, watched: Watched) -> bool:
    """Read what may be a model, and code with it."""
    data = sealed(body)
    card = model_file.card_of(data)
    _one_line_each(info.model_lines({"file": "it", "card": card}), card)
    announced = memory.of_bringing(card, Known())
    if announced > LIMIT:
        return False
    model = model_file.read(data)
    chance = zlib.crc32(body)
    if model.kind == model_file.BYTES:
        _round_trip(model=model, level=1 + chance % 9)
    elif model.kind == model_file.WORDS:
        _code_with_words(model, chance)
    return True


def _code_with_words(model, chance: int) -> None:
    names = settings.available(model)
    predictor = names[chance % len(names)] if chance % 4 else None
    dynamic = (None, True, False)[chance // 64 % 3]
    codec = ("words", "mix")[chance // 256 % 2]
    level = {"level": 1 + chance // 512 % 5} if codec == "mix" else {}
    try:
        _round_trip(model=model, codec=codec, predictor=predictor, dynamic=dynamic, **level)
    except nlmzip.OptionError:
        pass  # a predictor that this model has in the other mode only
    payload = zlib.compress(chance.to_bytes(4, "little"))
    form = ("plain", "general", "bytes")[chance // 4096 % 3]
    reference = ModelReference(model.sha256[:HASH_BYTES])
    named = WordsCoding(predictor or names[-1], bool(dynamic), True, form, reference)
    made_up = written(Member(Recipe((named,)), [Frame(300, 0, payload, 0)]))
    outcome(lambda: nlmzip.decompress(made_up, model=model))


def _round_trip(text: bytes = TEXT, **options) -> None:
    """Code and decode."""
    coded = nlmzip.compress(text, **options)
    if nlmzip.decompress(coded, model=options.get("model")) != text:
        raise Finding("other text than was encoded")


# --- texts


def try_text(text: bytes) -> bool:
    """Tokens, forms and archives of a text."""
    with Watched():
        plain = tokens.is_plain(text)
        for form in (forms.General, forms.Bytes, *([forms.Plain] if plain else [])):
            cut = list(form.tokens(text))
            if b"".join(token.text for token in cut) != text or not all(token.text for token in cut):
                raise Finding(f"the tokens of the form {form.name} are not the text")
            if any(max(map(len, token)) > tokens.MAXIMUM_LENGTH for token in cut):
                raise Finding(f"a token of the form {form.name} is too long")
        for token in tokens.general_tokens(text):
            if letter_case.join_case(*letter_case.split_case(token.word)) != token.word:
                raise Finding("case and key are not the word")
        chance = Random(zlib.crc32(text))
        for form, name in (("general", "golden-general"), ("bytes", "golden-of-bytes"), ("plain", "golden")):
            if form != "plain" or plain:
                model = BY_NAME[name]
                predictor = chance.choice(("kn", "kn", model.card["default"]["predictor"]))
                how = words.WordSettings(predictor, False, chance.random() < 0.5, form)
                payload = words.encode(text, model, how)
                if words.decode(payload, len(text), model, how) != text:
                    raise Finding(f"the form {form} does not round-trip")
        model = chance.choice((None, *MODELS))
        options = {"model": "none", "level": chance.randint(1, 9)} if model is None else {"model": model}
        _round_trip(text, **options)
        _in_frames_and_records(text, options | {"frame": chance.choice((16, 64, 256))}, chance)
        return True


def _in_frames_and_records(text: bytes, options: dict, chance: Random) -> None:
    coded, by_two = (nlmzip.compress(text, threads=threads, **options) for threads in (1, 2))
    if coded != by_two:
        raise Finding("other bytes of two threads than of one")
    if nlmzip.decompress(coded, model=options["model"], threads=2) != text:
        raise Finding("other text than was encoded in frames")
    delimiter = chance.choice((BY_LENGTHS, ord("\n"), ord(" ")))
    records = _cut(text, delimiter, chance)
    archive = fuzz_seeds.of_records(records, delimiter, **options)
    with Session() as session:
        reader = FrameReader(session, io.BytesIO(archive), Known(options["model"] if options["model"] != "none" else None))
        found = [record for number in range(len(reader.layout.spans)) for record in _records(reader, number)]
    if found != records:
        raise Finding("other records than were encoded")


def _cut(text: bytes, delimiter: int, chance: Random) -> list[bytes]:
    """A text as records, with their delimiters."""
    if delimiter == BY_LENGTHS:
        cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(8)))
        return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    *whole, rest = text.split(bytes([delimiter]))
    return [record + bytes([delimiter]) for record in whole] + ([rest] if rest else [])


# --- what is said


def _one_line_each(lines: list[str], report: "dict | list") -> None:
    if not all(line and line.isprintable() for line in lines):
        raise Finding("what is said is not printable lines")
    json.dumps(report, indent=2, default=str)


def _check_message(error: Exception) -> None:
    if "\n" in str(error) or not str(error):
        raise Finding("an error that is not one line") from error


TRY = {"layout": try_layout, "archive": try_archive, "payload": try_payload, "model": try_model, "text": try_text}
