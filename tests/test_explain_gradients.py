"""Gradients through time on the page of `nlmzip explain`, of every recurrent network and head.

They are those of naive steps on complex numbers, and keep to the bounds that the page states.
"""

import functools
import json

import naive_networks
import numpy as np
import pytest
import tiny

from nlmzip.codec import words
from nlmzip.codec.words import WordSettings
from nlmzip.explain import (
    bits,
    columns,
    gradients,
    losses,
    network,
    payload,
    recurrence,
)
from nlmzip.explain.spectral_norm import spectral_norms
from nlmzip.models import model_file

PLAIN = b"the goat grazed near the hill\nthe zebra ate the meat\n\nthe zebra ate the grass\n"
PARTS = ("rnn", "lstm", "gru", "mgu")
#: Heads by what tiny.model_bytes takes: with weights of their own, tied, and tied of one width.
DESIGNS = [
    {},
    {"head": "mos"},
    {"head": "moc"},
    {"tied": True},
    {"tied": True, "hidden": tiny.EMBEDDING},
    {"head": "mos", "tied": True},
    {"head": "moc", "tied": True},
]
FORMS = [("plain", True), ("plain", False), ("bytes", False)]
every_network = pytest.mark.parametrize("part", PARTS)
every_head = pytest.mark.parametrize("design", DESIGNS, ids=str)
every_form = pytest.mark.parametrize("form, reset_state", FORMS)


def silent(*_):
    pass


@functools.cache
def _model(part, form, reset_state, design):
    made = tiny.model_bytes(networks=(part,), form=form, reset_state=reset_state, **dict(design))
    return model_file.read(made)


def model_of(part, form="plain", reset_state=True, design=()):
    return _model(part, form, reset_state, tuple(dict(design).items()))


def payload_of(model, predictor, data=PLAIN, n_jacobians=1000):
    chosen = WordSettings(predictor, False, True, words.form_for(data, model))
    return payload.payload(data, "text", model, chosen, n_jacobians, silent)


# --- the naive networks ------------------------------------------------------------------------


def elman_step(w, state, x):
    return np.tanh(x @ w["input_weights"] + state @ w["recurrent_weights"] + w["hidden_bias"])


def lstm_step(w, state, x):
    h, c = np.split(state, 2)
    gates = x @ w["input_weights"] + h @ w["recurrent_weights"] + w["hidden_bias"]
    i, f, o, g = np.split(gates, 4)
    sigmoid = naive_networks.sigmoid
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return np.concatenate([sigmoid(o) * np.tanh(c), c])


def gru_step(w, state, x):
    from_x = np.split(x @ w["input_weights"] + w["hidden_bias"], 3)
    from_state = np.split(state @ w["recurrent_weights"], 2)
    z, r = (naive_networks.sigmoid(a + b) for a, b in zip(from_x, from_state))
    return z * state + (1 - z) * np.tanh(from_x[2] + (r * state) @ w["candidate_weights"])


def mgu_step(w, state, x):
    of_f, of_n = np.split(x @ w["input_weights"] + w["hidden_bias"], 2)
    f = naive_networks.sigmoid(of_f + state @ w["recurrent_weights"])
    return (1 - f) * state + f * np.tanh(of_n + (f * state) @ w["candidate_weights"])


STEPS = {"rnn": elman_step, "lstm": lstm_step, "gru": gru_step, "mgu": mgu_step}


class Naive:
    """A network on complex numbers, one step after the other."""

    def __init__(self, model, part, design):
        self.weights = {name: each.astype(complex) for name, each in model.section(part).items()}
        self.width = len(self.weights["recurrent_weights"])
        self.size = self.width * (2 if part == "lstm" else 1)
        self._step = STEPS[part]
        self._head = naive_networks.HEADS[design.get("head", "softmax")]
        if design.get("tied"):
            self.weights["output_weights"] = self.weights["embedding"][:-1].T

    def step(self, state, previous):
        return self._step(self.weights, state, self.weights["embedding"][previous])

    def loss(self, state, symbol):
        read = state[: self.width]
        if "tie_weights" in self.weights:
            read = read @ self.weights["tie_weights"]
        return self._head(self.weights, read, symbol)[0]

    def derivatives(self, state, following, symbol):
        """d loss / d state and d later / d state by the complex step (Squire and Trapp 1998),
        where after `state` the symbols `following` are read, and then `symbol` is lost at."""
        tiny_step = 1e-30
        of_loss, of_state = [], []
        for unit in range(self.size):
            moved = state.astype(complex)
            moved[unit] += 1j * tiny_step
            for each in following:
                moved = self.step(moved, each)
            of_loss.append(self.loss(moved, symbol).imag / tiny_step)
            of_state.append(moved.imag / tiny_step)
        return np.array(of_loss), np.array(of_state).T


