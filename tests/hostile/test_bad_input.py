"""Bad input: a command, its exit status, its one line on standard error; nothing else changes."""

import hashlib
import os

import pytest
import tiny
from archives import newer
from command_line import MODEL, TEXT, archive_of

import nlmzip
from nlmzip.container.format import VERSION
from nlmzip.models import model_file

ARCHIVE, WORDS_ARCHIVE = archive_of(TEXT), archive_of(TEXT, codec="words")
STORED = archive_of(b"")
HASH = hashlib.sha256(MODEL[:-32]).hexdigest()[:16]


def set_up(workplace) -> None:
    """Bad files beside those of every workplace."""
    for name, data in {
        "empty.nlmz": b"",
        "foreign.nlmz": b"\x1f\x8b\x08\x00 the beginning of a gzip file",
        "short.nlmz": ARCHIVE[:-1],
        "long.nlmz": ARCHIVE + b"garbage",
        "newer.nlmz": newer(ARCHIVE),
        "damaged.nlmz": ARCHIVE[:-2] + bytes([ARCHIVE[-2] ^ 64, ARCHIVE[-1]]),
        "flags.nlmz": WORDS_ARCHIVE[:5] + b"\xff" + WORDS_ARCHIVE[6:],
        "mixed.nlmz": ARCHIVE[:6] + b"\x04" + ARCHIVE[7:],
        "old.nlmz": newer(ARCHIVE, 1),
        "held": b"there before",
        "not.nlm": b"no model",
        "cut.nlm": MODEL[:-100],
        "newer.nlm": MODEL[:4] + bytes([model_file.VERSION + 1]) + MODEL[5:],
        "damaged.nlm": MODEL[:-40] + bytes([MODEL[-40] ^ 1]) + MODEL[-39:],
    }.items():
        workplace.write(name, data)
    os.symlink("text", "link")
    os.link("text", "hard")
    os.symlink("loop", "loop")


CHECK = "check who may read the file and write in its folder"
SAME = "input and output are the same file; use -o with another name"
FETCH = "fetch or train it again"

