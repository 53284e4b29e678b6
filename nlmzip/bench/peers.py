"""All other compressors that are here, from the standard library, packages and programs.

Called by cli/bench.py and the scripts in benchmarks/.
"""

from . import packages, programs, standard_library
from .peer import Absent, Given, Peer


def peers() -> tuple[list[Peer], list[Absent]]:
    """The peers that are here, and those that are not."""
    found, absent = [], []
    for place in (standard_library, packages, programs):
        here, missing = place.seek()
        found += here
        absent += missing
    return found, absent


def all_given(others: list[Peer], training: bytes | None) -> list[Given]:
    """Every way in which these peers can be given a training text, none without one."""
    return [way for peer in others for way in peer.given(training)] if training else []
