"""Kernels against their naive twins, bit for bit where the order of a sum is promised."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import naive
import numpy as np
import pytest

import nlmzip
from nlmzip.errors import NlmzipError
from nlmzip.kernels import dense, memory, njit, self_test
from nlmzip.kernels.elementary import exp, log, sigmoid, tanh

LANES = np.zeros(32, np.float32)
MIXED = (Path(__file__).parent / "golden" / "plain.mix.nlmz").read_bytes()


@njit
def each_exp(x, out):
    for index in range(x.size):
        out[index] = exp(x[index])


@njit
def each_log(x, out):
    for index in range(x.size):
        out[index] = log(x[index])


@njit
def each_tanh(x, out):
    for index in range(x.size):
        out[index] = tanh(x[index])


@njit
def each_sigmoid(x, out):
    for index in range(x.size):
        out[index] = sigmoid(x[index])


def random(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def test_exp_is_within_two_units_in_the_last_place():
    x = np.linspace(-86, 87, 200_001).astype(np.float32)
    out = np.empty_like(x)
    each_exp(x, out)
    exact = np.exp(x.astype(np.float64))
    assert np.abs(out / exact - 1).max() < 2 * 2.0**-23


def test_exp_clamps_instead_of_overflowing():
    x = np.array([-1e30, -88, 0, 89, 1e30, np.float32(np.inf), -np.float32(np.inf)], np.float32)
    out = np.empty_like(x)
    each_exp(x, out)
    assert np.isfinite(out).all() and (out > np.finfo(np.float32).tiny).all()
    assert out[2] == 1


def test_log_is_exact_to_seven_digits():
    near_one, far = np.linspace(0.4, 2.5, 100_001), 2.0 ** np.linspace(-120, 120, 100_001)
    for x in (near_one.astype(np.float32), far.astype(np.float32)):
        out = np.empty_like(x)
        each_log(x, out)
        exact = np.log(x.astype(np.float64))
        assert (np.abs(out - exact) <= 1e-6 * np.maximum(np.abs(exact), 0.2)).all()
    one = np.ones(1, np.float32)
    each_log(one, one)
    assert one[0] == 0


def test_tanh_is_exact_to_seven_digits_and_stays_within_one():
    x = np.concatenate([np.linspace(-12, 12, 200_001), [-1e9, 1e9, 0]]).astype(np.float32)
    out = np.empty_like(x)
    each_tanh(x, out)
    assert np.abs(out - np.tanh(x.astype(np.float64))).max() < 2e-7
    assert np.abs(out).max() <= 1 and out[-1] == 0


def test_sigmoid_is_within_four_units_in_the_last_place_and_never_denormal():
    x = np.concatenate([np.linspace(-30, 90, 200_001), [-1e9, 1e9, 0]]).astype(np.float32)
    out = np.empty_like(x)
    each_sigmoid(x, out)
    exact = 1 / (1 + np.exp(-np.maximum(x.astype(np.float64), -30)))
    assert np.abs(out / exact - 1).max() < 4 * 2.0**-23
    assert out.min() > 1e-14 and out.max() == 1 and out[-1] == 0.5


@pytest.mark.parametrize("size", [1, 31, 32, 33, 100, 3427])
def test_dot_sums_in_the_written_order(size):
    a, b = random(size), random(size, seed=1)
    assert dense.dot(a, b, LANES) == naive.dot(a, b)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (8, 40), (13, 33)])
def test_affine_sums_in_the_written_order(shape):
    x, weights, bias = random(shape[0]), random(*shape, seed=1), random(shape[1], seed=2)
    out = np.empty(shape[1], np.float32)
    dense.affine(x, weights, bias, out)
    assert (out == naive.affine(x, weights, bias)).all()


@pytest.mark.parametrize("times", [1, 3, 4, 5, 8, 11])
def test_descend_takes_time_in_order_however_many_at_once(times):
    weights, activations, gradients = random(5, 19), random(times, 5, seed=1), random(times, 19, seed=2)
    expected = naive.descend(weights, activations, gradients, np.float32(0.3))
    dense.descend(weights, activations, gradients, np.float32(0.3))
    assert (weights == expected).all()


def test_weights_cannot_run_away():
    weights = random(2, 40)
    dense.descend(weights, random(4, 2, scale=1e3), random(4, 40, scale=1e3), np.float32(10))
    assert np.abs(weights).max() == dense.WEIGHT_LIMIT
    row = random(40)
    dense.descend_row(row, np.full(40, 1e9, np.float32), np.float32(1))
    assert (row == -dense.WEIGHT_LIMIT).all()


def test_multiply_transposed_is_a_dot_product_each():
    gradients, weights = random(3, 70), random(4, 70, seed=1)
    out = np.empty((3, 4), np.float32)
    dense.multiply_transposed(gradients, weights, LANES, out)
    assert (out == [[naive.dot(w, g) for w in weights] for g in gradients]).all()


def test_columns_of_weights_beyond_the_gradients_do_not_count():
    weights, activations, gradients = random(4, 70), random(5, 4, seed=1), random(5, 69, seed=2)
    out, narrow = np.empty((5, 4), np.float32), weights[:, :69].copy()
    expected, moved = np.empty_like(out), weights.copy()
    dense.multiply_transposed(gradients, narrow, LANES, expected)
    dense.multiply_transposed(gradients, weights, LANES, out)
    assert (out == expected).all()
    dense.descend(moved, activations, gradients, np.float32(0.3))
    dense.descend(narrow, activations, gradients, np.float32(0.3))
    assert (moved[:, :69] == narrow).all() and (moved[:, 69] == weights[:, 69]).all()


@pytest.mark.parametrize("size", [1, 2, 32, 50, 3427])
def test_softmax_is_a_distribution_with_a_floor(size):
    logits = random(size, scale=20)
    out = logits.copy()
    dense.softmax_in_place(out, LANES)
    exact = np.exp(np.maximum(logits.astype(np.float64) - logits.max(), -30))
    np.testing.assert_allclose(out, exact / exact.sum(), rtol=1e-5)
    assert out.min() > 0 and abs(out.sum(dtype=np.float64) - 1) < 1e-5


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    """What read_kernels.py prints in a process without a cache."""
    nowhere = tmp_path_factory.mktemp("cache") / "a file"
    nowhere.write_bytes(b"")  # a cache folder cannot be made below a file
    shown = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("read_kernels.py"))],
        env=os.environ | {"NLMZIP_CACHE": str(nowhere / "cache")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(shown.stdout)


@pytest.fixture(scope="module")
def compiled_kernels(reading):
    """What every kernel of the coding path compiles to."""
    kernels = reading["kernels"]
    # If the reader saw nothing, nothing could be wrong.
    for network in ("nplm", "elman", "lstm", "gru", "mgu"):
        assert kernels[f"nlmzip.predictors.bodies.{network}.{network}_learn"]["instructions"] > 1000
    for head in ("softmax.softmax", "softmax.projected", "softmax_mixtures.softmaxes", "softmax_mixtures.contexts"):
        assert kernels[f"nlmzip.predictors.heads.{head}_learn"]["instructions"] > 1000
    assert kernels["nlmzip.engine.loop._code_bytes"]["instructions"] > 1000
    assert kernels["nlmzip.engine.inputs.finer.finer_inputs"]["instructions"] > 100
    assert kernels["nlmzip.counts.trie.walk"]["instructions"] > 1000
    assert "float32" in kernels["nlmzip.predictors.kneser_ney.kneser_ney_predict"]["types"]
    return kernels


def test_every_kernel_is_read(reading):
    assert reading["unread"] == []


def test_no_kernel_fuses_or_calls_the_mathematical_library(compiled_kernels):
    assert {name: k["forbidden"] for name, k in compiled_kernels.items() if k["forbidden"]} == {}


def test_what_codes_followers_counts_no_references(compiled_kernels):
    """Locked instructions would take most of the time."""
    for name in ("counts.followers.code_followers", "counts.nodes.step", "entropy.range_coder.code_bit"):
        assert compiled_kernels[f"nlmzip.{name}"]["counting"] == []


def test_no_kernel_widens_silently(compiled_kernels):
    """float64 is allowed only where information is counted, which decides nothing."""
    wide = {name for name, kernel in compiled_kernels.items() if "float64" in kernel["types"]}
    assert wide <= {"nlmzip.entropy.range_coder._narrow"}


def test_the_self_test_holds_here_and_on_an_old_machine():
    assert self_test.digest() == self_test.EXPECTED
    code = "from nlmzip.kernels import self_test; print(self_test.digest() == self_test.EXPECTED)"
    environment = os.environ | {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""}
    if os.uname().machine != "x86_64":
        pytest.skip("nehalem is an x86-64 processor")
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert shown.stdout.strip() == "True", shown.stderr


GOLDEN = Path(__file__).parent / "golden"


def test_word_models_in_the_mixture_decode_the_same_on_an_old_machine():
    if os.uname().machine != "x86_64":
        pytest.skip("nehalem is an x86-64 processor")
    code = f"""
