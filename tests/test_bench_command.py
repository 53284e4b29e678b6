"""`nlmzip bench`: real archives, peers that are there and absent, the three forms of output."""

import csv
import io
import json
import lzma
import shlex
import sys

import pytest
import tiny
from command_line import TEXT, workplace  # noqa: F401

import nlmzip
from nlmzip import archive
from nlmzip.bench import measurement, table
from nlmzip.bench.peers import EXTRA_PACKAGES, Codec, Peer, peers

OWN = [
    "uniform", "kn", "nplm", "nplm dynamic", "kn+nplm", "kn+nplm dynamic",
    "rnn", "rnn dynamic", "kn+rnn", "kn+rnn dynamic",
]  # fmt: skip
STANDARD = ["lzma -9e", "bz2 -9", "zlib -9"]
GIVEN = "lzma -9e given the training text"


@pytest.fixture
def no_extras(monkeypatch):
    for package in EXTRA_PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)


WITH_WORDS = "mix with kn+rnn dynamic"


def identity(name="copy", notes=("",), lengths=(0,)):
    """A peer whose codecs put zeros in front of the text."""

    def codec(note, length):
        return Codec(note, lambda data: bytes(length) + data, lambda data: data[length:])

    return Peer(name, [codec(*each) for each in zip(notes, lengths)])


# --- rows ------------------------------------------------------------------------------


def test_each_setting_of_the_model_is_a_row(tiny_model):
    contestants = measurement.contestants(tiny_model)
    assert [measurement.contestant_name(*each) for each in contestants] == OWN


@pytest.mark.parametrize("data", [tiny.TEXT, TEXT * 3], ids=["plain", "general"])
def test_a_row_is_of_the_archive_that_compress_makes(tiny_model, data):
    details = measurement.detail_bits(data, tiny_model, True)
    row = measurement.measure_predictor(data, tiny_model, "kn+rnn", True, details)
    made = nlmzip.compress(
        data, model=tiny_model, codec="words", predictor="kn+rnn", dynamic=True
    )
    (member,) = archive.read(made)
    assert row.n_bytes == len(made)
    assert sum(row.bits.values()) == pytest.approx(8 * len(member.frames[0].payload))
    assert row.bits["spelling"] > 0
    assert (row.bits["other"] > 0) == member.settings.general


def test_details_cost_what_the_word_coder_says(tiny_model):
    from nlmzip.codec import words

    settings = words.WordSettings("kn", False, True, "general")
    coded = words.measure(TEXT, tiny_model, settings)
    details = measurement.detail_bits(TEXT, tiny_model, True)
    assert sum(details.values()) == pytest.approx(sum(token.detail_bits for token in coded))


def test_an_own_archive_that_does_not_decode_is_an_error(tiny_model, monkeypatch):
    monkeypatch.setattr(nlmzip, "decompress", lambda *_, **__: b"other")
    with pytest.raises(nlmzip.NlmzipError, match="archive of kn does not give the text back"):
        measurement.measure_predictor(tiny.TEXT, tiny_model, "kn", False)


def raise_value_error(data):
    raise ValueError("damaged")


@pytest.mark.parametrize("decompress", [lambda data: data[1:], raise_value_error])
def test_a_codec_that_does_not_decode_does_not_count(decompress):
    liar = Codec("liar", lambda data: data[:1], decompress)
    with pytest.raises(nlmzip.NlmzipError, match="no archive of it gives the text back"):
        measurement.measure_peer(Peer("it", [liar]), b"text")
    honest = identity().codecs[0]
    assert measurement.measure_peer(Peer("it", [liar, honest]), b"text").n_bytes == 4


def test_the_best_codec_of_a_peer_counts():
    row = measurement.measure_peer(identity(notes=("long", "short"), lengths=(9, 2)), b"text")
    assert (row.note, row.n_bytes) == ("short", 6)


def test_given_a_training_text_only_the_difference_counts():
    (peer, *_), _ = peers()
    training, data = tiny.TEXT * 5, tiny.TEXT[:200]
    row = measurement.measure_peer_given(peer, training, data)
    strongest = {"preset": 9 | lzma.PRESET_EXTREME}
    both, alone = (len(lzma.compress(text, **strongest)) for text in (training + data, training))
    assert (row.contestant, row.n_bytes) == (GIVEN, both - alone)


def test_a_peer_that_can_be_given_a_text_takes_the_better_way():
    dictionary = Codec("dictionary", lambda data: data[:2], lambda data: data[:2])
    gifted = identity()._replace(given=lambda training: [dictionary])
    row = measurement.measure_peer_given(gifted, b"training", b"ab")
    assert row.n_bytes == 2
    gifted = gifted._replace(codecs=[Codec("none", lambda x: x[:1], lambda x: b"trainingab")])
    row = measurement.measure_peer_given(gifted, b"training", b"ab")
    assert (row.note, row.n_bytes) == ("none", 0)


@pytest.mark.parametrize("package", EXTRA_PACKAGES)
def test_peers_of_extra_packages_decode(package):
    pytest.importorskip(package)
    found, _ = peers()
    name = EXTRA_PACKAGES[package]
    chosen = [peer for peer in found if peer.name.startswith(name)]
    assert chosen
    for peer in chosen:
        for data in (b"", b"x", TEXT * 20):
            alone = measurement.measure_peer(peer, data)
            if peer.takes_training and data:
                given = measurement.measure_peer_given(peer, TEXT * 20, data)
                assert given.n_bytes <= alone.n_bytes


