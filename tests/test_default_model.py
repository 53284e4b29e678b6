"""The model that takes part when none is named, and copies of models that are damaged."""

import random

import pytest
import tiny
from archives import coding, members

import nlmzip
from nlmzip.models import catalogue

ENGLISH = b"It was the best of times, and the children were sitting quietly by the fire.\n"


@pytest.fixture
def with_default(monkeypatch):
    monkeypatch.delenv(catalogue.DEFAULT_VARIABLE, raising=False)
    if catalogue.default() is None:
        pytest.skip("the package was installed without its model of English")


ROWS = b"".join(b"%d;%d;%d\n" % (n, n * n % 97, n * 7919 % 1009) for n in range(2000))


def start_of(data: bytes, **settings) -> int:
    return coding(nlmzip.compress(data, **settings)).profile


def test_english_takes_part_where_it_suits(with_default):
    assert start_of(ENGLISH) == 16
    assert nlmzip.decompress(nlmzip.compress(ENGLISH)) == ENGLISH


def test_the_engine_alone_codes_what_is_no_english(with_default):
    assert start_of(ROWS) == 1


def test_each_frame_is_coded_as_suits_it(with_default):
    text = ENGLISH * 12 + ROWS[: len(ENGLISH) * 12]
    coded = nlmzip.compress(text, frame=12 * len(ENGLISH))
    (member,) = members(coded)
    profiles = [member.recipe.codings[frame.coding].profile for frame in member.frames]
    assert profiles == [16, 1] and nlmzip.decompress(coded) == text


def test_fast_levels_do_without(with_default):
    assert start_of(ENGLISH, level=1) == 2


@pytest.mark.parametrize("level", [5, 9])
def test_no_level_makes_more_than_the_engine_alone(with_default, level):
    rows = ENGLISH * 200 + b"".join(b"%d;%d;%d\n" % (n, n * n % 97, n % 11) for n in range(3000))
    alone = len(nlmzip.compress(rows, level=level, model="none"))
    if level > 5:
        assert len(nlmzip.compress(rows, level=level)) <= alone
    assert len(nlmzip.compress(ENGLISH, level=level)) < len(ENGLISH) / 2


@pytest.mark.parametrize("level", [None, 6])
def test_progress_goes_once_to_the_end(with_default, level):
    told = []
    nlmzip.compress(ENGLISH * 300, level=level, progress=lambda *done: told.append(done))
    size = 300 * len(ENGLISH)
    assert told == sorted(told) and told[-1] == (size, size) and {total for _, total in told} == {size}


def test_the_environment_names_another(with_default, monkeypatch):
    monkeypatch.setenv(catalogue.DEFAULT_VARIABLE, "none")
    assert start_of(ENGLISH) == 1


def test_a_damaged_copy_does_not_hide_a_good_one(tmp_path, monkeypatch):
    good = tiny.model_bytes()
    place = len(good) - 40  # in the last array, before the digest
    damaged = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
    (tmp_path / "a-damaged.nlm").write_bytes(damaged)
    (tmp_path / "good.nlm").write_bytes(good)
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path))
    coded = nlmzip.compress(tiny.TEXT, model="good", codec="words")
    assert nlmzip.decompress(coded) == tiny.TEXT
    (tmp_path / "good.nlm").unlink()
    with pytest.raises(nlmzip.ModelError, match="a-damaged.nlm: damaged"):
        nlmzip.decompress(coded)


def test_a_text_that_repeats_itself_is_better_off_without(with_default):
    """The model is ahead on the first lines, and behind when the engine has learnt them."""
    chance = random.Random(1)
    names, verbs = [f"{a}{b}" for a in ("north", "silver", "oak", "iron") for b in ("ton", "ford", "well")], ["sold", "bought", "built"]
    text = b"".join(
        f"{chance.choice(names)} {chance.choice(verbs)} {chance.choice(names)} for {chance.choice(names)}\n".encode()
        for _ in range(3000)
    )
    default, alone = nlmzip.compress(text), nlmzip.compress(text, model="none")
    assert start_of(text) == 1 and default == alone
    assert len(nlmzip.compress(text, model="english")) > len(alone)
    assert nlmzip.decompress(default) == text