ROWS = [
    # files that cannot be read
    ("encode missing", 1, "missing: no such file or folder; check the name"),
    ("encode missing/text", 1, "missing/text: no such file or folder; check the name"),
    ("encode text/text", 1, "text/text: a part of the name is a file, not a folder; check the name"),
    ("encode folder", 1, "folder: is a folder; make one file of it with tar -cf - FOLDER | nlmzip > FOLDER.tar.nlmz"),
    ("encode loop", 1, "loop: the links lead in a circle; check the name"),
    ("decode missing.nlmz", 1, "missing.nlmz: no such file or folder; check the name"),
    ("decode folder", 1, "folder: is a folder; name a file"),
    ("info missing", 1, "missing: no such file or folder; check the name"),
    ("info folder", 1, "folder: is a folder; name a file"),
    ("train missing -o new.nlm", 1, "missing: no such file or folder; check the name"),
    ("train folder -o new.nlm", 1, "folder: holds no files; name a folder that does, or a file"),
    ("train folder --codec words -o new.nlm", 1, "folder: holds no files; name a folder that does, or a file"),
    ("bench text --train folder", 1, "folder: holds no files; name a folder that does, or a file"),
    ("train text --dev missing -o new.nlm", 1, "missing: no such file or folder; check the name"),
    # outputs that cannot or must not be written
    ("encode --model tiny -o other text", 1, "other: exists already; use --force to overwrite it"),
    ("decode held.nlmz", 1, "held: exists already; use --force to overwrite it"),
    ("encode --model tiny -o folder text", 1, "folder: is a folder; name a file"),
    ("encode --model tiny -f -o folder text", 1, "folder: is a folder; name a file"),
    ("encode --model tiny -o text/out text", 1, "text/out: a part of the name is a file, not a folder; check the name"),
    ("encode --model tiny -f -o text text", 1, f"text: {SAME}"),
    ("encode --model tiny -f -o ./folder/../text text", 1, f"./folder/../text: {SAME}"),
    ("encode --model tiny -f -o link text", 1, f"link: {SAME}"),
    ("encode --model tiny -f -o hard text", 1, f"hard: {SAME}"),
    ("encode --model tiny -f -o text link", 1, f"text: {SAME}"),
    ("decode -f -o held.nlmz held.nlmz", 1, f"held.nlmz: {SAME}"),
    ("train -f -o link text", 1, f"link: {SAME}"),
    ("encode --model tiny -o /dev/full text", 1, "/dev/full: no space left on the device; free some and try again"),
    ("encode --model tiny -o new/ text", 1, "new/: names no file; add a file's name"),
    ("encode --model tiny -f -o other/. text", 1, "other/.: names no file; add a file's name"),
    ("decode -o folder/ held.nlmz", 1, "folder/: names no file; add a file's name"),
    ("train -o new.nlm/ text", 1, "new.nlm/: names no file; add a file's name"),
    # names that say that there is nothing to do
    ("encode held.nlmz", 2, "held.nlmz: ends in .nlmz already, skipped; use --force to encode it again"),
    ("decode text", 2, "text: does not end in .nlmz, skipped; use -o FILE or -c to decode it"),
    # models
    ("encode --model nowhere.nlm text", 1, "no model file nowhere.nlm; check the path"),
    ("encode --model not.nlm text", 1, "not.nlm: not an nlmzip model; a model is made with `nlmzip train`"),
    ("encode --model cut.nlm text", 1, f"cut.nlm: damaged model file (its checksum does not hold); {FETCH}"),
    ("encode --model damaged.nlm text", 1, f"damaged.nlm: damaged model file (its checksum does not hold); {FETCH}"),
    ("encode --model newer.nlm text", 1, f"newer.nlm: model format {model_file.VERSION + 1} is newer than this nlmzip; upgrade nlmzip"),
    ("encode --model ./text text", 1, "text: not an nlmzip model; a model is made with `nlmzip train`"),
    ("info not.nlm", 1, "not.nlm: neither an nlmzip archive nor a model; name one"),
    ("info cut.nlm", 1, f"cut.nlm: truncated model file; {FETCH}"),
    ("info newer.nlm", 1, f"newer.nlm: model format {model_file.VERSION + 1} is newer than this nlmzip; upgrade nlmzip"),
    ("encode --model tiny --predictor kn --dynamic text", 1, "text: dynamic evaluation needs a network and kn has none; use --no-dynamic, or a predictor with nplm or rnn or lstm or gru or mgu"),
    # archives
    ("decode empty.nlmz", 1, "empty.nlmz: empty input, not an nlmzip archive; nothing to decode"),
    ("decode foreign.nlmz", 1, "foreign.nlmz: not an nlmzip archive; nothing to decode"),
    ("decode -c text", 1, "text: not an nlmzip archive; nothing to decode"),
    ("decode short.nlmz", 1, f"short.nlmz: truncated archive ({len(ARCHIVE) - 1} bytes, at least {len(ARCHIVE)} expected); get a complete copy"),
    ("decode long.nlmz", 1, f"long.nlmz: trailing garbage after the archive's end at byte {len(ARCHIVE)}; cut it off or get a good copy"),
    ("decode newer.nlmz", 1, f"newer.nlmz: archive format {VERSION + 1} is newer than this nlmzip; upgrade nlmzip"),
    ("decode old.nlmz", 1, "old.nlmz: archive format 1, which only development versions of nlmzip 0.1.0 wrote; decode it with one of these, and encode it anew"),
    ("decode flags.nlmz", 1, "flags.nlmz: damaged archive (unknown flags); get a good copy"),
    ("decode mixed.nlmz", 1, "mixed.nlmz: damaged archive (unknown flags); get a good copy"),
    ("info short.nlmz", 1, f"short.nlmz: truncated archive ({len(ARCHIVE) - 1} bytes, at least {len(ARCHIVE)} expected); get a complete copy"),
    ("info empty.nlmz", 1, "empty.nlmz: neither an nlmzip archive nor a model; name one"),
]  # fmt: skip


