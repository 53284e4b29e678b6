"""Signals as exceptions, so that a program that is asked to end cleans up first.

Called by cli/. Interrupted is a KeyboardInterrupt: code that catches one, as training
does to keep its best model so far, does so for the other signals too, and asks
`received` afterwards whether it was cut short. Where the exception is raised inside a
finaliser or a callback from C, Python drops it: long work calls `check` now and then.
"""

import contextlib
import signal
import sys

#: Those of them that the system has.
_REQUESTS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]

_received = 0
_held = False


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to end; `number` is the signal's."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


def received() -> int:
    """The number of the last signal that was raised as Interrupted, 0 when there was none."""
    return _received


def hold() -> None:
    """From now on only note what comes, for work whose result must not be lost any more."""
    global _held
    _held = True


def check() -> None:
    """Raise Interrupted if a signal came whose exception was dropped on its way."""
    if _received:
        raise Interrupted(_received)


def _interrupt(number: int, frame) -> None:
    global _received
    _received = number
    if not _held:
        raise Interrupted(number)


@contextlib.contextmanager
def signals_as_exceptions():
    """Within this context SIGINT, SIGTERM and SIGHUP (on Windows SIGBREAK) raise Interrupted.

    A signal that was ignored from the start (nohup, a background job) stays ignored.
    """
    global _received, _held
    _received, _held = 0, False
    before = {}
    unraisable = sys.unraisablehook
    sys.unraisablehook = lambda dropped: (
        None if dropped.exc_type is Interrupted else unraisable(dropped)
    )
    for number in _REQUESTS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        sys.unraisablehook = unraisable
        for number, handler in before.items():
            signal.signal(number, handler)
