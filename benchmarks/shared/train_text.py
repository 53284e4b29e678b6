"""Texts of any length made of the training texts. Called by the scripts of scale/."""

from argparse import Namespace
from itertools import cycle, zip_longest
from pathlib import Path

import harness

#: Filings, and books.
FOLDERS = ("train/finance", "train/english/books", "train/english-more")


def write_text(options: Namespace, path: Path, n_bytes: int) -> Path:
    """A text of so many bytes: a file of each folder in turn, all of them again where they end.

    A shorter text is the beginning of a longer one.
    """
    folders = harness.data_files(options, *FOLDERS)
    files = cycle(file for turn in zip_longest(*folders) for file in turn if file)
    with path.open("wb") as text:
        while n_bytes:
            data = next(files).read_bytes()[:n_bytes]
            text.write(data)
            n_bytes -= len(data)
    return path
