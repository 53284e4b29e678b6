"""Which part of a frame's text each of its records is: told by lengths, or by a delimiter.

With a delimiter each record ends with it, but for the last one of a frame, which may lack it, as
the last line of a file may. That a frame holds as many records as it says is checked whenever
they are read.
"""

from array import array
from itertools import accumulate

from ..errors import ArchiveError
from .frame import Frame, unpack_lengths
from .numbers import damaged
from .recipe import Recipe


def record_ends(recipe: Recipe, frame: Frame, text: bytes) -> array:
    """Where each record of a frame ends in its text, delimiters included; array of uint64.

    Raises ArchiveError where the frame says something else of its records than its text does.
    """
    if recipe.by_length:
        return array("Q", accumulate(unpack_lengths(frame)))
    if count_delimited(text, recipe.delimiter) != frame.n_records:
        raise damaged("its records are not as many as it says")
    ends, delimiter, place = array("Q"), bytes([recipe.delimiter]), 0
    while place := text.find(delimiter, place) + 1:
        ends.append(place)
    if len(ends) < frame.n_records:
        ends.append(len(text))
    return ends


def count_delimited(text: bytes, delimiter: int) -> int:
    """How many records a text is, each with the delimiter behind it, which the last may lack."""
    return text.count(bytes([delimiter])) + bool(text and text[-1] != delimiter)


def has_its_records(recipe: Recipe, frame: Frame, text: bytes) -> bool:
    """Whether the records of a frame's text are as the frame says."""
    if not recipe.by_length:
        return count_delimited(text, recipe.delimiter) == frame.n_records
    try:
        unpack_lengths(frame)
    except ArchiveError:
        return False
    return True
