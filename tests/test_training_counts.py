"""Training a model of bytes: what is kept apart, what is pruned, and the file that comes of it."""

import random

import naive_prior
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlmzip
from nlmzip.counts import counts_file, trie
from nlmzip.engine import byte_model
from nlmzip.engine.profiles import DEFAULT_DESIGN
from nlmzip.errors import OptionError
from nlmzip.models import model_file
from nlmzip.training.counts import counting, documents, mixing, pruning
from nlmzip.training.counts import train as training
from nlmzip.training.counts.train import CountsOptions, train_counts

TEXTS = [naive_prior.text_of(30_000, seed) for seed in (1, 2)]


def count(texts, least=1, least_context=1):
    return list(counting.count(texts, [least] * trie.KINDS, [least_context] * trie.KINDS))


COUNTS = count([naive_prior.text_of(4000, seed) for seed in (1, 2, 3)])
every_pruning = pytest.mark.parametrize("rule", pruning.PRUNINGS, ids=lambda rule: f"{rule.followers}-{rule.contexts}")


def same(one, other) -> bool:
    return all(map(np.array_equal, one, other))


# --- pruning


def naive_pruned(pairs, followers, contexts) -> list[tuple]:
    rows = list(zip(*(array.tolist() for array in pairs)))
    totals = {}
    for context, _, n, _ in rows:
        totals[context] = totals.get(context, 0) + n
    return [row for row in rows if row[2] >= followers and totals[row[0]] >= contexts]


@every_pruning
def test_pruning_keeps_what_it_says(rule):
    for pairs in COUNTS:
        kept = rule.pruned(pairs)
        assert list(zip(*(array.tolist() for array in kept))) == naive_pruned(pairs, rule.followers, rule.contexts)
        assert [array.dtype for array in kept] == [array.dtype for array in pairs]


@every_pruning
def test_counting_with_thresholds_is_counting_and_pruning(rule):
    texts = [naive_prior.text_of(4000, seed) for seed in (1, 2, 3)]
    for kind, fewer in enumerate(count(texts, rule.followers, rule.contexts)):
        if kind != trie.ROOT:  # order 0 is never pruned
            assert same(rule.pruned(COUNTS[kind]), fewer)


def test_pruning_nothing_is_nothing():
    nothing = count([b""])[0]
    assert all(rule.pruned(nothing).count.size == 0 for rule in pruning.PRUNINGS)


def test_each_pruning_keeps_fewer_on_the_whole():
    sizes = [sum(rule.pruned(pairs).count.size for pairs in COUNTS) for rule in pruning.PRUNINGS]
    assert sizes[0] == max(sizes) and sizes[-1] == min(sizes)


@every_pruning
def test_the_model_is_of_the_counts_that_were_chosen(rule):
    """What is counted anew for the model, once more pruned alike, is what the rule says."""
    texts = [naive_prior.text_of(4000, seed) for seed in (1, 2, 3)]
    again = training._count(texts, rule, training.Threads(1, training.Silent()))
    for pairs, counted in zip(COUNTS, again, strict=True):
        assert same(rule.pruned(counted), rule.pruned(pairs))


