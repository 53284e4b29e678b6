"""From tokens to batches: contexts, sentences of like length, streams, word dropout."""

import numpy as np
import pytest

from nlmzip.training.fit import batching
from nlmzip.training.fit.word_dropout import seen_once, word_dropout

V = 9
TOKENS = np.array([4, 5, 1, 6, 1, 1, 7, 8, 2, 1], np.int32)


def test_contexts_are_padded_at_each_sentence():
    assert batching.contexts(TOKENS, 2, V, reset_state=True).tolist() == [
        [9, 9], [9, 4], [4, 5], [9, 9], [9, 6], [9, 9], [9, 9], [9, 7], [7, 8], [8, 2],
    ]  # fmt: skip


def test_contexts_of_running_text_cross_the_sentences():
    assert batching.contexts(TOKENS, 3, V, reset_state=False)[:5].tolist() == [
        [9, 9, 9], [9, 9, 4], [9, 4, 5], [4, 5, 1], [5, 1, 6],
    ]  # fmt: skip


def test_a_context_longer_than_the_text():
    assert batching.contexts(TOKENS[:2], 4, V, False).tolist() == [[9, 9, 9, 9], [9, 9, 9, 4]]


def random_text(n_sentences, longest, seed=0):
    random = np.random.default_rng(seed)
    sentences = [
        np.append(random.integers(2, V, random.integers(0, longest)), 1)
        for _ in range(n_sentences)
    ]
    return np.concatenate(sentences).astype(np.int32)


def test_sentence_batches_hold_every_token_once_with_the_word_before():
    tokens = random_text(100, 12)
    previous = batching.previous(tokens, V, reset_state=True)
    pairs = []
    n_padded = 0
    for batch in batching.sentence_batches(tokens, V, 8, np.random.default_rng(0)):
        assert (batch.inputs[0] == V).all()
        assert (np.diff(batch.mask.astype(int), axis=0) <= 0).all()  # padding only at the end
        pairs += zip(batch.inputs[batch.mask].tolist(), batch.targets[batch.mask].tolist())
        n_padded += (~batch.mask).sum()
    assert sorted(pairs) == sorted(zip(previous.tolist(), tokens.tolist()))
    assert n_padded < len(tokens) / 10  # like lengths stand together


def test_batches_come_in_another_order_each_epoch():
    tokens = random_text(100, 12)
    random = np.random.default_rng(0)
    first, second = (
        [batch.mask.sum() for batch in batching.sentence_batches(tokens, V, 8, random)]
        for _ in range(2)
    )
    assert first != second and sorted(first) != first


def test_a_long_sentence_is_trained_in_pieces():
    tokens = np.append(np.arange(2, 2 + 2 * batching.LONGEST), 1).astype(np.int32)
    batches = list(batching.sentence_batches(tokens, 500, 1, np.random.default_rng(0)))
    assert sorted(len(batch.targets) for batch in batches) == [1, batching.LONGEST, batching.LONGEST]
    starts = {int(batch.targets[0, 0]): int(batch.inputs[0, 0]) for batch in batches}
    assert starts == {2: 500, 2 + batching.LONGEST: 1 + batching.LONGEST, 1: 1 + 2 * batching.LONGEST}


def test_streams_go_on_where_they_stopped():
    tokens = random_text(60, 9)
    batches = list(batching.stream_batches(tokens, V, n_streams=3, n_steps=7))
    targets = np.concatenate([batch.targets for batch in batches])
    inputs = np.concatenate([batch.inputs for batch in batches])
    length = len(tokens) // 3
    assert (targets.T.reshape(-1) == tokens[: 3 * length]).all()
    assert inputs[0, 0] == V
    assert (inputs.T.reshape(-1)[1:] == tokens[: 3 * length - 1]).all()


def test_a_text_shorter_than_its_streams_is_one_stream():
    (batch,) = batching.stream_batches(TOKENS, V, n_streams=32, n_steps=32)
    assert batch.targets[:, 0].tolist() == TOKENS.tolist()


def test_word_dropout_makes_half_of_the_words_seen_once_unknown():
    n_once, n_common = 1000, 4000
    vocabulary_size = 2 + n_once + 10
    random = np.random.default_rng(0)
    words = np.concatenate([
        np.arange(12, 12 + n_once),
        random.integers(2, 12, n_common - 1),
        [1],
    ])  # fmt: skip
    tokens = random.permutation(words).astype(np.int32)
    once = seen_once(tokens, vocabulary_size)
    assert once.sum() == n_once
    n_draws = 200
    shares = [np.mean(word_dropout(tokens, once, random) == 0) for _ in range(n_draws)]
    expected = 0.5 * n_once / len(tokens)
    standard_error = np.sqrt(n_once * 0.25 / n_draws) / len(tokens)
    assert np.mean(shares) == pytest.approx(expected, abs=4 * standard_error)
    assert np.std(shares) > 0  # a new draw each epoch


def test_word_dropout_touches_words_seen_once_only():
    tokens = np.array([2, 3, 3, 0, 4, 1], np.int32)  # <unk> and </s> occur once as well
    once = seen_once(tokens, 6)
    assert once.tolist() == [True, False, False, False, True, False]
    draws = np.array([word_dropout(tokens, once, np.random.default_rng(i)) for i in range(20)])
    assert draws.dtype == np.int32
    assert (draws[:, ~once] == tokens[~once]).all()
    assert {tuple(row) for row in draws[:, once].tolist()} == {(2, 4), (0, 4), (2, 0), (0, 0)}
