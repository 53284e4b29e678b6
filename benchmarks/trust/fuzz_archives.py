"""Changes to archives, so that a fuzzer gets behind their checksums.

Bytes that are changed at random fail a checksum and nothing else is tried. Here an archive is
taken apart into members, codings, frames, records and indexes; one of these is changed, and all is
put together again with lengths and checksums that hold, or with one that lies. What cannot be taken
apart is changed as bytes. Called by fuzz.py.
"""

from dataclasses import replace
from random import Random

from benchmarks.trust.fuzz_models import DIGEST_BYTES, Mutate, change_model, sealed
from nlmzip.container.format import (
    HASH_BYTES,
    MAGIC,
    MOST_CODINGS,
    TEXT_FORMS,
)
from nlmzip.container.frame import Frame, pack_lengths, unpack_lengths, write_frame
from nlmzip.container.header import write_header
from nlmzip.container.index import Index, IndexEntry
from nlmzip.container.parser import Member, read_members
from nlmzip.container.recipe import (
    BY_LENGTHS,
    Coding,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
    WordsInMix,
)
from nlmzip.errors import NlmzipError
from nlmzip.models.networks import NETWORKS, predictor_name

_ODD_LENGTHS = (0, 1, 2, 63, 64, 65, 1 << 10, 1 << 13, (1 << 13) + 1, 1 << 16, 1 << 31, 1 << 50, (1 << 62) - 1)


def change_archive(data: bytes, chance: Random, mutate: Mutate, most: int, hashes: list[bytes]) -> bytes:
    """An archive with a member, a coding, a frame, its records, an index or an embedded model changed.

    hashes: how archives name the models that the reader has.
    """
    try:
        members = read_members(data)
    except NlmzipError:
        return mutate(data, most)
    choice = chance.random()
    if choice < 0.02:  # padding, or nearly
        return data + bytes(chance.choice((1, 8, 100))) + bytes([chance.randrange(2)])
    if choice < 0.1:
        return mutate(data, most)
    index = chance.randrange(len(members))
    member = members[index]
    if choice < 0.2:
        members = _moved(members, index, chance)
    elif member.recipe.is_model:
        members = _with_other_model(members, index, chance, mutate, most)
    elif choice < 0.35:
        members[index] = _with_other_recipe(member, chance, hashes)
    elif choice < 0.6:
        members[index] = Member(member.recipe, _other_frames(member, chance, mutate))
    elif choice < 0.7:
        members[index] = _with_other_records(member, chance, mutate)
    try:
        written = [_parts(each) for each in members]
        if choice >= 0.7:
            written[index] = _lying(members[index], written[index], chance, mutate)
    except (ValueError, OverflowError):
        return mutate(data, most)  # settings that no header can hold
    return b"".join(part for parts in written for part in parts)


def written(member: Member) -> bytes:
    """The bytes of a member."""
    return b"".join(_parts(member))


def _parts(member: Member) -> list[bytes]:
    """A member as its header, each of its frames, and its index."""
    recipe, n_frames = member.recipe, len(member.frames)
    header = write_header(recipe)
    frames = [
        write_frame(recipe, _with_true_checksum(frame, number), number == n_frames - 1)
        for number, frame in enumerate(member.frames)
    ]
    index = Index(len(header), recipe.has_records)
    for entry in _entries(member, frames):
        index.add(entry)
    return [header, *frames, index.to_bytes()]


def _entries(member: Member, frames: list[bytes]) -> list[IndexEntry]:
    return [
        IndexEntry(frame.raw_length, len(written), frame.n_records)
        for frame, written in zip(member.frames, frames, strict=True)
    ]


def _with_true_checksum(frame: Frame, number: int) -> Frame:
    """Of what is stored, and so can be known."""
    if frame.coding is not None:
        return frame
    return Frame.of(frame.payload, n_records=frame.n_records, lengths=frame.lengths, number=number)


def _moved(members: list, index: int, chance: Random) -> list:
    """Members in another number or order."""
    other = chance.randrange(len(members))
    choice = chance.random()
    if choice < 0.3 and len(members) > 1:
        return members[:index] + members[index + 1 :]
    if choice < 0.6 and len(members) < 6:
        return members[:index] + [members[other]] + members[index:]
    swapped = list(members)
    swapped[index], swapped[other] = swapped[other], swapped[index]
    return swapped


