"""Standard errors of ratios: by hand, and against the bootstrap."""


import numpy as np
import pytest

from benchmarks.shared.statistics_of_ratios import ratio


def test_two_sentences_by_hand():
    # r = 4 / 2; residuals -1 and 1; sqrt(2 / 1 * 2) / 2
    assert ratio(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == (2.0, 1.0)


def test_equal_sizes_give_the_standard_error_of_a_mean():
    x = np.array([2.0, 3.0, 7.0, 4.0])
    expected = x.std(ddof=1) / 2
    assert ratio(x, np.ones(4)).standard_error == pytest.approx(expected)


def test_proportional_sums_have_no_error():
    y = np.array([3.0, 5.0, 9.0])
    assert ratio(0.5 * y, y) == (0.5, 0.0)


@pytest.fixture(scope="module")
def sentences():
    """Tokens, and bits under two models, of sentences of different difficulty."""
    generator = np.random.default_rng(3)
    tokens = generator.integers(3, 20, 500).astype(float)
    difficulty = tokens * generator.gamma(4.0, 0.5, 500)
    return tokens, difficulty + generator.normal(0, 1, 500), difficulty * 0.9


def bootstrap(x, y):
    """Standard deviation of the ratio over samples of sentences, drawn with replacement."""
    drawn = np.random.default_rng(4).integers(0, len(x), (4000, len(x)))
    return (x[drawn].sum(axis=1) / y[drawn].sum(axis=1)).std()


def test_standard_error_agrees_with_the_bootstrap(sentences):
    tokens, bits, _ = sentences
    assert ratio(bits, tokens).standard_error == pytest.approx(bootstrap(bits, tokens), rel=0.05)


def test_paired_standard_error_agrees_with_the_bootstrap(sentences):
    tokens, bits, other = sentences
    paired = ratio(bits - other, tokens)
    assert paired.value == pytest.approx(ratio(bits, tokens).value - ratio(other, tokens).value)
    assert paired.standard_error == pytest.approx(bootstrap(bits - other, tokens), rel=0.05)
    assert paired.standard_error < 0.5 * ratio(bits, tokens).standard_error


def test_an_estimate_is_written_with_its_error_in_brackets():
    assert f"{ratio(np.array([1.0, 3.0]), np.ones(2)):+.2f}" == "+2.00 (1.00)"
