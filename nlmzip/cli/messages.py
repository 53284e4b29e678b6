"""Exit statuses, and the one-line messages on standard error; called by every command."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable

from ..errors import NlmzipError, printable
from ..platform.files import Skipped, explain, input_name

OK = 0
ERROR = 1
WARNING = 2
SIGNALLED = 128  # plus the signal's number
CLOSED_PIPE = SIGNALLED + getattr(signal, "SIGPIPE", 13)  # Windows has no such signal

EMPTY_NAME = "''"  # how messages call a file whose name is empty


def complain(message: str, name: "str | None" = None) -> None:
    """Print `nlmzip: NAME: MESSAGE` on standard error, if there is one.

    One line whatever the two hold: both may quote files and arguments of anybody's making.
    """
    place = "" if name is None else f"{name or EMPTY_NAME}: "
    if sys.stderr is not None:
        print(f"nlmzip: {printable(place + message)}", file=sys.stderr)


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


def for_each_file(
    paths: Iterable[str], action: Callable[[str], None], *, quiet: bool = False
) -> int:
    """Call `action` on every path, report what fails, go on; returns the worst status."""
    status = OK
    for path in paths:
        try:
            action(path)
        except Skipped as warning:
            if not quiet:
                complain(str(warning), warning.name)
            status = status or WARNING
        except NlmzipError as error:
            complain(str(error), getattr(error, "name", input_name(path)))
            status = ERROR
        except OSError as error:
            if error.filename is None:  # of standard output, which is nobody's fault here
                raise
            complain(explain(error), os.fsdecode(error.filename))
            status = ERROR
        except MemoryError:
            complain("does not fit in memory; free some, or split the file", input_name(path))
            status = ERROR
    return status
