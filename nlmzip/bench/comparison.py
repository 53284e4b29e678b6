"""One text through all compressors: what each file takes, and how long both directions last.

Every figure is of an archive that was decoded and compared with the text. Called by
cli/bench.py and the scripts in benchmarks/.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from ..errors import NlmzipError
from ..platform import signals
from . import own
from .peer import Given, Peer
from .rows import Comparison, Row


class PeerError(NlmzipError):
    """No archive of a peer gives the text back."""


def compare(
    name: str,
    data: bytes,
    ours: list[own.Own],
    others: list[Peer],
    given: list[Given] = (),
    watch: own.Watch = own.unwatched,
    threads: int = 1,
) -> Comparison:
    """Measure our contestants, other compressors, and those given a training text, on one text.

    threads: how many frames are coded at once in our rows. A peer that fails is in the comparison's
    failures. Raises NlmzipError if a round trip of our own fails.
    """
    comparison = Comparison.of(name, data)
    details = {}
    for each in ours:
        comparison.rows.append(own.measure(each, data, watch, details, threads))
    comparison.rows.extend(measure_others(data, others, given, comparison.failures.append))
    return comparison


def measure_others(
    data: bytes, others: list[Peer], given: list[Given], report: Callable[[str], None]
) -> list[Row]:
    """Rows of other compressors alone, then of those given a training text.

    report: called with what to say of each that fails, which gets no row.
    """
    rows = []
    for is_given, group in ((False, others), (True, given)):
        for peer in group:
            try:
                rows.append(replace(measure_peer(peer, data, report), is_given=is_given))
            except PeerError as error:
                report(str(error))
    return rows


def measure_peer(
    peer: Peer | Given, data: bytes, report: Callable[[str], None] = lambda message: None
) -> Row:
    """A peer's row, of the best of its codecs whose archive decodes to the text.

    report: called with what to say of a codec that would be better but does not decode.
    Raises PeerError if none does.
    """
    made = []
    for codec in peer.codecs(len(data)):
        begin = time.perf_counter()
        coded = _try(codec.compress, data)
        seconds = time.perf_counter() - begin
        in_front = _try(codec.in_front)
        if coded is not None and in_front is not None:
            made.append((len(coded) - in_front, len(made), codec, coded, seconds))
    for n_bytes, _, codec, coded, seconds in sorted(made, key=lambda each: each[:2]):
        begin = time.perf_counter()
        decoded = _try(codec.decompress, coded)
        decode_seconds = time.perf_counter() - begin
        if decoded == data:
            return Row(peer.name, n_bytes, seconds, decode_seconds, note=codec.note)
        if codec.note:
            report(f"{peer.name} ({codec.note}) does not give the text back and is not counted")
    if not made:
        raise PeerError(f"{peer.name} does not compress the text and is not counted")
    raise PeerError(f"no archive of {peer.name} gives the text back and it is not counted")


def _try(function: Callable, *arguments):
    """None where another's code fails, in whatever manner: each package has its own."""
    try:
        return function(*arguments)
    except Exception:
        signals.check()  # a program may have been interrupted with us
        return None
