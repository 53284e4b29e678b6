"""Mixture weights and step sizes."""

import numpy as np
import pytest

from nlmzip.models.interpolation import Interpolation
from nlmzip.training.tuning import golden_section, mixture_shares, nested_weights


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
