"""A model's counts in the user's cache: made once, mapped afterwards, never trusted when damaged."""

import fcntl
import os
import shutil
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import naive_prior
import numpy as np
import pytest

from nlmzip.counts import cached_store, counts_file
from nlmzip.errors import ModelError
from nlmzip.kernels import compile
from nlmzip.models import model_file

ROOT = Path(__file__).parents[1]
MODEL = model_file.read(naive_prior.model_bytes())
_, KNOWN = naive_prior.coded()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    """A cache folder of the test's own, and nothing loaded."""
    monkeypatch.setenv("NLMZIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cached_store, "_loaded", {})
    return tmp_path / "cache"


@pytest.fixture
def decodings(monkeypatch) -> list:
    """One entry for each time that counts were decoded."""
    made, decode = [], counts_file.decode

    def noted(coded):
        made.append(coded)
        return decode(coded)

    monkeypatch.setattr(counts_file, "decode", noted)
    return made


def store_of_a_new_process():
    cached_store._loaded.clear()
    return cached_store.store_of(MODEL)


def is_known(store) -> bool:
    assert not store.starts.flags.writeable and not store.data.flags.writeable
    return store.shift == KNOWN.shift and all(map(np.array_equal, store[:2], KNOWN[:2]))


def cached(cache) -> Path:
    (path,) = cache.iterdir()  # and no temporary file beside it
    return path


def test_counts_are_decoded_once_and_mapped_afterwards(cache, decodings):
    assert is_known(cached_store.store_of(MODEL))
    assert cached_store.store_of(MODEL) is cached_store.store_of(MODEL)
    path = cached(cache)
    written = path.stat().st_mtime_ns, path.read_bytes()
    assert MODEL.sha256.hex()[:32] in path.name
    assert is_known(store_of_a_new_process())
    assert len(decodings) == 1
    assert (cached(cache).stat().st_mtime_ns, path.read_bytes()) == written


def test_what_is_mapped_is_of_the_kind_that_was_decoded(cache):
    decoded, mapped = cached_store.store_of(MODEL), store_of_a_new_process()
    for one, other in zip(decoded[:2], mapped[:2], strict=True):
        assert type(one) is type(other) and one.dtype == other.dtype
        assert other.flags.c_contiguous and other.flags.aligned
    assert type(decoded.shift) is type(mapped.shift)


def replace(change):
    return lambda data: change(bytearray(data))


def flip(place):
    def change(data):
        data[place] ^= 1
        return data

    return replace(change)


DAMAGES = {
    "empty": lambda data: b"",
    "cut in its head": lambda data: data[:20],
    "its head alone": lambda data: data[:32],
    "cut": lambda data: data[:-1],
    "half": lambda data: data[: len(data) // 2],
    "longer": lambda data: data + b"\0",
    "a flipped bit of the magic": flip(0),
    "of another version": flip(7),
    "another number of starts": flip(8),
    "another length": flip(16),
    "another checksum": flip(24),
    "a flipped bit of the starts": flip(40),
    "a flipped bit of the data": flip(-1),
    "foreign": lambda data: b"something else altogether, and longer than a head is",
    "zeros": lambda data: bytes(len(data)),
    "no starts at all": lambda data: data[:8] + bytes(24),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_made_again(cache, decodings, damage):
    cached_store.store_of(MODEL)
    path = cached(cache)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert is_known(store_of_a_new_process())
    assert len(decodings) == 2 and cached(cache).read_bytes() == whole


def test_a_file_that_is_replaced_does_not_change_what_was_mapped(cache):
    cached_store.store_of(MODEL)
    mapped, path = store_of_a_new_process(), cached(cache)
    other = path.with_name("other")
    other.write_bytes(bytes(path.stat().st_size))
    os.replace(other, path)
    assert is_known(mapped)


def test_a_file_in_place_of_the_folder_costs_time_only(cache, decodings):
    cache.write_bytes(b"in the way")
    assert is_known(cached_store.store_of(MODEL)) and is_known(store_of_a_new_process())
    assert len(decodings) == 2 and cache.read_bytes() == b"in the way"


def test_a_folder_in_place_of_the_file_costs_time_only(cache, decodings):
    cached_store._path(MODEL).mkdir(parents=True)
    assert is_known(cached_store.store_of(MODEL)) and is_known(store_of_a_new_process())
    assert len(decodings) == 2 and cached(cache).is_dir()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_costs_time_only(cache, decodings):
    cache.mkdir(mode=0o500)
    assert is_known(cached_store.store_of(MODEL)) and is_known(store_of_a_new_process())
    assert len(decodings) == 2 and list(cache.iterdir()) == []


def test_without_a_home_folder_counts_are_decoded(monkeypatch, decodings):
    def fail():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cached_store, "cache_folder", fail)
    assert is_known(cached_store.store_of(MODEL))


@pytest.mark.parametrize("when", ["writing", "in the middle", "replacing"])
def test_a_full_disk_leaves_nothing_behind(cache, monkeypatch, when):
    def full(*_):
        raise OSError(28, "No space left on device")

    if when == "replacing":
        monkeypatch.setattr(cached_store.os, "replace", full)
    else:
        opened = open

        def open_full(path, mode="r", *more):
            file = opened(path, mode, *more)
            if "w" not in mode:
                return file
            write, written = file.write, []

            class Full:
                def write(self, data):
                    written.append(data)
                    return full() if when == "writing" or len(written) > 1 else write(data)

                def __enter__(self):
                    return self

                def __exit__(self, *_):
                    file.close()

            return Full()

        monkeypatch.setattr(cached_store, "open", open_full, raising=False)
    assert is_known(cached_store.store_of(MODEL))
    assert list(cache.iterdir()) == []


def test_damaged_counts_are_an_error_in_one_line_and_leave_nothing(cache):
    card, arrays = naive_prior.model_entries()
    arrays["counts"] = arrays["counts"][:-1]
    damaged = model_file.Model(card, arrays, bytes(32))
    for _ in range(2):
        with pytest.raises(ModelError, match=r"^model tiny prior: .*damaged.*; fetch or train it again$"):
            cached_store.store_of(damaged)
    assert not cache.exists() or list(cache.iterdir()) == []


def test_models_have_files_of_their_own(cache, decodings):
    other = model_file.read(naive_prior.model_bytes(seed=3))
    assert is_known(cached_store.store_of(MODEL))
    assert not is_known(cached_store.store_of(other))
    assert len(list(cache.iterdir())) == 2
    assert is_known(store_of_a_new_process())


# --- stores of other models

DAY = 24 * 60 * 60


def age(path, days):
    os.utime(path, (time.time() - days * DAY,) * 2)


def test_stores_that_were_long_not_used_are_removed_when_another_is_written(cache):
    cache.mkdir()
    stores = {"counts-old.bin": 91, "counts-old.binkilled": 91, "counts-used.bin": 89}
    names = stores | {"kernels-old": 91, "mine.bin": 91}
    for name, days in names.items():
        (cache / name).write_bytes(b"")
        age(cache / name, days)
    store_of_a_new_process()
    left = {path.name for path in cache.iterdir()}
    assert left == {"counts-used.bin", "kernels-old", "mine.bin", cached_store._path(MODEL).name}


def test_what_is_mapped_is_not_removed_with_its_file_nor_while_it_is_used(cache):
    cached_store.store_of(MODEL)
    path = cached(cache)
    age(path, 91)
    mapped = store_of_a_new_process()
    assert time.time() - path.stat().st_mtime < DAY
    cached_store._remove_unused(cache)
    assert path.exists()
    age(path, 91)
    cached_store._remove_unused(cache)
    assert not path.exists() and is_known(mapped)


# --- processes

SCRIPT = """
import sys, time, zlib
from pathlib import Path
from nlmzip.models import model_file
from nlmzip.counts import cached_store, counts_file
decode, made = counts_file.decode, []
counts_file.decode = lambda coded: made.append(1) or decode(coded)
model = model_file.read_file(Path(sys.argv[1]))
ready = Path(sys.argv[2])
ready.touch()
while len(list(ready.parent.glob("ready*"))) < int(sys.argv[3]):
    time.sleep(0.001)
store = cached_store.store_of(model)
print(zlib.crc32(store.data, zlib.crc32(store.starts)), len(made))
"""


def run_at_once(tmp_path, n: int) -> list[tuple[int, int]]:
    """What n processes at once have: the store's checksum, and how often each decoded it."""
    (tmp_path / "cache").mkdir(exist_ok=True)
    if compile.CACHE_FOLDER:  # so that they need not compile their kernels
        with_kernels = tmp_path / "cache" / Path(compile.CACHE_FOLDER).name
        if not with_kernels.exists():
            with_kernels.symlink_to(compile.CACHE_FOLDER)
    (tmp_path / "tiny.nlm").write_bytes(naive_prior.model_bytes())
    shutil.rmtree(tmp_path / "meeting", ignore_errors=True)
    (tmp_path / "meeting").mkdir()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, tmp_path / "tiny.nlm", tmp_path / "meeting" / f"ready{number}", str(n)],
            env=environment, stdout=subprocess.PIPE, text=True,
        )
        for number in range(n)
    ]  # fmt: skip
    try:
        return [tuple(map(int, process.communicate(timeout=300)[0].split())) for process in started]
    finally:
        for process in started:
            process.kill()


