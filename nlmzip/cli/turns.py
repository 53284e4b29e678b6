"""Several files side by side that look as if they were done one after the other.

Each is done in a thread of its own. What it says is kept until all files before it are done, and
so is what it writes to standard output, or puts under its name (`await_turn`).
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

_PATIENCE = 0.1  # seconds until one looks around, for signals

_own = threading.local()  # of a file's thread: its number, its turns and what it has said


class GivenUpError(Exception):
    """The files before this one will not be finished."""


class _Turns:
    def __init__(self):
        self.now = 0
        self.over = False
        self.changed = threading.Condition()

    def advance(self) -> None:
        with self.changed:
            self.now += 1
            self.changed.notify_all()

    def end(self) -> None:
        with self.changed:
            self.over = True
            self.changed.notify_all()


def is_turn() -> bool:
    """Whether all files before this one are done."""
    return not hasattr(_own, "number") or _own.turns.now == _own.number


def await_turn() -> None:
    """Wait until all files before this one are done. Raises GivenUpError if they never will be."""
    if is_turn():
        return
    with _own.turns.changed:
        while not (is_turn() or _own.turns.over):
            _own.turns.changed.wait()
    if not is_turn():
        raise GivenUpError


def say(line: str, show: Callable[[str], None]) -> None:
    """Show a line when it is this file's turn."""
    if hasattr(_own, "number"):
        _own.said.append((show, line))
    else:
        show(line)


def side_by_side(paths: Sequence[str], attempt: Callable[[str], int], n_at_once: int) -> list[int]:
    """attempt(path) for each path, so many at a time; what each returned."""
    if n_at_once < 2 or len(paths) < 2:
        return [attempt(path) for path in paths]
    turns, statuses = _Turns(), []
    waiting, under_way = deque(enumerate(paths)), deque()
    pool = ThreadPoolExecutor(n_at_once)
    try:
        while waiting or under_way:
            while waiting and len(under_way) < 2 * n_at_once:
                under_way.append(pool.submit(_in_turn, turns, *waiting.popleft(), attempt))
            status, said = _result(under_way.popleft())
            for show, line in said:
                show(line)
            statuses.append(status)
            turns.advance()
    finally:
        turns.end()
        pool.shutdown(wait=True, cancel_futures=True)
    return statuses


def _in_turn(turns: _Turns, number: int, path: str, attempt) -> tuple[int, list]:
    _own.number, _own.turns, _own.said = number, turns, []
    try:
        return attempt(path), _own.said
    finally:
        del _own.number


def _result(future: Future):
    while not future.done():
        wait([future], _PATIENCE)
    return future.result()
