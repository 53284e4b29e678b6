#!/usr/bin/env python3
"""Run with --save every script of this folder that needs nothing to be named.

Where NLMZIP_DATA names texts (see README.md), also those of the filings that peers were given
more filings for, of a network of bytes trained on books, and of all texts; the tables of one
filing are of the FILE. Left out are scripts for which texts, models or other machines have to
be chosen: words_in_mix.py, ablation.py, levels.py, cross_machine.py, and fuzz.py.

Exit status 1 if any fails.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import harness  # first: it finds the environment

FOLDER = Path(__file__).resolve().parent

ENGLISH = (
    "canterbury/alice29.txt", "calgary/book1", "canterbury/plrabn12.txt", "calgary/book2",
    "wiki/enwiki-first1e6", "finance/mda-1002517-2016.txt",
)  # fmt: skip

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
        "heldout_table same_bits speed startup training_starts networks networks_in_mix filings_peers damage"
    )
    commands = [[f"{script}.py"] for script in names.split()]
    data = os.environ.get("NLMZIP_DATA")
    commands.append(["every_network.py", *([f"{data}/corpora/calgary/paper1"] if data else [])])
    if file:
        commands.insert(1, ["filings_table.py", file])
    commands += [[f"{study}.py"] for study in STUDIES]
    commands.append(["word_dropout.py", *(["--other", file] if file else [])])
    if data:
        table = Path(data, "corpora", "MANIFEST.tsv")
        texts = ["--list", str(table), "--use", "dev", "--first", "300000"]
        books = sorted(map(str, Path(data, "train", "english", "books").glob("1*.txt")))
        commands.append(["characters.py", *texts, "--train", *books])
        reported = map(str, harness.listed(table, "report"))
        commands.append(["texts_table.py", *reported])
        english = [f"{data}/corpora/{name}" for name in ENGLISH]
        commands.append(["english_table.py", *english])
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
