"""What is proved of these networks and of how they learn, on small random instances."""

import sys
from pathlib import Path

import computational_graph
import numpy as np
import pytest
from counted_products import multiply_adds

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import animals
import geometry
import gradients_through_time
import network_states
import softmax_bottleneck
import tightness

from nlmzip.training import batching, elman, nplm, output_layer
from nlmzip.training.elman import Elman
from nlmzip.training.fit import Schedule, fit
from nlmzip.training.nplm import Nplm

V = 9
TEXT = np.array([3, 4, 1, 2, 2, 5, 1, 4, 3, 6, 5, 2, 1], np.int32)  # 0, 7 and 8 never come
NETWORKS = {"nplm": Nplm(V, embedding=3, hidden=4), "rnn": Elman(V, embedding=3, hidden=4)}
KEPT = {"embedding", "output_bias"}  # by a new order of the hidden units
STEP = 1e-30  # of the complex step (Squire and Trapp 1998)


def random_weights(part, seed, scale=0.7):
    random = np.random.default_rng(seed)
    initial = NETWORKS[part].initial_weights(random)
    return {name: random.normal(0, scale, array.shape) for name, array in initial.items()}


def gradients_of(part, weights):
    network = NETWORKS[part]
    ((_, _, gradients),) = network.steps(weights, TEXT, np.random.default_rng(0))
    return gradients


def loss_of(network, weights, tokens):
    return -network.log_probabilities(weights, tokens).mean()


# The softmax is the categorical exponential family.


def output_gradient(logits, target):
    """p - e_y as the package computes it, the output weights being the identity."""
    identity = np.eye(len(logits), dtype=logits.dtype)
    _, gradient, *_ = output_layer.cross_entropy(
        logits[None], identity, np.zeros(len(logits)), np.array([target])
    )
    return gradient[0]


@pytest.mark.parametrize("size", [2, 5, 11])
def test_the_softmax_jacobian_is_the_categorical_covariance(size):
    logits = np.random.default_rng(size).normal(0, 2, size).astype(complex)
    jacobian = np.empty((size, size))
    for place in range(size):
        logits[place] += 1j * STEP
        jacobian[:, place] = output_gradient(logits, 0).imag / STEP
        logits[place] = logits[place].real
    p = (output_gradient(logits, 0) + np.eye(size)[0]).real
    covariance = sum(p[y] * np.outer(each, each) for y, each in enumerate(np.eye(size) - p))
    np.testing.assert_allclose(jacobian, covariance, atol=1e-14)
    np.testing.assert_allclose(jacobian @ np.ones(size), 0, atol=1e-14)
    eigenvalues = np.linalg.eigvalsh(jacobian)
    assert abs(eigenvalues[0]) < 1e-14 and (eigenvalues[1:] > 1e-6).all()  # of rank K - 1


def newton(hidden, targets, size):
    """Weights (h, V) and bias (V,) of a softmax regression without gradient; the loss is convex."""
    inputs = np.column_stack((hidden, np.ones(len(hidden))))
    parameters = np.zeros((inputs.shape[1], size))
    for _ in range(20):
        _, _, at_weights, at_bias = output_layer.cross_entropy(
            hidden, parameters[:-1], parameters[-1], targets
        )
        p = np.exp(network_states.log_softmax(inputs @ parameters))
        curvature = sum(
            np.kron(np.outer(x, x), np.diag(each) - np.outer(each, each))
            for x, each in zip(inputs, p)
        ) / len(inputs)
        gradient = np.vstack((at_weights, at_bias)).ravel()
        step = np.linalg.lstsq(curvature, gradient, rcond=1e-10)[0]
        parameters -= step.reshape(parameters.shape)
    assert np.abs(gradient).max() < 1e-12
    return parameters[:-1], parameters[-1]


def test_at_a_stationary_point_predictions_have_the_moments_of_the_targets():
    random = np.random.default_rng(4)
    hidden, targets = random.normal(size=(200, 2)), random.integers(0, 3, 200)
    weights, bias = newton(hidden, targets, 3)
    observed = np.eye(3)[targets]

    def largest_gap(bias):
        p = np.exp(network_states.log_softmax(hidden @ weights + bias))
        return max(
            np.abs((p - observed).mean(axis=0)).max(), np.abs(hidden.T @ (p - observed)).max() / 200
        )

    assert np.ptp(bias) > 0.01 and np.abs(weights).max() > 0.01
    assert largest_gap(bias) < 1e-12
    assert largest_gap(bias + [0.1, 0, 0]) > 0.01  # and at no other point


