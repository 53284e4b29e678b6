"""The levels of `nlmzip encode`, and what `info` says of them."""

import json

import pytest
from command_line import TEXT

import nlmzip


@pytest.mark.parametrize("option, level", [("-1", 1), ("--fast", 1), ("-4", 4), ("-5", 5), ("-9", 9), ("--best", 9)])
def test_a_level_codes_as_the_api_does(workplace, option, level):
    result = workplace.run("encode", option, "-c", "text")
    assert (result.status, result.stderr) == (0, "")
    assert result.stdout == nlmzip.compress(TEXT, level=level)


def test_the_last_level_named_counts_and_5_is_the_default(workplace):
    plain = workplace.run("encode", "-c", "text").stdout
    assert workplace.run("encode", "-9", "-5", "-c", "text").stdout == plain == nlmzip.compress(TEXT, level=5)


@pytest.mark.parametrize("option, level", [("-3", 3), ("-9", 9)])
def test_a_model_of_words_takes_part_at_a_level(workplace, option, level):
    result = workplace.run("encode", option, "--model", "tiny", "-c", "text")
    assert (result.status, result.stderr) == (0, "")
    workplace.write("text.nlmz", result.stdout)
    (report,) = json.loads(workplace.run("info", "--json", "text.nlmz").stdout)
    assert (report["members"][0]["level"], report["members"][0]["words_name"]) == (level, "tiny")
    assert workplace.run("decode", "-c", "text.nlmz").stdout == TEXT


def test_a_level_of_the_words_codec_is_one_line(workplace):
    result = workplace.run("encode", "-3", "--model", "tiny", "--codec", "words", "-c", "text")
    assert result.status == 1 and result.stderr.count("\n") == 1
    assert "levels belong to the mixing engine" in result.stderr


def test_info_says_the_level(workplace):
    workplace.write("fast.nlmz", nlmzip.compress(TEXT * 3, level=1))
    (report,) = json.loads(workplace.run("info", "--json", "fast.nlmz").stdout)
    assert report["members"][0]["level"] == 1
    assert "    level           1\n" in workplace.run("info", "fast.nlmz").stdout.decode()
