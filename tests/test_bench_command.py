"""`nlmzip bench`: its options, what is absent or fails, the three forms of output, the picture."""

import csv
import io
import json
import shlex
import sys
import xml.etree.ElementTree as xml

import pytest
import tiny
from bench_peers import BZIP3, FAILURE, no_extras, programs  # noqa: F401
from command_line import TEXT, workplace  # noqa: F401
from test_bench_own import OWN, WITH_WORDS

from nlmzip.bench import own
from nlmzip.bench.packages import EXTRA_PACKAGES

STANDARD = ["lzma -9e", "bz2 -9", "zlib -9"]
GIVEN = "lzma -9e given the training text"


def contestants(result) -> list[str]:
    """Of the first text, from JSON."""
    return [row["contestant"] for row in json.loads(result.stdout)["texts"][0]["rows"]]


# --- peers -----------------------------------------------------------------------------


def test_absent_peers_are_named_with_how_to_get_them(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "text")
    assert result.status == 0
    pip = f"{shlex.quote(sys.executable)} -m pip install"
    assert result.stderr.splitlines() == [
        *(
            f"nlmzip: no {name} here, so it is left out; get it with: {pip} {package}"
            for package, name in EXTRA_PACKAGES.items()
        ),
        *(
            f"nlmzip: no {program} on the PATH, so it is left out; "
            f"get it with: apt-get install {program} (Debian and Ubuntu)"
            for program in ("bzip3", "zpaq")
        ),
    ]


def test_a_program_on_the_path_is_a_row_with_its_version(workplace, no_extras):  # noqa: F811
    no_extras("bzip3", BZIP3)
    result = workplace.run("bench", "-q", "text")
    lines = result.stdout.decode().splitlines()
    assert (result.status, result.stderr) == (0, "")
    assert sum(line.startswith("bzip3 ") for line in lines) == 1
    notes = " ".join(lines)
    assert "Versions: lzma -9e, bz2 -9: Python " in notes and notes.endswith("; bzip3: 9.8.7.")


def test_a_failing_peer_is_a_line_and_a_warning(workplace, no_extras):  # noqa: F811
    no_extras("bzip3", FAILURE)
    result = workplace.run("bench", "-q", "--json", "text")
    assert result.status == 2
    assert result.stderr == (
        "nlmzip: text: bzip3 does not compress the text and is not counted\n"
    )
    assert contestants(result) == [own.MIX, *STANDARD]
    (text,) = json.loads(result.stdout)["texts"]
    assert text["failures"] == ["bzip3 does not compress the text and is not counted"]


# --- tables and training texts -----------------------------------------------------------


def test_the_table_has_every_row_and_says_what_is_not_counted(workplace, no_extras):  # noqa: F811
    workplace.write("training", tiny.TEXT)
    result = workplace.run("bench", "--model", "tiny", "text", "other", "--train", "training")
    lines = result.stdout.decode().splitlines()
    assert result.status == 0
    names = [line.split("  ")[0].strip() for line in lines]
    marked = [f"{name} *" if name == WITH_WORDS else name for name in OWN]
    for name in [own.MIX, *marked, *STANDARD, f"{GIVEN} (by difference)"]:
        stored = name.replace(" *", "") + " (stored)" + (" *" if "*" in name else "")
        assert names.count(name) + names.count(stored) == 3, name
    assert [line for line in lines if line.endswith(" bytes")] == [
        f"text: {len(TEXT)} bytes", "other: 25 bytes", f"total: {len(TEXT) + 25} bytes",
    ]  # fmt: skip
    notes = "\n".join(lines)
    assert "Not counted is what is installed beside it: the mixing engine's start,\n" in notes
    assert f"the model tiny, {len(tiny.model_bytes()):,} bytes" in notes
    assert f"Given the training text ({len(tiny.TEXT)} bytes, not counted either)" in notes
    assert "by difference, the length of both compressed together less that" in notes


