#!/usr/bin/env python3
"""Small archives of every codec, damaged in every way that is one bit or one cut: each bit flipped
in turn, and each beginning of the archive. Each is an error or gives the very same text; WRONG
counts everything else, other text or another error, and has to be 0.

Of several members the first ones are an archive themselves, as in gzip: a cut at a member's end
gives their text ("fewer members").

Exit status 1 if anything is wrong.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from nlmzip.container import archive
from nlmzip.models import model_file
from nlmzip.plan import memory

GOLDEN = harness.ROOT / "tests" / "golden"
PLAIN = b"the cow ate the grass\nthe zebra ate the hay near the hill\nthe zebra grazed\nthe cow grazed\n"
GENERAL = b'The cow ate the hay; THE ZEBRA grazed.\r\n"The cow," said 2 zebras, "ate the hay!"\xff\n'

SAME, ERROR, FEWER, WRONG = "same", "error", "fewer", "wrong"


def main() -> int:
    options = harness.parser(__file__, __doc__).parse_args()
    with harness.Report(__file__, options) as report:
        rows, wrong = [], []
        for name, (coded, texts) in archives().items():
            flipped, cut, odd = damaged(coded, texts)
            wrong += [f"{name}: {what}" for what in odd]
            rows.append(
                [name, f"{len(coded):,}", f"{8 * len(coded):,}"]
                + [f"{flipped[kind]:,}" for kind in (ERROR, SAME, WRONG)]
                + [f"{len(coded):,}"]
                + [f"{cut[kind]:,}" for kind in (ERROR, FEWER, WRONG)]
            )
        header = ["archive", "bytes", "bits flipped", "error", "same text", "WRONG"]
        report.table([*header, "truncations", "error", "fewer members", "WRONG"], rows)
        for what in wrong[:20]:
            report.line(what)
        return 1 if wrong else 0


def archives() -> dict[str, tuple[bytes, list[bytes]]]:
    """Archives by what they show, and the texts of their members."""
    of_words, of_networks, of_bytes, counted = MODELS
    made = {"stored": (nlmzip.compress(bytes(range(64))), [bytes(range(64))])}

    def add(name: str, text: bytes, number: int, **chosen) -> None:
        coded = nlmzip.compress(text, **chosen)
        assert archive.read(coded)[0].codec == number, name
        made[name] = coded, [text]

    add("words, plain text", PLAIN, archive.WORDS, codec="words", model=of_words)
    add("words, general text", GENERAL, archive.WORDS, codec="words", model=of_words)
    add("words, an LSTM", PLAIN, archive.WORDS, codec="words", model=of_networks)
    add("words of bytes", PLAIN, archive.WORDS, codec="words", model=of_bytes)
    for level in (1, 5, 9):
        add(f"mix -{level}", PLAIN, archive.MIX, model="none", level=level)
    add("mix with a model of words", GENERAL, archive.MIX, model=of_words)
    add("mix with a model of bytes", GENERAL, archive.MIX, model=counted)
    add("mix with words of bytes", PLAIN, archive.MIX, model=of_bytes)
    add("mix with both", PLAIN, archive.MIX, model=[counted, of_words], level=5)
    for codec in ("words", "mix"):
        coded = nlmzip.compress(GENERAL, codec=codec, model=BROUGHT)
        made[f"{codec} with its model embedded"] = archive.write_model(BROUGHT.file) + coded, [GENERAL]
    several = [made[name] for name in ("stored", "words, plain text", "mix -1", "words, general text")]
    made["four members"] = b"".join(coded for coded, _ in several), [text for _, (text,) in several]
    return made


MODELS = [
    model_file.read_file(GOLDEN / f"{name}.nlm")
    for name in ("golden", "golden-lstm", "golden-of-bytes", "golden-short")
]
#: A model that only the archive has.
BROUGHT = model_file.read_file(GOLDEN / "golden-general.nlm")


def damaged(coded: bytes, texts: list[bytes]) -> tuple[Counter, Counter, list[str]]:
    """What came of each flipped bit, what of each truncation, and what was wrong."""
    whole = b"".join(texts)
    beginnings = {b"".join(texts[:n]) for n in range(1, len(texts))}
    odd = [] if outcome(coded) == whole else ["does not decode before it is damaged"]
    flipped, cut = Counter(), Counter()
    for position in range(8 * len(coded)):
        changed = bytearray(coded)
        changed[position // 8] ^= 1 << position % 8
        came = outcome(bytes(changed))
        kind = ERROR if came is None else SAME if came == whole else WRONG
        flipped[kind] += 1
        if kind == WRONG:
            odd.append(f"bit {position} flipped: {came!r:.100}")
    for length in range(len(coded)):
        came = outcome(coded[:length])
        kind = ERROR if came is None else FEWER if came in beginnings else WRONG
        cut[kind] += 1
        if kind == WRONG:
            odd.append(f"cut at {length}: {came!r:.100}")
    return flipped, cut, odd


def outcome(coded: bytes) -> "bytes | Exception | None":
    """The text of an archive, None where it is refused, or an error that must not be."""
    try:
        return nlmzip.decompress(coded, model=MODELS, memory_limit=memory.of_machine())
    except nlmzip.NlmzipError:
        return None
    except Exception as error:
        return error


if __name__ == "__main__":
    harness.run(main)
