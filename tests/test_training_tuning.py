"""Mixture weights and step sizes, and what is chosen when there is no time to try them."""

import numpy as np
import pytest

from nlmzip.predictors.build import build
from nlmzip.predictors.interpolation import Interpolation
from nlmzip.training import tuning
from nlmzip.training.tuning import (
    N_STEP_SIZES,
    SMALL_STEP,
    Tuner,
    golden_section,
    mixture_shares,
    nested_weights,
)


def test_mixture_shares_are_the_best_on_a_grid():
    random = np.random.default_rng(0)
    columns = random.beta(0.5, 2, (2, 300))
    grid = np.linspace(0.001, 0.999, 999)
    losses = [-np.log(w * columns[0] + (1 - w) * columns[1]).mean() for w in grid]
    best = grid[np.argmin(losses)]
    assert 0.1 < best < 0.9
    assert mixture_shares(columns)[0] == pytest.approx(best, abs=0.002)


def test_a_component_that_never_helps_gets_no_share():
    shares = mixture_shares([np.full(50, 0.4), np.full(50, 0.1), np.full(50, 0.3)])
    assert shares == pytest.approx([1, 0, 0], abs=1e-6)


def test_nested_weights_make_interpolation_mix_by_the_shares():
    class Constant:
        def __init__(self, *probabilities):
            self.probabilities = np.array(probabilities, np.float32)
            self.vocabulary_size = len(probabilities)

        def predict(self):
            return self.probabilities

    parts = [Constant(1, 0, 0), Constant(0, 1, 0), Constant(0, 0, 1)]
    mixture = Interpolation(parts, nested_weights(np.array([0.5, 0.3, 0.2])))
    assert mixture.predict() == pytest.approx(np.array([0.5, 0.3, 0.2]), abs=1e-6)


def test_nested_weights_of_shares_that_are_zero():
    assert nested_weights(np.array([1.0, 0.0, 0.0])) == [1.0, 0.0]
    assert nested_weights(np.array([1.0])) == []


@pytest.mark.parametrize("valley", [0.1, 1.3, 2.9])
def test_golden_section_closes_in_on_the_valley(valley):
    calls = []

    def function(x):
        calls.append(x)
        return abs(x - valley)

    golden_section(function, 0.0, 3.0, 9)
    assert len(calls) == 9
    assert min(abs(x - valley) for x in calls) < 3 * 0.618**8


PARTS = ["kn", "nplm", "rnn"]
DEV = np.array([2, 3, 4, 2, 5, 1, 2, 6, 4, 2, 3, 1] * 12, np.int32)


def coded_nats(model, dev, predictor, dynamic, settings):
    """What dev costs a coder with these settings, in nats a token."""
    built = build(model, predictor, dynamic, settings)
    nats = []
    for symbol in dev:
        nats.append(-np.log(built.predict()[symbol]))
        built.perceive(symbol)
    return np.mean(nats)


@pytest.fixture
def tried(monkeypatch):
    """{network: step sizes} that predictors were built with for tuning."""
    steps = {"nplm": [], "rnn": []}

    def remember(model, part, dynamic, settings):
        if dynamic:
            steps[part].append(settings["step_size"])
        return build(model, part, dynamic, settings)

    monkeypatch.setattr(tuning, "build", remember)
    return steps


def test_no_step_size_that_was_tried_is_better_than_the_chosen_one(tiny_model, tried):
    tuner = Tuner(tiny_model, PARTS, DEV)
    tuner.try_all()
    settings = tuner.settings()
    for network, sizes in tried.items():
        assert len(set(sizes)) == N_STEP_SIZES
        for name in (network, f"kn+{network}"):
            chosen = settings[name]["dynamic"]
            losses = {
                step: coded_nats(tiny_model, DEV, name, True, {**chosen, "step_size": step})
                for step in sizes
            }
            assert losses[chosen["step_size"]] == pytest.approx(chosen["dev_nats"], abs=1e-4)
            assert chosen["dev_nats"] <= min(losses.values()) + 1e-4
            assert max(losses.values()) > chosen["dev_nats"] + 0.1  # the choice matters


def test_each_network_of_a_mixture_has_a_step_size_of_its_own(tiny_model, tried):
    tuner = Tuner(tiny_model, PARTS, DEV, mixtures=["nplm+rnn", "kn+nplm+rnn"])
    tuner.try_all()
    settings = tuner.settings()
    assert list(settings)[-2:] == ["nplm+rnn", "kn+nplm+rnn"]
    for name in ("nplm+rnn", "kn+nplm+rnn"):
        static, dynamic = settings[name]["static"], settings[name]["dynamic"]
        of_nplm, of_rnn = dynamic["step_size"]
        assert of_nplm in tried["nplm"] and of_rnn in tried["rnn"]
        for mode, chosen in ((False, static), (True, dynamic)):
            nats = coded_nats(tiny_model, DEV, name, mode, chosen)
            assert nats == pytest.approx(chosen["dev_nats"], abs=1e-4)
            parts = [settings[part][key] for part in name.split("+") for key in settings[part]]
            assert mode or chosen["dev_nats"] <= min(part["dev_nats"] for part in parts if "step_size" not in part) + 2e-4


@pytest.mark.parametrize("shorter", [None, 50])
@pytest.mark.parametrize("n_runs", range(12))
def test_settings_can_be_chosen_after_any_number_of_runs(
    tiny_model, tried, monkeypatch, n_runs, shorter
):
    n_left = n_runs

    def advance(n):
        nonlocal n_left
        n_left -= 1
        if n_left == -1:
            raise KeyboardInterrupt

    if shorter:
        monkeypatch.setattr(tuning, "AFTER_INTERRUPT", shorter)
    tuner = Tuner(tiny_model, PARTS, DEV, advance)
    with pytest.raises(KeyboardInterrupt):
        tuner.try_all()
    tuner.fill_in()
    assert len(tuner.dev) == (shorter or len(DEV))
    settings = tuner.settings()
    assert sorted(settings) == ["kn", "kn+nplm", "kn+rnn", "nplm", "rnn"]
    for name, modes in settings.items():
        for mode, values in modes.items():
            nats = coded_nats(tiny_model, tuner.dev, name, mode == "dynamic", values)
            assert nats == pytest.approx(values["dev_nats"], abs=1e-4)
    assert settings["rnn"]["dynamic"]["step_size"] == SMALL_STEP
    if n_runs < 4:
        assert settings["nplm"]["dynamic"]["step_size"] == SMALL_STEP
    else:
        assert settings["nplm"]["dynamic"]["step_size"] in tried["nplm"]
        assert SMALL_STEP not in tried["nplm"]
