"""What fuzz.py does with each input, and whether it came to its end: any bytes give data or an NlmzipError, in the memory announced.

    archive   parse, describe and decode, with models of all kinds at hand. Checksums of the
              texts are taken to hold, since no change of a payload would keep them.
    model     read a model file (the SHA-256 is put behind the input), then code a text with it
              in both codecs, decode it, and decode what was never encoded.
    text      tokens and forms of a text, and a round trip through both codecs.

Anything else that is raised is a finding, and so are text of another length than announced,
other text than was encoded, more memory than announced, and more than SLOW seconds. Kernels
are compiled with bounds checked (NUMBA_BOUNDSCHECK), so that an index outside of an array is
an IndexError and not silence. Called by fuzz.py, in a process of its own.
"""

import json
import time
import zlib
from functools import wraps
from pathlib import Path

import nlmzip
from benchmarks.trust.fuzz_mutators import sealed
from nlmzip.cli import info
from nlmzip.codec import words
from nlmzip.container import archive
from nlmzip.counts import cached_store
from nlmzip.models import catalogue, model_file, settings
from nlmzip.plan import description, memory
from nlmzip.text import forms, letter_case, tokens

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
TEXT = b"The cow ate the zebra, \xff 12 TIMES.\nthe goat grazed near the river\n\n"
#: CPU seconds of one input.
SLOW = 20
#: Decoding ends after so many bytes; a short payload can hold very much text.
ENOUGH = 1 << 16
#: What decoding is allowed to announce.
LIMIT = 600 << 20
# What an interpreter with everything loaded takes more now and then, whatever it does.
_SLACK = 48 << 20

#: Models that archives can name: of words, of bytes as words, and of bytes.
MODELS = [model_file.read_file(path) for path in sorted(GOLDEN.glob("*.nlm"))]
HASHES = [model.sha256[: archive.HASH_BYTES] for model in MODELS]
_KNOWN = {model.sha256 for model in MODELS}
_BY_NAME = {model.name: model for model in MODELS}


class Finding(Exception):
    """What must not happen and raises no error by itself."""


class _Enough(Exception):
    """Ends a decoding that has shown what it can."""


def prepare() -> None:
    """Leave no trace of made-up models, and let the checksums of texts hold."""
    find_path = cached_store._path
    shipped = catalogue.default()
    cached_store._path = lambda model: find_path(model) if model.sha256 == shipped.sha256 else None
    _KNOWN.add(shipped.sha256)
    check = archive.Frame.check

    def checked(frame, raw: bytes) -> bytes:
        if frame.raw_length != len(raw):
            raise Finding(f"{frame.raw_length} bytes were announced and {len(raw)} decoded")
        return raw if raw is not frame.payload else check(frame, raw)

    archive.Frame.check = checked


class Watched:
    """Holds what is done inside to the time and the memory that was announced."""

    def __init__(self):
        self._announced = memory._PROGRAM

    def announce(self, n_bytes: int) -> None:
        self._announced = max(self._announced, n_bytes)

    def __enter__(self) -> "Watched":
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        self._before, self._begin = _kilobytes("VmRSS"), time.process_time()
        return self

    def __exit__(self, kind, *_) -> None:
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


def _forget() -> None:
    """Let go of the counts of made-up models."""
    for identity in set(cached_store._loaded) - _KNOWN:
        del cached_store._loaded[identity]


def _stop(done: int, total: int) -> None:
    if done >= ENOUGH:
        raise _Enough


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


@coding
def try_archive(data: bytes, watched: Watched) -> bool:
    """Parse, describe and decode what may be an archive."""
    members = archive.read(data)
    announced = memory.of_decoding(members, len(data), MODELS)
    watched.announce(announced)
    described = [info._with_model(member) for member in description.describe(data)]
    report = {"file": "it", "bytes": len(data), "memory": announced, "members": described}
    _one_line_each(info.archive_lines(report), report)
    archive.first_end(data)
    text = nlmzip.decompress(data, model=MODELS, memory_limit=LIMIT, progress=_stop)
    if len(text) != sum(member.raw_length for member in members):
        raise Finding("a text of another length than announced")
    return True


