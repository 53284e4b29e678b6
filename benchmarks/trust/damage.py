#!/usr/bin/env python3
"""Small archives of every codec, damaged in every way that is one bit or one cut: each bit flipped
in turn, and each beginning of the archive; read from the beginning to the end, and frame by frame
by their places, as one does who seeks. Each is an error or gives the very same text and records;
WRONG counts everything else, other text, other records or another error, and has to be 0.

Damage to an index costs no text: all of it is there, with a warning ("warned"), which nothing
else gives. Of several members the first ones are an archive themselves, as in gzip: a cut between
members, or in the index behind one, gives their text ("fewer members").

Exit status 1 if anything is wrong.
"""

import io
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from nlmzip.api import streams
from nlmzip.container.parser import MemberEnd, Parser, read_members
from nlmzip.container.recipe import BY_LENGTHS, MixCoding, WordsCoding
from nlmzip.execute.encode import write_model
from nlmzip.execute.seek import FrameReader
from nlmzip.execute.session import Session
from nlmzip.models import model_file
from nlmzip.plan import memory
from nlmzip.plan.known import Known
from nlmzip.plan.options import Options

GOLDEN = harness.ROOT / "tests" / "golden"
PLAIN = b"the cow ate the grass\nthe zebra ate the hay near the hill\nthe zebra grazed\nthe cow grazed\n"
GENERAL = b'The cow ate the hay; THE ZEBRA grazed.\r\n"The cow," said 2 zebras, "ate the hay!"\xff\n'
LINES = PLAIN.splitlines(keepends=True)
#: Records that an end of line is no end of, one of them empty.
RECORDS = [b"the cow\nate", b"the grass", b"", b"the zebra ate the hay", b"the cow grazed\n"]

SAME, WARNED, ERROR, FEWER, WRONG = "same", "warned", "error", "fewer", "wrong"

MODELS = [
    model_file.read_file(GOLDEN / f"{name}.nlm")
    for name in ("golden", "golden-lstm", "golden-of-bytes", "golden-short")
]
#: A model that only the archive has.
BROUGHT = model_file.read_file(GOLDEN / "golden-general.nlm")


class Member(NamedTuple):
    """A member with a text, and with a list of records where it is made of them."""

    coded: bytes
    text: bytes
    records: list[bytes] | None = None


class Outcome(NamedTuple):
    """What was read; records: None of a reader that knows none; problems: what it warned of."""

    text: bytes
    records: list[bytes] | None
    problems: list[str]


def main() -> int:
    options = harness.parser(__file__, __doc__).parse_args()
    with harness.Report(__file__, options) as report:
        rows, wrong = [], []
        for name, members in archives().items():
            for reader, read in READERS.items():
                flipped, cut, odd = damaged(members, read)
                wrong += [f"{name}, {reader}: {what}" for what in odd]
                n_bytes = sum(len(member.coded) for member in members)
                rows.append(
                    [name, reader, f"{n_bytes:,}", f"{8 * n_bytes:,}"]
                    + [f"{flipped[kind]:,}" for kind in (ERROR, SAME, WARNED, WRONG)]
                    + [f"{n_bytes:,}"]
                    + [f"{cut[kind]:,}" for kind in (ERROR, WARNED, FEWER, WRONG)]
                )
        header = ["archive", "read", "bytes", "bits flipped", "error", "same text", "warned", "WRONG"]
        report.table([*header, "truncations", "error", "warned", "fewer members", "WRONG"], rows)
        for what in wrong[:20]:
            report.line(what)
        return 1 if wrong else 0


# --- what is damaged


def archives() -> dict[str, list[Member]]:
    """Archives by what they show, as the members that make them up."""
    of_words, of_networks, of_bytes, counted = MODELS
    made = {"stored": of_text(bytes(range(64)), None, model="none")}
    add = made.__setitem__
    add("words, plain text", of_text(PLAIN, WordsCoding, codec="words", model=of_words))
    add("words, general text", of_text(GENERAL, WordsCoding, codec="words", model=of_words))
    add("words, an LSTM", of_text(PLAIN, WordsCoding, codec="words", model=of_networks))
    add("words of bytes", of_text(PLAIN, WordsCoding, codec="words", model=of_bytes))
    for level in (1, 5, 9):
        add(f"mix -{level}", of_text(PLAIN, MixCoding, model="none", level=level))
    add("mix with a model of words", of_text(GENERAL, MixCoding, model=of_words))
    add("mix with a model of bytes", of_text(GENERAL, MixCoding, model=counted))
    add("mix with words of bytes", of_text(PLAIN, MixCoding, model=of_bytes))
    add("mix with both", of_text(PLAIN, MixCoding, model=[counted, of_words], level=5))
    add("stored frames", of_text(bytes(range(64)), None, model="none", frame=20))
    add("words, frames", of_text(PLAIN + GENERAL, WordsCoding, codec="words", model=of_words, frame=len(PLAIN)))
    add("mix frames", of_text(PLAIN, MixCoding, model="none", level=1, frame=40))
    add("mix frames with a model of bytes", of_text(GENERAL, MixCoding, model=counted, frame=30))
    add("lines", of_records(LINES, ord("\n"), model="none", level=1))
    add("lines in frames", of_records(LINES, ord("\n"), model="none", level=1, frame=40))
    add("lines in words", of_records(LINES, ord("\n"), codec="words", model=of_words, frame=40))
    add("records", of_records(RECORDS, BY_LENGTHS, model="none", level=1))
    add("records in frames", of_records(RECORDS, BY_LENGTHS, model=counted, frame=20))
    add("a record a frame", of_records(RECORDS, BY_LENGTHS, model="none", level=1, frame=1))
    add("no record", of_records([], BY_LENGTHS, model="none", level=1))
    add("no line", of_records([], ord("\n"), model="none", level=1))
    add("an empty record", of_records([b""], BY_LENGTHS, model="none", level=1))
    several = [made[name] for name in ("stored", "words, plain text", "mix -1", "words, general text")]
    in_frames = [made[name] for name in ("mix frames", "lines in frames", "mix -1", "records in frames")]
    archives = {name: [member] for name, member in made.items()}
    for codec in ("words", "mix"):
        member = of_text(GENERAL, None, codec=codec, model=BROUGHT)
        archives[f"{codec} with its model embedded"] = [member._replace(coded=write_model(BROUGHT.file) + member.coded)]
    member = of_text(GENERAL, None, model=BROUGHT, frame=30)
    brought = member._replace(coded=write_model(BROUGHT.file) + member.coded)
    archives["mix frames with their model embedded"] = [brought]
    archives["four members"] = several
    archives["four members with frames"] = in_frames
    return archives


