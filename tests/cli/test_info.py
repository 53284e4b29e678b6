"""`nlmzip info` in its two forms."""

import hashlib
import json
import os

from command_line import MODEL, OTHER, TEXT, archive_of

import nlmzip


def test_an_archive_as_json(workplace):
    workplace.write("two.nlmz", archive_of(TEXT, codec="words") + archive_of(OTHER, predictor="kn"))
    result = workplace.run("info", "--json", "two.nlmz")
    (report,) = json.loads(result.stdout)
    assert (report["file"], report["kind"], report["bytes"]) == (
        "two.nlmz",
        "archive",
        len(workplace.read("two.nlmz")),
    )
    assert [member["original_size"] for member in report["members"]] == [len(TEXT), len(OTHER)]
    assert [member["predictor"] for member in report["members"]] == ["kn+rnn", "kn"]
    assert [member["dynamic"] for member in report["members"]] == [True, False]
    assert [member["codec"] for member in report["members"]] == ["words", "mix"]
    assert [member["frames"] for member in report["members"]] == [1, 1]
    assert report["problems"] == []
    digest = hashlib.sha256(MODEL[:-32]).hexdigest()[:16]
    assert (report["members"][0]["model_hash"], report["members"][1]["words_hash"]) == (digest,) * 2
    assert report["members"][1]["words_name"] == "tiny"
    assert (result.status, result.stderr) == (0, "")


def test_a_model_as_json(workplace):
    result = workplace.run("info", "--json", "../models/tiny.nlm")
    (report,) = json.loads(result.stdout)
    assert (report["kind"], report["card"]["name"]) == ("model", "tiny")
    assert report["card"]["file_bytes"] == len(MODEL)
    assert report["card"]["sha256"] == hashlib.sha256(MODEL[:-32]).hexdigest()


def test_an_archive_for_people(workplace):
    archive = workplace.read("held.nlmz")
    shown = workplace.run("info", "held.nlmz").stdout.decode().splitlines()
    bits = 8 * len(archive) / len(TEXT)
    assert shown[0] == (
        f"held.nlmz: archive of {len(TEXT)} bytes in {len(archive)}, {bits:.3f} bits a byte"
    )
    assert "    predictor       kn+rnn" in shown
    assert "    frames          1" in shown


def test_frames_and_what_is_wrong_with_an_index_are_told(workplace):
    text = b"".join(b"%d bottles of beer\n" % n for n in range(200))
    coded = nlmzip.compress(text, level=1, model="none", frame=500)
    n_frames = -(-len(text) // 500)
    workplace.write("framed.nlmz", coded)
    workplace.write("cut.nlmz", coded[:-1])
    reports = json.loads(workplace.run("info", "--json", "framed.nlmz", "cut.nlmz").stdout)
    assert [report["problems"] for report in reports] == [[], ["its index is cut off"]]
    for report in reports:
        assert report["members"][0] | {"compressed_size": 0} == {
            "codec": "mix", "original_size": len(text), "compressed_size": 0, "frames": n_frames, "level": 1,
            "profile": 2,
        }  # fmt: skip
    shown = workplace.run("info", "cut.nlmz")
    assert (shown.status, shown.stderr) == (0, "")
    assert b"\n  its index is cut off, and the text is whole\n" in shown.stdout


def test_a_model_for_people(workplace):
    shown = workplace.run("info", "../models/tiny.nlm").stdout.decode().splitlines()
    assert shown[0] == f"../models/tiny.nlm: model tiny, {len(MODEL):,} bytes"
    assert "  reset state       yes" in shown


def test_an_archive_from_standard_input(workplace):
    result = workplace.run("info", "-", stdin=workplace.read("held.nlmz"))
    assert result.stdout.startswith(b"standard input: archive of ")


def test_a_model_from_standard_input(workplace):
    result = workplace.run("info", "--json", "-", stdin=MODEL)
    (report,) = json.loads(result.stdout)
    assert (report["file"], report["card"]["name"]) == ("standard input", "tiny")


def test_what_can_be_read_only_once(workplace):
    os.mkfifo("pipe")
    process = workplace.start("info", "pipe")
    workplace.write("pipe", MODEL)
    result = workplace.finish(process)
    assert (result.status, result.stderr) == (0, "")
    assert result.stdout.startswith(b"pipe: model tiny, ")


def test_a_model_by_name_where_no_file_has_it(workplace):
    assert workplace.run("info", "tiny").stdout == workplace.run(
        "info", str(workplace.models / "tiny.nlm")
    ).stdout
    workplace.write("tiny", archive_of(TEXT))
    assert workplace.run("info", "tiny").stdout.startswith(b"tiny: archive of ")


def test_what_the_output_cannot_spell_is_escaped(workplace):
    name = "\N{GREEK SMALL LETTER PI} caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    workplace.write(name, workplace.read("held.nlmz"))
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    result = workplace.finish(workplace.start("info", name, env=environment))
    assert result.stdout.startswith(b"\\u03c0 caf\xe9: archive of ")
    assert (result.status, result.stderr) == (0, "")


def test_an_empty_text_has_no_bits_a_byte(workplace):
    workplace.write("empty.nlmz", archive_of(b""))
    result = workplace.run("info", "empty.nlmz")
    assert result.stdout.splitlines()[0].endswith(b", no text")


def test_what_is_neither_is_an_error_and_the_others_are_shown(workplace):
    result = workplace.run("info", "text", "held.nlmz")
    message = "nlmzip: text: neither an nlmzip archive nor a model; name one\n"
    assert (result.status, result.stderr) == (1, message)
    assert result.stdout.startswith(b"held.nlmz: archive")
