"""The `mix` codec: every byte in eight binary decisions under the mixing engine.

The engine learns the text as it goes. It begins with how far its kinds of context can be
trusted, and, with a model of bytes, with what a training text saw in them
(engine/byte_model.py). Models of words or bytes may take part
(predictors/as_bytes/).

A `Prepared` is what all texts share, a `State` what moves while one is coded: threads have
one of these each. Called by api/ and execute/.
"""

from collections.abc import Callable, Iterator
from weakref import ref

import numpy as np

from ..engine.byte_model import Beginning, without_model
from ..engine.inputs.sources import NO_SOURCES, PreparedSource, together
from ..engine.loop import code_bytes
from ..engine.memory import First, Memory, Slots
from ..engine.profiles import DEFAULT, LEVELS
from ..entropy.range_coder import Decoder, Encoder, RangeCoder
from ..errors import ArchiveError

__all__ = ["START", "Encoding", "Prepared", "State", "decode", "encode"]

#: The engine start of the default level.
START = LEVELS[DEFAULT].start

_STRETCH = 1 << 13  # bytes between reports
_FIRST_BYTES = 1 << 22  # of a decoder's output; a multiple of _STRETCH

Progress = Callable[[int, int], None]


class Prepared:
    """What the engine begins every text with; never changed, so that threads share it.

    sources: models of words or bytes that take part; None for none.
    """

    def __init__(self, beginning: Beginning, *sources: PreparedSource | None):
        self.beginning = beginning
        self.sources = [source for source in sources if source]
        self.first = First(beginning.start, beginning.design, beginning.store, self.sources)

    def state(self, shared: dict | None = None) -> "State":
        """What moves while a text is coded, for one thread.

        shared: of all states of a thread of which one codes at a time; they have one room for slots.
        """
        shared = {} if shared is None else shared
        return State(self, shared.setdefault("slots", Slots()))


class State:
    """What moves while a text is coded; for one thread and one text at a time.

    Every text begins as the first one did, whatever was coded before and wherever that
    stopped. Memory is taken when it is needed first, and used again.
    """

    def __init__(self, prepared: Prepared, slots: Slots | None = None):
        self.prepared = prepared
        self._memory = Memory(prepared.first, slots)
        # Weak, so that an engine, and the slots that it has, are gone when nobody codes with it.
        self._coding: Callable[[], _Coding | None] = lambda: None

    def begin(self, data: bytes) -> "Encoding":
        """A text that is to be coded; the one before cannot go on."""
        return Encoding(self._coding_of(len(data), Encoder()), data)

    def encode(self, data: bytes, progress: Progress | None = None) -> bytes:
        """The payload of `data`; progress: called with bytes done and bytes in all."""
        return self.begin(data).finish(progress)

    def decode(self, payload: bytes, raw_length: int, progress: Progress | None = None) -> bytes:
        """The data of a payload. Raises ArchiveError if it is damaged."""
        # A bit's probability stays 2.5e-6 away from certain (a quarter of what LARGEST_LOGIT
        # leaves), so a byte of payload cannot hold 2^19 bytes.
        if raw_length > len(payload) + 8 << 19:
            raise ArchiveError("damaged archive (an impossible length); get a good copy")
        coder = Decoder(payload)
        coding = self._coding_of(raw_length, coder)
        # A damaged archive may claim any length: memory is taken as the payload fills it.
        array = np.zeros(min(raw_length, _FIRST_BYTES), np.uint8)
        for first, end in _stretches(0, raw_length):
            if end > array.size:
                array = np.concatenate((array, np.zeros(min(array.size, raw_length - array.size), np.uint8)))
            coding.code(array, first, end)
            if coder.overrun:
                break
            if progress:
                progress(end, raw_length)
        if not coder.finished:
            raise ArchiveError("damaged archive (its text does not end where it should); get a good copy")
        return array.tobytes()

    def _coding_of(self, n_bytes: int, coder: RangeCoder) -> "_Coding":
        if before := self._coding():
            before.engine = None  # it is over, and what it held can go
        n_slots = self.prepared.beginning.n_slots(n_bytes)
        coding = _Coding(self._memory, coder)
        self._coding = ref(coding)
        coding.engine = self._memory.engine(n_slots)
        coding.sources = together(self.prepared.sources)
        return coding


class _Coding:
    """The engine at work on one text, in either direction."""

    def __init__(self, memory: Memory, coder: RangeCoder):
        self.coder = coder
        self.engine, self.sources = None, NO_SOURCES
        self._memory = memory

    def code(self, data: np.ndarray, start: int, stop: int) -> None:
        """Code data[start:stop], which follows what was coded."""
        if self.engine is None:
            raise RuntimeError("this state codes another text meanwhile")
        self._memory.reach(data, stop)
        code_bytes(self.coder, self.engine, data, start, stop, self.sources)


class Encoding:
    """A text that is being coded, as far as was asked for. Made by State.begin."""

    def __init__(self, coding: _Coding, data: bytes):
        self._coding = coding
        array = np.frombuffer(data, np.uint8)
        self._array = array if array.flags.writeable else array.copy()  # kernels take one type of array
        self._coded = 0

    def advance(self, stop: int, progress: Progress | None = None) -> float:
        """Code what comes before `stop`; the bits of all so far."""
        for first, end in _stretches(self._coded, min(stop, self._array.size)):
            self._coding.code(self._array, first, end)
            self._coded = end
            if progress:
                progress(end, self._array.size)
        return self._coding.coder.bits

    def finish(self, progress: Progress | None = None) -> bytes:
        """The payload of all."""
        self.advance(self._array.size, progress)
        return self._coding.coder.finish()


def _stretches(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where each stretch of a text begins and ends."""
    for begin in range(start, stop, _STRETCH):
        yield begin, min(begin + _STRETCH, stop)


def _state(beginning: int | Beginning, words: PreparedSource | None) -> State:
    if isinstance(beginning, int):
        beginning = without_model(beginning)
    return Prepared(beginning, words).state()


def encode(
    data: bytes,
    beginning: int | Beginning,
    progress: Progress | None = None,
    words: PreparedSource | None = None,
) -> bytes:
    """The payload of one text; beginning: or the number of a shipped start.

    Raises ModelError if the package lacks this start.
    """
    return _state(beginning, words).encode(data, progress)


def decode(
    payload: bytes,
    raw_length: int,
    beginning: int | Beginning,
    progress: Progress | None = None,
    words: PreparedSource | None = None,
) -> bytes:
    """The data of one payload. Raises ArchiveError if it is damaged, ModelError as `encode`."""
    return _state(beginning, words).decode(payload, raw_length, progress)