def _with_other_model(members: list, index: int, chance: Random, mutate: Mutate, most: int) -> list:
    """An embedded model changed, and the members behind it refer to what it is now."""
    file = members[index].frames[0].payload
    changed = sealed(change_model(file[:-DIGEST_BYTES], chance, mutate, most))
    before, after = (each[-DIGEST_BYTES:][:HASH_BYTES] for each in (file, changed))

    def refer(reference: "ModelReference | None") -> "ModelReference | None":
        is_this = reference is not None and reference.model_hash == before
        return replace(reference, model_hash=after) if is_this else reference

    def with_model(coding: Coding) -> Coding:
        if isinstance(coding, MixCoding) and coding.words:
            coding = replace(coding, words=replace(coding.words, model=refer(coding.words.model)))
        return replace(coding, model=refer(coding.model))

    def rewritten(member: Member) -> Member:
        codings = tuple(map(with_model, member.recipe.codings))
        return Member(replace(member.recipe, codings=codings), member.frames)

    brought = Member(members[index].recipe, [Frame.of(changed)])
    return [*map(rewritten, members[:index]), brought, *map(rewritten, members[index + 1 :])]


def _with_other_recipe(member: Member, chance: Random, hashes: list[bytes]) -> Member:
    """A member with another coding, with more or fewer, or told apart into records otherwise."""
    codings, delimiter = list(member.recipe.codings), member.recipe.delimiter
    choice = chance.random()
    if choice < 0.5 and codings:
        codings[chance.randrange(len(codings))] = _other_coding(chance, hashes)
    elif choice < 0.7 and len(codings) < MOST_CODINGS:
        codings.insert(chance.randrange(len(codings) + 1), _other_coding(chance, hashes))
    elif choice < 0.8 and codings:
        del codings[chance.randrange(len(codings))]
    else:
        delimiter = chance.choice((None, BY_LENGTHS, ord("\n"), ord(" "), 0, 255))
    return Member(Recipe(tuple(codings), delimiter), member.frames)


def _other_coding(chance: Random, hashes: list[bytes]) -> Coding:
    predictor = chance.choice((predictor_name(chance.randrange(2 << len(NETWORKS))), "kn", "rnn", "nplm", "kn+rnn"))
    name = chance.choice(("", "", "x", "\ufffd" * 30, "evil\nall fine"))
    coin = [chance.random() < 0.5 for _ in range(5)]
    of_words, of_bytes = (ModelReference(chance.choice(hashes), name) for _ in range(2))
    if chance.random() < 0.4:
        return WordsCoding(predictor, coin[0], coin[1], chance.choice(list(TEXT_FORMS)), of_words)
    profile = chance.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 5, 5, chance.randrange(1, 40), 1 << 20))
    words = WordsInMix(predictor, coin[0], of_words, coin[1]) if coin[3] else None
    return MixCoding(profile, of_bytes if coin[2] else None, words)


def _other_frames(member: Member, chance: Random, mutate: Mutate) -> list[Frame]:
    """The frames with one of them changed; stored ones keep a length that is true."""
    frames = list(member.frames)
    index, other = (chance.randrange(len(frames)) for _ in range(2))
    frame, choice = frames[index], chance.random()
    if choice < 0.15 and len(frames) < 8:
        frames.insert(other, frame)
    elif choice < 0.25 and len(frames) > 1:
        del frames[index]
    elif choice < 0.3:
        frames[index], frames[other] = frames[other], frame
    elif choice < 0.4:  # kept as it is, or by another coding
        coding = chance.choice((None, *range(len(member.recipe.codings))))
        length = len(frame.payload) if coding is None else frame.raw_length
        frames[index] = replace(frame, coding=coding, raw_length=length)
    elif choice < 0.75:
        payload = mutate(frame.payload, 2 * len(frame.payload) + 16)
        length = len(payload) if frame.coding is None else frame.raw_length
        frames[index] = replace(frame, payload=payload, raw_length=length)
    elif frame.coding is not None:
        near = frame.raw_length + chance.choice((-1, 1, 2, 100))
        length = max(near, 0) if chance.random() < 0.5 else chance.choice(_ODD_LENGTHS)
        frames[index] = replace(frame, raw_length=length)
    return frames


