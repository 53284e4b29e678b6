"""The scripts of benchmarks/ that take networks apart: what they measure, and that they run."""


import numpy as np
import pytest
import tiny
from fake_report import FakeReport

from benchmarks.study import (
    geometry,
    gradients_through_time,
    network_states,
    parameter_counts,
    softmax_bottleneck,
    tightness,
    watched,
    weight_decay,
    word_dropout,
)
from benchmarks.study.kneser_ney_orders import KneserNey
from nlmzip.models import model_file
from nlmzip.predictors.build import build
from nlmzip.text.vocabulary import FIRST_WORD, UNKNOWN
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.fit.fit import Schedule, fit

HELD_OUT = b"the goat grazed near the hill\nthe zebra ate the meat\nthe cow ate the grass\n"


@pytest.fixture
def text(tiny_model):
    return network_states.sentences(HELD_OUT, tiny_model)


def of_coder(model, part, symbols):
    """The distributions that the coder would use at each symbol, (N, V)."""
    predictor = build(model, part, False, {})
    found = []
    for symbol in symbols.tolist():
        found.append(predictor.predict().astype(float))
        predictor.perceive(symbol)
    return np.array(found)


@pytest.mark.parametrize("part", network_states.NETWORKS)
def test_states_give_what_the_coder_predicts(tiny_model, text, part):
    tokens, weights = np.concatenate(text), network_states.networks(tiny_model)[part]
    hidden = network_states.states(part, weights, tokens)
    assert hidden.dtype == float
    found = np.exp(network_states.log_probabilities(weights, hidden))
    np.testing.assert_allclose(found, of_coder(tiny_model, part, tokens), atol=1e-6)


@pytest.fixture(scope="module")
def gated_model():
    return model_file.read(tiny.model_bytes(networks=tuple(network_states.GATED)))


@pytest.mark.parametrize("part", network_states.GATED)
def test_gated_states_give_what_the_coder_predicts(gated_model, part):
    tokens = np.concatenate(network_states.sentences(HELD_OUT, gated_model))
    weights = network_states.networks(gated_model, network_states.WITH_STATES)[part]
    hidden = network_states.states(part, weights, tokens)
    assert hidden.dtype == float
    found = np.exp(network_states.log_probabilities(weights, hidden))
    np.testing.assert_allclose(found, of_coder(gated_model, part, tokens), atol=1e-6)


def test_networks_with_other_heads_are_left_out(tiny_model, gated_model):
    everything = network_states.WITH_STATES
    assert tuple(network_states.networks(tiny_model, everything)) == network_states.NETWORKS
    assert not network_states.networks(gated_model)
    for design in ({"head": "mos"}, {"tied": True}):
        model = model_file.read(tiny.model_bytes(networks=("rnn", "lstm"), **design))
        assert not network_states.networks(model, everything)


def test_kneser_ney_of_order_three_is_the_packages(tiny_model, text):
    size = tiny_model.card["vocabulary_size"]
    kneser_ney = KneserNey(network_states.sentences(tiny.TEXT, tiny_model), size, 3)
    found = []
    for sentence in text:
        padded = [size, size, *sentence.tolist()]
        found += [kneser_ney.probabilities(padded[: 2 + place]) for place in range(len(sentence))]
    np.testing.assert_allclose(found, of_coder(tiny_model, "kn", np.concatenate(text)), atol=1e-6)
    assert KneserNey([[2, 1]] * 3, 4, 4).probabilities([3, 3, 3]).sum() == pytest.approx(1)


def test_without_dropout_nothing_is_dropped_and_with_it_training_is_fits():
    tokens = np.array([2, 3, 1, 4, 2, 1] * 20 + [5, 1, 6, 1, 7, 1], np.int32)
    network, schedule = Nplm(8, 3, 4), Schedule(epochs=3)
    expected = fit(network, tokens, tokens, schedule, 1)
    fitted, epochs = watched.train(network, tokens, tokens, schedule, 1, dropout=True)
    assert fitted.dev_losses == expected.dev_losses and len(epochs) == 3
    assert all(np.array_equal(epochs[-1][name], expected.weights[name]) for name in epochs[-1])
    _, raw = watched.train(network, tokens, tokens, schedule, 1, dropout=False)
    chances = [word_dropout.unknown_probability("nplm", each[-1], tokens) for each in (epochs, raw)]
    assert chances[1] < chances[0]
    start = network.initial_weights(np.random.default_rng(1))["embedding"][UNKNOWN]
    assert np.array_equal(raw[-1]["embedding"][UNKNOWN], start)  # never read without dropout
    assert not np.array_equal(epochs[-1]["embedding"][UNKNOWN], start)