@pytest.mark.parametrize("command, status, message", ROWS, ids=[row[0] for row in ROWS])
def test_bad_input(workplace, command, status, message):
    set_up(workplace)
    before = workplace.contents()
    result = workplace.run(*command.split())
    assert result.stderr == f"nlmzip: {message}\n"
    assert (result.status, result.stdout) == (status, b"")
    assert workplace.contents() == before


def one_line(stderr: str) -> str:
    assert stderr.startswith("nlmzip: ") and stderr.endswith("\n")
    assert stderr[:-1].isprintable()
    return stderr


def test_an_empty_name_is_no_name(workplace):
    before = workplace.contents()
    for command in (["encode", "--model", "tiny"], ["decode", "-f"], ["train"]):
        result = workplace.run(*command, "-o", "", "held.nlmz")
        message = "nlmzip: '': names no file; add a file's name\n"
        assert (result.status, result.stderr) == (1, message), command
    result = workplace.run("info", "")
    assert result.stderr == "nlmzip: '': no such file or folder; check the name\n"
    assert workplace.contents() == before


EVIL = "evil\nall fine\x1b[31m\u202e"


@pytest.mark.parametrize(
    "command",
    [
        ["encode", "--model", EVIL, "text"],
        ["encode", "--model", f"{EVIL}.nlm", "text"],
        ["encode", f"--{EVIL}", "text"],
        ["encode", "--predictor", EVIL, "text"],
        ["encode", f"-{EVIL}", "text"],
        ["encode", "-o", f"{EVIL}/out", "text"],
        ["encode", EVIL],
        ["train", "--epochs", EVIL, "text"],
        ["help", EVIL],
        [EVIL],
    ],
)
def test_whatever_the_arguments_hold_the_message_is_one_printable_line(workplace, command):
    result = workplace.run(*command)
    assert "evil" in one_line(result.stderr) or command[1] == f"-{EVIL}"
    assert (result.status, result.stdout) == (1, b"")


def test_whatever_a_header_holds_the_message_is_one_printable_line(workplace):
    model = model_file.read(tiny.model_bytes(name=EVIL))
    workplace.write("evil.nlmz", nlmzip.compress(TEXT, model=model))
    for command in (["decode", "-c"], ["decode", "-c", "--model", "tiny"]):
        result = workplace.run(*command, "evil.nlmz")
        assert "model evil\\nall fine\\x1b[31m\\u202e" in one_line(result.stderr)
        assert (result.status, result.stdout) == (1, b"")
    shown = workplace.run("info", "evil.nlmz").stdout.decode()
    assert all(line.isprintable() for line in shown.splitlines()) and "all fine" in shown


def model_of(card: bytes) -> bytes:
    """A model file of this card and no arrays, whose checksum holds."""
    body = model_file.MAGIC + bytes([model_file.VERSION])
    body += len(card).to_bytes(4, "little") + card
    return body + hashlib.sha256(body).digest()


ENTRY = '{"name": "x", "arrays": [{"name": "a", "dtype": "u1", "shape": [1], "bytes": %s}]}'
CARDS = [
    '{"name": "x", "arrays": [5]}',
    '{"name": "x", "arrays": [{}]}',
    '{"name": "x", "arrays": 5}',
    '{"name": 5, "arrays": []}',
    '{"arrays": []}',
    *(ENTRY % value for value in ("-1", "1.5", "null", '"1"', "[1]", "true", "1e400")),
    *('{"name": "x", "arrays": [], "deep": %s}' % ("[" * n + "]" * n) for n in (700, 100_000)),
    '{"name": "x", "arrays": [], "number": %s}' % ("9" * 10_000),
    '{"name": "x", "arrays": []',
    "[]",
    "5",
    "\xff",
]  # fmt: skip


@pytest.mark.parametrize("card", CARDS, ids=[card[:60] for card in CARDS])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["for people", "as JSON"])
def test_a_card_that_is_none_is_an_error(workplace, card, form):
    workplace.write("odd.nlm", model_of(card.encode("latin-1")))
    result = workplace.run("info", *form, "odd.nlm")
    assert one_line(result.stderr).startswith("nlmzip: odd.nlm: ")
    assert (result.status, result.stdout) == (1, b"[]\n" if form else b"")
    assert "odd" in one_line(workplace.run("encode", "--model", "odd.nlm", "text").stderr)


