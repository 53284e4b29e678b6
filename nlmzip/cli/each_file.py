"""From the files that are named to an exit status: what fails is told, and the others go on."""

import os
from collections.abc import Callable, Iterable

from ..errors import NlmzipError
from ..platform.files import Skipped, explain, input_name
from . import messages, turns


def for_each_file(
    paths: Iterable[str], action: "Callable[[str], int | None]", *, quiet: bool = False, n_at_once: int = 1
) -> int:
    """Call `action`, which may return a status, on every path, report what fails, go on; returns
    the worst status. n_at_once: how many are done side by side."""

    def attempt(path: str) -> int:
        try:
            return action(path) or messages.OK
        except Skipped as warning:
            if not quiet:
                messages.complain(str(warning), warning.name)
            return messages.WARNING
        except NlmzipError as error:
            messages.complain(str(error), getattr(error, "name", input_name(path)))
        except OSError as error:
            if error.filename is None:  # of standard output, which is nobody's fault here
                raise
            messages.complain(explain(error), os.fsdecode(error.filename))
        except MemoryError:
            messages.complain("does not fit in memory; free some, or split the file", input_name(path))
        return messages.ERROR

    statuses = turns.side_by_side(list(paths), attempt, n_at_once)
    if messages.ERROR in statuses:
        return messages.ERROR
    return max(statuses, default=messages.OK)
