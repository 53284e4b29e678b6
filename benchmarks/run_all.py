#!/usr/bin/env python3
"""Run with --save every script of these folders that needs nothing to be named.

Where NLMZIP_DATA names texts (see README.md), also those of the filings that peers were given
more filings for, of a network of bytes trained on books, and of all texts; the tables of one
filing are of the FILE. Left out are scripts for which texts, models or other machines have to
be chosen: words_in_mix.py, ablation.py, levels.py, cross_machine.py, and fuzz.py; and those of
scale/, which take hours, or a machine with nothing else to do.

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

#: What needs no text of the user's, in this order.
MEASURED = (
    "compression/heldout_table", "trust/same_bits", "speed/speed", "speed/startup", "networks/training_starts",
    "networks/networks", "networks/networks_in_mix", "compression/filings_peers", "trust/damage",
)  # fmt: skip

#: Of the networks, beside what was reported before.
STUDIES = (
    "study/gradients_through_time", "study/geometry", "study/softmax_bottleneck", "study/tightness",
    "study/weight_decay", "study/parameter_counts", "study/long_lag", "study/softmax_mixtures",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", help="text for the filings table and for word dropout")
    file = parser.parse_args().file
    commands = [[script] for script in MEASURED]
    data = os.environ.get("NLMZIP_DATA")
    commands.append(["trust/every_network", *([f"{data}/corpora/calgary/paper1"] if data else [])])
    if file:
        commands.insert(1, ["compression/filings_table", file])
    commands += [[script] for script in STUDIES]
    commands.append(["study/word_dropout", *(["--other", file] if file else [])])
    if data:
        table = Path(data, "corpora", "MANIFEST.tsv")
        texts = ["--list", str(table), "--use", "dev", "--first", "300000"]
        books = sorted(map(str, Path(data, "train", "english", "books").glob("1*.txt")))
        commands.append(["networks/characters", *texts, "--train", *books])
        reported = map(str, harness.listed(table, "report"))
        commands.append(["compression/texts_table", *reported])
        english = [f"{data}/corpora/{name}" for name in ENGLISH]
        commands.append(["compression/english_table", *english])
    failed = []
    for script, *arguments in commands:
        done = subprocess.run([sys.executable, FOLDER / f"{script}.py", *arguments, "--save"])
        print()
        if done.returncode:
            failed.append(script)
    print(f"failed: {', '.join(failed)}" if failed else "all done")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