def test_too_little_memory_for_a_model_is_told_in_one_line(workplace, monkeypatch):
    def load(name):
        raise MemoryError

    monkeypatch.setattr("nlmzip.models.catalogue.load", load)
    result = workplace.run("encode", "--model", "tiny", "text")
    message = "nlmzip: not enough memory; free some and try again\n"
    assert (result.status, result.stdout, result.stderr) == (1, b"", message)


def test_damage_inside_the_payload(workplace):
    set_up(workplace)
    result = workplace.run("decode", "damaged.nlmz")
    assert "damaged.nlmz: damaged archive (" in one_line(result.stderr)
    assert (result.status, result.stdout) == (1, b"")


def test_empty_standard_input_is_no_archive(workplace):
    result = workplace.run("decode")
    message = "standard input: empty input, not an nlmzip archive; nothing to decode"
    assert (result.status, result.stderr, result.stdout) == (1, f"nlmzip: {message}\n", b"")


def test_an_unknown_model_is_told_with_those_that_are_known(workplace):
    result = workplace.run("encode", "--model", "nonsense", "text")
    line = one_line(result.stderr)
    assert line.startswith("nlmzip: no model named nonsense (known: ")
    assert "tiny" in line and f"put it into {workplace.models}\n" in line
    assert (result.status, os.path.exists("text.nlmz")) == (1, False)


def test_an_archive_whose_model_is_not_there_names_it_and_says_how_to_get_it(workplace):
    (workplace.models / "tiny.nlm").unlink()
    result = workplace.run("decode", "held.nlmz")
    line = one_line(result.stderr)
    assert line.startswith(
        f"nlmzip: held.nlmz: the model tiny (hash {HASH}) that this archive needs"
    )
    assert "get it from whoever made the archive and give it with --model" in line
    assert (result.status, os.path.exists("held")) == (1, False)


def test_a_model_of_the_same_name_and_another_content_is_not_taken(workplace):
    workplace.write("tiny.nlm", tiny.model_bytes(reset_state=False))
    result = workplace.run("decode", "--model", "tiny.nlm", "held.nlmz")
    assert f"held.nlmz: this archive needs the model tiny (hash {HASH})" in one_line(result.stderr)
    assert (result.status, os.path.exists("held")) == (1, False)


def test_a_broken_model_among_the_users_does_not_disturb(workplace):
    (workplace.models / "a.nlm").write_bytes(b"no model")
    (workplace.models / "b.nlm").write_bytes(MODEL[:-100])
    assert workplace.run("decode", "-c", "held.nlmz").stdout == TEXT


NOBODY = 65534


def test_an_unreadable_file(workplace):
    os.chmod("text", 0)
    root = os.geteuid() == 0  # who may read everything, and so becomes somebody else
    if root:
        os.seteuid(NOBODY)
    try:
        result = workplace.run("encode", "text")
    finally:
        if root:
            os.seteuid(0)
    assert (result.status, result.stderr) == (1, f"nlmzip: text: permission denied; {CHECK}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_in(workplace):
    os.chmod("folder", 0o500)
    result = workplace.run("encode", "--model", "tiny", "-o", "folder/out", "text")
    os.chmod("folder", 0o700)
    message = f"nlmzip: folder/out: permission denied; {CHECK}\n"
    assert (result.status, result.stderr) == (1, message)


def test_input_on_standard_input_is_not_overwritten(workplace):
    with open("text", "rb") as text:
        process = workplace.start("encode", "--model", "tiny", "-f", "-o", "text", stdin=text)
        result = workplace.finish(process)
    assert (result.status, result.stderr) == (1, f"nlmzip: text: {SAME}\n")
    assert workplace.read("text") == TEXT


def test_output_on_standard_output_is_not_appended_to_its_input(workplace):
    with open("text", "ab") as text:
        process = workplace.start("encode", "--model", "tiny", "-c", "text", stdout=text)
        result = workplace.finish(process)
    assert (result.status, result.stderr) == (1, f"nlmzip: standard output: {SAME}\n")
    assert workplace.read("text") == TEXT