def test_several_training_texts_and_a_folder_of_them_are_one(workplace, no_extras):  # noqa: F811
    for name in ("folder/b", "folder/a", "c"):
        workplace.write(name, name.encode() * 50)
    value = json.loads(
        workplace.run("bench", "--json", "text", "--train", "folder", "--train", "c").stdout
    )
    assert value["training_bytes"] == 50 * (8 + 8 + 1)
    rows = value["texts"][0]["rows"]
    assert [row["contestant"] for row in rows if row["given_training_text"]] == [GIVEN]


def test_training_texts_are_joined_in_their_order(workplace, no_extras, monkeypatch):  # noqa: F811
    from nlmzip.bench import peers

    seen = []
    monkeypatch.setattr(peers, "all_given", lambda others, training: seen.append(training) or [])
    for name in ("folder/2", "folder/1", "c"):
        workplace.write(name, name[-1].encode())
    workplace.run("bench", "text", "--train", "c", "--train", "folder")
    assert seen == [b"c12"]


def test_a_missing_training_text_is_one_line(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "-q", "text", "--train", "nothing")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == "nlmzip: nothing: no such file or folder; check the name\n"


def test_json_and_csv_hold_the_same_figures(workplace, no_extras):  # noqa: F811
    as_json = json.loads(workplace.run("bench", "--model", "tiny", "--json", "text").stdout)
    output = workplace.run("bench", "--model", "tiny", "--csv", "text").stdout.decode()
    as_csv = list(csv.DictReader(io.StringIO(output)))
    (text,) = as_json["texts"]
    assert text["bytes"] == len(TEXT)
    assert [row["contestant"] for row in text["rows"]] == [own.MIX, *OWN, *STANDARD]
    for row, line in zip(text["rows"], as_csv, strict=True):
        assert line["contestant"] == row["contestant"]
        assert line["model"] == row["model"] == ("tiny" if row["contestant"] in OWN else "")
        assert int(line["bytes"]) == row["bytes"]
        assert float(line["bpc"]) == row["bpc"] == 8 * row["bytes"] / len(TEXT)


def test_json_says_what_it_was_made_with(workplace, no_extras):  # noqa: F811
    no_extras("bzip3", BZIP3)
    value = json.loads(workplace.run("bench", "--model", "tiny", "--json", "text").stdout)
    (model,) = value["models"]
    assert (model["name"], model["bytes"]) == ("tiny", len(tiny.model_bytes()))
    assert value["versions"]["bzip3"] == "9.8.7"
    assert list(value["versions"]) == [*STANDARD, "bzip3"]
    assert value["absent"] == [*EXTRA_PACKAGES.values(), "zpaq"]


def test_times_are_of_one_thread_unless_more_are_asked_for(workplace, no_extras):  # noqa: F811
    def bench(*options):
        return workplace.run("bench", "-q", "text", *options).stdout

    assert json.loads(bench("--json"))["threads"] == 1
    assert json.loads(bench("--json", "--threads", "2"))["threads"] == 2
    assert json.loads(bench("--json", "-T", "0"))["threads"] >= 1
    said = b"Our own rows were coded on 3 threads, the others on one each."
    assert said in bench("-T", "3") and b"threads" not in bench()


# --- our own rows ----------------------------------------------------------------------


def test_without_a_model_the_engine_alone_is_measured(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "--json", "text")
    assert json.loads(result.stdout)["models"] == []
    assert contestants(result) == [own.MIX, *STANDARD]
    assert contestants(workplace.run("bench", "--json", "--model", "none", "text")) == [
        own.MIX, *STANDARD
    ]  # fmt: skip


def test_several_models_are_measured(workplace, no_extras):  # noqa: F811
    workplace.write("mine.nlm", tiny.model_bytes(reset_state=False))
    result = workplace.run("bench", "--json", "--model", "tiny", "--model", "mine.nlm", "text")
    assert contestants(result) == [own.MIX, *(f"tiny: {name}" for name in OWN * 2), *STANDARD]


