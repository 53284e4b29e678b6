"""Networks trained in processes of their own: the same result, and no process left behind."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from nlmzip.errors import NlmzipError
from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.fit import side_by_side
from nlmzip.training.fit.fit import Schedule, fit

TOKENS = np.array([2, 3, 4, 5, 1, 2, 3, 1] * 40, np.int32)
LONG = Schedule(epochs=100_000, patience=100_000)


def job(network, schedule):
    return network, TOKENS, TOKENS, schedule, 7


def test_a_process_gives_what_this_one_would(monkeypatch):
    jobs = {
        "nplm": job(Nplm(6, 3, 4, batch_size=32), Schedule(epochs=2)),
        "rnn": job(Elman(6, 3, 4), Schedule(epochs=2)),
    }
    n_done = dict.fromkeys(jobs, 0)
    figures = {}

    def advance(name, n, values):
        n_done[name] += n
        figures[name] = values

    results = side_by_side.fit_side_by_side(jobs, advance)
    for name, arguments in jobs.items():
        here = fit(*arguments)
        assert results[name].dev_losses == pytest.approx(here.dev_losses, abs=1e-5)
        for key, array in here.weights.items():
            np.testing.assert_allclose(results[name].weights[key], array, atol=1e-4)
    assert n_done == dict.fromkeys(jobs, 2 * len(TOKENS))
    assert figures["rnn"].keys() == {"loss", "dev"}


@pytest.fixture
def interruptible():
    """Where the tests run in the background of a shell, they begin with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_from_outside_stops_all_networks(interruptible):
    started = threading.Event()

    def interrupt():
        started.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    jobs = {"nplm": job(Nplm(6, 3, 4), LONG), "rnn": job(Elman(6, 3, 4), LONG)}
    results = side_by_side.fit_side_by_side(jobs, lambda *_: started.set())
    assert all(result.interrupted for result in results.values())


def remember_processes(monkeypatch):
    processes, start = [], side_by_side._start

    def remember():
        processes.append(start())
        return processes[-1]

    monkeypatch.setattr(side_by_side, "_start", remember)
    return processes


def test_a_second_interrupt_is_raised_and_ends_the_processes(monkeypatch):
    processes = remember_processes(monkeypatch)

    def advance(*_):
        raise KeyboardInterrupt

    jobs = {str(i): job(Elman(6, 3, 4), LONG) for i in range(3)}
    with pytest.raises(KeyboardInterrupt):
        side_by_side.fit_side_by_side(jobs, advance)
    assert len(processes) == 3
    assert all(process.poll() is not None for process in processes)


def test_a_process_that_dies_is_an_error_and_ends_the_others(monkeypatch):
    processes = remember_processes(monkeypatch)
    jobs = {"nplm": job(Nplm(6, 3, 4), LONG), "rnn": job(Elman(6, 3, 4), LONG)}
    with pytest.raises(NlmzipError, match="rnn ended early"):
        side_by_side.fit_side_by_side(jobs, lambda *_: processes[1].kill())
    assert all(process.poll() is not None for process in processes)


def test_processes_end_with_their_parent():
    script = (
        "import os, sys; sys.path.insert(0, '.');"
        "from tests import test_training_side_by_side as t;"
        "start = t.side_by_side._start;"
        "t.side_by_side._start = lambda: (p := start(), print(p.pid, flush=True))[0];"
        "t.side_by_side.fit_side_by_side({'rnn': t.job(t.Elman(6, 3, 4), t.LONG)}, lambda *_: None)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=os.path.dirname(os.path.dirname(__file__)),
    )  # fmt: skip
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(child)


def is_running(process_id):
    try:
        with open(f"/proc/{process_id}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
