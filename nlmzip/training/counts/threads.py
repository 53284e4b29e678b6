"""Parts of the training that do not depend on one another, on several threads.

Results come in the order of what they were made from, so the model is the same however many
threads there are. Kernels and numpy's sorting hold no lock of Python's.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor


class GivenUpError(Exception):
    """Work that nobody waits for any more ends itself with this, where it tells its progress."""


class Threads:
    """progress: has stage(name, total) and advance(n); threads tell it what they have done."""

    def __init__(self, n_threads: int, progress):
        self.n_threads = n_threads
        self._progress = progress
        self._lock = threading.Lock()
        self._given_up = False

    def stage(self, name: str, total: int) -> None:
        self._progress.stage(name, total)

    def advance(self, n: int = 1) -> None:
        """`n` steps of the stage are done. Raises GivenUpError where they are not wanted."""
        with self._lock:
            if self._given_up:
                raise GivenUpError
            self._progress.advance(n)

    def map(self, work: Callable, items: Iterable) -> Iterator:
        """work(item) for each item, in order; as many at a time as there are threads."""
        items = list(items)
        if self.n_threads == 1 or len(items) < 2:
            yield from map(work, items)
            return
        pool = ThreadPoolExecutor(min(self.n_threads, len(items)))
        try:
            yield from pool.map(work, items)
        except BaseException:
            self._given_up = True
            raise
        finally:
            pool.shutdown(cancel_futures=True)
