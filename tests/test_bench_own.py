"""The bench's own rows: which there are, that they are real archives, and what time is taken."""

from dataclasses import replace

import pytest
import tiny
from command_line import MODEL, TEXT

import nlmzip
from nlmzip.bench import comparison, own
from nlmzip.container.parser import read_members
from nlmzip.execute.encode import write_stored

WITH_WORDS = "mix with kn+rnn dynamic"
OWN = [
    WITH_WORDS, "uniform", "kn", "nplm", "nplm dynamic", "kn+nplm", "kn+nplm dynamic",
    "rnn", "rnn dynamic", "kn+rnn", "kn+rnn dynamic",
]  # fmt: skip


@pytest.fixture
def named(tmp_path):
    """The tiny model as a user names it."""
    path = tmp_path / "tiny.nlm"
    path.write_bytes(MODEL)
    return own.find_model(str(path))


def row_of(model, name: str) -> own.Own:
    return next(each for each in own.of_words(model) if each.name == name)


def test_each_setting_of_the_model_is_a_row_after_the_engine(named):
    assert [each.name for each in own.contestants([named])] == [own.MIX, *OWN]


def test_what_encode_does_is_marked(named):
    def marked(*models):
        return [each.name for each in own.contestants(list(models)) if each.is_default]

    assert marked() == [own.MIX]
    assert marked(named) == [WITH_WORDS]


def test_rows_of_several_models_say_which(named):
    names = [each.name for each in own.contestants([named, named])]
    assert names == [own.MIX, *(f"tiny: {name}" for name in OWN * 2)]


def test_a_model_of_another_kind_is_a_row_of_the_engine(named):
    of_bytes = own.NamedModel("b", named.path, named.sha256, None)
    engine, with_model = own.contestants([of_bytes])
    assert (engine.name, with_model.name) == ("mix", "mix b")
    assert with_model.settings == {"model": str(named.path)}
    assert (engine.is_default, with_model.is_default) == (False, True)


def test_levels_are_rows():
    made = own.contestants([], [1, 9])
    assert [each.name for each in made] == ["mix level 1", "mix level 9"]
    assert [each.settings["level"] for each in made] == [1, 9]


def test_a_model_of_words_is_in_the_engine_and_codes_words(tiny_model):
    engine, *rest = own.of_words(tiny_model)
    assert [each.name for each in (engine, *rest)] == OWN
    assert engine.settings.get("codec", "mix") == "mix"
    assert {each.settings["codec"] for each in rest} == {"words"}
    assert [each.is_default for each in [engine, *rest]] == [True, *[False] * len(rest)]


def test_a_level_that_is_none_is_told_before_measuring(monkeypatch):
    def compress(data, *, model, level=5):
        raise nlmzip.OptionError(f"there is no level {level}")

    monkeypatch.setattr(nlmzip, "compress", compress)
    with pytest.raises(nlmzip.OptionError, match="no level 12"):
        own.contestants([], [12])


@pytest.mark.parametrize("data", [tiny.TEXT, TEXT * 3], ids=["plain", "general"])
def test_a_row_is_of_the_archive_that_compress_makes(tiny_model, data):
    details = {}
    row = own.measure(row_of(tiny_model, "kn+rnn dynamic"), data, details=details)
    made = nlmzip.compress(
        data, model=tiny_model, codec="words", predictor="kn+rnn", dynamic=True
    )
    (member,) = read_members(made)
    (coding,) = member.recipe.codings
    assert row.n_bytes == len(made)
    assert sum(row.bits.values()) == pytest.approx(8 * len(member.frames[0].payload))
    assert row.bits["spelling"] > 0
    assert (row.bits["other"] > 0) == (coding.text_form == "general")
    beside = own.detail_bits(data, tiny_model, True)
    assert {kind: row.bits[kind] for kind in beside} == beside
    assert list(details.values()) == [beside]


