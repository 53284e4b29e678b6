"""Measurements that take hours, kept as they are made, so that a script that is started again goes on.

Called by scale/streams.py and scale/frames.py.
"""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path


def add_keep(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--keep", type=Path, metavar="FILE",
        help="write each measurement to this file as it is made, and take those that are in it as they are"
        " (remove it when what is measured has changed)",
    )  # fmt: skip


class Kept:
    """Measurements by what tells them apart, in a file of JSON lines; path None: for this run only."""

    def __init__(self, path: Path | None):
        self._path = path
        self._values = {}
        if path and path.exists():
            for line in path.read_text().splitlines():
                case, value = json.loads(line)
                self._values[json.dumps(case)] = value
        self._begin = time.monotonic()

    def value(self, case: list, measure: Callable[[], object]):
        """What `measure` gives, as JSON has it, now or in an earlier run; told on standard error."""
        key = json.dumps(case)
        if key not in self._values:
            tell(f"{self._elapsed()} {' '.join(map(str, case))} ...")
            self._values[key] = json.loads(json.dumps(measure()))
            if self._path:
                with self._path.open("a") as file:
                    file.write(json.dumps([case, self._values[key]]) + "\n")
        return self._values[key]

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._begin), 60)
        return f"{minutes:3d}:{seconds:02d}"


def tell(line: str) -> None:
    """Progress, which is no part of the report."""
    print(line, file=sys.stderr, flush=True)
