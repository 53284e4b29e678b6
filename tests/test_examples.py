"""What a newcomer tries: every command that README.md, docs/ and the help texts show, run as it stands.

Each runs in a folder of its own that holds what it names and nothing else. A new example
needs a line here: what it makes, or the reason why it is left out. NLMZIP_MODEL is none, as in
all tests, since unpacking the shipped model takes a while. Python in them is run by test_api.py.
"""

import importlib.util
import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest
import tiny

import nlmzip
from nlmzip.cli.plain import plain
from nlmzip.cli.program import program

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
FINANCE = ROOT / "corpora" / "finance"
TEXT = (FINANCE / "heldout.txt").read_bytes()[:2000] if FINANCE.is_dir() else b""

#: Every command, and the files that it makes.
README_EXAMPLES = {
    "bin/nlmzip encode README.md && bin/nlmzip decode README.md.nlmz -o - | cmp - README.md": ["README.md.nlmz"],
    "nlmzip FILE...": ["FILE.nlmz"],
    "nlmzip -d FILE.nlmz...": ["FILE"],
    "nlmzip -dc FILE.nlmz...": [],
    "nlmzip -t FILE.nlmz...": [],
    "nlmzip -l FILE.nlmz...": [],
    "nlmzip < in > out": ["out"],
    "tar -I nlmzip -cf F.tar.nlmz F": ["F.tar.nlmz"],
    "nlmzip encode, decode, test, list FILE...": ["FILE.nlmz"],
    "nlmzip decode --bytes 5000000:5001000 -c F.nlmz": [],
    "nlmzip encode --lines FILE.jsonl": ["FILE.jsonl.nlmz"],
    "nlmzip get FILE.jsonl.nlmz 17 100:200": [],
    "nlmzip encode --records-by nul|file ...": ["FILE.nlmz", "both.nlmz"],
    "nlmzip info FILE.nlmz...": [],
    "nlmzip models": [],
    "nlmzip bench FILE...": [],
    "nlmzip explain --model finance FILE": ["FILE.html"],
    "nlmzip man | man -l -": [],
    "source <(nlmzip completion bash)": [],
    "file -m nlmzip/nlmzip.magic FILE": [],
    "nlmzip train TEXT|FOLDER... -o M.nlm [--dev TEXT] [--size 8M] [--contexts short|long|longest]": ["M.nlm"],
    "nlmzip encode --model M.nlm FILE": ["FILE.nlmz"],
    "bin/nlmzip encode --model my.nlm corpora/finance/heldout.txt": ["corpora/finance/heldout.txt.nlmz"],
    "bin/nlmzip decode --model my.nlm corpora/finance/heldout.txt.nlmz -o - | cmp - corpora/finance/heldout.txt": [],
    "bin/nlmzip explain corpora/finance/heldout.txt --model finance -o heldout.html": ["heldout.html"],
    "bin/nlmzip bench --model finance --train corpora/finance/train.txt --plot it.svg corpora/finance/heldout.txt": ["it.svg"],
}  # fmt: skip

DOCS_EXAMPLES = {
    "nlmzip encode --lines events.jsonl": ["events.jsonl.nlmz"],
    "nlmzip get events.jsonl.nlmz 0 -1": [],
    "nlmzip get events.jsonl.nlmz 100:103": [],
    "nlmzip get events.jsonl.nlmz 100:200 -o some.jsonl": ["some.jsonl"],
    "nlmzip encode --records-by file one.txt two.txt -o both.nlmz": ["both.nlmz"],
    "nlmzip get both.nlmz 1 -o second.txt": ["second.txt"],
}

HELP_EXAMPLES = {
    "nlmzip FILE...": ["FILE.nlmz"],
    "nlmzip -d FILE.nlmz...": ["FILE"],
    "nlmzip -t FILE.nlmz...": [],
    "nlmzip -l FILE.nlmz...": [],
    "nlmzip models": [],
    "source <(nlmzip completion bash)": [],
    "nlmzip completion fish": [],
    "nlmzip man | man -l -": [],
    "nlmzip man > nlmzip.1": ["nlmzip.1"],
}

LEFT_OUT = {
    "bin/test -q": "is what runs this",
    "bin/nlmzip train --codec words corpora/finance/train.txt --dev corpora/finance/dev.txt -o my.nlm":
        "trains for minutes; the shipped model is what it makes, and stands in below",
    ".venv/bin/pip install zstandard brotli pyppmd matplotlib": "installs packages",
    "apt-get install bzip3 zpaq": "installs packages",
}  # fmt: skip