@pytest.mark.parametrize("levels", ["x", "1,", "1;2", ""])
def test_levels_that_are_none_are_one_line(workplace, levels):  # noqa: F811
    result = workplace.run("bench", "--level", levels, "text")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr.count("\n") == 1
    assert "is no list of levels such as 1,5,9" in result.stderr


def test_an_unknown_model_is_one_line(workplace):  # noqa: F811
    result = workplace.run("bench", "--model", "nobody", "text")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr.count("\n") == 1
    assert "no model named nobody" in result.stderr


# --- files -----------------------------------------------------------------------------


def test_a_missing_file_is_one_line_and_the_others_are_measured(workplace, no_extras):  # noqa: F811
    result = workplace.run("bench", "--model", "tiny", "--csv", "nothing", "text")
    assert result.status == 1
    assert result.stderr.splitlines()[-1] == (
        "nlmzip: nothing: no such file or folder; check the name"
    )
    assert f"text,{len(TEXT)},kn,,tiny," in result.stdout.decode()


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


# --- the picture -----------------------------------------------------------------------


@pytest.fixture
def no_measuring(monkeypatch):
    """Measuring is a failure of the test."""

    def measure(*_):
        pytest.fail("measured before the mistake was told")

    monkeypatch.setattr("nlmzip.bench.comparison.compare", measure)


def test_the_picture_has_every_row(workplace, no_extras):  # noqa: F811
    pytest.importorskip("matplotlib")
    result = workplace.run("bench", "-q", "text", "other", "--plot", "a picture.svg")
    assert (result.status, result.stderr) == (0, "")
    root = xml.fromstring(workplace.read("a picture.svg"))
    found = ["".join(each.itertext()).strip() for each in root.iter() if each.tag.endswith("}text")]
    for name in (own.MIX, *STANDARD):
        assert sum(text.startswith(name) for text in found) == 1, name
    assert f"total: {len(TEXT) + 25} bytes" in found


def test_a_picture_for_a_program(workplace, no_extras):  # noqa: F811
    pytest.importorskip("matplotlib")
    assert workplace.run("bench", "-q", "text", "--plot", "it.PNG").status == 0
    assert workplace.read("it.PNG").startswith(b"\x89PNG\r\n")


def test_without_matplotlib_there_is_one_line_and_no_measuring(
    workplace, monkeypatch, no_measuring  # noqa: F811
):
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    result = workplace.run("bench", "text", "--plot", "it.svg")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == (
        "nlmzip: --plot needs matplotlib; "
        f"get it with: {shlex.quote(sys.executable)} -m pip install matplotlib\n"
    )


@pytest.mark.parametrize("name", ["it", "it.jpg", "svg"])
def test_a_picture_of_another_kind_is_one_line(workplace, no_measuring, name):  # noqa: F811
    result = workplace.run("bench", "text", "--plot", name)
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == (
        f"nlmzip: --plot: a picture's name ends in .svg or .png; change {name}\n"
    )


def test_a_picture_that_is_there_stays_without_force(workplace, no_measuring):  # noqa: F811
    pytest.importorskip("matplotlib")
    workplace.write("it.svg", b"mine")
    result = workplace.run("bench", "text", "--plot", "it.svg")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == "nlmzip: it.svg: exists already; use --force to overwrite it\n"
    assert workplace.read("it.svg") == b"mine"


def test_force_replaces_the_picture(workplace, no_extras):  # noqa: F811
    pytest.importorskip("matplotlib")
    workplace.write("it.svg", b"mine")
    assert workplace.run("bench", "-q", "text", "-f", "--plot", "it.svg").status == 0
    assert workplace.read("it.svg").startswith(b"<?xml")


def test_an_empty_text_is_one_line_instead_of_a_picture(workplace, no_extras):  # noqa: F811
    pytest.importorskip("matplotlib")
    workplace.write("empty", b"")
    result = workplace.run("bench", "-q", "empty", "--plot", "it.svg")
    assert result.status == 1
    assert result.stderr == "nlmzip: nothing to plot of empty: it is empty\n"
    assert "it.svg" not in workplace.contents()