def unrolled(model, part, symbols):
    """A network in float64 over symbols, and where its state restarts."""
    restarts = np.arange(symbols.size) == 0
    if model.card["reset_state"]:
        restarts[1:] |= symbols[:-1] == 1
    return (*network.unrolled(model, part, symbols, restarts, np.float64), restarts)


@every_network
@every_head
@every_form
@pytest.mark.parametrize("n_lags", [3, 24])
def test_gradient_norms_are_those_of_the_complex_step(part, design, form, reset_state, n_lags):
    model = model_of(part, form, reset_state, design)
    size = int(model.card["vocabulary_size"])
    symbols = np.array([3, 5, 2, 1, 4, 1, 1, 6, 0, 7, 3, 1], np.int64)
    body, of_tokens, restarts = unrolled(model, part, symbols)
    norms = gradients.gradient_norms(body, of_tokens, restarts, n_lags, symbols.size, silent)

    naive = Naive(model, part, design)
    states, reads, expected, jacobians = [], [], [], []
    for time, symbol in enumerate(symbols):
        reads.append(size if restarts[time] else symbols[time - 1])
        before = np.zeros(naive.size) if restarts[time] else states[-1]
        states.append(naive.step(before, reads[-1]).real)
        first = max(index for index in range(time + 1) if restarts[index])
        for earlier in range(time, max(first, time - n_lags) - 1, -1):
            of_loss, of_state = naive.derivatives(states[earlier], reads[earlier + 1 :], symbol)
            expected.append(np.linalg.norm(of_loss))
            if earlier < time:
                jacobians.append(np.linalg.norm(of_state, 2))
    assert body.states == pytest.approx(np.array(states), rel=1e-12)
    assert norms.loss == pytest.approx(expected, rel=1e-9)
    assert norms.jacobians == pytest.approx(jacobians, rel=1e-9)


@every_network
@every_head
@every_form
def test_the_unrolled_network_loses_what_the_predictor_pays(part, design, form, reset_state):
    model = model_of(part, form, reset_state, design)
    chosen = WordSettings(part, False, True, form)
    reading, made = bits.measure(PLAIN, model, chosen, silent)
    body, _, _ = unrolled(model, part, reading.symbols)
    naive = Naive(model, part, design)
    lost = [naive.loss(state, y).real for state, y in zip(body.states, reading.symbols)]
    assert np.array(lost) / np.log(2) == pytest.approx(made.words, abs=1e-4)


@every_network
def test_norms_do_not_depend_on_how_much_is_done_at_once(part, monkeypatch):
    symbols = np.array([2, 3, 1, 5, 4, 1, 2])
    for design in DESIGNS:
        for reset_state in (False, True):
            model = model_of(part, reset_state=reset_state, design=design)

            def norms():
                return gradients.gradient_norms(*unrolled(model, part, symbols), 4, 7, silent)

            at_once = norms()
            with monkeypatch.context() as patch:
                patch.setattr(recurrence, "_STEPS_AT_ONCE", 2)
                patch.setattr(losses, "_BLOCK", 1)
                patch.setattr(gradients, "_TOKENS_AT_ONCE", 2)
                patch.setattr(gradients, "_JACOBIANS_AT_ONCE", 3)
                in_parts = norms()
                patch.setattr(gradients, "_FLOATS", 1)
                one_by_one = norms()
            for one, *others in zip(at_once, in_parts, one_by_one):
                for other in others:
                    assert one == pytest.approx(other, rel=1e-12)


# --- what the page has --------------------------------------------------------------------------