#: Lines that show a form: what somebody would type, where that is not the line without dots.
FORMS = {
    "nlmzip encode, decode, test, list FILE...":
        "nlmzip encode FILE && nlmzip list FILE.nlmz && nlmzip test FILE.nlmz && nlmzip decode -f FILE.nlmz",
    "nlmzip encode --records-by nul|file ...":
        "nlmzip encode --records-by nul FILE && nlmzip encode --records-by file FILE in -o both.nlmz",
    "nlmzip train TEXT|FOLDER... -o M.nlm [--dev TEXT] [--size 8M] [--contexts short|long|longest]":
        "nlmzip train TEXT -o M.nlm --size 300K --contexts short",  # the quickest of them
}  # fmt: skip

NEEDS = {"man -l": "man", "file -m": "file", "tar ": "tar"}


# --- what is shown


def shown_examples(text: str) -> "dict[str, list[str]]":
    """Commands of a document's indented blocks with the output that stands below them."""
    shown, last = {}, None
    for line in text.splitlines():
        if not line.startswith("    ") or line.startswith(("    >>>", "    ...")):
            last = None
            continue
        line = line[4:]
        if line.startswith("$ "):
            last = re.split(r" {3,}", line[2:])[0]
        elif re.match(r"(nlmzip|unnlmzip|nlmzcat|tar|source|file) ", line):
            last = re.split(r" {3,}", line)[0]
        elif last is not None:
            shown[last].append(line)
            continue
        if last is not None:
            shown[last] = []
    return shown


def help_text() -> str:
    """All help, with its words one space apart."""
    contexts = [click.Context(command, info_name="") for command in (program, plain, *program.commands.values())]
    texts = [context.get_help().split("\n", 1)[1] for context in contexts]
    return " ".join(" ".join(texts).split())


def test_every_command_of_the_readme_is_tried_or_left_out_by_name():
    assert set(shown_examples(README)) == set(README_EXAMPLES) | set(LEFT_OUT)


def test_every_command_of_the_documentation_is_tried():
    assert set(shown_examples(DOCS)) == set(DOCS_EXAMPLES)


def test_every_command_of_the_help_is_tried():
    text = help_text()
    for command in HELP_EXAMPLES:
        assert command in text, command
    for command in sorted(HELP_EXAMPLES, key=len, reverse=True):
        text = text.replace(command, "")
    assert re.findall(r"\b(?:nlmzip|unnlmzip|nlmzcat|tar) (?:-|[a-z]+ [a-z]+ [|>]).{9}", text) == []


