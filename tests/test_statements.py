"""What is proved of these networks and of how they learn, on small random instances."""


import computational_graph
import numpy as np
import pytest
from counted_products import multiply_adds

from benchmarks.study import (
    animals,
    geometry,
    gradients_through_time,
    network_states,
    softmax_bottleneck,
    tightness,
)
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.fit.fit import Schedule, fit

V = 9
TEXT = np.array([3, 4, 1, 2, 2, 5, 1, 4, 3, 6, 5, 2, 1], np.int32)  # 0, 7 and 8 never come
NETWORKS = {"nplm": Nplm(V, embedding=3, hidden=4), "rnn": Elman(V, embedding=3, hidden=4)}
KEPT = {"embedding", "output_bias"}  # by a new order of the hidden units
STEP = 1e-30  # of the complex step (Squire and Trapp 1998)


def random_weights(part, seed, scale=0.7):
    random = np.random.default_rng(seed)
    initial = NETWORKS[part].initial_weights(random)
    return {name: random.normal(0, scale, array.shape) for name, array in initial.items()}


def gradients_of(part, weights, tokens=TEXT):
    """Of the mean loss over a text."""
    ((_, _, gradients),) = NETWORKS[part].steps(weights, tokens, np.random.default_rng(0))
    return gradients


def loss_of(network, weights, tokens):
    return -network.log_probabilities(weights, tokens).mean()


# The softmax is the categorical exponential family.


@pytest.mark.parametrize("part", NETWORKS)
def test_the_softmax_jacobian_is_the_categorical_covariance(part):
    weights = {name: array.astype(complex) for name, array in random_weights(part, 1).items()}
    target, bias = 1, weights["output_bias"]

    def output_gradient():
        """p - e_y: the gradient of one token's loss at the logits, and so at their bias."""
        return gradients_of(part, weights, np.array([target]))["output_bias"]

    jacobian = np.empty((V, V))
    for place in range(V):
        bias[place] += 1j * STEP
        jacobian[:, place] = output_gradient().imag / STEP
        bias[place] = bias[place].real
    p = (output_gradient() + np.eye(V)[target]).real
    covariance = sum(p[y] * np.outer(each, each) for y, each in enumerate(np.eye(V) - p))
    np.testing.assert_allclose(jacobian, covariance, atol=1e-14)
    np.testing.assert_allclose(jacobian @ np.ones(V), 0, atol=1e-14)
    eigenvalues = np.linalg.eigvalsh(jacobian)
    assert abs(eigenvalues[0]) < 1e-14 and (eigenvalues[1:] > 1e-6).all()  # of rank V - 1


def train_output_layer(network, weights, tokens):
    """Newton steps on the output layer alone, where the loss is convex, until no gradient is left."""
    inputs = np.column_stack((network_states.states("nplm", weights, tokens), np.ones(len(tokens))))
    weights |= {name: 0 * weights[name] for name in ("output_weights", "output_bias")}
    for _ in range(20):
        ((_, _, gradients),) = network.steps(weights, tokens, np.random.default_rng(0))
        output = np.vstack((weights["output_weights"], weights["output_bias"]))  # (h + 1, V)
        p = np.exp(network_states.log_softmax(inputs @ output))
        curvature = np.mean([
            np.kron(np.outer(x, x), np.diag(each) - np.outer(each, each))
            for x, each in zip(inputs, p)
        ], axis=0)  # fmt: skip
        gradient = np.vstack((gradients["output_weights"], gradients["output_bias"])).ravel()
        output -= np.linalg.lstsq(curvature, gradient, rcond=1e-10)[0].reshape(output.shape)
        weights["output_weights"], weights["output_bias"] = output[:-1], output[-1]
    assert np.abs(gradient).max() < 1e-12


def test_at_a_stationary_point_predictions_have_the_moments_of_the_targets():
    random = np.random.default_rng(4)
    size, tokens = 4, random.integers(0, 4, 300).astype(np.int32)
    network = Nplm(size, embedding=2, hidden=2, batch_size=len(tokens))
    weights = {
        name: random.normal(size=array.shape)
        for name, array in network.initial_weights(random).items()
    }
    hidden, observed = network_states.states("nplm", weights, tokens), np.eye(size)[tokens]

    def largest_gap():
        gap = np.exp(network_states.log_probabilities(weights, hidden)) - observed
        return max(np.abs(gap.mean(axis=0)).max(), np.abs(hidden.T @ gap).max() / len(tokens))

    assert largest_gap() > 0.01
    train_output_layer(network, weights, tokens)
    assert largest_gap() < 1e-12
    weights["output_bias"][0] += 0.1
    assert largest_gap() > 0.01  # and at no other point


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


@pytest.mark.parametrize(
    "part, before_output, first_states",
    [("nplm", 2 * 3 * 4, 0), ("rnn", 3 * 4 + 4 * 4, 3 * 4 * 4)],
)
def test_a_reverse_sweep_costs_two_forward_passes(part, before_output, first_states):
    network, weights = NETWORKS[part], random_weights(part, 1)
    tokens = np.tile(TEXT[3:7], 3)  # three sentences of one length, so that nothing is padding
    forward = multiply_adds(network.log_probabilities, weights, tokens)
    assert forward == len(tokens) * (before_output + 4 * V)
    both = multiply_adds(lambda counted: gradients_of(part, counted, tokens), weights)
    assert both - forward == 2 * forward - first_states  # nothing flows back into h_0


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
