"""The page of `nlmzip explain` in a real browser: it opens, answers clicks and keys, is legible."""

import browser as browsers
import numpy as np
import pytest
import tiny

from nlmzip.codec.words import WordSettings, form_for
from nlmzip.explain import columns, page
from nlmzip.explain.payload import payload
from nlmzip.models import model_file
from nlmzip.models.modes import modes

pytestmark = pytest.mark.skipif(browsers.MISSING is not None, reason=str(browsers.MISSING))

TEXT = b"the goat grazed near the hill\nthe <zebra> ate the meat\nthe cow ate the grass\n"
#: Tokens of the text.
GOAT, HILL, ZEBRA, MEAT = 1, 5, 8, 11

PICKED = 'return document.querySelector("#text .picked").textContent'
STEMS = 'return document.querySelectorAll("#chart > svg .loss").length'

# Least contrast (WCAG 2, 1.4.3) of elements with the given selector that show text themselves.
CONTRAST = """
const rgb = (color) => color.match(/[0-9.]+/g).map(Number);
const light = (color) => {
  const [r, g, b] = rgb(color).slice(0, 3).map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (; element; element = element.parentElement) {
    const color = rgb(getComputedStyle(element).backgroundColor);
    if (color.length < 4 || color[3] > 0) return getComputedStyle(element).backgroundColor;
  }
};
let least = [Infinity, null];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.checkVisibility() || element.closest("script")) continue;
  const style = getComputedStyle(element);
  const [a, b] = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < least[0]) least = [contrast, element.outerHTML];
}
return least;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with browsers.Browser(tmp_path_factory.mktemp("browser")) as made:
        yield made


def page_of(folder, text: bytes, model=None, predictor="kn+rnn", n_jacobians=100):
    """The payload of a text, and the file of its page."""
    model = model or model_file.read(tiny.model_bytes())
    settings = WordSettings(predictor, False, True, form_for(text, model))
    value = payload(text, "text", model, settings, n_jacobians, lambda *_: None)
    path = folder / "page.html"
    path.write_bytes(page.html(value))
    return value, path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return page_of(tmp_path_factory.mktemp("page"), TEXT)


@pytest.fixture
def opened(browser, made):
    """The browser with the page just opened; what it complains of is an error."""
    browser.open(made[1])
    browser.log()
    browser.open(made[1])
    yield browser
    assert browser.log() == []


def total(value, predictor: int, token: int) -> float:
    of_symbol = columns.values(value["predictors"][predictor]["bits"])[token]
    return of_symbol + columns.values(value["spelling"])[token]


def test_the_page_opens_with_the_text_and_the_predictors_totals(opened, made):
    value, _ = made
    assert opened.text("#title") == "text under tiny"
    assert opened.text("#text").replace("⏎", "") == TEXT.decode().rstrip()
    rows = opened.run(
        'return [...document.querySelectorAll("#predictors tbody tr")]'
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert [row[0] for row in rows] == [each["name"] for each in value["predictors"]]
    for row, each in zip(rows, value["predictors"]):
        assert row[3] == f"{each['information']:,.0f}"
        assert row[4] == f"{each['bits_per_character']:.3f}"


def test_a_click_picks_a_word_and_changes_panel_b(opened, made):
    value, _ = made
    opened.click(f"#token-{HILL}")
    before = opened.text("#reach")
    assert opened.run(PICKED) == "hill" and opened.run(STEMS) == HILL + 1
    opened.click(f"#token-{ZEBRA}")
    after = opened.text("#reach")
    assert opened.run(PICKED) == "<zebra>" and opened.run(STEMS) == 2
    assert "“hill”" in before and "“<zebra>”" in after and "after “⟨s⟩”" in after
    bits = total(value, value["start"], ZEBRA)
    label = opened.run(f'return document.getElementById("token-{ZEBRA}").ariaLabel')
    assert label.startswith(f"<zebra>: {bits:.2f} bits under kn+rnn, unknown, spelled in ")
    assert opened.text("#sentence tr.picked .number") == f"{bits:.2f}"


def test_the_norms_shown_are_those_of_the_payload(opened, made):
    value, _ = made
    opened.click(f"#token-{GOAT}")
    opened.run('document.querySelector("#measured details").open = true')
    shown = opened.run(
        'return [...document.querySelectorAll("#norms tbody tr")]'
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    loss = 2 ** columns.values(value["recurrent"]["loss"])
    of_state = 2 ** columns.values(value["recurrent"]["jacobians"])
    assert [row[1] for row in shown] == ["the", "⟨s⟩"]
    assert [float(row[2]) for row in shown] == pytest.approx(loss[1:3], rel=5e-3)
    assert float(shown[1][3]) == pytest.approx(loss[2] / loss[1], rel=5e-3)
    assert float(shown[1][4]) == float(shown[1][5]) == pytest.approx(of_state[0], rel=5e-3)
    assert float(shown[1][6]) == pytest.approx(value["recurrent"]["matrix"]["spectral_norm"], rel=5e-3)


def test_the_text_answers_keys_and_shows_the_focus(opened):
    opened.run('document.getElementById("text").focus()')
    opened.press("Home")
    assert opened.run(PICKED) == "the"
    opened.press("Right")
    assert opened.run(PICKED) == "goat"
    opened.press("Down", "Right", "Right", "Enter")
    assert opened.run(PICKED) == "ate"
    opened.press("End", "Left")
    assert opened.run(PICKED) == "meat" and opened.run(STEMS) == MEAT - 7 + 1
    opened.press("Up", "Up")
    assert opened.run(PICKED) == "the"
    active = 'return document.getElementById("text").getAttribute("aria-activedescendant")'
    assert opened.run(active) == "token-0"
    outline = 'return getComputedStyle(document.getElementById("text")).outlineStyle'
    assert opened.run(outline) == "solid"


def test_every_control_is_reached_by_tab(opened):
    opened.run("document.activeElement.blur()")
    reached = []
    for _ in range(40):
        opened.press("Tab")
        reached.append(
            opened.run(
                "const it = document.activeElement;"
                "return [it.id || it.name || it.tagName, getComputedStyle(it).outlineStyle]"
            )
        )
        if reached[-1][0] == "BODY":
            break
    names = [name for name, _ in reached]
    for control in ("text", "predictor", "BUTTON", "tab-measured", "SUMMARY"):
        assert control in names, control
    assert all(outline != "none" for name, outline in reached if name != "BODY")


def test_another_predictor_shades_the_text_anew(opened, made):
    value, _ = made
    opened.click(f"#token-{GOAT}")
    for index, predictor in enumerate(value["predictors"]):
        opened.click(f"#predictors tr:nth-child({index + 1}) input")
        bits = total(value, index, GOAT)
        level = np.searchsorted([1, 2, 4, 8, 16, 32], bits, side="right")
        classes = opened.run(f'return document.getElementById("token-{GOAT}").className')
        assert f"level-{level}" in classes.split() and classes.count("level-") == 1
        assert opened.text("#sentence tr.picked .number") == f"{bits:.2f}"
        assert f"under {predictor['name']}" in opened.text("#breakdown")
        assert f"{predictor['payload_bytes']} bytes" in opened.text("#breakdown")


def test_the_synthetic_view_follows_its_slider_and_the_tanh(opened):
    opened.click("#tab-synthetic")
    said = [opened.text("#synthetic-reach")]
    opened.run('document.getElementById("norm").focus()')
    opened.press("Right")
    assert opened.text("#norm-value") == "1.55"
    said.append(opened.text("#synthetic-reach"))
    opened.click("#with-tanh")
    said.append(opened.text("#synthetic-reach"))
    assert len(set(said)) == 3 and "without the tanh" in said[2]
    opened.press("Tab")
    opened.run('document.getElementById("tab-synthetic").focus()')
    opened.press("Left")
    assert opened.text("#reach") != ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(browser, tmp_path, scheme):
    text = TEXT + b"hill hay cow zebra-crossing-with-a-long-name the river\n"
    value, path = page_of(tmp_path, text)
    browser.prefer(scheme)
    try:
        browser.open(path)
        for index in range(len(value["predictors"])):
            browser.click(f"#predictors tr:nth-child({index + 1}) input")
            contrast, where = browser.run(CONTRAST)
            assert contrast >= 4.5, where
        browser.click("#tab-synthetic")
        contrast, where = browser.run(CONTRAST)
        assert contrast >= 4.5, where
        paper = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert (int(paper.split("(")[1].split(",")[0]) < 128) == (scheme == "dark")
    finally:
        browser.prefer("")


def test_a_picture_says_in_words_what_it_shows(opened):
    opened.click(f"#token-{HILL}")
    role, label = opened.run(
        'const it = document.querySelector("#chart svg"); return [it.role, it.ariaLabel]'
    )
    assert role == "img" and label == opened.text("#reach") and "“hill”" in label


NORM_TABLE = """
document.querySelector("#measured details").open = true;
return [...document.querySelectorAll("#norms tr")]
  .map((row) => [...row.cells].map((cell) => cell.textContent))
