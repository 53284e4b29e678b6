"""The bench's peers: round trips, what counts given a training text, absence and failure."""

import lzma

import pytest
import tiny
from bench_peers import (  # noqa: F401
    BZIP3,
    FAILURE,
    LIAR,
    MARK,
    ZPAQ,
    identity,
    no_extras,
    programs,
)
from command_line import TEXT

import nlmzip
from nlmzip.bench import comparison, packages
from nlmzip.bench.packages import EXTRA_PACKAGES
from nlmzip.bench.peer import Codec, Given, Peer
from nlmzip.bench.peers import all_given, peers
from nlmzip.bench.standard_library import lzma_given

LZMA_GIVEN = "lzma -9e given the training text"


def raise_value_error(data):
    raise ValueError("damaged")


def named(found: list, name: str):
    (peer,) = [each for each in found if each.name == name]
    return peer


# --- measuring -------------------------------------------------------------------------


@pytest.mark.parametrize("decompress", [lambda data: data[1:], raise_value_error])
def test_a_codec_that_does_not_decode_is_reported_and_not_counted(decompress):
    liar = Codec("liar", lambda data: data[:1], decompress)
    with pytest.raises(nlmzip.NlmzipError, match="no archive of it gives the text back"):
        comparison.measure_peer(Peer("it", "1", lambda n_bytes: [liar]), b"text")
    honest, said = identity().codecs(4)[0], []
    both = Peer("it", "1", lambda n_bytes: [liar, honest])
    assert comparison.measure_peer(both, b"text", said.append).n_bytes == 4
    assert said == ["it (liar) does not give the text back and is not counted"]


def test_a_codec_that_does_not_compress_is_not_counted():
    broken = Codec("", raise_value_error, raise_value_error)
    with pytest.raises(nlmzip.NlmzipError, match="it does not compress the text"):
        comparison.measure_peer(Peer("it", "1", lambda n_bytes: [broken]), b"text")


def test_a_peer_that_fails_does_not_end_the_comparison():
    liar = Peer("liar", "1", lambda n_bytes: [Codec("", bytes, lambda data: b"")])
    compared = comparison.compare("name", b"text", [], [liar, identity()])
    assert [row.contestant for row in compared.rows] == ["copy"]
    assert compared.failures == ["no archive of liar gives the text back and it is not counted"]


def test_the_best_codec_of_a_peer_counts():
    row = comparison.measure_peer(identity(notes=("long", "short"), lengths=(9, 2)), b"text")
    assert (row.note, row.n_bytes) == ("short", 6)


def test_rows_given_a_training_text_are_marked():
    given = [Given("gifted", identity().codecs)]
    compared = comparison.compare("name", b"text", [], [identity()], given)
    assert [row.is_given for row in compared.rows] == [False, True]


# --- given the training text -------------------------------------------------------------


