"""Adam, clipping, the schedule, early stopping, and what `fit` makes of them."""

import numpy as np
import pytest

from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.fit.adam import BLOCK, Adam, clip_gradients
from nlmzip.training.fit.fit import Schedule, fit


def test_adam_takes_the_two_steps_worked_out_by_hand():
    # beta1 = 0.5, beta2 = 0.75, epsilon = 0.5, rate 1.
    # Step 1, g = 2: m = 1, v = 1; corrected 2 and 4; w = 10 - 2 / (2 + 0.5) = 9.2.
    # Step 2, g = -1: m = 0, v = 1; the corrected mean is 0, w stays.
    # Step 3, g = 4: m = 2, v = 4.75; corrected 2 / 0.875 and 4.75 / 0.578125.
    weights = {"a": np.array([10.0])}
    adam = Adam(weights, beta1=0.5, beta2=0.75, epsilon=0.5)
    adam.step({"a": np.array([2.0])}, 1.0)
    assert weights["a"][0] == pytest.approx(9.2, abs=1e-14)
    adam.step({"a": np.array([-1.0])}, 1.0)
    assert weights["a"][0] == pytest.approx(9.2, abs=1e-14)
    adam.step({"a": np.array([4.0])}, 1.0)
    third = (2 / 0.875) / (np.sqrt(4.75 / 0.578125) + 0.5)
    assert weights["a"][0] == pytest.approx(9.2 - third, abs=1e-14)


def test_adam_in_blocks_equals_the_paper_written_whole():
    random = np.random.default_rng(0)
    start = {"w": random.normal(size=(3, BLOCK)), "b": random.normal(size=5)}
    weights = {name: array.copy() for name, array in start.items()}
    adam = Adam(weights, weight_decay=0.1)
    mean = {name: 0.0 for name in start}
    square = {name: 0.0 for name in start}
    expected = {name: array.copy() for name, array in start.items()}
    for t in range(1, 4):
        gradients = {name: random.normal(size=array.shape) for name, array in start.items()}
        for name, g in gradients.items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.999 * square[name] + 0.001 * g**2
            move = mean[name] / (1 - 0.9**t) / (np.sqrt(square[name] / (1 - 0.999**t)) + 1e-8)
            if name == "w":
                expected[name] *= 1 - 0.01 * 0.1
            expected[name] -= 0.01 * move
        adam.step(gradients, 0.01)
    for name in start:
        np.testing.assert_allclose(weights[name], expected[name], atol=1e-12)


def test_weight_decay_spares_biases():
    weights = {"matrix": np.ones((2, 2)), "bias": np.ones(2)}
    nothing = {name: np.zeros_like(array) for name, array in weights.items()}
    Adam(weights, weight_decay=0.5).step(nothing, 0.1)
    assert weights["matrix"] == pytest.approx(0.95)
    assert weights["bias"] == pytest.approx(1.0)


def test_clipping_scales_all_gradients_to_the_joint_norm():
    gradients = {"a": np.array([3.0, 0.0]), "b": np.array([[4.0]])}
    assert clip_gradients(gradients, 1.0) == pytest.approx(5.0)
    assert gradients["a"] == pytest.approx(np.array([0.6, 0.0]))
    assert gradients["b"] == pytest.approx(np.array([[0.8]]))


def test_small_gradients_are_not_scaled():
    gradients = {"a": np.array([0.3, 0.4])}
    assert clip_gradients(gradients, 1.0) == pytest.approx(0.5)
    assert gradients["a"].tolist() == [0.3, 0.4]


def test_the_rate_rises_then_falls_to_zero():
    schedule = Schedule(learning_rate=0.5, warm_up=0.2)
    rates = [schedule.rate(share) for share in (0, 0.1, 0.2, 0.6, 1)]
    assert rates == pytest.approx([0, 0.25, 0.5, 0.25, 0])


class Walk:
    """A stand-in network of one weight that counts epochs; its dev losses are given."""

    vocabulary_size = 3

    def __init__(self, dev_losses, interrupt_in=None):
        self.dev_losses, self.interrupt_in = list(dev_losses), interrupt_in

    def initial_weights(self, random):
        return {"epoch": np.zeros((1, 1))}

    def steps(self, weights, tokens, random):
        weights["epoch"] += 1
        if weights["epoch"][0, 0] == self.interrupt_in:
            raise KeyboardInterrupt
        yield len(tokens), 0.0, {"epoch": np.zeros((1, 1))}

    def log_probabilities(self, weights, tokens):
        return np.array([-self.dev_losses[int(weights["epoch"][0, 0]) - 1]])


TOKENS = np.array([2, 2, 1, 2, 1], np.int32)


def fit_walk(*arguments, **settings):
    return fit(Walk(*arguments), TOKENS, TOKENS, Schedule(**settings), seed=0)


def test_the_epoch_with_the_least_dev_loss_is_kept():
    result = fit_walk([5, 3, 4, 2, 6, 6], epochs=6, patience=9)
    assert result.dev_losses == [5, 3, 4, 2, 6, 6]
    assert result.best_epoch == 4 and result.weights["epoch"] == 4


def test_training_ends_when_patience_does():
    result = fit_walk([5, 3, 4, 4, 1], epochs=5, patience=2)
    assert result.dev_losses == [5, 3, 4, 4]
    assert result.weights["epoch"] == 2


def test_an_interrupt_keeps_the_best_so_far():
    result = fit_walk([5, 4, 6], 4, epochs=9)
    assert result.interrupted and result.dev_losses == [5, 4, 6]
    assert result.weights["epoch"] == 2


