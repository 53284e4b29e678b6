"""Coding-time predictors against their naive twins."""

import naive
import naive_networks
import numpy as np
import pytest
import tiny

from nlmzip.errors import ModelError, OptionError
from nlmzip.models import model_file, settings
from nlmzip.predictors.architecture import network
from nlmzip.predictors.build import build
from nlmzip.predictors.dynamic_evaluation import DynamicEvaluation
from nlmzip.predictors.interpolation import Interpolation, Uniform
from nlmzip.predictors.kneser_ney import (
    KneserNey,
    build_tables,
    count_trigrams,
    discount,
)

SIZE = 37
SENTENCES = [[5, 9, 5, 9, 1], [5, 5, 5, 30, 0, 1], [1], [7, 36, 2, 1]]


NETWORKS = ["nplm", "rnn", "lstm", "gru", "mgu"]


def naive_gradients(part, weights, sentences, head="softmax", tied=False, hidden=None, **others):
    head = naive_networks.HEADS[head]
    head = naive_networks.tied(head) if tied else head
    return naive_networks.NETWORKS[part](weights, sentences, head=head, **others)


# Every body with one softmax, and one or two of them with each other design.
DESIGNS = [
    *((part, {}) for part in NETWORKS),
    ("rnn", {"head": "mos"}), ("rnn", {"head": "moc"}), ("nplm", {"head": "mos"}),
    ("nplm", {"direct": True}), ("nplm", {"tied": True}), ("lstm", {"tied": True}),
    ("rnn", {"tied": True, "hidden": tiny.EMBEDDING}), ("rnn", {"tied": True, "head": "moc"}),
    ("nplm", {"tied": True, "direct": True, "head": "mos"}),
]  # fmt: skip
each_design = pytest.mark.parametrize("part, design", DESIGNS, ids=str)


def built(part, window=32, context=2, reset_state=True, **design):
    """A network with arbitrary weights."""
    arrays = tiny.network_arrays(SIZE, context, networks=(part,), **design)
    in_card = {key: value for key, value in design.items() if key != "hidden"}
    card = {"name": "x", "vocabulary_size": SIZE, "networks": tiny.network_card([part], **in_card)}
    return network(model_file.Model(card, arrays, b""), part, window, reset_state)


def weights_of(built):
    weights = built.body.weights._asdict() | built.head.weights._asdict()
    if np.shares_memory(weights["output_weights"], weights["embedding"]):  # tied
        del weights["output_weights"]
    return weights


def mean_loss(predictor, sentences):
    nats = []
    for symbol in (s for sentence in sentences for s in sentence):
        nats.append(-np.log(float(predictor.predict()[symbol])))
        predictor.perceive(symbol)
    return np.mean(nats)


@pytest.mark.parametrize("window", [1, 3, 32])
@each_design
def test_a_static_network_predicts_as_its_naive_twin(part, design, window):
    static = built(part, window, **design)
    expected, _ = naive_gradients(part, weights_of(static), SENTENCES, **design)
    assert mean_loss(DynamicEvaluation(static, 0.0), SENTENCES) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("context", [1, 2, 4])
def test_the_nplm_takes_any_context_length(context):
    static = built("nplm", context=context)
    assert static.body.context == context
    expected, _ = naive_gradients("nplm", weights_of(static), SENTENCES, context=context)
    assert mean_loss(DynamicEvaluation(static, 0.0), SENTENCES) == pytest.approx(expected, rel=1e-6)


