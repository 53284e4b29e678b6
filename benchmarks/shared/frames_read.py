"""Watching how an archive's frames are read at places. Called by scale/records.py and scale/seek.py."""

import time
from contextlib import contextmanager
from unittest import mock

from nlmzip.execute import seek
from nlmzip.execute.coder import FrameCoder


def no_frames_kept():
    """While this holds, every read decodes its frame, as reads of an archive do that is far larger
    than what is kept."""
    return mock.patch.multiple(seek, _FRAMES_KEPT=0, _BYTES_KEPT=0)


class Decoding:
    """What decoding frames took: CPU seconds, and how often it was done."""

    def __init__(self):
        self.seconds, self.n_frames = 0.0, 0


@contextmanager
def decoding_watched():
    """While this holds, the time that decoding frames takes, apart from all around it."""
    watched, decode = Decoding(), FrameCoder.decode

    def timed(self, frame, report):
        begin = time.process_time()
        text = decode(self, frame, report)
        watched.seconds += time.process_time() - begin
        watched.n_frames += 1
        return text

    with mock.patch.object(FrameCoder, "decode", timed):
        yield watched
