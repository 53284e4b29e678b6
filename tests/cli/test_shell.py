"""What makes the tool at home in a system: completion, the manual page, file(1), other names."""

import re
import shutil
import subprocess

import pytest
from archives import archive, members, newer
from command_line import ROOT

import nlmzip
from nlmzip.cli.plain import plain
from nlmzip.cli.program import PROGRAMS, program
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import MixCoding, Recipe
from nlmzip.execute.encode import write_model, write_stored

MAGIC = ROOT / "nlmzip" / "nlmzip.magic"


def needs(tool: str):
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"there is no {tool}")


def offered(workplace, monkeypatch, typed: str, name: str = "nlmzip") -> list[str]:
    """What bash is told that can come where the line `typed` ends."""
    words = typed.split(" ")
    monkeypatch.setenv(f"_{name.upper()}_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    result = workplace.run(program=name)
    assert (result.status, result.stderr) == (0, "")
    return result.stdout.decode().splitlines()


@pytest.mark.parametrize(
    "typed, expected",
    [
        ("nlmzip enc", ["file,enc", "plain,encode"]),
        ("nlmzip te", ["file,te", "plain,test"]),
        ("nlmzip --ver", ["plain,--version", "plain,--verify", "plain,--verbose"]),
        ("nlmzip --decomp", ["plain,--decompress"]),
        ("nlmzip -d he", ["file,he"]),
        ("nlmzip decode --no-", ["plain,--no-progress"]),
        ("nlmzip decode he", ["file,he"]),
        ("nlmzip encode --model ti", ["file,ti", "plain,tiny"]),
        ("nlmzip encode --codec ", ["plain,mix", "plain,words"]),
        ("nlmzip -1 --codec w", ["plain,words"]),
        ("nlmzip -o ", ["file,"]),
        ("nlmzip completion z", ["plain,zsh"]),
        ("nlmzip train te", ["file,te"]),
    ],
)
def test_the_shell_is_told_what_can_come(workplace, monkeypatch, typed, expected):
    assert sorted(offered(workplace, monkeypatch, typed)) == sorted(expected)


def test_the_other_names_complete_files_and_options(workplace, monkeypatch):
    assert offered(workplace, monkeypatch, "unnlmzip he", "unnlmzip") == ["file,he"]
    assert offered(workplace, monkeypatch, "nlmzcat --js", "nlmzcat") == ["plain,--json"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell_names_all_programs(workplace, shell):
    result = workplace.run("completion", shell)
    assert (result.status, result.stderr) == (0, "")
    for name in PROGRAMS:
        assert f"_{name.upper()}_COMPLETE={shell}_complete".encode() in result.stdout


@needs("bash")
def test_bash_takes_the_script(workplace):
    script = workplace.run("completion", "bash").stdout
    done = subprocess.run(["bash"], input=script + b"complete -p\n", capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    for name in PROGRAMS:
        assert f"_{name}_completion {name}\n".encode() in done.stdout


def test_the_manual_page_has_all_commands_and_options(workplace):
    result = workplace.run("man")
    assert (result.status, result.stderr) == (0, "")
    page = result.stdout.decode().replace("\\-", "-")
    assert page.startswith(f'.TH NLMZIP 1 "" "nlmzip {nlmzip.__version__}"')
    for name, command in program.commands.items():
        assert f"\n.SS {name}\n" in page
        for parameter in (*command.params, *plain.params):
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[-1] in page


def test_no_line_of_the_manual_page_is_a_request_that_nobody_wrote(workplace):
    for line in workplace.run("man").stdout.decode().splitlines():
        requests = r"\.(TH|SH|SS|PP|TP|br|nf|fi)\b"
        assert not line.startswith((".", "'")) or re.match(requests, line), line


@needs("groff")
def test_groff_sets_the_manual_page_without_a_warning(workplace):
    page = workplace.run("man").stdout
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-c", "-ww"], input=page, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"512M" in done.stdout


@needs("file")
def test_file_knows_archives_and_models(workplace):
    workplace.write("stored.nlmz", write_stored(b"text"))
    workplace.write("lines.nlmz", archive(Recipe((), 10), [Frame.of(b"a\nb\n", n_records=2)]))
    workplace.write("two.nlmz", archive(Recipe((MixCoding(1), MixCoding(2))), [Frame.of(b"text", b"1", 0)]))
    workplace.write("model.nlmz", write_model(b"a model") + write_stored(b""))
    workplace.write("old.nlmz", newer(write_stored(b"text"), 1))
    workplace.write("newer.nlmz", newer(write_stored(b"text"), 3))

    def told(name: str) -> str:
        command = ["file", "-b", "-m", MAGIC, name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert told("held.nlmz") == "nlmzip archive, format 2\n"
    assert told("stored.nlmz") == "nlmzip archive, format 2, stored\n"
    assert told("lines.nlmz") == "nlmzip archive, format 2, stored, of records\n"
    assert told("two.nlmz") == "nlmzip archive, format 2\n"
    assert told("model.nlmz") == "nlmzip archive, format 2, with its model\n"
    assert told("old.nlmz") == "nlmzip archive, format 1\n"
    assert told("newer.nlmz") == "nlmzip archive\n"
    assert told("../models/tiny.nlm") == "nlmzip model, format 1\n"
    assert "nlmzip" not in told("text")


def test_the_checkout_has_the_other_names():
    for name in PROGRAMS[1:]:
        assert (ROOT / "bin" / name).resolve() == ROOT / "bin" / "nlmzip"


@needs("tar")
def test_tar_takes_it_as_a_compressor(workplace):
    tool = workplace.write("tool", f'#!/bin/sh\nexec {" ".join(workplace.command())} "$@"\n'.encode())
    tool.chmod(0o755)
    workplace.write("folder/inside", b"inside")
    subprocess.run(["tar", "-I", "./tool -1", "-cf", "it.tar.nlmz", "folder"], check=True)
    shutil.rmtree("folder")
    subprocess.run(["tar", "-I", "./tool -1", "-xf", "it.tar.nlmz"], check=True)
    assert workplace.read("folder/inside") == b"inside"
    assert members(workplace.read("it.tar.nlmz"))
