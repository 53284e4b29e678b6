"""benchmarks/study/long_lag.py and cell_path.py: the task, the path along the cell, and that they run."""


import numpy as np
import pytest
import tiny
from fake_report import FakeReport

from benchmarks.study import cell_path, long_lag, network_states
from benchmarks.study.long_lag import NOISE, Task
from nlmzip.training.bodies.lstm import Lstm
from nlmzip.training.fit.batching import Batch

STEP = 1e-30  # of the complex step (Squire and Trapp 1998)


def instance(seed, n_steps=12):
    """A small LSTM with arbitrary weights in float64, and symbols that it reads (T,)."""
    network, random = Lstm(6, embedding=3, hidden=4), np.random.default_rng(seed)
    initial = network.initial_weights(random)
    weights = {name: random.normal(0, 0.8, array.shape) for name, array in initial.items()}
    return network, weights, random.integers(0, 7, n_steps)


def by_complex_step(network, weights, inputs, lag):
    """dc_T / dc_(T-m) by running on from a cell that was moved, and h = o tanh(c) with it."""
    (_, cell), gates = network.run(weights, inputs[:-lag, None])
    output_gate = np.split(gates[-1], 4, axis=1)[2]
    weights = {name: array.astype(complex) for name, array in weights.items()}
    jacobian = np.empty((network.hidden, network.hidden))
    for unit in range(network.hidden):
        moved = cell[-1].astype(complex)
        moved[0, unit] += 1j * STEP
        state = output_gate * np.tanh(moved), moved
        jacobian[:, unit] = network.run(weights, inputs[-lag:, None], state).states[1][-1, 0].imag / STEP
    return jacobian


@pytest.mark.parametrize("seed", range(5))
def test_cell_path_and_remainder_are_the_whole_derivative(seed):
    network, weights, inputs = instance(seed)
    found = cell_path.reach(network, weights, inputs, 99)
    assert len(found.cell_path) == len(found.remainder) == len(inputs) - 1
    for lag, full in enumerate(found.full(), 1):
        expected = by_complex_step(network, weights, inputs, lag)
        np.testing.assert_allclose(full, expected, atol=1e-13)
    forget = np.split(network.run(weights, inputs[:, None]).gates[:, 0], 4, axis=1)[1]
    np.testing.assert_allclose(found.cell_path[4], forget[-5:].prod(axis=0))
    assert np.abs(found.remainder[1:]).min(axis=0).max() > 0


def test_without_recurrent_weights_of_the_gates_that_feed_it_the_cell_path_is_all():
    network, weights, inputs = instance(1)
    kept = np.split(weights["recurrent_weights"], 4, axis=1)
    weights["recurrent_weights"] = np.hstack([0 * kept[0], 0 * kept[1], kept[2], 0 * kept[3]])
    found = cell_path.reach(network, weights, inputs, 5)
    assert len(found.remainder) == 5 and not found.remainder.any() and found.cell_path.all()


def test_norms_are_the_largest_singular_values_and_their_medians_are_over_those_that_reach():
    network, weights, inputs = instance(2)
    long, short = (cell_path.reach(network, weights, each, 99) for each in (inputs, inputs[:3]))
    diagonal = [np.linalg.svd(np.diag(each), compute_uv=False)[0] for each in long.cell_path]
    np.testing.assert_allclose(long.norms()[:, 0], diagonal)
    medians = cell_path.median_norms([long, short])
    assert [count for _, count in medians.values()] == [2, 2] + [1] * 9
    np.testing.assert_array_equal(medians[3][0], long.norms()[2])
    assert len(cell_path.reach(network, weights, inputs[:1], 9).norms()) == 0
    assert cell_path.median_norms([]) == {}


def test_the_bit_is_read_first_and_asked_for_last():
    batch = Task(60).batch(np.random.default_rng(1), 400)
    assert batch.inputs.shape == batch.targets.shape == batch.mask.shape == (62, 400)
    assert set(batch.inputs[0]) == {0, 1} and set(batch.inputs[-1]) == {2 + NOISE}
    assert set(batch.inputs[1:-1].ravel()) == set(range(2, 2 + NOISE))
    assert batch.mask[-1].all() and not batch.mask[:-1].any()
    np.testing.assert_array_equal(batch.targets[-1], batch.inputs[0])
    assert 0.4 < batch.targets[-1].mean() < 0.6
    assert max(Task().vocabulary_size, 7) == batch.inputs.max() + 1
    assert abs(np.corrcoef(batch.inputs[0], batch.inputs[1:-1].sum(axis=0))[0, 1]) < 0.15


def test_the_gradient_at_the_bit_is_the_losss_by_the_complex_step():
    task = Task(5)
    network = task.networks()["LSTM, forget bias 3"]
    random = np.random.default_rng(3)
    weights = network_states.float64(network.initial_weights(random))
    norms = []
    for _ in range(long_lag.SEQUENCES):
        batch = task.batch(random, 1)
        gradient = np.empty(long_lag.EMBEDDING)
        for place in range(long_lag.EMBEDDING):
            moved = {name: array.astype(complex) for name, array in weights.items()}
            moved["embedding"][batch.inputs[0, 0], place] += 1j * STEP
            gradient[place] = network.loss_and_gradients(moved, batch)[0].imag / STEP
        norms.append(np.linalg.norm(gradient))
    assert long_lag.gradient_at_the_bit(network, task, 3) == pytest.approx(np.median(norms))


def test_a_short_lag_is_learnt_and_steps_are_told():
    task = Task(1)
    network = task.networks()["LSTM, forget bias 3"]
    trained = long_lag.train(network, task, 600, seed=1)
    assert trained.accuracy >= long_lag.LEARNT and trained.steps % long_lag.EVERY == 0
    assert long_lag.train(network, task, 1, seed=1).steps is None
    batch = task.batch(np.random.default_rng(9), 50)
    wrong = Batch(batch.inputs, 1 - batch.targets, batch.mask)
    shares = [long_lag.share_right(network, trained.weights, each) for each in (batch, wrong)]
    assert sum(shares) == 1 and shares[0] > 0.9


def test_the_tables_are_told(tiny_model):
    report = FakeReport()
    task = Task(4)
    trained = long_lag.task_table(report, task, 2, 2)
    assert [row[2] for row in report.rows[:3]] == ["0 of 2"] * 3
    long_lag.start_table(report, task)
    long_lag.path_table(report, task, trained)
    text = np.concatenate(network_states.sentences(tiny.TEXT, tiny_model))
    long_lag.word_table(report, tiny_model.card["vocabulary_size"], text, text, text, 5, 1)
    paths = [row for row in report.rows if len(row) == 5 and row[0] == "1"]
    assert len(paths) == 4 and all(0 < float(row[1]) < 1 for row in paths)
