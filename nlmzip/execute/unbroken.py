"""What an error has ended does not go on as if nothing were missing."""

from collections.abc import Iterator

from ..errors import NlmzipError


class Unbroken:
    """Pieces that come in several goes, of which none comes once an error has ended one."""

    def __init__(self):
        self._error: Exception | None = None

    def go(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """These pieces. Raises what has ended an earlier go."""
        if self._error:
            raise self._error
        try:
            yield from pieces
        except GeneratorExit:  # nobody wants more, and nothing was lost
            raise
        except Exception as error:
            self._error = error
            raise
        except BaseException:
            self._error = NlmzipError("was interrupted, and cannot go on; begin it anew")
            raise
