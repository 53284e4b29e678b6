"""benchmarks/trust/damage.py and the changes that fuzzing makes: what they count, and what they keep whole."""

import random

from command_line import MODEL

from benchmarks.trust import damage, fuzz_mutators
from nlmzip.container import archive
from nlmzip.errors import NlmzipError
from nlmzip.models import model_file

TEXT = b"the cow ate the grass\n"


def cut_at_random(data: bytes, most: int) -> bytes:
    """In the place of libFuzzer's changes."""
    return data[: len(data) // 2]


def test_every_bit_and_every_cut_is_counted():
    stored = archive.write_stored(TEXT)
    flipped, cut, odd = damage.damaged(stored + stored, [TEXT, TEXT])
    assert sum(flipped.values()) == 16 * len(stored) and sum(cut.values()) == 2 * len(stored)
    assert cut[damage.FEWER] == 1 and not odd and not flipped[damage.WRONG] + cut[damage.WRONG]


def test_what_is_wrong_is_told(monkeypatch):
    outcomes = {b"ab": b"text", b"a": ValueError("no error of ours")}
    monkeypatch.setattr(damage, "outcome", lambda coded: outcomes.get(coded, b"other"))
    flipped, cut, odd = damage.damaged(b"ab", [b"text"])
    assert (flipped[damage.WRONG], cut[damage.WRONG], len(odd)) == (16, 2, 18)


def test_changed_models_keep_their_checksum_and_mostly_their_form():
    read = 0
    for seed in range(200):
        body = fuzz_mutators.change_model(MODEL[:-32], random.Random(seed), cut_at_random, 1 << 16)
        try:
            model_file.read(fuzz_mutators.sealed(body))
            read += 1
        except NlmzipError as error:
            assert "checksum" not in str(error)
    assert 40 < read < 200


def test_changed_archives_parse_and_their_models_are_whole():
    model = model_file.read(MODEL)
    settings = archive.WordSettings("kn", False, False, "plain", model.sha256[:8])
    member = archive.write(archive.WORDS, settings, [archive.Frame.of(TEXT, b"any payload")])
    data = archive.write_model(MODEL) + member + archive.write_stored(TEXT)
    parsed, changed_models = 0, 0
    for seed in range(200):
        changed = fuzz_mutators.change_archive(
            data, random.Random(seed), cut_at_random, 1 << 16, [model.sha256[:8]]
        )
        try:
            members = archive.read(changed)
        except NlmzipError:
            continue
        parsed += 1
        for brought, behind in zip(members, members[1:]):
            if brought.codec == archive.MODEL and brought.model != MODEL:
                changed_models += 1
                assert brought.model == fuzz_mutators.sealed(brought.model[:-32])
                if behind.codec == archive.WORDS:  # still refers to it
                    assert behind.settings.model_hash == brought.model[-32:][:8]
    assert parsed > 100 and changed_models > 10