def test_an_interrupt_in_the_first_epoch_keeps_the_weights_as_they_are():
    result = fit_walk([], 1, epochs=9)
    assert result.interrupted and result.best_epoch == 0
    assert result.weights["epoch"] == 1


class Listener(Walk):
    """Keeps the tokens of every epoch."""

    def __init__(self, n_epochs):
        super().__init__([1] * n_epochs)
        self.epochs = []

    def steps(self, weights, tokens, random):
        self.epochs.append(tokens.tolist())
        yield from super().steps(weights, tokens, random)


def test_words_seen_once_are_dropped_anew_in_each_epoch():
    network = Listener(2)
    network.vocabulary_size = 102
    tokens = np.append(np.arange(2, 102), 1).astype(np.int32)
    fit(network, tokens, tokens, Schedule(epochs=2), seed=0)
    for heard in network.epochs:
        assert 20 < heard.count(0) < 80
        assert all(now in (0, before) for now, before in zip(heard, tokens))
    assert network.epochs[0] != network.epochs[1]


class Pushed:
    """A stand-in network of one weight, 1 at first, whose gradients are given, one a token."""

    vocabulary_size = 3

    def __init__(self, *gradients, losses=None):
        self.gradients, self.losses = gradients, losses or [0.0] * len(gradients)

    def initial_weights(self, random):
        return {"w": np.ones((1, 1))}

    def steps(self, weights, tokens, random):
        for gradient, loss in zip(self.gradients, self.losses):
            yield 1, loss, {"w": np.full((1, 1), gradient)}

    def log_probabilities(self, weights, tokens):
        return np.array([0.0])


def fit_pushed(network, **settings):
    schedule = Schedule(epochs=1, warm_up=0, **settings)
    return schedule, fit(network, TOKENS[: len(network.gradients)], TOKENS, schedule, seed=0)


def test_a_gradient_beyond_the_largest_moves_no_more_than_the_largest():
    schedule, result = fit_pushed(Pushed(500.0, 0.5), largest_gradient=0.5)
    # Adam moves by the whole rate when all gradients are alike.
    moved = schedule.rate(0) + schedule.rate(0.5)
    assert result.weights["w"][0, 0] == pytest.approx(1 - moved, abs=1e-8)


def test_weights_decay_as_the_schedule_says():
    schedule, result = fit_pushed(Pushed(0.0, 0.0), weight_decay=0.3)
    left = (1 - 0.3 * schedule.rate(0)) * (1 - 0.3 * schedule.rate(0.5))
    assert result.weights["w"][0, 0] == pytest.approx(left, abs=1e-12)


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_a_loss_that_is_not_finite_ends_training(loss):
    schedule, result = fit_pushed(Pushed(1.0, 1.0, 1.0, losses=[2.0, loss, 2.0]))
    assert result.dev_losses == [] and result.best_epoch == 0
    assert result.weights["w"] == pytest.approx(1 - schedule.rate(0), abs=1e-8)


@pytest.mark.parametrize("gradient", [np.nan, np.inf])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_weights_that_are_not_finite_are_not_kept(gradient):
    _, result = fit_pushed(Pushed(gradient))
    assert result.dev_losses == [] and result.weights["w"] == 1


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_an_epoch_whose_dev_loss_is_not_finite_is_not_kept(loss):
    result = fit_walk([5, 4, loss, 1], epochs=4, patience=9)
    assert result.dev_losses == [5, 4] and result.weights["epoch"] == 2


def counting_text(n_sentences):
    """Each sentence counts on from a random word of 20 to the next multiple of five."""
    random = np.random.default_rng(5)
    sentences = [
        [2 + word for word in range(start, 5 * (start // 5 + 1))] + [1]
        for start in random.integers(0, 20, n_sentences)
    ]
    return np.array(sum(sentences, []), np.int32)


NETWORKS = [
    Nplm(22, 8, 16, batch_size=64),
    Elman(22, 8, 16, batch_size=8),
    Elman(22, 8, 16, batch_size=8, steps_back=8, reset_state=False),
]


@pytest.mark.parametrize("network", NETWORKS)
def test_training_learns_a_text_with_a_rule(network):
    schedule = Schedule(epochs=6, learning_rate=0.02)
    dev = counting_text(40)
    result = fit(network, counting_text(600), dev, schedule, seed=0)
    unknowable = 40 * np.log(20) / len(dev)  # the first word of each sentence
    assert unknowable < result.dev_losses[-1] < unknowable + 0.1


@pytest.mark.parametrize("network", NETWORKS)
def test_the_same_seed_gives_the_same_weights(network):
    runs = [
        fit(network, counting_text(60), counting_text(9), Schedule(epochs=2), seed).weights
        for seed in (1, 1, 2)
    ]
    for name, array in runs[0].items():
        assert (array == runs[1][name]).all()
    assert (runs[0]["output_weights"] != runs[2]["output_weights"]).any()


@pytest.mark.parametrize("learning_rate", [1e10, 1e30, 1e300])
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_absurd_learning_rate_leaves_finite_weights(network, learning_rate):
    schedule = Schedule(epochs=2, learning_rate=learning_rate)
    result = fit(network, counting_text(60), counting_text(9), schedule, seed=0)
    assert np.isfinite(result.dev_losses).all()
    assert all(np.isfinite(array).all() for array in result.weights.values())


def test_progress_counts_every_token_and_tells_the_losses():
    calls = []
    network = Elman(22, 8, 16, batch_size=8)
    tokens = counting_text(60)
    fit(network, tokens, tokens, Schedule(epochs=2), 0, lambda n, **f: calls.append((n, f)))
    assert sum(n for n, _ in calls) == 2 * len(tokens)
    assert set(calls[0][1]) == {"loss"} and set(calls[-1][1]) == {"loss", "dev"}
