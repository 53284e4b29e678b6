"""Work of one text, done on the threads of a session; results come in the order in which it was
given.

How many threads there are decides nothing but time: what is given to them, and in which order
results are taken, is the same for any number. With one, work is done at once in the caller's
thread, so that signals and errors are where one expects them.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait

from ..plan.memory import Need
from .session import Session

#: Called with the bytes done, and the bytes in all or None.
Progress = Callable[[int, "int | None"], None]

#: Seconds between two reports of work that goes on elsewhere.
_REPORT = 0.1


class CancelledError(Exception):
    """Work that nobody waits for any more ends itself with this."""


class Ordered:
    """Does what is `put`, and gives results in that order: `taken` those that are there, and
    `drained` all.

    progress: called in the caller's thread with the bytes that were done, of all work together,
    and n_bytes. Work gets as its last argument a function that it calls with the bytes it has
    done so far. Where one piece of work raises, taking its result raises; `close` ends all.
    """

    def __init__(self, session: Session, progress: Progress | None = None, n_bytes: int | None = None):
        self._session = session
        self._progress, self._n_bytes = progress, n_bytes
        #: Work that may wait for its turn, so that no thread is idle while a result is taken.
        self._room = 2 * session.n_threads if session.n_threads > 1 else 0
        self._results: deque[Future] = deque()
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._done = 0

    def put(self, need: Need, work: Callable, *arguments) -> None:
        """Have work(*arguments, report) done."""
        before = 0

        def report(n_done: int) -> None:
            nonlocal before
            with self._lock:
                self._done += n_done - before
            before = n_done
            if self._cancelled.is_set():
                raise CancelledError
            if self._session.n_threads == 1:
                self._tell()

        self._results.append(self._session.submit(lambda: work(*arguments, report), need, self._tell))

    def _tell(self) -> None:
        if self._progress:
            self._progress(self._done, self._n_bytes)

    def taken(self) -> Iterator:
        """Results, until the next one is not there yet and more work may be put."""
        while self._results and (self._results[0].done() or len(self._results) > self._room):
            yield self._result()

    def drained(self) -> Iterator:
        """All results."""
        while self._results:
            yield self._result()

    def _result(self):
        first = self._results.popleft()
        while not first.done():
            wait([first], _REPORT)
            self._tell()
        self._tell()
        return first.result()

    def close(self) -> None:
        """End all work whose result was not taken, and wait until it has ended."""
        self._cancelled.set()
        for result in self._results:
            result.cancel()
        wait([result for result in self._results if not result.cancelled()])
        self._results.clear()