def test_lzma_counts_the_difference():
    training, data = tiny.TEXT * 5, tiny.TEXT[:200]
    (given,) = lzma_given(training)
    row = comparison.measure_peer(given, data)
    filters = [{"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME}]
    both, alone = (
        len(lzma.compress(text, lzma.FORMAT_ALONE, filters=filters))
        for text in (training + data, training)
    )
    assert (row.contestant, row.note, row.n_bytes) == (LZMA_GIVEN, "by difference", both - alone)
    assert row.n_bytes < len(lzma.compress(data)) / 2


def test_what_stands_in_front_has_to_come_back_too():
    (given,) = lzma_given(b"training")
    (codec,) = given.codecs(4)
    assert codec.decompress(codec.compress(b"text")) == b"text"
    with pytest.raises(ValueError, match="does not come back"):
        codec.decompress(lzma.compress(b"something else and text"))


def test_the_dictionary_of_lzma_reaches_over_all():
    from nlmzip.bench.standard_library import LZMA_DICTIONARY, lzma_filters

    assert lzma_filters(1000)[0]["dict_size"] == LZMA_DICTIONARY
    assert lzma_filters(LZMA_DICTIONARY + 7)[0]["dict_size"] == LZMA_DICTIONARY + 7


def test_without_a_training_text_nothing_is_given():
    found, _ = peers()
    assert all_given(found, None) == all_given(found, b"") == []


def test_ppmd_has_memory_for_every_text():
    assert packages.ppmd_memory(0) == packages.PPMD_MEMORY
    assert packages.ppmd_memory(20_000_000) >= 76 * 20_000_000
    assert packages.ppmd_memory(1 << 40) == packages.PPMD_MAXIMUM_MEMORY


# --- packages ----------------------------------------------------------------------------


@pytest.mark.parametrize("package", EXTRA_PACKAGES)
def test_peers_of_extra_packages_decode(package):
    pytest.importorskip(package)
    found, _ = peers()
    chosen = [peer for peer in found if peer.name.startswith(EXTRA_PACKAGES[package])]
    assert chosen
    for peer in chosen:
        assert any(digit.isdigit() for digit in peer.version)
        for data in (b"", b"x", TEXT * 20):
            said = []
            alone = comparison.measure_peer(peer, data, said.append)
            for given in peer.given(TEXT * 20):
                row = comparison.measure_peer(given, data, said.append)
                assert row.note
                assert row.n_bytes <= alone.n_bytes + 4


def test_brotli_says_where_its_window_is_shorter_than_the_text():
    pytest.importorskip("brotli")
    found, _ = peers()
    notes = [named(found, "brotli -q 11").codecs(n)[0].note for n in (1 << 24, (1 << 24) + 1)]
    assert notes == ["", "window 16 MB"]


def test_zstd_is_given_a_prefix_and_a_trained_dictionary():
    pytest.importorskip("zstandard")
    found, _ = peers()
    # Other bytes everywhere, but for what a dictionary can hold.
    training = b"".join(tiny.TEXT[:300] + str(n**7).encode() * 9 for n in range(4000))
    given = all_given([named(found, "zstd -19")], training)
    assert [each.name for each in given] == [
        "zstd -19 given the training text", "zstd -19 with a dictionary trained on it"
    ]  # fmt: skip
    data = tiny.TEXT[:300] + b"7 is the answer"
    prefix, trained = (comparison.measure_peer(each, data) for each in given)
    assert trained.note == f"{packages.ZSTD_DICTIONARY_BYTES:,} bytes"
    alone = comparison.measure_peer(named(found, "zstd -19"), data)
    assert trained.n_bytes < alone.n_bytes / 2
    assert prefix.n_bytes < alone.n_bytes / 2


def test_a_prefix_is_reached_over_its_whole_length():
    pytest.importorskip("zstandard")
    import random

    start = random.Random(5).randbytes(5000)
    training = start + bytes(3_000_000)
    found, _ = peers()
    prefix, *_ = named(found, "zstd --ultra -22").given(training)
    assert comparison.measure_peer(prefix, start).n_bytes < 100


# --- programs ----------------------------------------------------------------------------


def test_absent_programs_are_named_with_how_to_get_them(no_extras):  # noqa: F811
    _, absent = peers()
    said = [str(each) for each in absent]
    for program in ("bzip3", "zpaq"):
        assert (
            f"no {program} on the PATH, so it is left out; "
            f"get it with: apt-get install {program} (Debian and Ubuntu)"
        ) in said


@pytest.mark.parametrize("name, script, version, options", [
    ("bzip3", BZIP3, "9.8.7", b"3"),
    ("zpaq", ZPAQ, "6.5", b"56"),
], ids=["bzip3", "zpaq"])  # fmt: skip
def test_programs_take_part(no_extras, name, script, version, options):  # noqa: F811
    no_extras(name, script)
    found, absent = peers()
    (peer,) = [each for each in found if each.name.startswith(name)]
    assert name not in [each.name for each in absent]
    assert peer.version == version
    data = TEXT * 40_000  # between two and three megabytes
    row = comparison.measure_peer(peer, data)
    (codec,) = peer.codecs(len(data))
    made = codec.compress(data)
    assert made.startswith(MARK) and made.endswith(options)  # a block for the whole text
    assert row.n_bytes == len(made)
    assert row.encode_seconds > 0 and row.decode_seconds > 0


@pytest.mark.parametrize("name", ["bzip3", "zpaq"])
@pytest.mark.parametrize("script", [LIAR, FAILURE, "#!/no/such"], ids=["lies", "fails", "no start"])
def test_a_program_that_fails_is_reported(no_extras, name, script):  # noqa: F811
    no_extras(name, script)
    found, _ = peers()
    (peer,) = [each for each in found if each.name.startswith(name)]
    compared = comparison.compare("name", TEXT, [], [peer])
    assert not compared.rows
    assert len(compared.failures) == 1
    assert "is not counted" in compared.failures[0]


@pytest.mark.parametrize("name", ["bzip3", "zpaq"])
def test_the_real_programs_decode(name):
    found, _ = peers()
    here = [each for each in found if each.name.startswith(name)]
    if not here:
        pytest.skip(f"no {name} here")
    for data in (b"x", TEXT * 20):
        assert comparison.measure_peer(here[0], data).n_bytes > 0
