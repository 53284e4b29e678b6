"""Trains networks side by side, each in a process of its own; called by pipeline.py.

One thread of linear algebra for each process: the products are small, and several
threads that wait for each other are slower than one as soon as the machine has other
work to do.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from contextlib import suppress

from ...errors import NlmzipError
from .fit import Fit
from .worker import GO_ON, STOP

THREAD_SETTINGS = (
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip


def fit_side_by_side(jobs, advance):
    """{name: Fit} of jobs {name: arguments of `fit` up to the seed}.

    `advance(name, n, figures)` is called in this thread after every batch. A
    KeyboardInterrupt in it, or meanwhile, stops all networks, which keep their best so
    far; a second one is raised. Raises NlmzipError if a process dies.
    """
    processes = {}
    try:
        for name in jobs:
            processes[name] = _start()
        return _collect(processes, jobs, advance)
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
            with suppress(OSError):  # what it was still to be told cannot be written any more
                process.stdin.close()
            process.stdout.close()


def _start():
    environment = os.environ | dict.fromkeys(THREAD_SETTINGS, "1")
    environment["PYTHONPATH"] = os.pathsep.join(path or os.curdir for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,  # the terminal's Ctrl-C is for the parent alone
    )


def _collect(processes, jobs, advance):
    """Read all processes' messages, each in a thread, until every one has sent its Fit."""
    messages, stop = queue.SimpleQueue(), threading.Event()
    for name, process in processes.items():
        arguments = (name, process, jobs[name], messages, stop)
        threading.Thread(target=_converse, args=arguments, daemon=True).start()
    results, interrupted = {}, False
    while len(results) < len(jobs):
        try:
            name, message = messages.get()
            if isinstance(message, Fit):
                results[name] = message
            elif message is None:
                raise NlmzipError(f"the process that trained {name} ended early; is memory short?")
            else:
                advance(name, *message)
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            stop.set()
    return results


def _converse(name, process, arguments, messages, stop):
    """Send a process its job and pass on what it says; None when it dies."""
    try:
        pickle.dump(arguments, process.stdin)
        process.stdin.flush()
        while True:
            message = pickle.load(process.stdout)
            messages.put((name, message))
            if isinstance(message, Fit):
                return
            process.stdin.write(STOP if stop.is_set() else GO_ON)
            process.stdin.flush()
    except (OSError, EOFError, ValueError, pickle.UnpicklingError):
        messages.put((name, None))
