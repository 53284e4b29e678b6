"""Which part of a frame's text each of its records is: told by lengths, or by a delimiter.

With a delimiter each record ends with it, but for the last one of a frame, which may lack it, as
the last line of a file may. That a frame holds as many records as it says is checked whenever
they are read.
"""

from array import array
from itertools import accumulate

from .frame import Frame, unpack_lengths
from .numbers import damaged
from .recipe import Recipe


def record_ends(recipe: Recipe, frame: Frame, text: bytes) -> array:
    """Where each record of a frame ends in its text, delimiters included; array of uint64.

    Raises ArchiveError where the frame says something else of its records than its text does.
    """
    if recipe.by_length:
        return array("Q", accumulate(unpack_lengths(frame)))
    behind = bytes([recipe.delimiter])
    unended = bool(text) and not text.endswith(behind)
    if text.count(behind) + unended != frame.n_records:
        raise damaged("its records are not as many as it says")
    ends, place = array("Q"), 0
    while place := text.find(behind, place) + 1:
        ends.append(place)
    if unended:
        ends.append(len(text))
    return ends