"""


@pytest.mark.parametrize("part, state", [("lstm", "s"), ("gru", "h")])
def test_a_gated_network_has_every_norm_but_no_power_of_the_matrix(browser, tmp_path, part, state):
    model = model_file.read(tiny.model_bytes(networks=("rnn", part), head="mos", tied=True))
    value, path = page_of(tmp_path, TEXT, model, part)
    browser.log()
    browser.open(path)
    note = browser.text("#note-b")
    assert f"Of the network {part} (--predictor names another: rnn)" in note
    assert "share ≤ Jacobian ≤ product of the steps. There is no bound |Wₕ|ᵐ" in note
    browser.click(f"#token-{HILL}")
    before = browser.text("#reach")
    assert browser.run(STEMS) == HILL + 1
    browser.click(f"#token-{GOAT}")
    after = browser.text("#reach")
    assert browser.run(STEMS) == GOAT + 1
    assert "“hill”" in before and "“goat”" in after and "|Wₕ|ᵐ" not in before + after
    head, predicts, first = browser.run(NORM_TABLE)
    jacobian = f"|∂{state}ₜ/∂{state}ₜ₋ₘ|"
    assert head == ["Lag m", "State after", f"|∂loss/∂{state}|", "share", jacobian, "steps’ product"]
    loss = 2 ** columns.values(value["recurrent"]["loss"])
    of_state = 2 ** columns.values(value["recurrent"]["jacobians"])
    assert [float(row[2]) for row in (predicts, first)] == pytest.approx(loss[1:3], rel=5e-3)
    assert float(first[4]) == float(first[5]) == pytest.approx(of_state[0], rel=5e-3)
    legend = browser.text("#chart .legend")
    assert jacobian in legend and f"|∂lossₜ/∂{state}ₜ₋ₘ|" in legend and "|Wₕ|ᵐ" not in legend
    assert browser.run('return document.querySelectorAll("#chart .series-norm").length') == 0
    browser.click("#tab-synthetic")
    assert "|Wₕ|ᵐ" in browser.text("#synthetic-reach")
    assert browser.log() == []


def test_a_gated_network_has_a_chart_where_no_jacobian_was_measured(browser, tmp_path):
    model = model_file.read(tiny.model_bytes(networks=("lstm",)))
    _, path = page_of(tmp_path, TEXT, model, "lstm", n_jacobians=2)
    browser.log()
    browser.open(path)
    browser.click(f"#token-{HILL}")
    assert browser.run(STEMS) == HILL + 1 and "Jacobian’s" not in browser.text("#reach")
    assert browser.log() == []


def test_a_text_of_bytes_has_lines_and_signs_for_what_shows_nothing(browser, tmp_path):
    model = model_file.read(tiny.model_bytes(form="bytes", networks=("lstm",)))
    value, path = page_of(tmp_path, TEXT, model, "kn+lstm")
    browser.log()
    browser.open(path)
    assert browser.text("#text").replace("⏎", "") == TEXT.decode().rstrip()
    assert browser.text("#heading-sentence") == "The picked line"
    assert "each of which is a word to the model" in browser.text("#summary")
    assert "spelled" not in browser.text(".lead") and "spelling" not in browser.text("#breakdown")
    space, line_end = 3, TEXT.index(b"\n")
    browser.click(f"#token-{space}")
    assert browser.run(STEMS) == space + 1 and "at “␣”" in browser.text("#reach")
    browser.click(f"#token-{line_end}")
    assert browser.run(PICKED) == "⏎"
    after = browser.text("#reach")
    assert "at “⏎”" in after and f"{value['recurrent']['lags']} steps before" in after
    rows = browser.run('return document.querySelectorAll("#sentence tbody tr").length')
    assert rows == line_end + 1
    assert browser.log() == []


def test_a_model_without_a_recurrent_network_says_so(browser, tmp_path, tiny_model):
    card = dict(tiny_model.card, settings={"kn": tiny_model.card["settings"]["kn"]})
    card["default"] = {"predictor": "kn", "dynamic": False, "spelling_cache": False}
    arrays = {n: each for n, each in tiny_model.arrays.items() if not n.startswith("rnn.")}
    model = model_file.read(model_file.write(card, arrays))
    _, path = page_of(tmp_path, TEXT, model, "kn")
    browser.log()
    browser.open(path)
    browser.click(f"#token-{GOAT}")
    assert browser.text("#reach") == "The model tiny has no recurrent network."
    assert browser.log() == []


def test_a_long_text_is_there_as_a_whole(browser, tmp_path, tiny_model):
    text = tiny.TEXT * 150
    value, path = page_of(tmp_path, text)
    assert [each["name"] for each in value["predictors"]][1:] == [
        f"{predictor}{' dynamic' if dynamic else ''}" for predictor, dynamic in modes(tiny_model)
    ][1:]
    browser.log()
    browser.open(path)
    for _ in range(100):
        count = browser.run('return document.querySelectorAll("#text .token").length')
        if count == len(value["words"]):
            break
    assert count == len(value["words"])
    last = count - 2
    browser.run(f'document.getElementById("token-{last}").click()')
    assert browser.run(PICKED) == value["words"][last]
    assert "Jacobian’s" not in browser.text("#reach")
    assert browser.log() == []