@every_network
@every_head
@every_form
def test_the_page_has_the_norms_and_they_keep_to_their_bounds(part, design, form, reset_state):
    model = model_of(part, form, reset_state, design)
    value = payload_of(model, part)["recurrent"]
    restarts, n_tokens = value["restarts"], len(value["restarts"])
    assert value["name"] == part and value["others"] == []
    assert value["jacobian_tokens"] == n_tokens
    assert restarts[0] == "1" and ("1" in restarts[1:]) == reset_state
    width = design.get("hidden", tiny.HIDDEN)
    assert value["state"] == (["h", "c"] if part == "lstm" else ["h"])
    assert value["state_size"] == width * len(value["state"])
    norm = None
    if part == "rnn":
        matrix = model.section("rnn")["recurrent_weights"].astype(float)
        norm, radius = np.linalg.norm(matrix, 2), max(abs(np.linalg.eigvals(matrix)))
        assert value["matrix"] == pytest.approx({"spectral_norm": norm, "spectral_radius": radius})
    else:
        assert value["matrix"] is None
    loss, jacobian = iter(columns.values(value["loss"])), iter(columns.values(value["jacobians"]))
    slack = 0.01  # of log2, for the rounding
    steps, position = [], 0  # log2 of each step's norm
    for token in range(n_tokens):
        position = 0 if restarts[token] == "1" else position + 1
        n_lags = min(position, payload.N_LAGS)
        at_state = next(loss)
        of_loss = [next(loss) for _ in range(n_lags)]
        of_state = [next(jacobian) for _ in range(n_lags)]
        steps.append(of_state[0] if n_lags else None)
        for lag in range(1, n_lags + 1):
            product = sum(steps[token - lag + 1 : token + 1])
            assert of_loss[lag - 1] - at_state <= of_state[lag - 1] + slack
            assert of_state[lag - 1] <= product + slack
            if norm is not None:
                assert product <= lag * np.log2(norm) + slack * lag
    assert next(loss, None) is next(jacobian, None) is None


@every_network
@every_head
def test_a_network_with_the_largest_weights_has_a_page(part, design):
    model = model_of(part, design=design)
    arrays = {
        name: np.full_like(each, 65504) if name.startswith(f"{part}.") else each
        for name, each in model.arrays.items()
    }
    model = model_file.read(model_file.write(dict(model.card), arrays))
    assert json.loads(json.dumps(payload_of(model, part), allow_nan=False))


@pytest.mark.parametrize(
    "predictor, name, others",
    [
        ("kn", "rnn", ["lstm", "gru"]),
        ("nplm", "rnn", ["lstm", "gru"]),
        ("lstm", "lstm", ["rnn", "gru"]),
        ("kn+gru", "gru", ["rnn", "lstm"]),
        ("kn+nplm+rnn+lstm+gru", "rnn", ["lstm", "gru"]),
    ],
)
def test_the_network_is_that_of_the_predictor_or_else_the_first(predictor, name, others):
    model = model_file.read(tiny.model_bytes(networks=("nplm", "rnn", "lstm", "gru")))
    value = payload_of(model, predictor, n_jacobians=2)["recurrent"]
    assert (value["name"], value["others"]) == (name, others)


def test_a_network_that_no_predictor_uses_is_not_looked_into():
    model = model_of("lstm")
    card = dict(model.card, settings={"kn": model.card["settings"]["kn"]})
    card["default"] = dict(card["default"], predictor="kn", dynamic=False)
    unused = model_file.read(model_file.write(card, model.arrays))
    assert payload_of(unused, "kn")["recurrent"] is None


def test_a_text_of_bytes_is_shown_by_lines():
    value = payload_of(model_of("gru", "bytes", False), "gru", b"a b\n\n" + b"c" * 450 + b"\xe9\n")
    assert value["form"] == "bytes" and set(value["ends"]) == {"0"}
    assert value["words"][:5] == ["a", " ", "b", "\n", "\n"] and value["words"][-2] == "\\xe9"
    assert value["sentences"] == [0, 4, 5, 205, 405]
    assert len(columns.values(value["predictors"][0]["sentences"])) == 5


@pytest.mark.parametrize("size", [1, 2, 7, 128])
def test_spectral_norms_are_the_largest_singular_values(size):
    random = np.random.default_rng(3)
    matrices = random.standard_normal((7, size, size))
    matrices[1] = 0
    matrices[2] *= 1e-25
    matrices[3] *= 1e25
    matrices[4] = np.outer(matrices[4][0], matrices[4][:, 0])
    matrices[5] = np.eye(size)
    expected = [np.linalg.norm(each, 2) for each in matrices[:6]] + [np.inf]
    matrices[6] = np.inf
    assert spectral_norms(matrices) == pytest.approx(expected, rel=1e-3)
    of_float32 = matrices.astype(np.float32)
    assert spectral_norms(of_float32) == pytest.approx(expected, rel=1e-3)
