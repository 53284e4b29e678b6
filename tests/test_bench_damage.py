"""benchmarks/trust/damage.py and the changes that fuzzing makes: what they count, and what they keep whole."""

import random

import pytest
from command_line import MODEL

from benchmarks.trust import (
    damage,
    fuzz_archives,
    fuzz_models,
    fuzz_seeds,
    fuzz_targets,
)
from nlmzip.container.frame import Frame
from nlmzip.container.index import read_index
from nlmzip.container.parser import Member, read_members
from nlmzip.container.recipe import MODEL as A_MODEL
from nlmzip.container.recipe import (
    STORED,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
)
from nlmzip.errors import ArchiveError, NlmzipError
from nlmzip.execute.encode import write_model, write_stored
from nlmzip.models import model_file

TEXT = b"the cow ate the grass\n"
READERS = pytest.mark.parametrize("read", damage.READERS.values(), ids=damage.READERS)


def cut_or_turned(data: bytes, most: int) -> bytes:
    """In the place of libFuzzer's changes."""
    return data[: len(data) // 2] if sum(data) % 2 else data[::-1]


# --- damage


@READERS
def test_every_bit_and_every_cut_is_counted(read):
    stored = write_stored(TEXT)
    flipped, cut, odd = damage.damaged([damage.Member(stored, TEXT)] * 2, read)
    assert sum(flipped.values()) == 16 * len(stored) and sum(cut.values()) == 2 * len(stored)
    assert cut[damage.FEWER] == 1 and not odd and not flipped[damage.WRONG] + cut[damage.WRONG]


@READERS
def test_damage_to_an_index_is_a_warning_and_nothing_else_is(read):
    frames = [Frame.of(TEXT), Frame.of(TEXT, number=1)]
    coded = fuzz_archives.written(Member(STORED, frames))
    (index,) = (coded[place:] for place in [min(damage.index_places(coded))])
    assert len(read_index(index).entries) == 2
    flipped, cut, odd = damage.damaged([damage.Member(coded, 2 * TEXT)], read)
    assert flipped[damage.WARNED] == 8 * len(index) and cut[damage.WARNED] == len(index) and not odd


@READERS
def test_what_is_wrong_is_told(monkeypatch, read):
    outcomes = {b"ab": damage.Outcome(b"text", None, []), b"a": ValueError("no error of ours")}
    other = damage.Outcome(b"other", None, [])
    monkeypatch.setattr(damage, "outcome", lambda coded, read: outcomes.get(coded, other))
    monkeypatch.setattr(damage, "index_places", lambda coded: set())
    flipped, cut, odd = damage.damaged([damage.Member(b"ab", b"text")], read)
    assert (flipped[damage.WRONG], cut[damage.WRONG], len(odd)) == (16, 2, 18)


@pytest.mark.parametrize(
    "came, kind",
    [
        (None, damage.ERROR),
        (ValueError("no error of ours"), damage.WRONG),
        (damage.Outcome(b"abc", [b"ab", b"c"], []), damage.SAME),
        (damage.Outcome(b"abc", None, []), damage.SAME),
        (damage.Outcome(b"abc", None, ["its index"]), damage.WARNED),
        (damage.Outcome(b"abc", [b"a", b"bc"], []), damage.WRONG),
        (damage.Outcome(b"ab", [b"ab"], []), damage.FEWER),
        (damage.Outcome(b"ab", [], []), damage.WRONG),
        (damage.Outcome(b"a", None, []), damage.WRONG),
    ],
)
def test_what_an_outcome_is(came, kind):
    members = [damage.Member(b"", b"ab", [b"ab"]), damage.Member(b"", b"c", [b"c"])]
    assert damage.kind_of(came, members) == kind


@pytest.mark.parametrize("position", range(3))
def test_a_warning_where_no_index_is_damaged_is_wrong(monkeypatch, position):
    whole = damage.Outcome(b"text", None, [])
    monkeypatch.setattr(damage, "outcome", lambda coded, read: whole if coded == b"abc" else whole._replace(problems=["it"]))
    monkeypatch.setattr(damage, "index_places", lambda coded: {position})
    flipped, cut, _ = damage.damaged([damage.Member(b"abc", b"text")], None)
    assert (flipped[damage.WARNED], flipped[damage.WRONG]) == (8, 16)
    assert (cut[damage.WARNED], cut[damage.WRONG]) == (1, 2)


# --- changes


def test_changed_models_keep_their_checksum_and_mostly_their_form():
    read = 0
    for seed in range(200):
        body = fuzz_models.change_model(MODEL[:-32], random.Random(seed), cut_or_turned, 1 << 16)
        try:
            model_file.read(fuzz_models.sealed(body))
            read += 1
        except NlmzipError as error:
            assert "checksum" not in str(error)
    assert 40 < read < 200


def changed(data: bytes, hashes: list[bytes], times: int = 300):
    for seed in range(times):
        yield fuzz_archives.change_archive(data, random.Random(seed), cut_or_turned, 1 << 16, hashes)


def test_what_is_taken_apart_is_put_together_again():
    for data in fuzz_seeds._without_models():
        assert b"".join(map(fuzz_archives.written, read_members(data))) == data


def test_changed_archives_parse_and_their_models_are_whole():
    model = model_file.read(MODEL)
    coding = WordsCoding("kn", False, False, "plain", ModelReference(model.sha256[:8]))
    member = fuzz_archives.written(Member(Recipe((coding,)), [Frame.of(TEXT, b"any payload", 0)]))
    parsed, changed_models = 0, 0
    for data in changed(write_model(MODEL) + member + write_stored(TEXT), [model.sha256[:8]]):
        try:
            members = read_members(data)
        except NlmzipError:
            continue
        parsed += 1
        for brought, behind in zip(members, members[1:]):
            if brought.recipe == A_MODEL and brought.frames[0].payload != MODEL:
                changed_models += 1
                file = brought.frames[0].payload
                assert file == fuzz_models.sealed(file[:-32])
                if behind.recipe.codings and isinstance(behind.recipe.codings[0], WordsCoding):
                    assert behind.recipe.codings[0].model.model_hash == file[-32:][:8]  # still refers to it
    assert parsed > 150 and changed_models > 10


def test_changes_reach_everything_that_a_reader_can_say():
    """Indexes that are missing, cut, damaged, and that lie; other codings, records, lengths and frames."""
    recipe = Recipe((MixCoding(1), MixCoding(2)), 10)
    frames = [Frame.of(TEXT, b"a payload", 1, n_records=1), Frame.of(2 * TEXT, n_records=2)]
    data = fuzz_archives.written(Member(recipe, frames))
    stored = fuzz_archives.written(Member(STORED, [Frame.of(b"a"), Frame.of(b"bc")]))
    said = set()
    for each in (each for begun in (data, data + stored, stored) for each in changed(begun, [bytes(8)], 700)):
        for read in (fuzz_targets._parts_in_order, fuzz_targets._parts_by_places):
            came = fuzz_targets.outcome(read, each)
            said.update([str(came)] if isinstance(came, ArchiveError) else came.problems)
    for what in (
        "index is missing", "index is cut off", "index is damaged", "not those of its index", "not as its index says",
        "checksum does not hold", "a coding that its header", "frame of nothing", "truncated", "trailing garbage",
    ):  # fmt: skip
        assert any(what in each for each in said), what


# --- findings


def read_as(value, *problems: str):
    return fuzz_targets.Read(value, list(problems))


REFUSED = ArchiveError("refused")


@pytest.mark.parametrize(
    "in_order, sought, finding",
    [
        (read_as(b"a"), read_as(b"a"), None),
        (read_as(b"a", "index"), read_as(b"a", "index"), None),
        (read_as(b"a", "index"), REFUSED, None),
        (REFUSED, REFUSED, None),
        (read_as(b"a"), read_as(b"b"), "other text in order than by seeking"),
        (read_as(b"a"), REFUSED, "text in order only"),
        (REFUSED, read_as(b"a"), "text by seeking only"),
        (REFUSED, read_as(b"a", "index"), "text by seeking only"),
        (read_as(b"a", "index"), read_as(b"a"), "text with a warning in one of two ways only"),
    ],
)
def test_what_differs_between_both_ways_is_a_finding(in_order, sought, finding):
    if finding:
        with pytest.raises(fuzz_targets.Finding, match=finding):
            fuzz_targets._compare(in_order, sought, "text")
    else:
        both = not any(isinstance(each, Exception) for each in (in_order, sought))
        assert fuzz_targets._compare(in_order, sought, "text") == both


def test_any_changed_archive_is_the_same_in_both_ways():
    """What fuzz.py does for long, for a second."""
    for data in fuzz_seeds._without_models():
        for each in changed(data, fuzz_targets.HASHES, 60):
            in_order, sought = (
                fuzz_targets.outcome(read, each)
                for read in (fuzz_targets._parts_in_order, fuzz_targets._parts_by_places)
            )
            fuzz_targets._compare(in_order, sought, "frames")
