"""The words codec: any bytes round-trip, and every bit is accounted for."""

import functools
import random
import time
from pathlib import Path

import pytest
import tiny
from archives import archive, is_stored, members
from hypothesis import given, settings
from hypothesis import strategies as st

import nlmzip
from nlmzip.codec import words
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import ModelReference, Recipe, WordsCoding
from nlmzip.errors import ArchiveError, ModelNotFoundError, NlmzipError
from nlmzip.models import model_file
from nlmzip.plan.description import describe

PREDICTORS = [
    ("uniform", False), ("kn", False), ("nplm", False), ("nplm", True), ("rnn", False),
    ("rnn", True), ("kn+nplm", False), ("kn+nplm", True), ("kn+rnn", False), ("kn+rnn", True),
]  # fmt: skip
TEXTS = {
    "empty": b"",
    "one byte": b"x",
    "one line feed": b"\n",
    "one space": b" ",
    "every byte value": bytes(range(256)),
    "every byte value often": bytes(range(256)) * 40,
    "plain": tiny.TEXT,
    "plain with unknown words": b"the zebra ate the zebra\nthe zebra ate\n",
    "no final newline": b"the cow ate the grass",
    "CRLF": tiny.TEXT.replace(b"\n", b"\r\n"),
    "double spaces": tiny.TEXT.replace(b" ", b"  "),
    "capitals": tiny.TEXT.title() + tiny.TEXT.upper(),
    "prose": b'"The cow," said he; "ate the hay!" And then... (see p. 12) it grazed.\n\n\tYes?\n' * 5,
    "BOM": b"\xef\xbb\xbfThe cow ate.\n",
    "invalid UTF-8": b"the \xff\xfe cow \xc3( ate \x80\n",
    "Latin-1": "Die Kühe aßen über dem Gräs.\n".encode("latin-1") * 3,
    "UTF-8": "Корова ела траву. 牛は草を食べた。\n".encode() * 3,
    "UTF-16": "the cow ate the grass\n".encode("utf-16"),
    "the names of the symbols": b"<unk> </s> <s> <unk>\n",
    "a long word": b"a" * 1000,
    "a long gap": b" " * 1000 + b"cow" + b"\n" * 500,
    "random": random.Random(1).randbytes(3000),
}


@functools.cache
def tiny_model(reset_state=True):
    return model_file.read(tiny.model_bytes(reset_state=reset_state))


def words_archive(data, **settings_):
    return nlmzip.compress(data, model=tiny_model(), codec="words", **settings_)


@pytest.mark.parametrize("predictor, dynamic", PREDICTORS)
@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_any_text_round_trips(data, predictor, dynamic):
    model = tiny_model()
    coded = nlmzip.compress(data, model=model, codec="words", predictor=predictor, dynamic=dynamic)
    assert nlmzip.decompress(coded, model=model) == data
    assert len(coded) <= len(data) + 12


@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=120).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.sampled_from(tiny.TEXT.split() + [b"\n", b" ", b".", b"Zebra", b"THE", b"\r\n", b"\x00"]), max_size=60).map(b" ".join),
    ),
    st.sampled_from(PREDICTORS),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["plain", "general"]),
)  # fmt: skip
@settings(max_examples=150)
def test_any_bytes_round_trip_with_any_option(data, predictor, cache, reset_state, form):
    model = tiny_model(reset_state)
    if form == "plain" and not words.FORMS["general"] is words.choose_form(data, words.load_vocabulary(model)):
        form = "general"
    if form == "plain":
        form = words.form_for(data, model)
    settings_ = words.WordSettings(*predictor, cache, form)
    payload = words.encode(data, model, settings_)
    assert words.decode(payload, len(data), model, settings_) == data


@pytest.mark.parametrize("predictor, dynamic", PREDICTORS)
@pytest.mark.parametrize("name", ["plain with unknown words", "prose"])
def test_the_payload_is_the_information_and_a_byte(name, predictor, dynamic):
    data, model = TEXTS[name], tiny_model()
    chosen = words.WordSettings(predictor, dynamic, True, words.form_for(data, model))
    payload = words.encode(data, model, chosen)
    tokens = list(words.measure(data, model, chosen))
    assert b"".join(token.token.text for token in tokens) == data
    bits = sum(token.word_bits + token.detail_bits for token in tokens)
    assert bits <= 8 * len(payload) <= bits + 2 + 8
    assert min(token.word_bits for token in tokens) > 0


