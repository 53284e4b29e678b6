"""The `mix` codec: every byte in eight binary decisions under the mixing engine.

The engine learns the text as it goes. It begins with how far its kinds of context can be
trusted, and, with a model of bytes, with what a training text saw in them
(plan/byte_model.py). A model of words may take part (mixed_words.py). Called by coding.py.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..engine.inputs.sources import with_room
from ..engine.loop import Engine, code_bytes, engine
from ..engine.profiles import DEFAULT, LEVELS, line_bits
from ..entropy.range_coder import Decoder, Encoder
from ..errors import ArchiveError
from ..plan.byte_model import Beginning, without_model

if TYPE_CHECKING:
    from ..predictors.as_bytes.mixed_words import Mixed

__all__ = ["START", "Encoding", "decode", "encode"]

#: The engine start of the default level.
START = LEVELS[DEFAULT].start

_STRETCH = 1 << 13  # bytes between reports
_FIRST_BYTES = 1 << 22  # of a decoder's output; a multiple of _STRETCH


def begin(n_bytes: int, beginning: int | Beginning, words: "Mixed | None" = None) -> Engine:
    """What codes a text of this length. Raises ModelError if the package lacks this start."""
    if isinstance(beginning, int):
        beginning = without_model(beginning)
    bits = line_bits(n_bytes, beginning.most_line_bits)
    made = engine(bits, beginning.start, beginning.design, beginning.store)
    if words is None:
        return made
    return with_room(made, beginning.design, words.inputs.trees.shape[0], words.first_weights)


class Encoding:
    """A text that is being coded, as far as was asked for.

    beginning: the number of a shipped start, or what a model begins with; words: a word
    model that takes part; one that has not read anything. Raises ModelError if the package
    lacks this engine start.
    """

    def __init__(self, data: bytes, beginning: int | Beginning, words: "Mixed | None" = None):
        self._coder = Encoder()
        self._mixing = begin(len(data), beginning, words)
        self._array = np.frombuffer(data, np.uint8).copy()
        self._words = words
        self._coded = 0

    def advance(self, stop: int, progress: Callable[[int, int], None] | None = None) -> float:
        """Code what comes before `stop`; the bits of all so far."""
        for first, end in _stretches(self._coded, min(stop, self._array.size)):
            code_bytes(self._coder, self._mixing, self._array, first, end, self._words)
            self._coded = end
            if progress:
                progress(end, self._array.size)
        return self._coder.bits

    def finish(self, progress: Callable[[int, int], None] | None = None) -> bytes:
        """The payload of all."""
        self.advance(self._array.size, progress)
        return self._coder.finish()


def encode(
    data: bytes,
    beginning: int | Beginning,
    progress: Callable[[int, int], None] | None = None,
    words: "Mixed | None" = None,
) -> bytes:
    """The payload of `data`; arguments and errors as of Encoding."""
    return Encoding(data, beginning, words).finish(progress)


def decode(
    payload: bytes,
    raw_length: int,
    beginning: int | Beginning,
    progress: Callable[[int, int], None] | None = None,
    words: "Mixed | None" = None,
) -> bytes:
    """The data of a payload. Raises ArchiveError if it is damaged, ModelError as `encode`."""
    # A bit's probability stays 2.5e-6 away from certain (a quarter of what LARGEST_LOGIT
    # leaves), so a byte of payload cannot hold 2^19 bytes.
    if raw_length > len(payload) + 8 << 19:
        raise ArchiveError("damaged archive (an impossible length); get a good copy")
    coder = Decoder(payload)
    mixing = begin(raw_length, beginning, words)
    # A damaged archive may claim any length: memory is taken as the payload fills it.
    array = np.zeros(min(raw_length, _FIRST_BYTES), np.uint8)
    for first, end in _stretches(0, raw_length):
        if end > array.size:
            array = np.concatenate((array, np.zeros(min(array.size, raw_length - array.size), np.uint8)))
        code_bytes(coder, mixing, array, first, end, words)
        if coder.overrun:
            break
        if progress:
            progress(end, raw_length)
    if not coder.finished:
        raise ArchiveError("damaged archive (its text does not end where it should); get a good copy")
    return array.tobytes()


def _stretches(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where each stretch of a text begins and ends."""
    for begin in range(start, stop, _STRETCH):
        yield begin, min(begin + _STRETCH, stop)

Report = Callable[[int], None]


def nothing(n_done: int) -> None:
    """A report that nobody reads."""


class PreparedWords:
    def __init__(self, model, predictor: str, dynamic: bool, light: bool):
        from ..predictors.as_bytes.mixed_words import mixed

        self.make = lambda: mixed(model, predictor, dynamic, light)
        self.make()


class Prepared:
    def __init__(self, beginning: Beginning, words: PreparedWords | None = None):
        self._beginning, self._words = beginning, words

    def state(self) -> "State":
        return State(self)


class State:
    def __init__(self, prepared):
        self._prepared = prepared

    def begin(self, data):
        words = self._prepared._words and self._prepared._words.make()
        return _Reporting(Encoding(bytes(data), self._prepared._beginning, words))

    def encode(self, data, report: Report = nothing) -> bytes:
        return self.begin(data).finish(report)

    def decode(self, payload: bytes, raw_length: int, report: Report = nothing) -> bytes:
        words = self._prepared._words and self._prepared._words.make()
        return decode(payload, raw_length, self._prepared._beginning, lambda done, total: report(done), words)


class _Reporting:
    def __init__(self, encoding):
        self._encoding = encoding

    def advance(self, stop):
        return self._encoding.advance(stop)

    def finish(self, report: Report = nothing):
        return self._encoding.finish(lambda done, total: report(done))
