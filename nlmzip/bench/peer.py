"""What a peer is: another compressor, its ways to compress, and how it is given a training text.

Called by standard_library.py, packages.py and programs.py, which make peers, and by all that
measure or show them.
"""

from collections.abc import Callable
from typing import NamedTuple

Transform = Callable[[bytes], bytes]


class Codec(NamedTuple):
    """One way to compress and back; `note` tells it from a peer's other ways.

    in_front: what the archive takes without the text, where the text is compressed behind
    another; it does not count.
    """

    note: str
    compress: Transform
    decompress: Transform
    in_front: Callable[[], int] = lambda: 0


#: The codecs for a text of so many bytes.
Codecs = Callable[[int], list[Codec]]


class Given(NamedTuple):
    """A peer for those who hold a training text on both sides."""

    name: str
    codecs: Codecs


class Peer(NamedTuple):
    """A compressor; where it has several codecs, the one that is best on a text counts.

    given: the peer with a training text, in each way that it can be given one. Peers whose
    window is too short to profit from a text in front have none.
    """

    name: str
    version: str
    codecs: Codecs
    given: Callable[[bytes], list[Given]] = lambda training: []


class Absent(NamedTuple):
    """A peer that is not here, and how to get it."""

    name: str
    place: str
    remedy: str

    def __str__(self) -> str:
        return f"no {self.name} {self.place}, so it is left out; get it with: {self.remedy}"


GIVEN = "given the training text"
BY_DIFFERENCE = "by difference"


def behind(training: bytes, note: str, compress: Transform, decompress: Transform, alone) -> Codec:
    """A codec of what a text adds to a training text that is compressed in front of it.

    alone: gives the length of the training text's own archive.
    """

    def decompress_behind(data: bytes) -> bytes:
        both = decompress(data)
        if not both.startswith(training):
            raise ValueError("the training text does not come back")
        return both[len(training) :]

    return Codec(note, lambda data: compress(training + data), decompress_behind, alone)
