"""benchmarks/study/softmax_mixtures.py: matched networks, what their heads say, and that it runs."""


import numpy as np
import pytest
import tiny
from fake_report import FakeReport

from benchmarks.study import network_states, softmax_mixtures
from benchmarks.study.softmax_bottleneck import rank_of, singular_values
from benchmarks.study.softmax_mixtures import HEADS
from nlmzip.training.heads.softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes


def arbitrary(network, seed):
    """Weights in float64, large enough that the softmaxes of a mixture differ."""
    random = np.random.default_rng(seed)
    return {name: random.normal(size=a.shape) for name, a in network.initial_weights(random).items()}


@pytest.mark.parametrize("name", HEADS)
def test_every_word_has_the_probability_that_the_head_gives_it(name):
    head = HEADS[name]
    network = softmax_mixtures.matched(head, 9, 8)
    weights, hidden = arbitrary(network, 1), np.random.default_rng(2).normal(size=(5, network.hidden))
    matrix = softmax_mixtures.log_probabilities(head, weights, hidden)
    expected = [head.log_probabilities(weights, hidden, np.full(5, word)) for word in range(9)]
    np.testing.assert_allclose(matrix, np.transpose(expected), atol=1e-12)
    np.testing.assert_allclose(np.exp(matrix).sum(axis=1), 1)


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("size", [50, 3000])
def test_networks_are_matched_in_the_numbers_that_they_learn(name, size):
    network = softmax_mixtures.matched(HEADS[name], size, 64)
    arrays = network.initial_weights(np.random.default_rng(1)).values()
    assert softmax_mixtures.n_parameters(network) == sum(array.size for array in arrays)
    wanted = softmax_mixtures.n_parameters(softmax_mixtures.matched(HEADS["softmax"], size, 64))
    share = softmax_mixtures.n_parameters(network) / wanted
    assert abs(share - 1) <= softmax_mixtures.TOLERANCE


@pytest.mark.parametrize("seed", range(4))
def test_mixed_contexts_have_rank_d_plus_two_at_most_and_mixed_softmaxes_more(seed):
    found = {}
    for head in (MixtureOfContexts(3), MixtureOfSoftmaxes(3), MixtureOfSoftmaxes(1)):
        network = softmax_mixtures.Elman(40, 5, 6, head=head)
        hidden = np.random.default_rng(seed).normal(size=(60, 6))
        matrix = softmax_mixtures.log_probabilities(head, arbitrary(network, seed), hidden)
        found[head] = rank_of(singular_values(matrix), matrix.shape)
        beyond = softmax_mixtures.beyond(matrix, 6 + 1)
        assert (beyond < 1e-25) == (found[head] <= 6 + 2)
    contexts, softmaxes, one = found.values()
    assert contexts == one == 6 + 2 and softmaxes > 2 * (6 + 2)


def test_the_coder_has_the_head_that_is_timed():
    softmax, mixture = (softmax_mixtures.coder(9, *name) for name in (("softmax", 0), ("mos", 4)))
    for network in (softmax, mixture):
        assert network.predict().sum() == pytest.approx(1)
        network.perceive(3)
    assert type(softmax).__name__ == type(mixture).__name__


def test_the_tables_are_told(tiny_model, monkeypatch):
    monkeypatch.setattr(softmax_mixtures, "TIMED_HIDDEN", 5)
    report, size = FakeReport(), tiny_model.card["vocabulary_size"]
    words = [network_states.sentences(tiny.TEXT, tiny_model)] * 3
    found = softmax_mixtures.word_table(report, size, words, 5, 1, 2, 20)
    assert found.keys() == HEADS.keys()
    slowdown = softmax_mixtures.time_table(report, size, n_rounds=1)
    gains = softmax_mixtures.character_table(report, [tiny.TEXT] * 3, 6, 1, 2, 300)
    report.rows.clear()
    width = 5 + 2
    found = {name: (5, 30 if name in ("mos 2", "mos 4") else width, [2.0]) for name in HEADS}
    found["mos 4"] = (5, 30, [1.9])
    gains = {"softmax": [3.0, 3.1], "mos 1": [3.0, 3.0], "mos 3": [2.99, 2.99], "moc 3": [3.0, 3.0]}
    slowdown["mos", softmax_mixtures.TIMED[-1]] = 5.0
    softmax_mixtures.direction_table(report, found, slowdown, gains)
    assert [row[3] for row in report.rows] == ["yes"] * 4 + ["-"] + ["yes"] * 4 + ["no", "yes"]
    gains["mos 3"] = [2.0, 2.0]
    report.rows.clear()
    softmax_mixtures.direction_table(report, found, slowdown, gains)
    assert [row[3] for row in report.rows[7:9]] == ["no", "no"]