def test_every_option_of_the_readme_exists():
    commands = (program, plain, *program.commands.values())
    known = {name for command in commands for each in command.params for name in (*each.opts, *each.secondary_opts)}
    blocks = "\n".join(line for line in README.splitlines() if re.match(r"    (-|\$ bin/nlmzip|nlmzip)", line))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", blocks + " ".join(re.findall(r"`([^`]*)`", README))))
    of_others = {"--epochs", "--ultra", "--engine", "--data", "--save", "--help", "--version"}
    assert named - known - of_others == set() and len(named) > 20


# --- what is tried


def heldout() -> bytes:
    return (FINANCE / "heldout.txt").read_bytes()


def events() -> bytes:
    kinds = {0: "begin", 999: "end"}
    lines = [f'{{"event": {number}, "kind": "{kinds.get(number, "work")}"}}\n' for number in range(1000)]
    return "".join(lines).encode()


def as_records(records: "list[bytes]", **options) -> bytes:
    kept = io.BytesIO()
    with nlmzip.RecordWriter(kept, model="none", **options) as writer:
        for record in records:
            writer.write(record)
    return kept.getvalue()


#: What examples name and somebody has: files, and None for folders.
STAND_INS = {
    "FILE": lambda: TEXT,
    "events.jsonl": events,
    "FILE.jsonl": events,
    "FILE.jsonl.nlmz": lambda: as_records(events().splitlines(), delimiter=b"\n"),
    "F.nlmz": lambda: nlmzip.compress(TEXT * 3000, level=1, model="none"),
    "events.jsonl.nlmz": lambda: as_records(events().splitlines(), delimiter=b"\n"),
    "one.txt": lambda: TEXT[:1000],
    "two.txt": lambda: TEXT[1000:],
    "both.nlmz": lambda: as_records([TEXT[:1000], TEXT[1000:]]),
    "FILE.nlmz": lambda: nlmzip.compress(TEXT, model="none"),
    "in": lambda: TEXT,
    "TEXT": lambda: (FINANCE / "train.txt").read_bytes()[:20_000],
    "M.nlm": tiny.model_bytes,
    "my.nlm": lambda: (ROOT / "nlmzip/pretrained/finance.nlm").read_bytes(),
    "F": lambda: None,
    "README.md": README.encode,
    "nlmzip/nlmzip.magic": lambda: (ROOT / "nlmzip/nlmzip.magic").read_bytes(),
    "corpora/finance/heldout.txt": heldout,
    "corpora/finance/train.txt": lambda: (FINANCE / "train.txt").read_bytes(),
    "corpora/finance/heldout.txt.nlmz": lambda: nlmzip.compress(heldout(), model="finance"),
}


@pytest.fixture(scope="session")
def environment() -> dict:
    """The environment in which the commands of the checkout are found."""
    stamp = ROOT / ".venv" / "installed"
    if not (stamp.is_file() and stamp.read_text().startswith(f"{ROOT}\n") and FINANCE.is_dir()):
        pytest.skip("needs the checkout with the environment that bin/nlmzip makes")
    if not shutil.which("bash"):
        pytest.skip("there is no bash")
    path = os.pathsep.join([str(ROOT / "bin"), os.environ["PATH"]])
    return os.environ | {"PATH": path, "MANPAGER": "cat", "PYTHONPATH": ""}


def prepare(folder: Path, typed: str, made: list[str]) -> None:
    """Put what the command names into the folder, but for what it makes."""
    (folder / "bin").symlink_to(ROOT / "bin")
    for name in set(typed.split()) & set(STAND_INS) - set(made):
        content = STAND_INS[name]()
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
            (path / "inside").write_bytes(TEXT)
        else:
            path.write_bytes(content)


def contents(folder: Path) -> "dict[str, bytes]":
    files = [path for path in folder.rglob("*") if path.is_file() and "bin" not in path.parts[:-1]]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def on_small_inputs(command: str, folder: Path) -> str:
    """bench with a model takes a minute on what README names; and a picture needs matplotlib."""
    for name, n_bytes in (("heldout", 2000), ("train", 20_000)):
        path = folder / f"corpora/finance/{name}.txt"
        path.write_bytes(path.read_bytes()[:n_bytes])
    if importlib.util.find_spec("matplotlib") is None:
        return command.replace("--plot it.svg ", "")
    return command


def shown_alike(shown: list[str], printed: str) -> bool:
    """Whether what README shows is what was printed, but for what only a first run says."""
    return "".join(f"{line}\n" for line in shown if "setting up" not in line) == printed


EXAMPLES = README_EXAMPLES | DOCS_EXAMPLES | HELP_EXAMPLES
SHOWN = shown_examples(README) | shown_examples(DOCS)


@pytest.mark.parametrize("command", EXAMPLES, ids=list(EXAMPLES))
def test_an_example_does_what_it_says(tmp_path, environment, command):
    for part, tool in NEEDS.items():
        if part in command and not shutil.which(tool):
            pytest.skip(f"there is no {tool}")
    made = EXAMPLES[command]
    typed = FORMS.get(command, command).replace("...", "")
    prepare(tmp_path, typed, made)
    if "--plot" in command:
        typed = on_small_inputs(typed, tmp_path)
        made = made if "--plot" in typed else []
    before = contents(tmp_path)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", typed], cwd=tmp_path, env=environment, capture_output=True, timeout=300
    )
    said = [line for line in done.stderr.decode().splitlines() if "so it is left out; get it" not in line]
    assert (done.returncode, said) == (0, [])
    after = contents(tmp_path)
    assert sorted(set(after) - set(before)) == sorted(made)
    assert all(after[name] == content for name, content in before.items())
    shown = SHOWN.get(command)
    if shown:
        assert shown_alike(shown, done.stdout.decode())
    check(command, after, done.stdout)


def check(command: str, files: "dict[str, bytes]", printed: bytes) -> None:
    """What the words beside an example promise, where that can be told."""
    if "FILE.nlmz" in files and "FILE" in files and "M.nlm" not in command:
        assert nlmzip.decompress(files["FILE.nlmz"]) == files["FILE"] == TEXT
    if command == "nlmzip -dc FILE.nlmz...":
        assert printed == TEXT
    if "out" in files:
        assert nlmzip.decompress(files["out"]) == TEXT
    if command.startswith("nlmzip encode --lines"):
        (made,) = README_EXAMPLES.get(command) or DOCS_EXAMPLES[command]
        assert list(nlmzip.Records(io.BytesIO(files[made]))) == events().splitlines()
    if command == "nlmzip get FILE.jsonl.nlmz 17 100:200":
        assert printed.splitlines() == [events().splitlines()[number] for number in (17, *range(100, 200))]
    if "--bytes" in command:
        assert printed == (TEXT * 3000)[5000000:5001000] != b""
    if "some.jsonl" in files:
        assert files["some.jsonl"].splitlines() == events().splitlines()[100:200]
    if "second.txt" in files:
        assert files["second.txt"] == TEXT[1000:]
    if "FILE.html" in files or "heldout.html" in files:
        assert files.get("FILE.html", files.get("heldout.html")).startswith(b"<!DOCTYPE html>")
    if command == "nlmzip man | man -l -":
        assert b"NLMZIP(1)" in printed
    if " bench " in command:
        assert b"Every archive was decoded and compared." in printed
    if command in ("nlmzip models", "nlmzip info FILE.nlmz...", "nlmzip -l FILE.nlmz..."):
        assert printed
