#!/usr/bin/env python3
"""Run every script of this folder with --save, but for fuzz.py; the filings table only where a FILE
is given.

The tables of filings that peers were given more filings for, and of a network of bytes that was
trained on books, need NLMZIP_DATA; see README.md.

Exit status 1 if any fails.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

#: Of the networks, beside what was reported before.
STUDIES = (
    "gradients_through_time", "geometry", "softmax_bottleneck", "tightness", "weight_decay",
    "parameter_counts", "long_lag", "softmax_mixtures",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", help="text for the filings table and for word dropout")
    file = parser.parse_args().file
    names = (
        "heldout_table same_bits speed startup training_starts networks networks_in_mix every_network"
        " filings_peers damage"
    )
    commands = [[f"{script}.py"] for script in names.split()]
    if file:
        commands.insert(1, ["filings_table.py", file])
    commands += [[f"{study}.py"] for study in STUDIES]
    commands.append(["word_dropout.py", *(["--other", file] if file else [])])
    if data := os.environ.get("NLMZIP_DATA"):
        texts = ["--list", f"{data}/corpora/MANIFEST.tsv", "--use", "dev", "--first", "300000"]
        books = sorted(map(str, Path(data, "train", "english", "books").glob("1*.txt")))
        commands.append(["characters.py", *texts, "--train", *books])
    failed = []
    for script, *arguments in commands:
        done = subprocess.run([sys.executable, FOLDER / script, *arguments, "--save"])
        print()
        if done.returncode:
            failed.append(script)
    print(f"failed: {', '.join(failed)}" if failed else "all done")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
