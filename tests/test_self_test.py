"""Processes that compute otherwise refuse to code, in one line, and leave nothing behind."""

import ctypes
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from nlmzip.kernels import floating_mode, self_test

ROOT = Path(__file__).parents[1]

FLUSH_TO_ZERO, DENORMALS_ARE_ZERO, DOWN, UP, TOWARDS_ZERO = 0x8000, 0x40, 0x2000, 0x4000, 0x6000
MODES = [FLUSH_TO_ZERO, DENORMALS_ARE_ZERO, DOWN, UP, TOWARDS_ZERO]

changed_modes = pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc",
    reason="sets the floating-point mode of an x86-64 through glibc",
)

#: glibc's floating-point environment is 32 bytes on x86-64, whose last four are MXCSR.
CHANGE = """
import ctypes, sys

def change(bits):
    library, environment = ctypes.CDLL("libm.so.6"), (ctypes.c_uint32 * 8)()
    assert library.fegetenv(environment) == 0
    environment[7] |= bits
    assert library.fesetenv(environment) == 0
"""

AFTER = CHANGE + """
from nlmzip.cli import main
from nlmzip.kernels import self_test

assert self_test.digest() == self_test.EXPECTED  # compiled, and kept, before the change
change(int(sys.argv[1]))
print(self_test.digest() == self_test.EXPECTED)
sys.exit(main(["encode", "--model", "none", sys.argv[2]]))
"""

BEFORE = CHANGE + """
change(int(sys.argv[1]))
from nlmzip.cli import main

sys.exit(main(["encode", "--model", "none", sys.argv[2]]))
"""


def run(script: str, mode: int, text: Path, **variables: str):
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    command = [sys.executable, "-W", "ignore", "-c", script, str(mode), str(text)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def is_refusal(done, text: Path) -> bool:
    """One line that says why, and no archive."""
    return (
        done.returncode == 1
        and re.fullmatch(r"nlmzip: [^\n]*IEEE 754[^\n]*\n", done.stderr) is not None
        and list(text.parent.iterdir()) == [text]
    )


@pytest.fixture
def text(tmp_path):
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "text"
    path.write_bytes(b"the cow ate the grass\n" * 9)
    return path


@changed_modes
@pytest.mark.parametrize("mode", MODES, ids=hex)
def test_a_changed_mode_is_seen_by_the_kernels_and_refused(mode, text):
    done = run(AFTER, mode, text)
    assert is_refusal(done, text), done.stderr
    assert done.stdout == "False\n"


@changed_modes
@pytest.mark.parametrize("mode", [FLUSH_TO_ZERO, DOWN], ids=hex)
def test_a_mode_changed_before_anything_else_keeps_no_kernel(mode, text, tmp_path):
    """Its constants are rounded otherwise, and a sound process would go on with them."""
    done = run(BEFORE, mode, text, NLMZIP_CACHE=str(tmp_path / "cache"))
    assert is_refusal(done, text), done.stderr
    assert not (tmp_path / "cache").exists()


@changed_modes
@pytest.mark.parametrize("mode", MODES, ids=hex)
def test_each_mode_is_seen_without_kernels(mode):
    library, environment = ctypes.CDLL("libm.so.6"), (ctypes.c_uint32 * 8)()
    assert floating_mode.is_sound()
    library.fegetenv(environment)
    environment[7] |= mode
    library.fesetenv(environment)
    try:
        sound = floating_mode.is_sound()
    finally:
        environment[7] &= ~mode
        library.fesetenv(environment)
    assert not sound and floating_mode.is_sound()


def test_a_fused_multiplication_is_seen(monkeypatch):
    fusing = numba.njit(error_model="numpy", fastmath={"contract"})(self_test._run.py_func)
    monkeypatch.setattr(self_test, "_run", fusing)
    digest = self_test.digest()
    (assembly,) = fusing.inspect_asm().values()
    if not re.search(r"\bv?fn?m(add|sub)", assembly):
        pytest.skip("this processor, or this compiler, fuses nothing")
    assert digest != self_test.EXPECTED
