"""The page of `nlmzip explain`: its numbers are the library's."""

import json
import re

import numpy as np
import pytest

from nlmzip.codec import words
from nlmzip.codec.words import WordSettings
from nlmzip.explain import bits, columns, page, payload, synthetic
from nlmzip.explain.seen import event_classes
from nlmzip.models import model_file
from nlmzip.models.modes import modes, name_of_mode

PLAIN = b"the goat grazed near the hill\nthe zebra ate the meat\n\nthe zebra ate the grass\n"
GENERAL = (
    b"The Goat grazed;\r\n near\tthe hill. <b>THE</b> caf\xc3\xa9 & \x00 \xff ate.\n\nMeat"
)
TEXTS = {"plain": PLAIN, "general": GENERAL}
N_JACOBIANS = 9


def settings(data, model, predictor="kn+rnn", dynamic=True, spelling_cache=True):
    return WordSettings(predictor, dynamic, spelling_cache, words.form_for(data, model))


def silent(*_):
    pass


def payload_of(data, model, n_jacobians=N_JACOBIANS, **chosen):
    of_words = settings(data, model, **chosen)
    return payload.payload(data, "text", model, of_words, n_jacobians, silent)


# --- bits --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("spelling_cache", [True, False])
def test_bits_of_a_token_are_those_the_words_codec_measures(tiny_model, form, spelling_cache):
    data = TEXTS[form]
    for predictor, dynamic in modes(tiny_model):
        chosen = settings(data, tiny_model, predictor, dynamic, spelling_cache)
        assert chosen.form == form
        reading, made = bits.measure(data, tiny_model, chosen, silent)
        expected = list(words.measure(data, tiny_model, chosen))
        assert reading.tokens == [each.token for each in expected]
        assert reading.symbols.tolist() == [each.symbol for each in expected]
        assert made.words.tolist() == [each.word_bits for each in expected]
        details = made.spelling + made.other
        assert details == pytest.approx([each.detail_bits for each in expected], abs=1e-12)


@pytest.mark.parametrize("form", TEXTS)
def test_totals_are_what_the_payload_of_the_words_codec_costs(tiny_model, form):
    data = TEXTS[form]
    value = payload_of(data, tiny_model)
    for (predictor, dynamic), each in zip(modes(tiny_model), value["predictors"], strict=True):
        coded = words.encode(data, tiny_model, settings(data, tiny_model, predictor, dynamic))
        assert each["name"] == name_of_mode(predictor, dynamic)
        assert each["payload_bytes"] == len(coded)
        assert each["bits_per_character"] == 8 * len(coded) / len(data)
        assert 0 <= 8 * len(coded) - each["information"] <= 10
        parts = each["words"] + each["spelling"] + each["other"]
        assert parts == pytest.approx(each["information"], abs=1e-9)
        assert columns.values(each["sentences"]).sum() == pytest.approx(parts, rel=1e-6)


@pytest.mark.parametrize("form", TEXTS)
def test_columns_are_the_measured_bits_but_for_the_rounding_that_is_stated(tiny_model, form):
    data = TEXTS[form]
    value = payload_of(data, tiny_model)
    for mode, each in zip(modes(tiny_model), value["predictors"]):
        _, made = bits.measure(data, tiny_model, settings(data, tiny_model, *mode), silent)
        assert each["bits"] == columns.rounded(made.words, payload.BIT_STEP)
        assert np.abs(columns.values(each["bits"]) - made.words).max() <= payload.BIT_STEP / 2
        assert each["words"] == made.words.sum()
        error = columns.values(value["spelling"]) - made.spelling
        assert np.abs(error).max() <= payload.DETAIL_STEP / 2
        sums = np.add.reduceat(made.total, value["sentences"])
        assert columns.values(each["sentences"]).tolist() == sums.astype(np.float32).tolist()
    assert (value["other"] is None) == (form == "plain")


def test_the_page_begins_with_the_predictor_that_is_asked_for(tiny_model):
    for predictor, dynamic in modes(tiny_model):
        value = payload_of(PLAIN, tiny_model, predictor=predictor, dynamic=dynamic)
        assert value["predictors"][value["start"]]["name"] == name_of_mode(predictor, dynamic)


def test_a_step_of_a_column_is_kept_and_what_does_not_fit_is_held():
    column = columns.rounded(np.array([-1.0, 0.0, 0.26, 1e9]), 0.25)
    assert columns.values(column).tolist() == [0, 0, 0.25, 0.25 * 65535]
    assert columns.values(columns.rounded([-40.0, 3.5], 0.5, -40)).tolist() == [-40, 3.5]
    assert columns.values(columns.floats(np.array([0.1]))).tolist() == [float(np.float32(0.1))]


# --- tokens and what training saw ----------------------------------------------------------


@pytest.mark.parametrize("form", TEXTS)
def test_sentences_begin_after_each_end(tiny_model, form):
    value = payload_of(TEXTS[form], tiny_model)
    ends = value["ends"]
    assert value["sentences"] == [0] + [i + 1 for i, end in enumerate(ends[:-1]) if end == "1"]
    assert len(ends) == len(value["words"]) == len(value["gaps"]) == len(value["classes"])


