"""What fuzzing begins with: models, texts and archives of every kind that are in order. Called by fuzz.py."""

from pathlib import Path

import nlmzip
from benchmarks.trust.fuzz_archives import written
from nlmzip.api import streams
from nlmzip.container.frame import Frame
from nlmzip.container.parser import Member
from nlmzip.container.recipe import BY_LENGTHS, MODEL, MixCoding, Recipe
from nlmzip.execute.encode import write_model
from nlmzip.execute.session import Session
from nlmzip.models import model_file
from nlmzip.plan.options import Options

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
TEXT = b"The cow ate the zebra, \xff 12 TIMES.\nthe goat grazed near the river\n\n"
#: Models that archives can name: of words, of bytes as words, and of bytes.
MODELS = [model_file.read_file(path) for path in sorted(GOLDEN.glob("*.nlm"))]
BY_NAME = {model.name: model for model in MODELS}
#: Those that archives bring, and in which codec.
_BROUGHT = {"golden": "words", "golden-general": "mix", "golden-mos": "words", "golden-of-bytes": "mix"}
#: What decoding is allowed to announce.
LIMIT = 600 << 20
_NONE = {"model": "none", "level": 1}


def seeds(target: str) -> list[bytes]:
    """Inputs that are in order."""
    if target == "text":
        return [*_texts().values(), TEXT, b"", b"\n", b" ", b"a b\nc\n\n", b"x" * 200, bytes(300)]
    if target == "model":
        return [model.file[:-32] for model in MODELS]
    if target == "payload":
        return [bytes([number]) + codec.compress(TEXT * 3) for number, codec in enumerate(codecs())]
    return _without_models() if target == "layout" else _archives()


def _texts() -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in sorted(GOLDEN.glob("*.txt"))}


def codecs() -> list[nlmzip.Codec]:
    """Codecs of bare payloads, with a checksum and without."""
    golden = BY_NAME["golden-general"]
    settings = (_NONE, {"model": golden, "level": 2}, {"model": golden, "codec": "words"}, {"model": BY_NAME["golden-short"]})
    return [
        nlmzip.Codec(**each, bare=True, checksum=checksum, memory_limit=LIMIT)
        for each in settings
        for checksum in (True, False)
    ]


def of_records(records: list[bytes], delimiter: int, **options) -> bytes:
    """An archive of records; delimiter: as of a Recipe."""
    with Session() as session:
        return b"".join(streams.encode_records(session, records, Options(**options), delimiter))


def _without_models() -> list[bytes]:
    """Archives of one frame and of several, of records and not, and what follows one another."""
    text, compress = _texts()["general"], nlmzip.compress
    lines = text.splitlines(keepends=True)
    one, several = compress(text, **_NONE), compress(text, **_NONE, frame=100)
    stored = compress(bytes(range(64)), model="none", frame=20)
    of_lines = of_records(lines, ord("\n"), **_NONE, frame=100)
    records = of_records([*lines[:3], b"", *lines[3:6]], BY_LENGTHS, **_NONE, frame=100)
    two = Recipe((MixCoding(1), MixCoding(16)))
    of_two = Member(two, [Frame.of(text, b"a payload", 1), Frame.of(text, b"another", 0), Frame.of(b"ab")])
    model = written(Member(MODEL, [Frame.of(b"a model")]))
    made = [one, several, stored, of_lines, records, written(of_two), compress(b"")]
    made += [of_records([], BY_LENGTHS, **_NONE), of_records([b""], BY_LENGTHS, **_NONE)]
    return [*made, b"".join(made), several + one, model + several, one + model + of_lines + stored]


def _archives() -> list[bytes]:
    """Archives of every codec, with all kinds of models."""
    texts, compress = _texts(), nlmzip.compress
    plain, general = texts["plain"], texts["general"]
    made = _without_models()
    for model in MODELS:
        made.append(compress(general, model=model))
        if model.kind == model_file.WORDS:
            made += [compress(text, model=model, codec="words") for text in (plain, general)]
    for predictor, dynamic in (("uniform", False), ("kn", False), ("nplm", True), ("rnn", False), ("kn+rnn", True)):
        chosen = {"model": BY_NAME["golden"], "predictor": predictor, "dynamic": dynamic}
        made += [compress(plain, codec="words", **chosen), compress(general, **chosen)]
    made += [compress(general, model="none", level=level) for level in range(2, 10)]
    both = [BY_NAME["golden-short"], BY_NAME["golden"]]
    made += [compress(general, model=both), compress(general, model=both, frame=200)]
    made.append(compress(general, model=both[1], codec="words", frame=150))
    made.append(of_records(general.splitlines(keepends=True), ord("\n"), model=both[0], frame=60))
    for name, codec in _BROUGHT.items():
        model = BY_NAME[name]
        made.append(write_model(model.file) + compress(general, model=model, codec=codec, store_name=False))
        made.append(write_model(model.file) + compress(general, model=model, codec=codec, frame=200))
    return [*made, made[0] + made[-1], made[-2] + made[3] + made[-1]]