# --- tables ----------------------------------------------------------------------------


def comparison(data: bytes, model, others=()):
    return measurement.compare("name", data, model, list(others))


def test_totals_are_sums(tiny_model):
    several = identity("copy", ("a", "b"), (1, 2))
    first, second = (comparison(data, tiny_model, [several]) for data in (TEXT, TEXT * 2))
    both = measurement.total([first, second])
    assert both.n_bytes == 3 * len(TEXT)
    for total, one, two in zip(both.rows, first.rows, second.rows, strict=True):
        assert total.n_bytes == one.n_bytes + two.n_bytes
        assert total.encode_seconds == one.encode_seconds + two.encode_seconds
    assert both.rows[-1].note == "a"


def test_bits_per_character_only_where_characters_are_not_bytes(tiny_model):
    ascii_lines = table.text_table(comparison(TEXT, tiny_model))
    other = comparison("die Kühe grasen\n".encode() * 3, tiny_model)
    latin = table.text_table(comparison("die Kühe grasen\n".encode("latin-1"), tiny_model))
    assert "bits/character" not in ascii_lines[0] + latin[0]
    assert "bits/character" in table.text_table(other)[0]
    row = other.rows[0]
    assert other.bits_per_character(row) == pytest.approx(other.bpc(row) * 17 / 16)


def test_columns_are_aligned():
    assert table.aligned(["", "bytes"], [["kn", "1"], ["uniform", "12,345"]]) == [
        "          bytes",
        "kn            1",
        "uniform  12,345",
    ]


@pytest.mark.parametrize(
    "value, text",
    [(0.00012345, "0.000123"), (0.5, "0.500"), (12.345, "12.3"), (12345.6, "12,346"), (None, "-")],
)
def test_three_significant_digits(value, text):
    assert table.significant(value) == text


# --- the command -----------------------------------------------------------------------


def test_absent_peers_are_named_with_how_to_get_them(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "--model", "tiny", "text")
    assert result.status == 0
    assert result.stderr.splitlines() == [
        f"nlmzip: no {name} here, so it is left out; get it with: "
        f"{shlex.quote(sys.executable)} -m pip install {package}"
        for package, name in EXTRA_PACKAGES.items()
    ]


def test_the_table_has_every_row_and_says_what_is_not_counted(workplace, no_extras):  # noqa: F811
    workplace.write("training", tiny.TEXT)
    result = workplace.run("bench", "--model", "tiny", "text", "other", "--train", "training")
    lines = result.stdout.decode().splitlines()
    assert result.status == 0
    names = [line[:35].split("  ")[0].strip() for line in lines]
    for name in [measurement.MIX, f"{WITH_WORDS} *", *OWN, *STANDARD, GIVEN]:
        assert names.count(name) + names.count(f"{name} (stored)") == 3, name
    assert [line for line in lines if line.endswith(" bytes")] == [
        f"text: {len(TEXT)} bytes", "other: 25 bytes", f"total: {len(TEXT) + 25} bytes",
    ]  # fmt: skip
    notes = "\n".join(lines)
    assert "Not counted is what is installed beside it: the mixing engine's start,\n" in notes
    assert f"the model tiny, {len(tiny.model_bytes()):,} bytes" in notes
    assert f"Given the training text ({len(tiny.TEXT)} bytes, not counted either)" in notes


def test_json_and_csv_hold_the_same_figures(workplace, no_extras):  # noqa: F811
    as_json = json.loads(workplace.run("bench", "--model", "tiny", "--json", "text").stdout)
    output = workplace.run("bench", "--model", "tiny", "--csv", "text").stdout.decode()
    as_csv = list(csv.DictReader(io.StringIO(output)))
    (text,) = as_json["texts"]
    assert text["bytes"] == len(TEXT)
    assert [row["contestant"] for row in text["rows"]] == [measurement.MIX, WITH_WORDS, *OWN, *STANDARD]
    for row, line in zip(text["rows"], as_csv, strict=True):
        assert line["contestant"] == row["contestant"]
        assert int(line["bytes"]) == row["bytes"]
        assert float(line["bpc"]) == row["bpc"] == 8 * row["bytes"] / len(TEXT)


def test_without_a_model_the_engine_alone_is_measured(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "--json", "text")
    value = json.loads(result.stdout)
    assert value["model"] is None
    names = [row["contestant"] for row in value["texts"][0]["rows"]]
    assert names == [measurement.MIX, *STANDARD]


def test_a_missing_file_is_one_line_and_the_others_are_measured(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "--model", "tiny", "--csv", "nothing", "text")
    assert result.status == 1
    assert result.stderr.splitlines()[-1] == (
        "nlmzip: nothing: no such file or folder; check the name"
    )
    assert f"text,{len(TEXT)},tiny,kn," in result.stdout.decode()


def test_an_empty_file_is_measured(workplace, no_extras):  # noqa: F811
    workplace.write("empty", b"")
    result = workplace.run("bench", "--model", "tiny", "empty")
    assert result.status == 0
    assert "kn (stored)" in result.stdout.decode()


def test_json_and_csv_exclude_each_other(workplace):  # noqa: F811
    result = workplace.run("bench", "--json", "--csv", "text")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == (
        "nlmzip: --json and --csv exclude each other; see 'nlmzip bench --help'\n"
    )


def test_an_unknown_model_is_one_line(workplace):  # noqa: F811
    result = workplace.run("bench", "--model", "nobody", "text")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr.count("\n") == 1
    assert "no model named nobody" in result.stderr
