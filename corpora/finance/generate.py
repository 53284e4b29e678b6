"""Write the texts of the finance corpus, the same bytes every time."""

import argparse
import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from corpora.finance.texts import FOLDER, TEXTS, draw  # noqa: E402


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="DIR",
                        help="folder to write to (default: this one)")
    parser.add_argument("--text", action="append", choices=TEXTS, help="only this text (may be repeated; default: all)")
    arguments = parser.parse_args()
    for name in arguments.text or TEXTS:
        (arguments.out / f"{name}.txt").write_bytes(draw(name))


if __name__ == "__main__":
    main()
