"""A command, what it prints, its exit status, and the files it leaves: black box, one row each."""

import re
import shutil

import pytest
from command_line import MODEL, OTHER, TEXT, archive_of

import nlmzip
from nlmzip.cli.program import program
from nlmzip.models import catalogue

ARCHIVE, OTHER_ARCHIVE = archive_of(TEXT), archive_of(OTHER)
KN_ARCHIVE = archive_of(
    TEXT, codec="words", predictor="kn", dynamic=False, spelling_cache=False
)
MIXED_KN_ARCHIVE = archive_of(TEXT, predictor="kn")
ALONE = nlmzip.compress(TEXT)

# command | standard input | standard output | files that appear or change
SUCCESSES = [
    ("encode --model tiny text", b"", b"", {"text.nlmz": ARCHIVE}),
    ("encode --model tiny text other", b"", b"", {"text.nlmz": ARCHIVE, "other.nlmz": OTHER_ARCHIVE}),
    ("encode --model tiny -o out text", b"", b"", {"out": ARCHIVE}),
    ("encode --model tiny -o held.nlmz --force text", b"", b"", {"held.nlmz": ARCHIVE}),
    ("encode --model tiny -o - text", b"", ARCHIVE, {}),
    ("encode --model tiny -c text", b"", ARCHIVE, {}),
    ("encode --model tiny --stdout text other", b"", ARCHIVE + OTHER_ARCHIVE, {}),
    ("encode --model tiny -c -o - text", b"", ARCHIVE, {}),
    ("encode --model tiny", TEXT, ARCHIVE, {}),
    ("encode --model tiny -", TEXT, ARCHIVE, {}),
    ("encode --model tiny -o out", TEXT, b"", {"out": ARCHIVE}),
    ("encode --model ../models/tiny.nlm text", b"", b"", {"text.nlmz": ARCHIVE}),
    ("encode --model tiny -k text", b"", b"", {"text.nlmz": ARCHIVE}),
    ("encode --model tiny --codec words --predictor kn --no-dynamic --no-spelling-cache -c text", b"", KN_ARCHIVE, {}),
    ("encode --model tiny --codec mix --predictor kn -c text", b"", MIXED_KN_ARCHIVE, {}),
    ("encode --model tiny --model ../models/tiny.nlm -c text", b"", ARCHIVE, {}),
    ("encode --codec mix -c text", b"", ALONE, {}),
    ("encode --model none -c text", b"", ALONE, {}),
    ("encode --model tiny -f -c held.nlmz", b"", archive_of(ARCHIVE), {}),
    ("encode --model tiny -f -o out held.nlmz", b"", b"", {"out": archive_of(ARCHIVE)}),
    ("encode --model tiny -f held.nlmz", b"", b"", {"held.nlmz.nlmz": archive_of(ARCHIVE)}),
    ("decode held.nlmz", b"", b"", {"held": TEXT}),
    ("decode -o out held.nlmz", b"", b"", {"out": TEXT}),
    ("decode -o text --force held.nlmz", b"", b"", {"text": TEXT}),
    ("decode -o other -f held.nlmz", b"", b"", {"other": TEXT}),
    ("decode -c held.nlmz", b"", TEXT, {}),
    ("decode -c held.nlmz held.nlmz", b"", TEXT + TEXT, {}),
    ("decode -o - held.nlmz", b"", TEXT, {}),
    ("decode", ARCHIVE, TEXT, {}),
    ("decode -", ARCHIVE + OTHER_ARCHIVE, TEXT + OTHER, {}),
    ("decode - held.nlmz", OTHER_ARCHIVE, OTHER, {"held": TEXT}),
    ("decode --model tiny -c held.nlmz", b"", TEXT, {}),
    ("decode --model tiny --model finance -c held.nlmz", b"", TEXT, {}),
    ("decode -c", KN_ARCHIVE, TEXT, {}),
    ("decode -t held.nlmz held.nlmz", b"", b"", {}),
    ("decode --test", ARCHIVE, b"", {}),
    ("encode --model tiny -o /dev/null text", b"", b"", {}),
    ("--version", b"", f"nlmzip {nlmzip.__version__}\n".encode(), {}),
    ("-V", b"", f"nlmzip {nlmzip.__version__}\n".encode(), {}),
]  # fmt: skip


@pytest.mark.parametrize("command, stdin, stdout, made", SUCCESSES, ids=[s[0] for s in SUCCESSES])
def test_a_command_that_succeeds(workplace, command, stdin, stdout, made):
    before = workplace.contents()
    result = workplace.run(*command.split(), stdin=stdin)
    assert (result.stderr, result.status) == ("", 0)
    assert result.stdout == stdout
    assert workplace.contents() == before | made