@each_design
@pytest.mark.parametrize("sentence", SENTENCES)
def test_learning_is_one_gradient_step_on_the_summed_loss(part, design, sentence):
    """The first two sentences repeat a word within one context."""
    learning = built(part, **design)
    before = {name: array.astype(np.float64) for name, array in weights_of(learning).items()}
    _, gradients = naive_gradients(part, before, [sentence], **design)
    mean_loss(DynamicEvaluation(learning, 0.125), [sentence])
    for name, after in weights_of(learning).items():
        expected = before[name] - 0.125 * len(sentence) * gradients[name]
        np.testing.assert_allclose(after, expected, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("part", NETWORKS[1:])
def test_a_long_sentence_is_learnt_window_by_window_and_keeps_its_state(part):
    learning = built(part, window=3)
    adapting = DynamicEvaluation(learning, 0.01)
    trace = learning.body.trace
    for symbol in [4, 5, 6]:
        adapting.predict()
        adapting.perceive(symbol)
    assert trace.previous[0] == 6 and np.abs(trace.hidden[0]).max() > 0
    adapting.predict()
    adapting.perceive(1)
    assert trace.previous[0] == SIZE and not trace.hidden[0].any()


@pytest.mark.parametrize("part", NETWORKS[1:])
def test_a_carried_state_runs_over_sentence_ends(part):
    tokens = [s for sentence in SENTENCES for s in sentence]
    carrying = built(part, window=4, reset_state=False)
    expected, _ = naive_gradients(part, weights_of(carrying), [tokens])
    loss = mean_loss(DynamicEvaluation(carrying, 0.0), [tokens])
    assert loss == pytest.approx(expected, rel=1e-6)


def test_weights_stay_finite_whatever_the_step_size():
    for part, design in DESIGNS:
        adapting = DynamicEvaluation(built(part, **design), 1e6)
        for _ in range(30):
            mean_loss(adapting, SENTENCES)
        assert all(np.isfinite(array).all() for array in weights_of(adapting.network).values())
        assert np.isfinite(adapting.predict()).all()


@pytest.fixture(scope="module")
def text():
    generator = np.random.default_rng(2)
    ranks = (generator.zipf(1.4, 900) + 1) % SIZE
    return [[*map(int, ranks[i : i + 9]), 1] for i in range(0, 900, 9)]


@pytest.fixture(scope="module")
def tables(text):
    return build_tables(count_trigrams([np.array(s) for s in text], SIZE), SIZE)


def test_kneser_ney_is_its_naive_twin(text, tables):
    twin = naive.KneserNey(text, SIZE)
    model = KneserNey(tables, True)
    for sentence in [*text[:10], [3, 35, 34, 1]]:
        context = (SIZE, SIZE)
        for symbol in sentence:
            distribution = model.predict()
            exact = [twin.probability(context, word) for word in range(SIZE)]
            np.testing.assert_allclose(distribution, exact, rtol=2e-6)
            model.perceive(symbol)
            context = (context[1], symbol)


def test_kneser_ney_sums_to_one_in_seen_and_unseen_contexts(text, tables):
    model = KneserNey(tables, True)
    seen = {(a, b) for s in text for a, b in zip(s, s[1:])}
    unseen = next((a, b) for a in range(SIZE) for b in range(SIZE) if (a, b) not in seen)
    for context in [*list(seen)[:50], unseen]:
        for symbol in context:
            model.perceive(symbol)
        assert model.predict().sum(dtype=np.float64) == pytest.approx(1, abs=1e-5)
        assert model.predict().min() > 0


def test_discount_is_the_estimate_from_counts_of_counts():
    assert discount(np.array([1, 1, 1, 2, 5])) == 3 / 5
    assert discount(np.array([3, 4])) == 0.5


def test_a_carried_state_counts_trigrams_across_sentences():
    across = count_trigrams([np.array([2, 1]), np.array([3, 1])], 4, reset_state=False)
    rows = [(*context, word) for context, word in zip(across["contexts"].tolist(), across["words"].tolist())]
    assert rows == [(1, 3, 1), (2, 1, 3), (4, 2, 1), (4, 4, 2)]


def test_interpolation_mixes_in_the_stated_order():
    class Fixed(Uniform):
        def __init__(self, *probabilities):
            super().__init__(len(probabilities))
            self._probabilities[:] = probabilities

    mixture = Interpolation([Fixed(1, 0), Fixed(0, 1), Fixed(0.5, 0.5)], [0.5, 0.25])
    np.testing.assert_allclose(mixture.predict(), [0.5 + 0.5 * 0.375, 0.5 * 0.625], rtol=1e-6)
    with pytest.raises(ValueError, match="weight"):
        Interpolation([Fixed(1, 0), Fixed(0, 1)], [])


def test_settings_are_the_best_known_unless_chosen(tiny_model):
    resolve = settings.resolve
    assert resolve(tiny_model, None, None, None) == ("kn+rnn", True, True)
    assert resolve(tiny_model, None, False, None)[1] is False
    assert resolve(tiny_model, "kn", None, False) == ("kn", False, False)
    assert resolve(tiny_model, "rnn+kn", None, None) == ("rnn+kn", True, True)
    assert resolve(tiny_model, "uniform", None, None) == ("uniform", False, True)


@pytest.mark.parametrize(
    "predictor, dynamic, complaint",
    [
        ("kn", True, "dynamic evaluation needs a network"),
        ("uniform", True, "dynamic evaluation needs a network"),
        ("nplm+rnn", None, "has no predictor nplm.rnn"),
        ("markov", None, "no predictor markov"),
        ("kn+kn", None, "no predictor"),
    ],
)
def test_settings_that_cannot_be_are_explained(tiny_model, predictor, dynamic, complaint):
    with pytest.raises(OptionError, match=complaint):
        settings.resolve(tiny_model, predictor, dynamic, None)


@pytest.mark.parametrize("head", ["mos", "moc"])
@pytest.mark.parametrize(
    "name, damage",
    [
        ("prior_bias", lambda a: a[:-1]),
        ("prior_weights", lambda a: a.T),
        ("projection_weights", lambda a: a[:, :-1]),
        ("projection_bias", lambda a: a[1:]),
        ("output_weights", lambda a: a[0, 0]),
        ("output_bias", lambda a: a * np.float16(np.nan)),
    ],
)
def test_arrays_of_a_mixture_that_do_not_fit_are_refused(head, name, damage):
    model = model_file.read(tiny.model_bytes(head=head))
    build(model, "rnn", dynamic=False)
    damaged = broken(model, **{f"rnn.{name}": damage(model.arrays[f"rnn.{name}"])})
    with pytest.raises(ModelError):
        build(damaged, "rnn", dynamic=False)


@pytest.mark.parametrize(
    "says, has",
    [
        ({"tied": True}, {}), ({"direct": True}, {}), ({"head": "moc", "softmaxes": 3}, {}),
        ({}, {"tied": True}), ({}, {"direct": True}), ({"tied": True}, {"direct": True}),
    ],
)  # fmt: skip
def test_a_card_of_another_design_is_refused(says, has):
    model = model_file.read(tiny.model_bytes(networks=("nplm",), **has))
    build(model, "nplm", dynamic=False)
    model.card["networks"] = {"nplm": says}
    with pytest.raises(ModelError):
        build(model, "nplm", dynamic=False)


def test_a_card_with_another_number_of_softmaxes_is_refused():
    model = model_file.read(tiny.model_bytes(head="mos"))
    model.card["networks"]["rnn"] = {"head": "mos", "softmaxes": tiny.SOFTMAXES + 1}
    with pytest.raises(ModelError, match="do not fit together"):
        build(model, "rnn", dynamic=False)


def broken(model, **changes):
    return model_file.Model(model.card, {**model.arrays, **changes}, model.sha256)


@pytest.mark.parametrize(
    "name, damage",
    [
        ("rnn.output_bias", lambda a: a[:-1]),
        ("rnn.embedding", lambda a: a[:, 0]),
        ("nplm.hidden_weights", lambda a: a[:-1]),
        ("nplm.output_weights", lambda a: a + np.float16(np.inf)),
        ("kneser_ney.words", lambda a: a + 10_000),
        ("kneser_ney.contexts", lambda a: a[:-1]),
        ("kneser_ney.counts", lambda a: a * 0),
        ("kneser_ney.words", lambda a: a[::-1].copy()),
        ("rnn.embedding", lambda a: a.astype(np.float32) + 1e38),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_a_kernel_reads_them(tiny_model, name, damage):
    model = broken(tiny_model, **{name: damage(tiny_model.arrays[name])})
    predictor = {"rnn": "rnn", "nplm": "nplm", "kneser_ney": "kn"}[name.split(".")[0]]
    with pytest.raises(ModelError):
        build(model, predictor, dynamic=False)