@coding
def try_model(body: bytes, watched: Watched) -> bool:
    """Read what may be a model, and code with it."""
    data = sealed(body)
    card = model_file.card_of(data)
    _one_line_each(info.model_lines({"file": "it", "card": card}), card)
    announced = memory.of_model(card)
    if announced > LIMIT:
        return False
    watched.announce(announced + memory.of_encoding(len(TEXT), 9, catalogue.Models()))
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
    named = archive.WordSettings(predictor or names[-1], bool(dynamic), True, form, model.sha256[:8])
    made_up = archive.write(archive.WORDS, named, [archive.Frame(300, 0, payload)])
    try:
        nlmzip.decompress(made_up, model=model, progress=_stop)
    except nlmzip.NlmzipError as error:
        _check_message(error)


def _round_trip(text: bytes = TEXT, **options) -> None:
    """Code and decode; the archive may be the text as it is, so the codecs are asked, too."""
    coded = nlmzip.compress(text, **options)
    if nlmzip.decompress(coded, model=options.get("model")) != text:
        raise Finding("other text than was encoded")


def try_text(text: bytes) -> bool:
    """Tokens, forms and archives of a text."""
    with Watched() as watched:
        every = catalogue.Models(_BY_NAME["golden-longest"], _BY_NAME["golden-of-bytes"])
        watched.announce(memory.of_encoding(len(text), 9, every))
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
        chance = zlib.crc32(text)
        cached = bool(chance % 2)
        for form, name in (("general", "golden-general"), ("bytes", "golden-of-bytes"), ("plain", "golden")):
            if form != "plain" or plain:
                model = _BY_NAME[name]
                predictor = "kn" if chance % 3 else model.card["default"]["predictor"]
                how = words.WordSettings(predictor, False, cached, form)
                payload = words.encode(text, model, how)
                if words.decode(payload, len(text), model, how) != text:
                    raise Finding(f"the form {form} does not round-trip")
        model = (None, *MODELS)[chance // 8 % (1 + len(MODELS))]
        if model is None:
            _round_trip(text, model="none", level=1 + chance // 256 % 9)
        else:
            _round_trip(text, model=model)
        return True


def _one_line_each(lines: list[str], report: dict) -> None:
    if not all(line.isprintable() for line in lines):
        raise Finding("a description that is not printable lines")
    json.dumps(report, indent=2, default=str)


def _check_message(error: Exception) -> None:
    if "\n" in str(error) or not str(error):
        raise Finding("an error that is not one line") from error


TRY = {"archive": try_archive, "model": try_model, "text": try_text}


# --- what fuzzing begins with


def seeds(target: str) -> list[bytes]:
    """Inputs that are in order."""
    originals = {path.stem: path.read_bytes() for path in sorted(GOLDEN.glob("*.txt"))}
    if target == "text":
        return [*originals.values(), TEXT, b"", b"\n", b" ", b"a b\nc\n\n", b"x" * 200, bytes(300)]
    if target == "model":
        return [model.file[:-32] for model in MODELS]
    archives = {
        path.name: path.read_bytes()
        for path in sorted(GOLDEN.glob("*.nlmz"))
        if "english" not in path.name
    }
    brought = [
        archive.write_model(_BY_NAME[name].file) + archives[f"general.{coded}.nlmz"]
        for name, coded in (
            ("golden", "kn+rnn.dynamic"), ("golden-general", "mix.general.kn+nplm.static"),
            ("golden-mos", "mos.words.dynamic"), ("golden-of-bytes", "of-bytes.mix.static"),
        )
    ]  # fmt: skip
    several = [
        archives["stored.nlmz"] + archives["general.mix.level-1.nlmz"] + archives["plain.kn.static.nlmz"],
        archive.write_stored(b"") + brought[0],
    ]
    member = archive.read(archives["general.mix.level-1.nlmz"])[0]
    frames = archive.write(member.codec, member.settings, 2 * member.frames)
    return [*archives.values(), *brought, *several, frames]
