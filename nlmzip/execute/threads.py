"""How many threads there are to code on."""

import os

from ..errors import OptionError


def n_threads(asked: int) -> int:
    """The number that was asked for; for 0 as many as this process may use processors.

    Raises OptionError for what is no number of threads.
    """
    if type(asked) is not int or asked < 0:
        raise OptionError(f"{asked!r} is no number of threads; give 1 or more, or 0 for all processors")
    return asked or of_machine()


def of_machine() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