def test_a_mixture_costs_what_its_mixed_probabilities_say():
    import numpy as np

    from nlmzip.predictors.build import build

    model = tiny_model()
    chosen = words.WordSettings("kn+rnn", False, True, "plain")
    tokens = list(words.measure(tiny.TEXT, model, chosen))
    counts, network = (build(model, part, False, {}) for part in ("kn", "rnn"))
    for token in tokens:
        p, q = (float(predictor.predict()[token.symbol]) for predictor in (network, counts))
        assert token.word_bits == pytest.approx(-np.log2(0.75 * p + 0.25 * q), abs=1e-5)
        for predictor in (counts, network):
            predictor.perceive(token.symbol)


def test_dynamic_evaluation_learns_what_repeats():
    data = b"the fox ate the hen near the hill\n" * 60
    sizes = [
        len(words_archive(data, predictor="rnn", dynamic=dynamic))
        for dynamic in (False, True)
    ]
    assert sizes[1] < 0.7 * sizes[0]


def test_the_spelling_cache_saves_repeated_spellings():
    data = b"the brontosaurus ate\n" * 20
    sizes = [
        len(words_archive(data, predictor="kn", spelling_cache=cache))
        for cache in (False, True)
    ]
    assert sizes[1] < sizes[0] - 100


@pytest.mark.parametrize("model", ["none", "tiny"])
def test_random_bytes_are_stored_without_being_modelled(model):
    data = random.Random(2).randbytes(5_000_000)
    begin = time.process_time()
    coded = nlmzip.compress(data) if model == "none" else words_archive(data)
    assert time.process_time() - begin < 10  # modelling them would take minutes
    assert is_stored(coded) and len(coded) <= len(data) + 12
    assert nlmzip.decompress(coded) == data


def test_a_line_of_ten_megabytes_round_trips():
    line = b"the cow ate the grass near the river " * 10_000 + b"a" * 9_630_000
    assert len(line) == 10_000_000 and b"\n" not in line
    coded = words_archive(line, predictor="uniform", frame=4_000_000)
    (member,) = members(coded)
    assert len(member.frames) > 1 and {type(each) for each in member.recipe.codings} == {WordsCoding}
    assert nlmzip.decompress(coded, model=tiny_model()) == line


def test_members_are_joined():
    model = tiny_model()
    parts = [words_archive(part) for part in (tiny.TEXT, b"", b"The end.")]
    assert nlmzip.decompress(b"".join(parts), model=model) == tiny.TEXT + b"The end."


@pytest.fixture(scope="module")
def small_archive():
    return words_archive(b"the zebra ate the hay\nthe cow\n", dynamic=True)


def test_every_flipped_bit_is_an_error_or_changes_nothing(small_archive):
    model = tiny_model()
    original = nlmzip.decompress(small_archive, model=model)
    errors = 0
    for bit in range(8 * len(small_archive)):
        damaged = bytearray(small_archive)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            assert nlmzip.decompress(bytes(damaged), model=model) == original
        except NlmzipError:
            errors += 1
    assert errors > 6 * len(small_archive)  # the rest: the name of the model, which is for people


def test_every_truncation_is_an_error(small_archive):
    for length in range(len(small_archive)):
        with pytest.raises(ArchiveError):
            nlmzip.decompress(small_archive[:length], model=tiny_model())


def test_an_archive_that_claims_too_much_ends():
    model = tiny_model()
    coded_by = WordsCoding("kn", False, True, "plain", ModelReference(model.sha256[:8]))
    claim = Frame(1 << 50, 0, b"\x00\x00\x01", 0)
    with pytest.raises(ArchiveError):
        nlmzip.decompress(archive(Recipe((coded_by,)), [claim]), model=model)


def test_a_wrong_model_is_never_used(small_archive):
    other = model_file.read(tiny.model_bytes("other"))
    with pytest.raises(ModelNotFoundError):
        nlmzip.decompress(small_archive, model=other)


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.nlmz")), ids=lambda path: path.stem)
def test_golden_archives_decode_for_ever(path):
    original = (GOLDEN / path.stem.split(".")[0]).with_suffix(".txt").read_bytes()
    models = sorted(GOLDEN.glob("*.nlm"))
    assert nlmzip.decompress(path.read_bytes(), model=models) == original
    assert nlmzip.decompress(path.read_bytes(), model=models, threads=2) == original


def test_there_is_a_golden_archive_for_every_setting():
    described = []
    for path in GOLDEN.glob("*.nlmz"):
        with open(path, "rb") as file:
            described += describe(file)["members"]
    settings_ = {(d.get("predictor"), d.get("dynamic"), d.get("text_form")) for d in described}
    assert settings_ >= {(*chosen, form) for chosen in PREDICTORS for form in ("plain", "general")}
    assert {d["codec"] for d in described} == {"stored", "words", "mix", "model"}
    mixed = {(d.get("predictor"), d.get("dynamic"), d.get("words_name")) for d in described}
    assert mixed >= {(*chosen, name) for chosen in PREDICTORS for name in ("golden", "golden-general")}