@pytest.mark.parametrize("part", NETWORKS)
@pytest.mark.parametrize("seed", range(5))
def test_a_word_that_is_never_a_target_only_loses(part, seed):
    weights = random_weights(part, seed)
    never = np.setdiff1d(np.arange(V), TEXT)
    chances = []
    for _ in range(100):
        gradients = gradients_of(part, weights)
        assert (gradients["output_bias"][never] > 0).all()
        hidden = network_states.states(part, weights, TEXT)
        chances.append(np.exp(network_states.log_probabilities(weights, hidden))[:, never].mean())
        assert gradients["output_bias"][never].sum() == pytest.approx(len(never) * chances[-1])
        for name, gradient in gradients.items():
            weights[name] -= 0.3 * gradient
    assert (gradients["output_bias"] < 0).any()
    assert chances[-1] < chances[0] / 3


@pytest.mark.parametrize("part", geometry.SMALL)
def test_relabelled_hidden_units_lose_nothing_and_their_midpoint_does(part):
    network, text = geometry.SMALL[part], animals.tokens()
    weights = fit(network, text, text, Schedule(epochs=3, learning_rate=0.01), 1).weights
    weights = {name: array.astype(float) for name, array in weights.items()}
    other = network_states.relabelled("rnn" if part == "Elman" else "nplm", weights)
    assert all((other[name] != weights[name]).any() for name in other.keys() - KEPT)
    loss = loss_of(network, weights, text)
    assert loss_of(network, other, text) == pytest.approx(loss, abs=1e-12)
    halfway = network_states.midpoint(weights, other)
    assert loss_of(network, halfway, text) > loss + 0.1  # so the loss is not convex


# Backpropagation is reverse accumulation.


def test_reverse_accumulation_equals_the_complex_step_on_random_graphs():
    random = np.random.default_rng(5)
    n_fanning = 0
    for _ in range(200):
        nodes = computational_graph.random_graph(random, int(random.integers(3, 12)))
        inputs = random.normal(size=(computational_graph.N_INPUTS, computational_graph.WIDTH))
        n_fanning += computational_graph.fans_out(nodes)
        expected = np.empty(inputs.shape)
        for index in np.ndindex(inputs.shape):
            moved = inputs.astype(complex)
            moved[index] += 1j * STEP
            expected[index] = computational_graph.values(nodes, moved)[-1].imag / STEP
        found = computational_graph.adjoints(nodes, computational_graph.values(nodes, inputs))
        scale = max(1, np.abs(expected).max())
        np.testing.assert_allclose(found / scale, expected / scale, atol=1e-11)
    assert n_fanning > 150


def test_a_reverse_sweep_costs_two_forward_passes_of_the_nplm():
    network, weights = NETWORKS["nplm"], random_weights("nplm", 1)
    forward = multiply_adds(network.log_probabilities, weights, TEXT)
    assert forward == len(TEXT) * (2 * 3 * 4 + 4 * V)
    contexts = batching.contexts(TEXT, 2, V, reset_state=True)
    assert multiply_adds(nplm.loss_and_gradients, weights, contexts, TEXT) - forward == 2 * forward


def test_a_reverse_sweep_costs_at_most_two_forward_passes_of_the_elman_network():
    network, weights = NETWORKS["rnn"], random_weights("rnn", 1)
    sentences = np.tile(TEXT[3:7], 3)  # of one length, so that nothing is padding
    (batch,) = batching.sentence_batches(sentences, V, 3, np.random.default_rng(0))
    forward = multiply_adds(network.log_probabilities, weights, sentences)
    assert forward == len(sentences) * (3 * 4 + 4 * 4 + 4 * V)
    sweep = multiply_adds(elman.loss_and_gradients, weights, batch) - forward
    assert sweep == 2 * forward - 3 * 4 * 4  # nothing flows back into the first states


# What a network can say.


@pytest.mark.parametrize("part", NETWORKS)
@pytest.mark.parametrize("scale", [0.2, 1.0, 4.0])
def test_log_probabilities_change_no_faster_than_the_lipschitz_bound(part, scale):
    weights = random_weights(part, 1, scale)
    pairs = np.random.default_rng(2).normal(
        0, scale, (2000, 2, geometry.hidden_layer(part, weights)[0].shape[0])
    )
    ratios = geometry.change_ratios(part, weights, pairs)
    assert ratios.max() <= geometry.lipschitz_constant(part, weights) * (1 + 1e-12)


