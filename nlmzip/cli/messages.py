"""Exit statuses, and the one-line messages on standard error; called by every command."""

import logging
import signal
import sys

from ..errors import printable
from . import turns

OK = 0
ERROR = 1
WARNING = 2
SIGNALLED = 128  # plus the signal's number
CLOSED_PIPE = SIGNALLED + getattr(signal, "SIGPIPE", 13)  # Windows has no such signal

EMPTY_NAME = "''"  # how messages call a file whose name is empty


def complain(message: str, name: "str | None" = None) -> None:
    """Print `nlmzip: NAME: MESSAGE` on standard error, if there is one; of a file that is done
    beside others when it is its turn.

    One line whatever the two hold: both may quote files and arguments of anybody's making.
    """
    place = "" if name is None else f"{name or EMPTY_NAME}: "
    turns.say(f"nlmzip: {printable(place + message)}", _print)


def _print(line: str) -> None:
    if sys.stderr is not None:
        print(line, file=sys.stderr)


class _Notices(logging.Handler):
    """Prints what the library has to tell as messages are printed."""

    def emit(self, record: logging.LogRecord) -> None:
        complain(record.getMessage())


def show_notices() -> None:
    """Have the library's notices printed, such as that a model is unpacked, which takes a while."""
    logger = logging.getLogger("nlmzip")
    if not logger.handlers:
        logger.addHandler(_Notices())
        logger.setLevel(logging.INFO)
        logger.propagate = False
