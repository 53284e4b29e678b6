"""Which training texts quote texts of a test: runs of ten words that both hold.

`python corpora/english/quotations.py --tests FOLDER|FILE... -- TEXT|FOLDER...` prints, for
each training text that shares a run of ten words with a test text, how many it shares,
with which, and the first of them. Words are runs of letters and digits in lower case.
A model of the training texts is honestly measured on the tests only where nothing is
printed, or what is printed was left out (build.py does).
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LENGTH = 10  # words

_WORD = re.compile(rb"[a-z0-9\x80-\xff]+")


def shingles(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Each run of ten words and where its first word begins."""
    words = [(match.start(), match[0]) for match in _WORD.finditer(text.lower())]
    for first in range(len(words) - LENGTH + 1):
        run = words[first : first + LENGTH]
        yield run[0][0], b" ".join(word for _, word in run)


def index(tests: dict[str, bytes]) -> dict[bytes, str]:
    """The test text in which each run of ten different words or more than three stands."""
    known = {}
    for name, text in tests.items():
        for _, run in shingles(text):
            if len(set(run.split())) > LENGTH // 3:  # not rows of numbers or rules of dashes
                known.setdefault(run, name)
    return known


def quoted(text: bytes, known: dict[bytes, str]) -> list[tuple[int, bytes, str]]:
    """Where a text quotes: place, run of words, and the test text that has it too."""
    return [(place, run, known[run]) for place, run in shingles(text) if run in known]


def files_of(paths: list[Path]) -> list[Path]:
    """The files named, and those of folders."""
    found = []
    for path in paths:
        found += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", nargs="+", type=Path, required=True, metavar="TEXT")
    parser.add_argument("texts", nargs="+", type=Path, metavar="TEXT")
    options = parser.parse_args()
    known = index({path.name: path.read_bytes() for path in files_of(options.tests)})
    total = 0
    for path in files_of(options.texts):
        found = quoted(path.read_bytes(), known)
        if found:
            total += 1
            names = Counter(name for _, _, name in found).most_common()
            where = ", ".join(f"{name} {count}" for name, count in names)
            print(f"{path.name}: {where}; first: {found[0][1].decode(errors='replace')}")
    print(f"{total} of {len(files_of(options.texts))} texts quote a test text", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