# --- documents


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"line\n", b"x" * 40]), max_size=80).map(b"".join), st.integers(2, 60))
@settings(max_examples=150)
def test_documents_are_the_text_in_parts_no_longer_than_asked(text, longest):
    parts = documents.documents_of(text, longest)
    assert b"".join(parts) == text
    assert all(0 < len(part) <= longest for part in parts)
    for part, after in zip(parts, parts[1:]):
        if b"\n" in (part + after)[longest // 2 : longest]:
            assert part.endswith(b"\n")


def test_a_short_text_is_one_document():
    assert documents.documents_of(b"a\nb\n", 4) == [b"a\nb\n"]
    assert documents.documents_of(b"", 4) == []
    assert documents.documents_of(b"a\nbcd\nef", 7) == [b"a\nbcd\n", b"ef"]


def all_of(parts) -> list[bytes]:
    return [*parts.counted, *parts.mixing, *parts.dev]


@pytest.mark.parametrize("n_texts", [1, 2, 19, 20, 50])
@pytest.mark.parametrize("seed", [1, 2])
def test_keeping_apart_loses_nothing_and_takes_nothing_twice(n_texts, seed):
    texts = [b"%d:" % number + random.Random(number).randbytes(6000) + b"\n" for number in range(n_texts)]
    parts = documents.keep_apart([*texts, b""], 10_000, 5000, seed)
    total = sum(map(len, texts))
    assert sum(map(len, all_of(parts))) == total
    longest = min(max(total // 40, 1 << 12), documents.LONGEST)
    cut = [part for text in texts for part in documents.documents_of(text, longest)]
    assert sorted(all_of(parts)) == sorted(cut)
    if n_texts >= 20:  # of one text all documents are in one part
        for text in texts:
            inside = documents.documents_of(text, longest)
            assert sum(set(inside) <= set(part) for part in parts) == 1


@pytest.mark.parametrize("n_texts", [1, 10, 40])
def test_the_parts_kept_apart_have_about_the_sizes_asked_for(n_texts):
    texts = [naive_prior.text_of(400_000 // n_texts, seed) for seed in range(n_texts)]
    for mixing_bytes, dev_bytes in ((20_000, 10_000), (0, 10_000), (20_000, 0), (1 << 30, 1 << 30)):
        parts = documents.keep_apart(texts, mixing_bytes, dev_bytes, 1)
        largest = max(400_000 // 40, 400_000 // n_texts if n_texts >= 20 else 0)
        for part, wanted in ((parts.mixing, mixing_bytes), (parts.dev, dev_bytes)):
            wanted = min(wanted, 40_000)
            size = sum(map(len, part))
            assert wanted <= size <= (wanted + largest if wanted else 0)


def test_one_text_that_is_most_of_all_is_not_kept_apart():
    texts = [naive_prior.text_of(400_000, 1), *(naive_prior.text_of(2000, seed) for seed in range(2, 40))]
    for seed in range(20):
        parts = documents.keep_apart(texts, 2_000_000, 400_000, seed)
        assert sum(map(len, parts.counted)) > sum(map(len, texts)) / 2, seed


def test_the_seed_decides_what_is_kept_apart():
    parts = [documents.keep_apart(TEXTS, 5000, 5000, seed) for seed in (1, 1, 2)]
    assert parts[0] == parts[1] != parts[2]


# --- learning


def test_pieces_are_of_the_texts_and_as_long_as_asked_for():
    texts, chance = [naive_prior.text_of(50_000, 1), b"short", b""], np.random.default_rng(1)
    cut = mixing.pieces(texts, 100_000, chance)
    assert 100_000 <= sum(map(len, cut)) < 100_000 + max(mixing.PIECE_LENGTHS)
    assert all(piece and any(piece in text for text in texts) for piece in cut)
    assert {len(piece) for piece in cut} - {5} <= {3000, 15_000, 50_000}
    again = mixing.pieces(texts, 100_000, np.random.default_rng(1))
    assert again == cut
    assert mixing.pieces([], 10, chance) == mixing.pieces([b""], 10, chance) == mixing.pieces(texts, 0, chance) == []


def test_learning_makes_later_texts_smaller_and_changes_nothing_it_was_given():
    _, store = naive_prior.coded()
    begin = byte_model.Beginning(naive_prior.start_of(DEFAULT_DESIGN), DEFAULT_DESIGN, 16, store)
    before = [array.tobytes() for array in begin.start]
    text, told = naive_prior.text_of(3000, 8), []
    after = mixing.learn([naive_prior.text_of(3000, seed) for seed in (5, 6, 7)], begin, (0.005, 0.001, 0.002), told.append)
    assert told == [3000] * 3
    assert [array.tobytes() for array in begin.start] == before
    assert mixing.bits_of(text, after) < mixing.bits_of(text, begin)


# --- the model file


class Told:
    """What progress was told."""

    def __init__(self):
        self.stages, self.done = [], []

    def stage(self, name, total):
        self.stages.append((name, total))
        self.done.append(0)

    def advance(self, n=1, **figures):
        self.done[-1] += n


@pytest.fixture(scope="module")
def trained():
    told = Told()
    return train_counts(TEXTS, None, CountsOptions("of tests", size=330_000, contexts="short"), told), told


def test_a_model_is_no_larger_than_asked_and_its_room_is_for_counts(trained):
    """The start takes some 270 KB, far less than the shipped one from which it is learnt."""
    data, _ = trained
    model = model_file.read(data)
    assert len(data) <= 330_000
    assert model.card["counts"]["followers"] > 5000
    assert model.card["kind"] == "mix" and model.card["levels"] == [5] and model.name == "of tests"
    assert model.card["training"]["bytes"] == 60_000
    coded = counts_file.CodedCounts(model.arrays["counts"].tobytes(), **model.card["counts"])
    assert len(naive_prior.contexts_in(counts_file.decode(coded))) == coded.contexts - 2


def test_a_trained_model_makes_such_texts_smaller(trained, tmp_path, monkeypatch):
    monkeypatch.setenv("NLMZIP_CACHE", str(tmp_path))
    model = model_file.read(trained[0])
    text = naive_prior.text_of(3000, 77)
    coded = nlmzip.compress(text, model=model)
    assert nlmzip.decompress(coded, model=model) == text
    assert len(coded) < 0.7 * len(nlmzip.compress(text, model="none"))


def test_the_same_texts_give_the_same_model(trained):
    assert train_counts(TEXTS, None, CountsOptions("of tests", size=330_000, contexts="short")) == trained[0]


def test_progress_is_told_to_the_end(trained):
    _, told = trained
    assert [name for name, _ in told.stages][0] == "counting"
    assert {name for name, _ in told.stages} == {"counting", "trying settings", "coding"}
    for (name, total), done in zip(told.stages, told.done):  # of codings there may be fewer than are allowed
        assert done <= total and (name != "counting" or done == total)


def test_threads_give_the_same_model(trained):
    options = CountsOptions("of tests", size=330_000, contexts="short")
    assert train_counts(TEXTS, None, options, n_threads=3) == trained[0]


@pytest.mark.parametrize("texts", [[], [b""], [b"x"], [b"the cow\n" * 20]], ids=["none", "empty", "a byte", "a line"])
def test_too_little_text_is_told(texts):
    for dev in (None, b"the cow ate the hay\n"):
        with pytest.raises(OptionError, match=r"^too little text to train on; "):
            train_counts(texts, dev, CountsOptions("x"))
