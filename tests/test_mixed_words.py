"""Word models in the mixture: what fits is predicted, nothing is seen too early, all comes back."""

import functools
import random

import naive_words
import numpy as np
import pytest
import tiny
from archives import archive, coding
from engines import fresh, taking_part
from hypothesis import given, settings
from hypothesis import strategies as st
from test_mixing import PROSE
from test_words import PREDICTORS, TEXTS

import nlmzip
from nlmzip.codec import mix
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import MixCoding, ModelReference, Recipe, WordsInMix
from nlmzip.engine.inputs.sources import Together
from nlmzip.engine.loop import code_bytes
from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.errors import ArchiveError, ModelNotFoundError, OptionError
from nlmzip.models import catalogue, model_file
from nlmzip.predictors.as_bytes import word_bytes
from nlmzip.predictors.as_bytes.mixed_words import PreparedWords
from nlmzip.predictors.as_bytes.vocabulary_trie import child_of, trie_of
from nlmzip.predictors.build import build_parts
from nlmzip.text.forms import FORMS
from nlmzip.text.tokens import ends_sentence
from nlmzip.text.vocabulary import Vocabulary


@functools.cache
def model(form: str, reset_state: bool = True):
    """The tiny model, as if it was trained on plain or on general text."""
    return model_file.read(tiny.model_bytes(f"tiny {form}", reset_state, form=form))


either_form = pytest.mark.parametrize("form", ["plain", "general"])


def read(data: bytes, words: Together, stretch: int = 1 << 13, coder=None):
    """Code `data` with a fresh engine and these words; the bits of each stretch."""
    known = np.frombuffer(data, np.uint8).copy()
    mixing, coder, bits = fresh(len(data), mix.START, words), coder or Encoder(), [0.0]
    for begin in range(0, len(data), stretch):
        code_bytes(coder, mixing, known, begin, min(begin + stretch, len(data)), words)
        bits.append(coder.bits)
    return np.diff(bits)


# --- both directions


@pytest.mark.parametrize("predictor, dynamic", PREDICTORS)
@either_form
def test_any_text_round_trips(form, predictor, dynamic):
    for data in TEXTS.values():
        coded = nlmzip.compress(data, model=model(form), predictor=predictor, dynamic=dynamic)
        assert nlmzip.decompress(coded, model=model(form)) == data
        assert len(coded) <= len(data) + 12


PIECES = [*tiny.TEXT.split(), b"\n", b" ", b".", b"Zebra", b"THE", b"The", b"cOW", b"\r\n", b"\x00", b"a", b"\xc3\xa4"]


@given(
    st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=60).map(b" ".join)),
    st.sampled_from(PREDICTORS),
    st.sampled_from(["plain", "general"]),
    st.booleans(),
)
@settings(max_examples=40)
def test_any_bytes_round_trip(data, chosen, form, reset_state):
    words = PreparedWords(model(form, reset_state), *chosen)

    payload = mix.encode(data, mix.START, None, words)
    assert mix.decode(payload, len(data), mix.START, None, words) == data


@either_form
def test_how_the_text_is_cut_into_stretches_changes_nothing(form):
    payloads = set()
    for stretch in (1, 7, 1 << 13):
        coder = Encoder()
        read(PROSE, taking_part(model(form), "kn+rnn", True), stretch, coder)
        payloads.add(coder.finish())
    assert len(payloads) == 1


@either_form
def test_encoder_and_decoder_know_the_same_in_the_end(form):
    encoder = Encoder()
    encoding, decoding = (taking_part(model(form), "kn+nplm", True) for _ in range(2))
    read(PROSE, encoding, coder=encoder)
    decoder = Decoder(encoder.finish())
    read(bytes(len(PROSE)), decoding, stretch=100, coder=decoder)
    assert decoder.finished
    for one, other in zip(encoding.each[0].kernel, decoding.each[0].kernel, strict=True):
        pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
        assert all(np.array_equal(*pair) for pair in pairs)