def _with_other_records(member: Member, chance: Random, mutate: Mutate) -> Member:
    """A frame that says something else of its records; made one of records if it has none."""
    recipe, frames = member.recipe, list(member.frames)
    if not recipe.has_records:
        recipe = replace(recipe, delimiter=chance.choice((BY_LENGTHS, ord("\n"), ord(" "))))
    index = chance.randrange(len(frames))
    frame, choice = frames[index], chance.random()
    if choice < 0.3:
        n_records = chance.choice((max(frame.n_records + chance.choice((-1, 1)), 0), *_ODD_LENGTHS))
        frames[index] = replace(frame, n_records=n_records)
    elif choice < 0.5:
        frames[index] = replace(frame, lengths=mutate(frame.lengths, 2 * len(frame.lengths) + 16))
    else:
        lengths = _other_lengths(frame, chance)
        frames[index] = replace(frame, n_records=len(lengths), lengths=pack_lengths(lengths))
    return Member(recipe, frames)


def _other_lengths(frame: Frame, chance: Random) -> list[int]:
    """Lengths of records that make up the frame's text, or do not."""
    try:
        lengths = unpack_lengths(frame)[:5000]
    except NlmzipError:
        lengths = []
    choice = chance.random()
    if choice < 0.4 and lengths:
        lengths[chance.randrange(len(lengths))] = chance.choice(_ODD_LENGTHS)
    elif choice < 0.5:
        lengths = [0] * chance.choice((0, 1, 2, 5000)) + lengths
    elif frame.raw_length < 1 << 20:
        cuts = sorted(chance.randrange(frame.raw_length + 1) for _ in range(chance.randrange(6)))
        lengths = [end - begin for begin, end in zip([0, *cuts], [*cuts, frame.raw_length], strict=True)]
    return lengths


def _lying(member: Member, parts: list[bytes], chance: Random, mutate: Mutate) -> list[bytes]:
    """The parts of a member with one that is cut or missing, moved or changed without the others."""
    header, *frames, index = parts
    place, other = (chance.randrange(len(frames)) for _ in range(2))
    choice = chance.random()
    if choice < 0.1:
        frames[place] = frames[place][: chance.randrange(len(frames[place]) + 1)]
    elif choice < 0.2:
        frames[place], frames[other] = frames[other], frames[place]
    elif choice < 0.3:  # its head, with all that it says of lengths and of being the last
        n_head = min(12, len(frames[place]))
        frames[place] = mutate(frames[place][:n_head], 2 * n_head) + frames[place][n_head:]
    elif choice < 0.35:
        header = mutate(header, 2 * len(header))
    elif choice < 0.45:
        index = index[: chance.randrange(len(index) + 1)] if chance.random() < 0.7 else MAGIC[: chance.randrange(4)]
    elif choice < 0.55:
        index = mutate(index, 2 * len(index) + 16)
    else:
        index = _lying_index(member, len(header), _entries(member, frames), chance)
    return [header, *frames, index]


def _lying_index(member: Member, n_header: int, entries: list[IndexEntry], chance: Random) -> bytes:
    """An index that is whole, and says something else than is there."""
    has_records = member.recipe.has_records
    choice, place, other = chance.random(), *(chance.randrange(len(entries)) for _ in range(2))
    if choice < 0.15:
        entries[place], entries[other] = entries[other], entries[place]
    elif choice < 0.25 and len(entries) > 1:
        del entries[place]
    elif choice < 0.35:
        entries.insert(other, entries[place])
    elif choice < 0.45:  # two frames as one
        first, second = entries[place], entries[other]
        entries[place] = IndexEntry(*(a + b for a, b in zip(first, second, strict=True)))
        if other != place:
            del entries[other]
    elif choice < 0.55 and place != other:  # what one lacks the other has
        moved, key = chance.choice((1, 2, 100)), chance.choice(IndexEntry._fields)
        lacking, having = entries[place], entries[other]
        if getattr(lacking, key) >= moved:
            entries[place] = lacking._replace(**{key: getattr(lacking, key) - moved})
            entries[other] = having._replace(**{key: getattr(having, key) + moved})
    elif choice < 0.75:
        key = chance.choice(IndexEntry._fields)
        number = max(getattr(entries[place], key) + chance.choice((-1, 1)), 0)
        entries[place] = entries[place]._replace(**{key: chance.choice((number, *_ODD_LENGTHS))})
    elif choice < 0.85:
        n_header = chance.choice((0, n_header + 1, n_header - 1, *_ODD_LENGTHS))
    elif choice < 0.9:
        has_records = not has_records
    else:
        entries = entries + [IndexEntry(0, 0, 0)] * chance.choice((1, 2, 500))
    index = Index(n_header, has_records)
    for entry in entries * (2 if len(entries) == 1 and chance.random() < 0.3 else 1):
        index.add(entry)
    return index.to_bytes()
