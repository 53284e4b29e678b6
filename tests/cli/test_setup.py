"""bin/nlmzip and bin/test: finding the checkout and Python, and never using half an environment.

Installing takes minutes and a package index, so these tests use a copy of bin/ whose
environment is a stand-in; that the real thing works is what every run of bin/test shows.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT

STAND_IN = '#!/bin/sh\necho "ran ${0##*/}" "$@"\n'


@pytest.fixture
def checkout(tmp_path) -> Path:
    root = tmp_path / "check out"
    shutil.copytree(ROOT / "bin", root / "bin", symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def make_environment(root: Path) -> None:
    """What a finished installation leaves, as far as the scripts look."""
    programs = root / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "nlmzip", "unnlmzip", "nlmzcat"):
        (programs / name).write_text(STAND_IN)
        (programs / name).chmod(0o755)
    stamp = os.fsencode(root) + b"\n" + (root / "pyproject.toml").read_bytes()
    for name in ("installed", "installed-test"):
        (root / ".venv" / name).write_bytes(stamp)


def run(*command, path=None, cwd="/") -> subprocess.CompletedProcess:
    environment = os.environ | ({"PATH": str(path)} if path else {})
    environment.pop("PYTHON", None)
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60
    )


def tools(folder: Path, **pythons: str) -> Path:
    """A folder for PATH with what the scripts need and the Pythons that are given as scripts."""
    folder.mkdir()
    for name in ("sh", "dirname", "readlink", "cat"):
        (folder / name).symlink_to(shutil.which(name))
    for name, script in pythons.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return folder


def test_a_current_environment_is_used_at_once(checkout, tmp_path):
    make_environment(checkout)
    done = run(checkout / "bin" / "nlmzip", "encode", "a b", path=tools(tmp_path / "tools"))
    assert (done.stdout, done.stderr) == ("ran nlmzip encode a b\n", "")


def test_it_is_found_from_any_folder_and_through_links(checkout, tmp_path):
    make_environment(checkout)
    (tmp_path / "link").symlink_to(checkout / "bin" / "nlmzip")
    (tmp_path / "chain").symlink_to("link")
    (tmp_path / "folder").symlink_to(checkout, target_is_directory=True)
    for program, cwd in (
        (tmp_path / "chain", "/"),
        ("./chain", tmp_path),
        (tmp_path / "folder" / "bin" / "nlmzip", "/"),
        ("bin/nlmzip", checkout),
        ("./nlmzip", checkout / "bin"),
    ):
        done = run(program, "--version", cwd=cwd)
        assert (done.stdout, done.stderr) == ("ran nlmzip --version\n", ""), program


def test_the_other_names_run_the_programs_of_these_names(checkout, tmp_path):
    make_environment(checkout)
    (tmp_path / "nlmzcat").symlink_to(checkout / "bin" / "nlmzcat")
    assert run(checkout / "bin" / "unnlmzip", "-k").stdout == "ran unnlmzip -k\n"
    assert run(tmp_path / "nlmzcat", "x").stdout == "ran nlmzcat x\n"


def test_the_tests_run_in_the_checkout_with_the_arguments(checkout):
    make_environment(checkout)
    assert run(checkout / "bin" / "test", "-k", "a b").stdout == "ran python -m pytest -k a b\n"


NO_PYTHON = "no python3 found; install Python 3.10 or newer, or name one: PYTHON=/path/to/python3"
OLD = "python3 is older than 3.10; install a newer Python, or name one: PYTHON=/path/to/python3"
NO_VENV = "python3 has no venv module; install it (Debian and Ubuntu: the package python3-venv)"


@pytest.mark.parametrize(
    "pythons, message",
    [
        ({}, NO_PYTHON),
        ({"python3": "exit 3"}, OLD),
        ({"python3": "exit 127"}, NO_PYTHON),  # a version manager's stand-in
        ({"python3": "case $2 in *ensurepip*) exit 1;; esac"}, NO_VENV),
    ],
    ids=["none", "too old", "stand-in", "no venv"],
)
def test_a_machine_without_a_fitting_python_is_told_in_one_line(
    checkout, tmp_path, pythons, message
):
    done = run(checkout / "bin" / "nlmzip", path=tools(tmp_path / "tools", **pythons))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"nlmzip: {message}\n")
    assert not (checkout / ".venv").exists()


def test_a_newer_python_is_looked_for_beside_an_old_one(checkout, tmp_path):
    path = tools(
        tmp_path / "tools",
        **{
            "python3": "exit 3",
            "python3.11": 'case $1 in -c) ;; *) echo "chosen" >&2; exit 9;; esac',
        },
    )
    done = run(checkout / "bin" / "nlmzip", path=path)
    assert (done.returncode, done.stderr) == (9, "chosen\n")


# --- environment.py --------------------------------------------------------------------


@pytest.fixture
def environment(monkeypatch):
    """The module bin/environment.py, with commands recorded in `commands` in place of run."""
    spec = importlib.util.spec_from_file_location("environment", ROOT / "bin" / "environment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.commands = []

    def run(command):
        module.commands.append([str(part) for part in command])
        if "venv" in module.commands[-1]:
            (Path(command[-1]) / "bin").mkdir()
            (Path(command[-1]) / "bin" / "python").symlink_to(sys.executable)

    monkeypatch.setattr(module, "run", run)
    return module


def kinds(commands: list[list[str]]) -> list[str]:
    return [command[2] for command in commands]  # python -m KIND


def test_a_first_run_makes_and_stamps_the_environment(checkout, environment, capsys):
    assert environment.main(checkout, "") == 0
    assert kinds(environment.commands) == ["venv", "pip"]
    assert environment.commands[1][-2:] == ["--editable", str(checkout)]
    where = checkout / ".venv"
    assert capsys.readouterr().err == f"nlmzip: setting up {where} (once, takes a minute)\n"
    assert sorted(path.name for path in where.iterdir()) == ["bin", "installed"]
    assert environment.main(checkout, "") == 0  # the second of two that started at once
    assert len(environment.commands) == 2


def test_the_tests_packages_are_installed_when_they_are_asked_for(checkout, environment):
    environment.main(checkout, "")
    environment.main(checkout, "test")
    assert kinds(environment.commands) == ["venv", "pip", "pip"]
    assert environment.commands[2][-1] == f"{checkout}[test]"
    environment.main(checkout, "")
    assert len(environment.commands) == 3


def test_another_pyproject_or_place_installs_again(checkout, environment, tmp_path):
    environment.main(checkout, "")
    with open(checkout / "pyproject.toml", "a") as file:
        file.write("# changed\n")
    environment.main(checkout, "")
    moved = checkout.rename(tmp_path / "moved")
    environment.main(moved, "")
    assert kinds(environment.commands) == ["venv", "pip", "pip", "pip"]


@pytest.mark.parametrize("step", ["venv", "pip"])
def test_an_interrupted_installation_is_made_afresh(checkout, environment, monkeypatch, step):
    working = environment.run

    def interrupted(command):
        if command[2] == step:
            raise KeyboardInterrupt
        working(command)

    monkeypatch.setattr(environment, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.main(checkout, "")
    assert not (checkout / ".venv" / "installed").exists()
    (checkout / ".venv" / "half").touch()
    monkeypatch.setattr(environment, "run", working)
    environment.main(checkout, "")
    assert not (checkout / ".venv" / "half").exists()
    assert (checkout / ".venv" / "installed").exists()


def test_an_environment_that_somebody_else_made_is_kept(checkout, environment):
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (checkout / ".venv" / "theirs").touch()
    environment.main(checkout, "")
    assert kinds(environment.commands) == ["pip"]
    assert (checkout / ".venv" / "theirs").exists()


def test_an_environment_whose_python_has_gone_is_made_afresh(checkout, environment):
    environment.main(checkout, "")
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    environment.main(checkout, "")
    assert kinds(environment.commands) == ["venv", "pip", "venv", "pip"]


def test_a_failed_installation_shows_what_was_printed_in_between(checkout, environment):
    program = "print('the reason'); raise SystemExit(4)"
    done = run(
        sys.executable,
        "-c",
        "import sys; sys.path.insert(0, 'bin'); import environment\n"
        f"environment.run([sys.executable, '-c', {program!r}])",
        cwd=checkout,
    )
    assert "the reason" in done.stderr and done.stdout == ""