def test_no_smaller_lipschitz_bound_would_do():
    weights = {
        "hidden_weights": np.array([[3.0]]), "hidden_bias": np.zeros(1),
        "output_weights": np.array([[2.0, -2.0]]), "output_bias": np.array([0.0, 20.0]),
    }  # fmt: skip
    ratio = geometry.change_ratios("nplm", weights, np.array([[[1e-4], [-1e-4]]]))
    assert ratio / geometry.lipschitz_constant("nplm", weights) == pytest.approx(1, abs=1e-6)


def log_probability_rank(states, output, bias, shares=None):
    """Rank of log-probabilities of K softmaxes: states (K, N, d), output (d, V); shares (N, K)."""
    shares = np.ones((states.shape[1], len(states))) / len(states) if shares is None else shares
    softmaxes = [np.exp(network_states.log_softmax(each @ output + bias)) for each in states]
    matrix = np.log(sum(share[:, None] * each for share, each in zip(shares.T, softmaxes)))
    return softmax_bottleneck.rank_of(softmax_bottleneck.singular_values(matrix), matrix.shape)


@pytest.mark.parametrize("width", [1, 3, 8])
def test_a_softmax_has_rank_at_most_two_above_its_width_and_a_mixture_more(width):
    random = np.random.default_rng(width)
    states, output = random.normal(size=(3, 60, width)), random.normal(size=(width, 40))
    bias, shares = random.normal(size=40), random.dirichlet(np.ones(3), 60)
    assert log_probability_rank(states[:1], output, bias) == width + 2
    contexts = np.einsum("nk,knd->nd", shares, states)  # mixed before the softmax: nothing gained
    assert log_probability_rank(contexts[None], output, bias) == width + 2
    assert log_probability_rank(states, output, bias, shares) > 2 * (width + 2)


@pytest.mark.parametrize("part", NETWORKS)
def test_every_state_ends_its_sentence_with_at_least_epsilon(part):
    random = np.random.default_rng(6)
    for seed in range(20):
        weights = random_weights(part, seed, scale=1.5)
        corners = np.sign(random.normal(size=(500, 4)))
        least = tightness.log_ending(weights, corners).min()
        assert least >= tightness.log_epsilon(weights) - 1e-12
    matrix = np.zeros((1, 3))
    matrix[0, 1] = -2.0  # one unit that works against </s> alone: then the bound is what happens
    weights = {"output_weights": matrix, "output_bias": np.array([0.5, 0.0, -0.5])}
    worst = tightness.log_ending(weights, np.ones((1, 1)))[0]
    assert worst == pytest.approx(tightness.log_epsilon(weights), abs=1e-12)


def test_gradients_through_time_are_products_of_jacobians_below_their_bound():
    weights = random_weights("rnn", 3)
    recurrent, sentence = weights["recurrent_weights"], np.array([3, 5, 2, 6, 1], np.int32)
    hidden = network_states.states("rnn", weights, sentence)
    products, factors = gradients_through_time.through_time(recurrent, hidden, 9)
    assert len(products) == len(factors) == len(sentence) - 1
    assert (products <= np.cumprod(factors) * (1 + 1e-12)).all()
    assert products[0] == factors[0] and products[-1] < 0.99 * np.prod(factors)
    assert factors.max() <= gradients_through_time.norm(recurrent)
    through = np.empty((4, 4))  # dh_T / dh_1, by the complex step
    inputs = weights["embedding"][sentence[:-1]] @ weights["input_weights"] + weights["hidden_bias"]
    for unit in range(4):
        state = hidden[0].astype(complex)
        state[unit] += 1j * STEP
        for each in inputs:
            state = np.tanh(each + state @ recurrent)
        through[:, unit] = state.imag / STEP
    assert products[-1] == pytest.approx(gradients_through_time.norm(through), rel=1e-10)


@pytest.mark.parametrize("rho", [0.9, 1.0, 1.1])
def test_linear_gradients_grow_at_least_with_the_spectral_radius(rho):
    matrix = np.random.default_rng(7).normal(size=(6, 6))
    matrix *= rho / gradients_through_time.radius(matrix)
    norms = [gradients_through_time.norm(np.linalg.matrix_power(matrix, m)) for m in (1, 50, 800)]
    assert (norms >= np.array([rho, rho**50, rho**800]) * (1 - 1e-9)).all()
    assert norms[0] > 1.05 * rho  # the radius is no bound
    assert norms[2] ** (1 / 800) == pytest.approx(rho, rel=0.01)