def of_text(text: bytes, coding: type | None, **chosen) -> Member:
    """A member, whose codings are of the kind that it is to show."""
    coded = nlmzip.compress(text, **chosen)
    _check(coded, coding, chosen)
    return Member(coded, text)


def of_records(records: list[bytes], delimiter: int, **chosen) -> Member:
    """A member of records; delimiter: as of a Recipe."""
    with Session() as session:
        coded = b"".join(streams.encode_records(session, records, Options(**chosen), delimiter))
    return Member(coded, b"".join(records), records)


def _check(coded: bytes, coding: type | None, chosen: dict) -> None:
    (member,) = read_members(coded)
    if coding:
        assert any(frame.coding is not None for frame in member.frames), chosen
        assert all(isinstance(each, coding) for each in member.recipe.codings), chosen
    if "frame" in chosen:
        assert len(member.frames) > 1, chosen


# --- what reads


#: Kept for all that is read: what one damaged archive leaves behind must not change the next one.
_session = Session(memory_limit=memory.of_machine())


def from_the_beginning(coded: bytes) -> Outcome:
    problems = []
    text = streams.decode(_session, io.BytesIO(coded).read, Known(MODELS), warn=problems.append)
    return Outcome(b"".join(text), None, problems)


def by_seeking(coded: bytes) -> Outcome:
    problems, texts, records = [], [], []
    reader = FrameReader(_session, io.BytesIO(coded), Known(MODELS), warn=problems.append)
    for number, span in enumerate(reader.layout.spans):
        texts.append(reader.text(number))
        if span.recipe.has_records:
            records += reader.records(number, range(span.n_records))
    return Outcome(b"".join(texts), records, problems)


READERS = {"in order": from_the_beginning, "by seeking": by_seeking}


def outcome(coded: bytes, read) -> "Outcome | Exception | None":
    """What is read of an archive, None where it is refused, or an error that must not be."""
    try:
        return read(coded)
    except nlmzip.NlmzipError:
        return None
    except Exception as error:
        return error


# --- what came of it


def damaged(members: list[Member], read) -> tuple[Counter, Counter, list[str]]:
    """What came of each flipped bit, what of each truncation, and what was wrong."""
    coded = b"".join(member.coded for member in members)
    of_indexes = index_places(coded)
    odd = [] if kind_of(outcome(coded, read), members) == SAME else ["is not read before it is damaged"]
    flipped, cut = Counter(), Counter()
    for position in range(8 * len(coded)):
        changed = bytearray(coded)
        changed[position // 8] ^= 1 << position % 8
        came = outcome(bytes(changed), read)
        kind = kind_of(came, members)
        if kind == FEWER or (kind == WARNED) != (position // 8 in of_indexes):
            kind = WRONG
        flipped[kind] += 1
        if kind == WRONG:
            odd.append(f"bit {position} flipped: {came!r:.200}")
    for length in range(len(coded)):
        came = outcome(coded[:length], read)
        kind = kind_of(came, members)
        if kind == SAME or kind == WARNED and length not in of_indexes:
            kind = WRONG
        cut[kind] += 1
        if kind == WRONG:
            odd.append(f"cut at {length}: {came!r:.200}")
    return flipped, cut, odd


def index_places(coded: bytes) -> set[int]:
    """The places of all bytes of an archive that are of indexes."""
    parser, found, place = Parser(), set(), 0
    parser.feed(coded)
    for part in parser.parts():
        if isinstance(part, MemberEnd):
            found |= set(range(place, part.place))
            place = part.place
        else:
            place += part.n_bytes
    return found


def kind_of(came: "Outcome | Exception | None", members: list[Member]) -> str:
    """What an outcome is, of an archive of these members."""
    if came is None:
        return ERROR
    if isinstance(came, Exception):
        return WRONG
    for n_members in range(len(members), 0, -1):
        read = members[:n_members]
        text = b"".join(member.text for member in read)
        records = [record for member in read for record in member.records or []]
        if came.text == text and came.records in (None, records):
            if n_members < len(members):
                return FEWER
            return WARNED if came.problems else SAME
    return WRONG


if __name__ == "__main__":
    harness.run(main)