@pytest.mark.parametrize("data", [PROSE, tiny.TEXT], ids=["prose", "plain"])
@either_form
def test_no_prediction_looks_ahead(form, data):
    """Whatever follows a byte, it costs what it cost."""
    bits = read(data, taking_part(model(form), "kn+rnn", True), 1)
    for known in range(1, len(data), 13):
        other = data[:known] + bytes(255 - byte for byte in data[known:])
        other_bits = read(other, taking_part(model(form), "kn+rnn", True), 1)
        assert (bits[:known] == other_bits[:known]).all()
        assert bits[known] != other_bits[known]


# --- what is predicted


@pytest.mark.parametrize("predictor, dynamic", [("kn", False), ("kn+rnn", True)])
@either_form
def test_the_tree_is_what_a_naive_search_of_the_vocabulary_finds(form, predictor, dynamic):
    data = b"the cow. The COW ate Then A hay!\n the hill theX 12 THE goat\ngrazing\n\nt the \xc3\xa4 the"
    words = taking_part(model(form), predictor, dynamic)
    known = np.frombuffer(data, np.uint8).copy()
    mixing, coder = fresh(len(data), mix.START, words), Encoder()
    for place in range(len(data)):
        expected = [naive_words.leaves(words.each[0], row, data[:place]) for row in range(len(words.kernel.trees))]
        code_bytes(coder, mixing, known, place, place + 1, words)
        for tree, naive in zip(words.kernel.trees, expected, strict=True):
            np.testing.assert_allclose(tree[256:], naive, rtol=2e-4, atol=1e-9, err_msg=str(data[:place]))
            inner = tree[1:256]
            assert (inner == tree[2:512:2] + tree[3:512:2]).all()


@pytest.mark.parametrize("data", [PROSE, tiny.TEXT, b"The Cow, 2 zebras; THE END.\nx"], ids=str)
@either_form
def test_the_predictors_perceive_the_tokens_of_the_words_codec(form, data):
    words, told = taking_part(model(form), "uniform", False), []
    distributions = words.each[0]._distributions
    perceive = distributions.perceive
    distributions.perceive = lambda symbol: (told.append(symbol), perceive(symbol))
    read(data, words)
    if form == "plain" and data is not tiny.TEXT:
        return  # plain words end at spaces alone where the text is plain
    known = FORMS[form](words.each[0].prepared.vocabulary, None, False)
    expected = [known.symbol(token) for token in known.tokens(data)]
    if not data.startswith(b"the") and not data[:1].isalpha():
        expected = expected[1:]  # a gap at the beginning ends no sentence here
    assert told == expected[: len(told)] and len(expected) - len(told) <= 1


@given(st.lists(st.sampled_from([b".", b"!", b" ", b"\n", b"\r", b'"', b")", b",", b"\t"]), min_size=1, max_size=9).map(b"".join))
@settings(max_examples=100)
def test_a_sentence_ends_as_in_the_tokeniser(gap):
    words, told = taking_part(model("general"), "uniform", False), []
    perceive = words.each[0].perceive
    words.each[0].perceive = lambda what, data: (told.append(what), perceive(what, data))
    read(b"cow" + gap + b"cow", words)
    assert any(what & word_bytes.SENTENCE_ENDED for what in told) == ends_sentence(gap)


def test_a_model_s_own_text_costs_less_with_it():
    data = tiny.TEXT
    with_words = nlmzip.compress(data, model=model("plain"), predictor="kn")
    assert len(with_words) < 0.8 * len(nlmzip.compress(data))


def test_capitals_are_foreseen_where_sentences_begin():
    data = b"The cow ate the grass. The goat ate the hay. The dog ate the meat. " * 3
    bits = [read(text, taking_part(model("general"), "kn", False)).sum() for text in (data, data.lower())]
    assert bits[0] < bits[1] + 40


@pytest.mark.parametrize("predictor, dynamic", [each for each in PREDICTORS if "+" not in each[0]])
def test_a_look_ahead_changes_nothing(predictor, dynamic):
    chosen = model("plain").card["settings"].get(predictor, {})
    chosen = chosen.get("dynamic" if dynamic else "static", {})
    plain, looking = (
        build_parts(model("plain"), predictor, dynamic, chosen)[0] for _ in range(2)
    )
    chance = random.Random(5)
    for _ in range(60):
        assert (plain.predict() == looking.predict()).all()
        ahead = looking.peek(chance.randrange(2, plain.vocabulary_size)).copy()
        symbol = chance.randrange(plain.vocabulary_size)
        assert ahead.shape == (plain.vocabulary_size,)
        for each in (plain, looking):
            each.perceive(symbol)


