"""Coding one frame: what everything else calls, in both directions, from any thread."""

import threading
import zlib
from collections.abc import Callable
from contextlib import contextmanager

from ..container.frame import Frame
from ..container.numbers import damaged
from ..container.recipe import Coding, WordsCoding
from ..plan.known import Known
from ..plan.pick import bits_a_byte, head_bytes, pick
from ..plan.prepare import State, prepare

#: Above this many bits a byte (order 0) data is either random or nearly so.
_INCOMPRESSIBLE_BITS = 7.9
_INCOMPRESSIBLE_LEAST_BYTES = 1 << 16
_COUNTED_AT_ONCE = 1 << 20

Report = Callable[[int], None]


class FrameCoder:
    """Codes frames of a recipe's codings. Threads may share it: each frame is coded in a
    workspace of its own, of which there come to be as many as frames are coded at once.

    thorough: to find the best coding of a frame code all of it by each."""

    def __init__(self, codings: tuple[Coding, ...], known: Known, thorough: bool = False):
        self.codings = codings
        self._known = known
        self._thorough = thorough
        self._idle: list[dict[int, State]] = []
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Prepare all codings now. Raises ModelNotFoundError, ModelError, OSError, ArchiveError."""
        for coding in self.codings:
            prepare(coding, self._known)

    @contextmanager
    def _states(self):
        """One state of each coding, made when it is asked for."""
        with self._lock:
            workspace = self._idle.pop() if self._idle else _Workspace(self.codings, self._known)
        try:
            yield workspace
        finally:
            with self._lock:
                self._idle.append(workspace)

    def pick(self, frame_bytes: int, data) -> int:
        """The number of the coding that frames cut out of `data` should have."""
        if is_incompressible(data):
            return 0
        with self._states() as states:
            if isinstance(self.codings[0], WordsCoding):
                return self._form(states, data)
            return pick(frame_bytes, [states[coding] for coding in range(len(self.codings))], data)

    def _form(self, states, data) -> int:
        """The number of the coding in whose text form a model of words codes `data`."""
        form = states[0].form_for(bytes(data))
        return [coding.text_form for coding in self.codings].index(form)

    def encode(self, raw, coding: int | None, verify: bool, about: dict, report: Report) -> Frame:
        """The frame of a stretch of text.

        coding: the number of one, or None for the best, which is tried; verify: decode it again,
        and raise ArchiveError where that gives something else; about: its number, and n_records
        and lengths of a frame of records; report: called with the bytes that are done. Raises as
        `prepare` does.
        """
        raw = memoryview(raw)
        if not self.codings or not len(raw) or is_incompressible(raw):
            report(len(raw))
            return Frame.of(raw, **about)
        with self._states() as states:
            if coding is None:
                coding, payload = self._best(states, raw, report)
            else:
                payload = states[coding].encode(raw, of_all(report))
        frame = Frame.of(raw, payload, coding, **about)
        if verify and self.decode(frame, lambda n_done: None) != raw:
            raise damaged("what was encoded decodes to something else; report this")
        report(len(raw))
        return frame

    def _best(self, states, raw, report: Report) -> tuple[int, bytes]:
        """The coding that makes least of `raw`, and what it makes."""
        if isinstance(self.codings[0], WordsCoding):
            coding = self._form(states, raw)
            return coding, states[coding].encode(raw, of_all(report))
        *others, last = range(len(self.codings))
        n_head = head_bytes(len(raw))
        if n_head == len(raw) or self._thorough:
            share = _shares(report, len(raw), len(self.codings))
            payloads = [states[coding].encode(raw, share(coding)) for coding in range(len(self.codings))]
            return min(enumerate(payloads), key=lambda coded: len(coded[1]))
        costs = [bits_a_byte(states[coding].begin(raw[:n_head]), len(raw)) for coding in others]
        # The last one is the likeliest, and goes on from where it is if it is the best.
        encoding = states[last].begin(raw)
        costs.append(bits_a_byte(encoding, len(raw)))
        best = costs.index(min(costs))
        if best != last:
            encoding = states[best].begin(raw)
        return best, encoding.finish(of_all(report))

    def decode(self, frame: Frame, report: Report) -> bytes:
        """The text of a frame, whose checksum holds.

        Raises ArchiveError for a damaged one, and as `prepare` does.
        """
        if frame.coding is None:
            report(frame.raw_length)
            return frame.check(frame.payload)
        with self._states() as states:
            raw = states[frame.coding].decode(frame.payload, frame.raw_length, of_all(report))
        report(len(raw))
        return frame.check(raw)


def of_all(report: Report):
    """What codecs call with the bytes done and the bytes in all."""
    return lambda n_done, total: report(n_done)


def _shares(report: Report, n_bytes: int, n_passes: int):
    """What each of several passes over a text reports, so that all of them are told as one."""

    def of_pass(number: int) -> Report:
        return lambda n_done, total: report((number * n_bytes + n_done) // n_passes)

    return of_pass


class _Workspace(dict):
    """States by the number of their coding, each made when it is first asked for.

    It knows nothing of its coder: what refers to each other in a circle keeps its memory for long.
    """

    def __init__(self, codings: tuple[Coding, ...], known: Known):
        self._codings, self._known = codings, known
        self._shared: dict = {}

    def __missing__(self, coding: int) -> State:
        self[coding] = prepare(self._codings[coding], self._known).state(self._shared)
        return self[coding]


def is_incompressible(data) -> bool:
    """Whether bytes are so evenly spread, and repeat so little, that coding them is vain."""
    if len(data) < _INCOMPRESSIBLE_LEAST_BYTES:
        return False
    import numpy as np

    every = np.frombuffer(data, np.uint8)
    # Piece by piece, since counting takes eight bytes for each of them.
    counts = sum(
        np.bincount(every[begin : begin + _COUNTED_AT_ONCE], minlength=256)
        for begin in range(0, every.size, _COUNTED_AT_ONCE)
    )
    shares = counts[counts > 0] / len(data)
    bits = float(-(shares * np.log2(shares)).sum())
    return bits > _INCOMPRESSIBLE_BITS and len(zlib.compress(data, 1)) >= len(data)