import nlmzip, pathlib
folder = pathlib.Path({str(GOLDEN)!r})
models = sorted(folder.glob("*.nlm"))
for name in ("plain", "general"):
    original = (folder / f"{{name}}.txt").read_bytes()
    for form in ("plain", "general"):
        for predictor in ("kn+rnn", "kn+nplm"):
            path = folder / f"{{name}}.mix.{{form}}.{{predictor}}.dynamic.nlmz"
            assert nlmzip.decompress(path.read_bytes(), model=models) == original, path
"""
    environment = os.environ | {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""}
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr


def test_a_process_with_other_arithmetic_is_refused(monkeypatch):
    monkeypatch.setattr(self_test, "EXPECTED", self_test.EXPECTED ^ 1)
    monkeypatch.setattr(self_test, "_checked", False)
    with pytest.raises(NlmzipError, match="IEEE 754"):
        self_test.require()
    for coding in (lambda: nlmzip.compress(b"text" * 9), lambda: nlmzip.decompress(MIXED)):
        with pytest.raises(NlmzipError, match="IEEE 754"):
            coding()


@pytest.mark.parametrize("shape", [(1, 32), (3, 64), (12, 1 << 15)])
def test_arrays_on_lines_begin_at_a_line_and_are_zero(shape):
    made = [memory.zeros_on_lines(shape, np.uint16) for _ in range(4)]
    for array in made:
        assert array.ctypes.data % memory.LINE == 0
        assert array.shape == shape and array.dtype == np.uint16 and not array.any()
        assert array.flags.c_contiguous and array.flags.writeable
        array[:] = 7
    assert all((array == 7).all() for array in made)


def test_fetching_ahead_changes_nothing():
    @njit
    def fetch(array, index):
        memory.prefetch(array, index)

    array = np.arange(12, dtype=np.uint16).reshape(3, 4)
    for place in ((0, 0), (2, 3), (5, 100)):  # even where nothing is
        fetch(array, place)
        fetch(array.ravel(), place[0])
    assert array.ravel().tolist() == list(range(12))


class FourArrays(NamedTuple):
    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    fourth: np.ndarray


def test_each_call_gets_the_kernel_for_its_arrays():
    """numba before 0.61 took one for rows where a tuple held columns, at every other call."""

    @njit
    def corner(arrays, others, row):
        return arrays.first[row, 1] + others.first[row, 1]

    others = FourArrays(*(np.zeros((9, 5), np.float32) for _ in range(4)))
    tables = np.arange(45, dtype=np.float32).reshape(9, 5), np.arange(45, dtype=np.float32).reshape(5, 9).T
    for call in range(400):
        table = tables[call // 7 % 2]
        held = FourArrays(table, *others[1:])
        assert corner(held, others, call % 9) == table[call % 9, 1]