def test_a_look_ahead_is_the_next_prediction():
    for predictor in ("kn", "nplm", "rnn"):
        part = build_parts(model("plain"), predictor, False, {})[0]
        for symbol in (2, 5, 3, 2):
            part.predict()
            ahead = part.peek(symbol).copy()
            part.perceive(symbol)
            assert (part.predict() == ahead).all()


# --- the trie


@given(st.sets(st.binary(min_size=1, max_size=4), max_size=30))
@settings(max_examples=60)
def test_the_trie_has_every_beginning_with_its_interval(words):
    words = sorted(word for word in words if b"\n" not in word)
    trie = trie_of(words)
    beginnings = {word[:n] for word in words for n in range(len(word) + 1)} | {b""}
    assert trie.letter.size == len(beginnings)
    for beginning in beginnings:
        node = 0
        for byte in beginning:
            node = child_of(trie, node, byte)
        fitting = [index for index, word in enumerate(words) if word.startswith(beginning)]
        assert list(range(trie.low[node], trie.high[node])) == fitting
        assert trie.word[node] == (words.index(beginning) if beginning in words else -1)
        for byte in range(256):
            assert (child_of(trie, node, byte) >= 0) == (beginning + bytes([byte]) in beginnings)


# --- archives, models, options


def test_an_archive_says_what_took_part():
    coded = nlmzip.compress(tiny.TEXT, model=model("plain"), predictor="kn")
    reference = ModelReference(model("plain").sha256[:8], "tiny plain")
    assert coding(coded) == MixCoding(1, None, WordsInMix("kn", False, reference))
    unnamed = nlmzip.compress(tiny.TEXT, model=model("plain"), predictor="kn", store_name=False)
    assert len(unnamed) == len(coded) - 1 - len("tiny plain")


def test_the_model_is_found_among_several_and_never_a_wrong_one():
    coded = nlmzip.compress(tiny.TEXT, model=[model("plain")])
    assert nlmzip.decompress(coded, model=[model("general"), model("plain")]) == tiny.TEXT
    with pytest.raises(ModelNotFoundError, match="tiny plain.* tiny general has hash .*--model"):
        nlmzip.decompress(coded, model=[model("general")])
    with pytest.raises(ModelNotFoundError, match="--model"):
        nlmzip.decompress(coded)


def test_two_models_of_words_are_refused():
    with pytest.raises(OptionError, match="tiny plain and tiny general are both"):
        nlmzip.compress(tiny.TEXT, model=[model("plain"), model("general")])
    assert catalogue.sort_by_kind([model("plain")] * 2).words is model("plain")
    with pytest.raises(OptionError, match="none"):
        nlmzip.compress(tiny.TEXT, model=["none", model("plain")])


@pytest.mark.parametrize(
    "chosen, complaint",
    [
        ({"codec": "words"}, "needs a model"),
        ({"codec": "lz"}, "no codec lz"),
        ({"model": "tiny", "spelling_cache": True}, "--codec words"),
        ({"model": "tiny", "predictor": "kn", "dynamic": True}, "needs a network"),
        ({"model": "tiny", "predictor": "kn+nplm+rnn"}, "no predictor"),
    ],
)
def test_options_that_do_not_fit_are_one_line(chosen, complaint):
    if "model" in chosen:
        chosen = {**chosen, "model": model("plain")}
    with pytest.raises(OptionError, match=complaint) as told:
        nlmzip.compress(tiny.TEXT, **chosen)
    assert "\n" not in str(told.value)


def test_settings_that_the_model_lacks_are_damage():
    reference = ModelReference(model("plain").sha256[:8])
    recipe = Recipe((MixCoding(1, None, WordsInMix("kn+nplm+rnn", False, reference)),))
    made = archive(recipe, [Frame.of(b"abc", b"12", 0)])
    with pytest.raises(ArchiveError, match="damaged"):
        nlmzip.decompress(made, model=model("plain"))


def test_a_vocabulary_of_no_words_takes_part():
    empty = Vocabulary([])
    trie = trie_of(empty.words[2:])
    assert trie.letter.size == 1 and child_of(trie, 0, 97) == -1