def test_a_row_of_several_frames_tells_the_details_of_each(tiny_model):
    data = tiny.TEXT + TEXT * 3
    at = len(tiny.TEXT)
    by_rnn = own.Own("rnn", {"model": tiny_model, "codec": "words", "predictor": "rnn", "frame": at}, tiny_model)
    details = {}
    row = own.measure(by_rnn, data, details=details)
    made = nlmzip.compress(data, **by_rnn.settings)
    (member,) = read_members(made)
    payloads = [frame.payload for frame in member.frames]
    assert len(payloads) > 1 and row.n_bytes == len(made)
    assert sum(row.bits.values()) == pytest.approx(8 * sum(map(len, payloads)))
    begin, beside = 0, []
    for frame in member.frames:
        beside.append(own.detail_bits(data[begin : begin + frame.raw_length], tiny_model, True))
        begin += frame.raw_length
    for kind in ("spelling", "other"):
        assert row.bits[kind] == pytest.approx(sum(each[kind] for each in beside))
    own.measure(replace(by_rnn, settings={**by_rnn.settings, "predictor": "kn"}), data, details=details)
    assert len(details) == 1  # the same whatever predicts the words


def test_threads_are_as_many_as_asked_for_and_one_by_default(monkeypatch):
    taken = []

    def taking(function):
        def called(data, *, threads, **options):
            taken.append(threads)
            return function(data, **options)

        return called

    monkeypatch.setattr(nlmzip, "compress", taking(lambda data, **_: write_stored(data)))
    monkeypatch.setattr(nlmzip, "decompress", taking(nlmzip.decompress))
    row = own.Own("it", {"model": "none"})
    comparison.compare("name", b"text", [row], [])
    comparison.compare("name", b"text", [row], [], threads=3)
    assert taken == [1] * 4 + [3] * 4


def test_details_cost_what_the_word_coder_says(tiny_model):
    from nlmzip.codec import words

    settings = words.WordSettings("kn", False, True, "general")
    coded = words.measure(TEXT, tiny_model, settings)
    details = own.detail_bits(TEXT, tiny_model, True)
    assert sum(details.values()) == pytest.approx(sum(token.detail_bits for token in coded))


def test_an_own_archive_that_does_not_decode_is_an_error(tiny_model, monkeypatch):
    monkeypatch.setattr(nlmzip, "decompress", lambda *_, **__: b"other")
    with pytest.raises(nlmzip.NlmzipError, match="archive of kn does not give the text back"):
        own.measure(row_of(tiny_model, "kn"), tiny.TEXT)


def test_the_first_call_does_not_count(monkeypatch):
    """Kernels are compiled by it, and numba is imported."""
    seconds, calls, clock = [100.0, 0.5, 1.0, 0.25], [], [0.0]

    def taking(result):
        def function(data, **_):
            clock[0] += seconds[len(calls)]
            calls.append(data)
            return result(data)

        return function

    monkeypatch.setattr(nlmzip, "compress", taking(write_stored))
    monkeypatch.setattr(nlmzip, "decompress", taking(lambda data: calls[-2]))
    monkeypatch.setattr(own.time, "perf_counter", lambda: clock[0])
    data = b"x" * 10_000
    row = own.measure(own.Own("it", {"model": "none"}), data)
    assert (row.encode_seconds, row.decode_seconds) == (1.0, 0.25)
    assert (len(calls[0]), len(calls[2])) == (4096, 10_000)


@pytest.mark.parametrize("end, form", [(b"", "plain"), (b"The End.", "general")])
def test_the_first_call_runs_the_kernels_of_the_whole_text(tiny_model, end, form):
    """Its first 4,096 bytes may be plain where the rest is not, and end within a word."""
    from nlmzip.codec import words

    data = b"the cow ate the grass\n" * 300 + end
    warm_up = own._warm_up(row_of(tiny_model, "kn"), data)
    assert words.form_for(warm_up, tiny_model) == words.form_for(data, tiny_model) == form
    other = data[:4096] if form == "plain" else data[: 22 * 186]
    assert words.form_for(other, tiny_model) != form


def test_details_are_told_apart_in_a_comparison(tiny_model):
    compared = comparison.compare("name", TEXT, own.of_words(tiny_model), [])
    engine, *rest = compared.rows
    assert (engine.contestant, engine.bits) == (WITH_WORDS, None)  # it codes bytes
    assert all(row.bits for row in rest if row.note != "stored")
    assert any(row.bits for row in rest)