def test_the_dropout_table_follows_its_measures():
    class Measures:
        def __init__(self, unknown, nats):
            self.unknown = self.trained_unknown = unknown
            self.nats = self.other_nats = self.unknown_nats = self.other_unknown_nats = nats

    report = FakeReport()
    usual, raw, undecayed = word_dropout.VARIANTS
    measured = {
        (part, variant, epoch): Measures(0.01 if variant != raw else 0.001, nats + epoch * change)
        for part, change in (("nplm", 0.5), ("rnn", -0.1))
        for variant, nats in ((usual, 4.0), (raw, 9.0), (undecayed, 4.0))
        for epoch in (1, 3)
    }
    word_dropout.epoch_table(report, measured)
    assert len(report.rows) == 12
    report.rows.clear()
    word_dropout.direction_table(report, measured, 100, 0.02)
    assert report.value("<unk> among training targets") == "1.00%"
    assert report.value("p(<unk>) in training", 3) == "yes"
    later = {row[0].split(", ", 2)[2]: row[2:] for row in report.rows if "chosen less" in row[0]}
    assert later["nplm, usual"] == ["+1.00", "yes"]
    assert later["rnn, no weight decay"] == ["-0.20", "no"]
    assert report.value("other text, rnn less nplm, usual") == "-1.80"
    assert word_dropout.repeated(np.array([1, 1, 0, 1, 0], bool)) == pytest.approx(1 / 3)


def test_tightness_and_bounds_are_told(tiny_model, gated_model, text):
    report = FakeReport()
    tightness.tightness_table(report, tiny_model, text)
    tightness.tightness_table(report, gated_model, text)
    geometry.bound_table(report, tiny_model, text, 100)
    assert [row[3] for row in report.rows if row[0].startswith("largest change")] == ["yes", "yes"]
    epsilons = [float(row[2]) for row in report.rows if row[0] == "epsilon"]
    least = [float(row[2]) for row in report.rows if row[0].startswith("least p")]
    assert len(least) == 4 and (np.array(epsilons) < least).all() and min(epsilons) > 0


def test_gradients_are_told_at_every_lag(tiny_model, text):
    report = FakeReport()
    weights = network_states.networks(tiny_model)["rnn"]
    gradients_through_time.lag_table(report, weights, text)
    gradients_through_time.linear_table(report, weights["recurrent_weights"])
    for lag in ("1", "5", "6"):
        (row,) = [row for row in report.rows if row[0] == lag]
        longer = sum(len(sentence) > int(lag) for sentence in text)
        assert row[5] == str(longer) and float(row[2]) <= float(row[4]) * 1.01 + 0.05
    assert not [row for row in report.rows if row[0] == "7"]  # no sentence is so long


def test_ranks_are_at_most_two_above_the_networks_width(tiny_model, gated_model):
    report = FakeReport()
    training = network_states.sentences(tiny.TEXT, tiny_model)
    for model in (tiny_model, gated_model):
        softmax_bottleneck.rank_table(report, model, training, training, 30)
    for part in network_states.WITH_STATES:
        assert report.value(f"{part}: rank, at most d + 2 = {tiny.HIDDEN + 2}", 3) == "yes"
    frequent = softmax_bottleneck.frequent_contexts([np.array([2, 3, 1]), np.array([2, 1])], 9, 2)
    assert frequent.tolist() == [[9, 9], [9, 2]]


def test_a_sheep_that_grazes_is_fed_as_a_cow():
    report = FakeReport()
    geometry.sheep_table(report, 1)
    (counted,) = [row for row in report.rows if "sheep" in row[0] and "Kneser" in row[1]]
    assert float(counted[2].rstrip("%")) < float(counted[3].rstrip("%"))
    for row in report.rows:
        if "decay" not in row[1] and row is not counted:
            assert float(row[2].rstrip("%")) > 80


def test_relabelled_units_keep_the_loss(tiny_model, text):
    report = FakeReport()
    geometry.relabelling_table(report, tiny_model, text)
    assert report.value("nplm, units reversed", 3) == "yes"
    assert (
        report.value("rnn, units reversed") == report.value("rnn") != report.value("rnn, halfway")
    )


def test_weight_decay_and_n_grams_of_characters():
    report = FakeReport()
    data = tiny.TEXT * 2
    weight_decay.decay_table(report, data, HELD_OUT, 2)
    assert weight_decay.beginning(tiny.TEXT, 6) == b"the cow ate the grass\nthe goat ate the hay\n"
    tokens = weight_decay.characters(b"abba\nb", [ord("a"), ord("b")])
    assert tokens.tolist() == [2, 3, 3, 2, 1, 3]
    assert [len(line) for line in weight_decay.lines(tokens)] == [5, 1]
    # p(a | <s>) = 1.5 / 4, p(b | a) = 1.5 / 4, p(</s> | b) = 0.5 / 4, with k V = 2.
    added = weight_decay.add_k_perplexity(np.array([2, 3, 1]), tokens, 4, 2, 0.5)
    assert added == pytest.approx((1.5 / 4 * 1.5 / 4 * 0.5 / 4) ** (-1 / 3))
    assert weight_decay.kneser_ney_perplexity(tokens, tokens, FIRST_WORD + 2, 2) < 4


def test_parameters_are_those_of_the_formula(tiny_model):
    report = FakeReport()
    parameter_counts.count_table(report, tiny_model)
    assert report.value("nplm, Brown", 5) == report.value("nplm, Brown", 1) == "2,158,273"
    assert report.value("nplm, first study", 6) == "677,987"
    assert [row[7] for row in report.rows] == ["yes"] * 3 + ["-"] * 2
