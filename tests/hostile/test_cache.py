"""The cache folder: shared at once, damaged, full or read-only, it costs time and never an archive.

Each case compiles what the smallest codec needs, some seconds; what one kernel and one
unpacked model do with damage of every kind is in test_kernel_cache.py and test_prior_cache.py.
"""

import os
import subprocess
from pathlib import Path

import pytest
from command_line import TEXT, archive_of

SETTINGS = {"codec": "words", "predictor": "uniform"}
ENCODE = ["encode", "--model", "tiny", "--codec", "words", "--predictor", "uniform", "-c", "text"]


@pytest.fixture
def cache(workplace, monkeypatch) -> Path:
    folder = workplace.folder.parent / "cache"
    monkeypatch.setenv("NLMZIP_CACHE", str(folder))
    return folder


def files_in(folder: Path) -> "dict[str, bytes]":
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_at_once_on_an_empty_cache_and_one_on_a_damaged_one(workplace, cache):
    wanted = (0, archive_of(TEXT, **SETTINGS), "")
    processes = [workplace.start(*ENCODE) for _ in range(2)]
    for process in processes:
        result = workplace.finish(process)
        assert (result.status, result.stdout, result.stderr) == wanted
    kept = files_in(cache)
    assert len(kept) > 10 and not [name for name in kept if "tmp" in os.path.basename(name)]
    for name, content in kept.items():
        damaged = bytearray(content)
        damaged[len(damaged) // 2] ^= 1
        Path(name).write_bytes(damaged)
    result = workplace.finish(workplace.start(*ENCODE))
    assert (result.status, result.stdout, result.stderr) == wanted


def mounted(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.parametrize("options", ["size=16k", "ro"], ids=["full", "read-only"])
def test_a_cache_that_cannot_be_written_costs_time_only(workplace, cache, options):
    cache.mkdir()
    if not mounted(cache, options):
        pytest.skip("no file system can be mounted here")
    try:
        result = workplace.finish(workplace.start(*ENCODE))
        assert (result.status, result.stdout, result.stderr) == (0, archive_of(TEXT, **SETTINGS), "")
        assert sum(map(len, files_in(cache).values())) <= 16_384
    finally:
        subprocess.run(["umount", str(cache)], check=True)
