"""Headers: a recipe comes back as it was, its bytes are frozen, and what means nothing is damage."""

import pytest
import recipes
from archives import archive, newer
from hypothesis import given

from nlmzip.container.format import MAGIC, MOST_CODINGS, MOST_NAME_BYTES
from nlmzip.container.frame import Frame
from nlmzip.container.header import read_header, write_header
from nlmzip.container.numbers import Fields, TruncatedError, varint
from nlmzip.container.recipe import (
    BY_LENGTHS,
    MODEL,
    STORED,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
    WordsInMix,
)
from nlmzip.errors import ArchiveError
from nlmzip.models.networks import predictor_name, predictor_number

FIRST, SECOND = ModelReference(bytes(range(8))), ModelReference(bytes(range(8, 16)), "my words")
FIRST_HEX, SECOND_HEX = "0001020304050607", "08090a0b0c0d0e0f"


@given(recipes.recipes)
def test_reading_undoes_writing(recipe):
    data = write_header(recipe)
    fields = Fields(data + b"more")
    assert read_header(fields) == recipe
    assert fields.offset == len(data)


@given(recipes.recipes)
def test_every_beginning_of_a_header_is_truncated(recipe):
    data = write_header(recipe)
    for length in range(len(data)):
        with pytest.raises(TruncatedError) as error:
            read_header(Fields(data[:length]))
        assert length < error.value.n_expected <= len(data)


@pytest.mark.parametrize(
    "recipe, coded",
    [
        (STORED, "20"),
        (MODEL, "27"),
        (Recipe((MixCoding(1),)), "21" "01"),
        (Recipe((MixCoding(63),)), "21" "3f"),
        (Recipe((MixCoding(64),)), "21" "fc" "40" "06"),
        (Recipe((MixCoding(300, FIRST),)), "21" "fc" "ac02" "00" + FIRST_HEX),
        (Recipe((MixCoding(1), MixCoding(16))), "22" "01" "10"),
        (Recipe((), BY_LENGTHS), "28" "00"),
        (Recipe((MixCoding(3),), 10), "29" "0b" "03"),
        (Recipe((MixCoding(3),), 255), "29" "8002" "03"),
        (Recipe((MixCoding(5, FIRST),)), "21" "9e" + FIRST_HEX),
        (
            Recipe((MixCoding(2, None, WordsInMix("kn+rnn", True, SECOND, True)),)),
            "21" "90" "0503" + SECOND_HEX + "08" "6d7920776f726473",
        ),
        (
            Recipe((MixCoding(9, FIRST, WordsInMix("kn", False, SECOND)),)),
            "21" "bb" + FIRST_HEX + "0100" + SECOND_HEX + "00" "08" "6d7920776f726473",
        ),
        (
            Recipe((WordsCoding("kn+rnn", True, True, "plain", FIRST),)),
            "21" "45" "03" + FIRST_HEX,
        ),
        (
            Recipe((WordsCoding("uniform", False, False, "general", SECOND),)),
            "21" "40" "0c" + SECOND_HEX + "08" "6d7920776f726473",
        ),
        (
            Recipe((WordsCoding("lstm", True, False, "bytes", FIRST),)),
            "21" "48" "11" + FIRST_HEX,
        ),
    ],
)  # fmt: skip
def test_the_bytes_of_format_2_are_frozen(recipe, coded):
    assert write_header(recipe).hex() == "fa6e7a" + coded
    assert read_header(Fields(bytes.fromhex("fa6e7a" + coded))) == recipe


