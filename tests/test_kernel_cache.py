"""Compiled kernels are kept between runs, and never outlive the sources they came from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nlmzip
from nlmzip.kernels import compile

SCRIPT = """
import numpy as np
from nlmzip.kernels.dense import softmax_in_place
values = np.arange(40, dtype=np.float32)
softmax_in_place(values, np.zeros(32, np.float32))
print(values.tobytes().hex(), sum(softmax_in_place.stats.cache_hits.values()))
"""


@pytest.fixture
def run(tmp_path):
    """Runs SCRIPT on a copy of the package with a cache folder of its own."""
    package = Path(nlmzip.__file__).parent
    shutil.copytree(package, tmp_path / "nlmzip", ignore=shutil.ignore_patterns("__pycache__"))

    def run(cache: Path = tmp_path / "cache") -> tuple[str, int]:
        environment = os.environ | {
            "NLMZIP_CACHE": str(cache),
            "PYTHONPATH": str(tmp_path),
            "PYTHONDONTWRITEBYTECODE": "1",  # a .pyc would be as blind to the edit below
        }
        shown = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert shown.returncode == 0, shown.stderr
        values, hits = shown.stdout.split()
        return values, int(hits)

    return run


def test_a_changed_callee_in_another_file_is_compiled_anew(run, tmp_path):
    before, hits = run()
    assert hits == 0
    assert run() == (before, 1)

    callee = tmp_path / "nlmzip/kernels/elementary.py"
    times = callee.stat()
    source = callee.read_text()
    assert source.count("_LOG2_E = np.float32(1.44269504)") == 1
    callee.write_text(source.replace("1.44269504", "1.54269504"))
    os.utime(callee, ns=(times.st_atime_ns, times.st_mtime_ns))  # as in a wheel with fixed times
    after, hits = run()
    assert after != before and hits == 0


@pytest.mark.parametrize("damage", ["half", "a bit of machine code"])
def test_a_damaged_cache_costs_time_only(run, tmp_path, damage):
    before, _ = run()
    files = list((tmp_path / "cache").rglob("*.nb?" if damage == "half" else "*.nbc"))
    assert files
    for path in files:
        content = bytearray(path.read_bytes())
        if damage == "half":
            del content[len(content) // 2 :]
        else:
            content[len(content) // 2] ^= 1
        path.write_bytes(content)
    assert run() == (before, 0)
    assert run() == (before, 1)


@pytest.mark.parametrize("floor", compile.KERNEL_FLOORS)
def test_the_digest_depends_on_every_floor_with_kernels(tmp_path, floor):
    package = Path(nlmzip.__file__).parent
    shutil.copytree(package, tmp_path / "nlmzip", ignore=shutil.ignore_patterns("*.nlm"))
    before = compile.source_digest(tmp_path / "nlmzip")
    assert before == compile.source_digest(package)
    changed = sorted((tmp_path / "nlmzip" / floor).glob("*.py"))[-1]
    changed.write_text(changed.read_text() + "#")
    assert compile.source_digest(tmp_path / "nlmzip") != before


def test_no_kernel_stands_outside_those_floors():
    package = Path(nlmzip.__file__).parent
    found = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if "@njit" in path.read_text()
    }
    assert found <= set(compile.KERNEL_FLOORS) and len(found) >= 4


def test_without_a_cache_folder_kernels_still_run(run, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    values, hits = run(tmp_path / "file" / "cache")
    assert hits == 0 and values == run()[0]
