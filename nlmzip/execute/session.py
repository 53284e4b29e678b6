"""What several texts share that are coded in one go: threads, a limit of memory, warm coders."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from ..container.recipe import Coding
from ..errors import OptionError
from ..plan.known import Known
from ..plan.memory import Need, of_machine
from .coder import FrameCoder
from .threads import n_threads

#: Coders that are kept for other texts.
_MOST_CODERS = 4

#: Seconds that one waits at most before one looks around.
_PATIENCE = 0.1


class Session:
    """threads: how many frames are coded at once, 0 for as many as there are processors;
    memory_limit: bytes that the process may come to, by the estimate of plan/memory.py.

    Raises OptionError for what is no number of threads or of bytes.
    """

    def __init__(self, threads: int = 1, memory_limit: int | None = None):
        if memory_limit is not None and (type(memory_limit) is not int or memory_limit < 0):
            raise OptionError(f"{memory_limit!r} is no limit of memory; give a number of bytes, or None")
        self.n_threads = n_threads(threads)
        self.memory_limit = memory_limit
        self._memory = memory_limit or of_machine()
        self._pool = ThreadPoolExecutor(self.n_threads) if self.n_threads > 1 else None
        self._coders: OrderedDict[tuple, FrameCoder] = OrderedDict()
        self._under_way: dict[Future, int] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def coder(self, codings: tuple[Coding, ...], known: Known, thorough: bool = False) -> FrameCoder:
        """What codes frames by these codings, which others may use at the same time."""
        key = codings, known.identity, thorough
        with self._lock:
            coder = self._coders.pop(key, None) or FrameCoder(codings, known, thorough)
            self._coders[key] = coder
            while len(self._coders) > _MOST_CODERS:
                self._coders.popitem(last=False)
            return coder

    def submit(self, work: Callable, need: Need, waiting: Callable[[], None]) -> Future:
        """Have work() done, on a thread when the memory that it needs is free, or, with one
        thread, at once. waiting: called now and then while there is too little."""
        if self._pool is None:
            result = Future()
            result.set_result(work())
            return result
        while True:
            with self._lock:
                self._under_way = {each: size for each, size in self._under_way.items() if not each.done()}
                taken = sum(self._under_way.values())
                if not taken or taken + need.total <= self._memory:
                    result = self._pool.submit(work)
                    self._under_way[result] = need.frame
                    return result
                others = list(self._under_way)
            wait(others, _PATIENCE, FIRST_COMPLETED)
            waiting()

    def close(self) -> None:
        """Wait until all work has ended, and give back its memory."""
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._coders.clear()