@pytest.mark.parametrize(
    "coded",
    [
        "00", "2f", "21" "00", "21" "fe", "21" "ff", "21" "80" + FIRST_HEX, "21" "fc" "00" "06",
        "21" "fc" "05" "07", "21" "fc" "8000" "06", "21" "9f" "4000" + FIRST_HEX, "21" "9f" "0004" + FIRST_HEX, "21" "fd" "40" "03" + FIRST_HEX,
        "21" "fd" "8001" "03" + FIRST_HEX,
        "21" "40" "20" + FIRST_HEX, "21" "40" "14" + FIRST_HEX, "28" "8102",
    ],
    ids=lambda coded: coded[:8],
)  # fmt: skip
def test_what_no_header_says_is_damage(coded):
    with pytest.raises(ArchiveError, match="damaged archive"):
        read_header(Fields(bytes.fromhex("fa6e7a" + coded) + bytes(20)))


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe((MixCoding(1),) * (MOST_CODINGS + 1)),
        Recipe((MixCoding(0),)),
    ],
    ids=["too many", "no profile"],
)
def test_what_no_header_can_say_is_not_written(recipe):
    with pytest.raises(ValueError):
        write_header(recipe)


def test_what_is_no_archive_is_told():
    with pytest.raises(ArchiveError, match="not an nlmzip archive; nothing to decode"):
        read_header(Fields(b"PK\x03\x04 zip"))


# Archives of format 1 of an empty text, of a stored one, of both codecs.
OLD = ["fa6e7a100100000000", "fa6e7a1007c2412435616263", "fa6e7a12010702c24124353132",
       "fa6e7a11050300010203040506070702c24124353132"]  # fmt: skip


@pytest.mark.parametrize("data", OLD)
def test_format_1_is_one_clear_error(data):
    with pytest.raises(ArchiveError) as error:
        read_header(Fields(bytes.fromhex(data)))
    assert str(error.value) == (
        "archive format 1, which only development versions of nlmzip 0.1.0 wrote;"
        " decode it with one of these, and encode it anew"
    )


@pytest.mark.parametrize("version", [3, 4, 15])
def test_a_later_format_says_to_upgrade(version):
    data = newer(archive(STORED, [Frame.of(b"text")]), version)
    with pytest.raises(ArchiveError, match=f"^archive format {version} is newer than this nlmzip; upgrade nlmzip$"):
        read_header(Fields(data))


@pytest.mark.parametrize("name", ["emails", "a" * 255, "a" * 300, "ä" * 200])
def test_a_name_is_kept_and_cut_between_characters_where_it_is_too_long(name):
    recipe = Recipe((MixCoding(1, ModelReference(bytes(8), name)),))
    kept = read_header(Fields(write_header(recipe))).codings[0].model.model_name
    assert name.startswith(kept)
    assert len(kept.encode()) == min(len(name.encode()), MOST_NAME_BYTES - MOST_NAME_BYTES % len(name[0].encode()))


@pytest.mark.parametrize("predictor", ["uniform", "kn", "nplm", "rnn", "kn+nplm", "kn+rnn", "kn+nplm+rnn", "lstm", "gru", "kn+nplm+rnn+lstm+gru+mgu"])
def test_predictors_have_a_byte_each(predictor):
    assert predictor_name(predictor_number(predictor)) == predictor


def test_an_unknown_predictor_has_no_byte():
    for name in ("", "kn+", "kn+kn", "markov"):
        with pytest.raises(ValueError):
            predictor_number(name)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 16383, 16384, (1 << 63) - 1])
def test_numbers_take_seven_bits_a_byte(number):
    data = varint(number)
    assert len(data) == max(1, -(-number.bit_length() // 7))
    assert Fields(data).varint() == number


@pytest.mark.parametrize("data", [b"\x80" * 10, b"\x83\x00", b"\xff" * 9 + b"\x01"])
def test_a_number_that_nobody_writes_is_damage(data):
    with pytest.raises(ArchiveError, match="malformed length"):
        Fields(data).varint()


def test_a_header_begins_with_what_no_text_begins_with():
    assert write_header(STORED).startswith(MAGIC) and not MAGIC.isascii()
    with pytest.raises(UnicodeDecodeError):
        MAGIC.decode()