USAGE_ERRORS = [
    ("encode --forse", "no such option --forse, perhaps --force; see 'nlmzip encode --help'"),
    ("encode --rm", "--rm needs a file that is written; leave it out, or name one with -o; see 'nlmzip encode --help'"),
    ("encode -Q", "no such option -Q; see 'nlmzip encode --help'"),
    ("--forse", "no such option --forse, perhaps --force; see 'nlmzip --help'"),
    ("encode --predictor ppm x", "invalid value for '--predictor': no predictor ppm; there are uniform, kn, nplm, rnn, lstm, gru, mgu and mixtures such as kn+rnn; see 'nlmzip encode --help'"),
    ("encode -o out text other", "-o takes only one FILE; see 'nlmzip encode --help'"),
    ("decode -o out -c held.nlmz", "-o and -c exclude each other; see 'nlmzip decode --help'"),
    ("decode -t -o out held.nlmz", "-t excludes -o, -c and --rm; see 'nlmzip decode --help'"),
    ("help encode decode", "got unexpected extra argument (decode); see 'nlmzip help --help'"),
    ("info", "missing argument 'FILE...'; see 'nlmzip info --help'"),
    ("train text", "missing option '-o' / '--output'; see 'nlmzip train --help'"),
    ("train -o m.nlm", "missing argument 'TEXT...'; see 'nlmzip train --help'"),
    ("train -o m.nlm --epochs 0 text", "invalid value for '--epochs': 0 is not in the range x>=1; see 'nlmzip train --help'"),
    ("train -o m.nlm --hidden many text", "invalid value for '--hidden': 'many' is not a valid integer range; see 'nlmzip train --help'"),
]  # fmt: skip


@pytest.mark.parametrize("command, message", USAGE_ERRORS, ids=[e[0] for e in USAGE_ERRORS])
def test_a_command_that_nobody_can_carry_out(workplace, command, message):
    before = workplace.contents()
    result = workplace.run(*command.split())
    assert result.stderr == f"nlmzip: {message}\n"
    assert (result.status, result.stdout) == (1, b"")
    assert workplace.contents() == before


def test_an_unknown_command_is_named(workplace):
    result = workplace.run("enkode", "text")
    assert re.fullmatch(r"nlmzip: no such command 'enkode'.*; see 'nlmzip --help'\n", result.stderr)
    assert (result.status, result.stdout) == (1, b"")


def test_the_worst_status_of_several_files_wins_and_the_others_are_done(workplace):
    result = workplace.run("encode", "--model", "tiny", "missing", "held.nlmz", "text")
    assert result.status == 1
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == ["missing", "held.nlmz"]
    assert workplace.read("text.nlmz") == ARCHIVE


def test_verbose_says_what_was_done(workplace):
    result = workplace.run("encode", "--model", "tiny", "-v", "text")
    assert re.fullmatch(
        rf"nlmzip: text: {len(TEXT)} -> {len(ARCHIVE)} bytes, \d+\.\d\d s, to text\.nlmz\n",
        result.stderr,
    )
    assert result.status == 0


def test_quiet_hides_warnings_and_keeps_the_status_and_errors(workplace):
    result = workplace.run("encode", "-q", "--model", "tiny", "held.nlmz")
    assert (result.status, result.stderr) == (2, "")
    assert "missing: no such file" in workplace.run("encode", "-q", "missing").stderr
    assert workplace.run("encode", "-q", "-v", "--model", "tiny", "text").stderr == ""


def test_a_damaged_archive_fails_the_test(workplace):
    workplace.write("bad.nlmz", ARCHIVE[:-2] + bytes([ARCHIVE[-2] ^ 64, ARCHIVE[-1]]))
    result = workplace.run("decode", "-t", "-v", "bad.nlmz", "held.nlmz")
    bad, held = result.stderr.splitlines()
    assert bad.startswith("nlmzip: bad.nlmz: damaged archive (")
    assert re.fullmatch(r"nlmzip: held\.nlmz: .* bytes, \d+\.\d\d s, tested", held)
    assert (result.status, result.stdout) == (1, b"")


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", sorted(program.commands))
def test_every_command_has_help(workplace, command, flag):
    result = workplace.run(command, flag)
    assert result.stdout.startswith(f"Usage: nlmzip {command} ".encode())
    assert (result.status, result.stderr) == (0, "")


@pytest.mark.parametrize("command", [[], *([name] for name in sorted(program.commands))])
def test_help_is_a_command_too(workplace, command):
    result = workplace.run("help", *command)
    assert (result.status, result.stderr) == (0, "")
    assert result.stdout == workplace.run(*command, "--help").stdout


def test_help_of_an_unknown_command_names_it(workplace):
    result = workplace.run("help", "enkode")
    assert result.stderr == workplace.run("enkode").stderr != ""
    assert (result.status, result.stdout) == (1, b"")


def test_the_models_that_can_be_named_are_listed(workplace):
    shutil.copy(workplace.models / "tiny.nlm", workplace.models / "finance.nlm")
    result = workplace.run("models")
    lines = result.stdout.decode().splitlines()
    assert lines[0].startswith("none: ")
    assert lines[-1] == f"tiny: {len(MODEL):,} bytes, {workplace.models / 'tiny.nlm'}"
    (finance,) = [line for line in lines if line.startswith("finance: ")]  # the package's
    assert str(catalogue.SHIPPED_FOLDER) in finance
    assert (result.status, result.stderr) == (0, "")


def test_a_broken_model_is_told_and_the_others_are_listed(workplace):
    broken = workplace.models / "broken.nlm"
    broken.write_bytes(b"no model")
    result = workplace.run("models")
    assert result.stderr.startswith(f"nlmzip: {broken}: not an nlmzip model; ")
    assert (result.status, b"\ntiny: " in result.stdout) == (1, True)


def test_every_command_and_option_is_described():
    for name, command in program.commands.items():
        assert command.help and command.short_help, name
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, (name, parameter.opts)
