"""The command line: options to calls. `main` is the console command; one file per command.

Nothing here or in the files of this folder imports numpy or numba before a command has
to code or train, so that help, information and mistakes answer at once.
"""

import io
import os
import sys

from ..errors import NlmzipError
from ..platform import files
from ..platform.signals import Interrupted, signals_as_exceptions
from . import messages


def main(arguments: "list[str] | None" = None) -> int:
    """Run one command and return its exit status.

    0 done, 1 error, 2 warning, 128 + n after signal n, as in gzip and xz.
    """
    files.occupy_standard_descriptors()
    _make_streams_write_or_fail()
    with signals_as_exceptions():
        try:
            # Only now, so that a signal finds its handler while click is being imported.
            from .program import run

            if arguments is None:
                status = run(sys.argv[1:], os.path.basename(sys.argv[0]))
            else:
                status = run(arguments)
            sys.stdout.flush()
            return status
        except Interrupted as interrupted:
            messages.complain("interrupted; what was not finished has not been written")
            return messages.SIGNALLED + interrupted.number
        except BrokenPipeError:  # the reader has seen enough
            files.discard_standard_output()
            return messages.CLOSED_PIPE
        except NlmzipError as error:
            messages.complain(str(error), getattr(error, "name", None))
            return messages.ERROR
        except MemoryError:
            messages.complain("not enough memory; free some and try again")
            return messages.ERROR
        except OSError as error:  # without a name it is of what a command prints
            files.discard_standard_output()
            messages.complain(files.explain(error), error.filename or "standard output")
            return messages.ERROR


def _make_streams_write_or_fail() -> None:
    """Let what the encoding cannot spell be escaped, and printing to a closed output fail.

    Python has no stream for a descriptor that was closed, and click would print nothing.
    """
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