def test_processes_at_once_all_have_the_store_and_later_ones_map_it(tmp_path, cache):
    wanted = zlib.crc32(KNOWN.data, zlib.crc32(KNOWN.starts))
    # The first makes it, and the other waits.
    assert sorted(run_at_once(tmp_path, 2)) == [(wanted, 0), (wanted, 1)]
    names = [path.name for path in cache.iterdir() if not path.name.startswith("kernels-")]
    assert len(names) == 1 and names[0].endswith(".bin")
    assert run_at_once(tmp_path, 1) == [(wanted, 0)]


def test_a_process_that_was_killed_locks_nobody_out(cache):
    cache.mkdir()
    hold = (
        "import fcntl, os, sys, time; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX);"
        "print(flush=True); time.sleep(99)"
    )
    with subprocess.Popen([sys.executable, "-c", hold, cache], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        threading.Timer(0.2, holder.kill).start()
        assert is_known(cached_store.store_of(MODEL))


def test_nobody_waits_for_ever_for_a_process_that_was_stopped(cache, monkeypatch):
    cache.mkdir()
    monkeypatch.setattr(cached_store, "_LONGEST_WAIT", 0.2)
    holder = os.open(cache, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert is_known(cached_store.store_of(MODEL))
    finally:
        os.close(holder)


def test_where_locks_cannot_be_had_nobody_waits(cache, monkeypatch):
    def fail(*_):
        raise OSError(95, "Operation not supported")

    for instead in (None, type("fcntl", (), {"flock": fail, "LOCK_EX": 2, "LOCK_NB": 4})):
        monkeypatch.setattr(cached_store, "fcntl", instead)
        assert is_known(store_of_a_new_process())
        cached(cache).unlink()


def test_mapping_takes_next_to_no_time(cache):
    cached_store.store_of(MODEL)
    began = time.perf_counter()
    store_of_a_new_process()
    assert time.perf_counter() - began < 0.5
