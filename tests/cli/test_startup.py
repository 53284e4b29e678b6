"""What must answer at once does not import numba, nor numpy."""

import json
import subprocess
import sys

import pytest

# Runs the command line and says on the last line of standard error which modules it took.
SPY = """
import json, sys
from nlmzip.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted({"numba", "llvmlite", "numpy", "tqdm"} & set(sys.modules))]),
      file=sys.stderr)
"""


def modules_after(*arguments: str) -> "tuple[int, list[str]]":
    done = subprocess.run(
        [sys.executable, "-c", SPY, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    return tuple(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "command, status",
    [
        ("--help", 0),
        ("--version", 0),
        ("encode --help", 0),
        ("help encode", 0),
        ("-d --help", 0),
        ("list held.nlmz", 0),
        ("-l --json held.nlmz", 0),
        ("completion bash", 0),
        ("man", 0),
        ("-t missing", 1),
        ("test -M 1M held.nlmz", 1),
        ("-9 --rm -c text", 1),
        ("-d text", 2),
        ("models", 0),
        ("train --help", 0),
        ("bench --help", 0),
        ("explain --help", 0),
        ("encode --forse text", 1),
        ("encode --predictor ppm text", 1),
        ("enkode text", 1),
        ("encode missing", 1),
        ("explain text", 1),
        ("encode held.nlmz", 2),
        ("decode text", 2),
        ("train -o new.nlm missing", 1),
        ("info held.nlmz ../models/tiny.nlm", 0),
        ("info tiny", 0),
        ("info --json held.nlmz ../models/tiny.nlm", 0),
    ],
)
def test_numba_and_numpy_are_not_imported(workplace, command, status):
    assert modules_after(*command.split()) == (status, [])


def test_a_wrong_model_is_told_without_numba(workplace):
    status, modules = modules_after("encode", "--model", "missing", "text")
    assert (status, "numba" in modules) == (1, False)


def test_the_spy_sees_numba_when_a_text_is_encoded(workplace):
    status, modules = modules_after("encode", "--model", "tiny", "text")
    assert (status, "numba" in modules) == (0, True)
