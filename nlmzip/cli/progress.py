"""Progress bars on a terminal's standard error, for work that takes more than a second.

Called by the commands. Where standard error is no terminal nothing is shown, and
tqdm is not imported.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator

from ..platform import signals

DELAY = 1.0  # seconds of work before a bar appears
STAGE_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}, {remaining} left{postfix}"


def is_wanted(quiet: bool = False) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


@contextlib.contextmanager
def byte_progress(name: str, quiet: bool) -> "Iterator[Callable[[int, int], None]]":
    """Yields a callable(done_bytes, total_bytes) that draws a bar, where one is wanted."""
    if not is_wanted(quiet):
        yield lambda done, total: signals.check()
        return
    from tqdm import tqdm

    with tqdm(desc=name, unit="B", unit_scale=True, delay=DELAY, leave=False) as bar:

        def update(done: int, total: int) -> None:
            signals.check()
            bar.total = total
            bar.update(done - bar.n)

        yield update


class StageProgress:
    """A bar for each stage of a long work: `stage(name, total)`, then `advance(n, loss=...)`."""

    def __init__(self, quiet: bool = False):
        self._wanted = is_wanted(quiet)
        self._bar = None

    def __enter__(self) -> "StageProgress":
        return self

    def __exit__(self, *_) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def stage(self, name: str, total: int) -> None:
        """Begin a stage of `total` steps."""
        self._close()
        if self._wanted:
            from tqdm import tqdm

            self._bar = tqdm(desc=name, total=total, delay=DELAY, bar_format=STAGE_FORMAT)

    def advance(self, n: int = 1, **figures: float) -> None:
        """`n` steps are done; `figures`, such as loss=2.81, stand beside the bar."""
        if self._bar is not None:
            if figures:
                self._bar.set_postfix(figures, refresh=False)
            self._bar.update(n)