def test_words_and_gaps_make_up_the_text_with_escapes_for_what_is_no_text(tiny_model):
    value = payload_of(GENERAL, tiny_model)
    text = "".join(gap + word for gap, word in zip(value["gaps"], value["words"]))
    assert text == (
        "The Goat grazed;\n near\tthe hill. <b>THE</b> caf\xe9 & \\x00 \\xff ate.\n\nMeat"
    )


def test_classes_are_those_of_the_events_and_of_unknown_words(tiny_model):
    value = payload_of(PLAIN, tiny_model)
    reading, _ = bits.measure(PLAIN, tiny_model, settings(PLAIN, tiny_model), silent)
    sentences = np.cumsum(np.concatenate(([0], reading.symbols[:-1] == 1)))
    classes = event_classes(reading.symbols, sentences, tiny_model)
    expected = [3 if symbol == 0 else each for symbol, each in zip(reading.symbols, classes)]
    assert value["classes"] == "".join(map(str, expected))
    assert set(value["classes"]) == set("0123")


# --- gradients through time, of which test_explain_gradients.py has the numbers -------------------


def test_jacobians_are_measured_for_as_many_tokens_as_are_asked_for(tiny_model):
    for n_jacobians in (0, 1, 4):
        value = payload_of(PLAIN, tiny_model, n_jacobians=n_jacobians)["recurrent"]
        assert value["jacobian_tokens"] == n_jacobians
        assert len(columns.values(value["jacobians"])) == sum(range(n_jacobians))


def test_a_model_without_networks_or_counts_has_neither_gradients_nor_classes(tiny_model):
    card = dict(tiny_model.card, settings={"nplm": tiny_model.card["settings"]["nplm"]})
    card["default"] = dict(card["default"], predictor="nplm")
    arrays = {
        name: each for name, each in tiny_model.arrays.items()
        if not name.startswith(("rnn.", "kneser_ney."))
    }  # fmt: skip
    model = model_file.read(model_file.write(card, arrays))
    value = payload_of(PLAIN, model, predictor="nplm")
    assert value["recurrent"] is value["classes"] is None
    assert [each["name"] for each in value["predictors"]] == ["uniform", "nplm", "nplm dynamic"]


# --- the synthetic network ---------------------------------------------------------------------


def test_the_synthetic_norms_are_those_of_its_jacobians():
    value = synthetic.synthetic()
    direction, inputs = synthetic.network()
    assert value["radius"] == pytest.approx(max(abs(np.linalg.eigvals(direction))))
    for row in (0, 25, 75):
        weights = value["spectral_norms"][row] * direction
        assert np.linalg.norm(weights, 2) == pytest.approx(value["spectral_norms"][row])
        states = [np.zeros(synthetic.SIZE)]
        for each in inputs:
            states.append(np.tanh(each + states[-1] @ weights))
        for lag in (0, 1, 5, synthetic.N_LAGS):
            product = np.linalg.matrix_power(weights.T, lag)
            assert value["linear"][row][lag] == pytest.approx(np.linalg.norm(product, 2), rel=1e-3)
            moved, steps = [], 1.0
            for unit in range(synthetic.SIZE):  # the complex step
                state = states[-1 - lag].astype(complex)
                state[unit] += 1e-30j
                for each in inputs[len(inputs) - lag :]:
                    state = np.tanh(each + state @ weights)
                moved.append(state.imag / 1e-30)
            for state in states[len(states) - lag :]:
                steps *= np.linalg.norm((1 - state**2)[:, None] * weights.T, 2)
            assert value["tanh"][row][lag] == pytest.approx(np.linalg.norm(moved, 2), rel=1e-3)
            assert value["steps"][row][lag] == pytest.approx(steps, rel=1e-3)


# --- the page ------------------------------------------------------------------------------------


def test_the_page_holds_the_payload_whatever_the_text_says(tiny_model):
    data = b"</script><!-- {{title}} <script> & \xe2\x80\xa8 \xf0\x9f\x98\x80 ]]>\n"
    value = payload.payload(
        data, "<i>&</i>", tiny_model, settings(data, tiny_model), 3, silent
    )
    text = page.html(value).decode()
    ((found),) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(found) == value
    assert text.count("<script") == 2 and text.count("<!--") == 0
    assert "<title>&lt;i&gt;&amp;&lt;/i&gt; under tiny</title>" in text


def test_the_page_asks_nothing_of_a_network(tiny_model):
    text = page.html(payload_of(PLAIN, tiny_model)).decode()
    for address in re.findall(r"https?://[^\"'\s]*", text):
        assert address == "http://www.w3.org/2000/svg"  # a name, nothing that is fetched
    assert re.findall(r"(?:src|href)=[\"']([^\"']*)", text) == ["data:,"]
    assert "@import" not in text and "url(" not in text.replace("url(#", "")
