#!/usr/bin/env python3
"""Whether archives are the same on other machines, and decode there: SHA-256 of each on each.

A small fixed set of archives is made here. Each other machine decodes these and makes them
again: older kernels, an emulated older x86-64, an emulated aarch64, the oldest and the newest
numba and numpy. --setup prepares what is missing and says what it cannot; machines that are
not there are named and left out.

Exit status 1 if any archive differs or does not decode.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.trust import machine_set
from benchmarks.trust.machines import Machine, default_python, machines, set_up

PROCESS = Path(__file__).with_name("machine_process.py")
FOLDER = harness.ROOT / "build" / "machines"
#: Variables that each machine has for itself.
CLEARED = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "PYTHONPATH", "PYTHONHOME")
SHOWN_DIGITS = 16
#: What the environments are made with, by default: the first of these that runs.
PYTHONS = {"oldest": ("python3.10",), "newest": ("python3.13", "python3.12")}


def main() -> int:
    names = [machine.name for machine in machines(FOLDER)]
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("machines", nargs="*", metavar="MACHINE", help=f"which of {', '.join(names)}; default: all")
    parser.add_argument("--only", default="", metavar="TEXT", help="only archives with this in their names")
    parser.add_argument("--setup", action="store_true", help="prepare the machines that are not there, and end")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="where they and their kernels are kept; default: build/machines"
    )
    for name, candidates in PYTHONS.items():
        shown = f"which Python sets up {name}; default: {candidates[0]} where it runs, else this one"
        parser.add_argument(f"--{name}-python", metavar="PATH", help=shown)
    options = parser.parse_args()
    unknown = set(options.machines) - set(names)
    if unknown:
        parser.error(f"no machine {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if options.setup:
        given = {"oldest": options.oldest_python, "newest": options.newest_python}
        pythons = {name: given[name] or default_python(candidates) for name, candidates in PYTHONS.items()}
        set_up(options.folder, options.machines or names, pythons)
        return 0
    chosen = [m for m in machines(options.folder) if m.name == "here" or m.name in (options.machines or names)]
    with harness.Report(__file__, options) as report, tempfile.TemporaryDirectory() as laid:
        items = machine_set.lay(Path(laid), options.only)
        told = {machine.name: run(machine, Path(laid), options.folder) for machine in chosen if not machine.absent}
        return show(report, chosen, items, told)


def run(machine: Machine, laid: Path, folder: Path) -> list[dict]:
    """What the machine printed: of itself, then of each archive that it came to."""
    cache = folder / f"cache-{machine.name}"
    environment = {name: value for name, value in os.environ.items() if name not in CLEARED}
    environment |= {"NLMZIP_CACHE": str(cache)}
    for name, value in machine.environment.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    told: list[dict] = []
    with subprocess.Popen(
        [*machine.python, str(PROCESS), str(laid)], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout:
            told.append(json.loads(line))
            if len(told) > 1:
                said = f"{machine.name}: {len(told) - 1}, {told[-1]['name']}, {told[-1]['seconds']} s"
                print(said, file=sys.stderr, flush=True)
    return told


def show(report, chosen: list[Machine], items: list[dict], told: dict[str, list[dict]]) -> int:
    """Print the tables; the exit status."""
    names = [machine.name for machine in chosen if machine.name in told]
    by_name = {name: {each["name"]: each for each in told[name][1:]} for name in names}
    rows, different = [], 0
    for item in items:
        each = [by_name[name].get(item["name"]) for name in names]
        first = each[0] or {}
        same = all(one and one["decoded"] and one["sha256"] and one["sha256"] == first["sha256"] for one in each)
        different += not same
        rows.append([item["name"], f"{first.get('bytes', 0):,}", *map(cell, each), "same" if same else "DIFFERENT"])
    report.line(
        f"\nthe first {SHOWN_DIGITS} hexadecimal digits of each archive's SHA-256; "
        "the archives made here were decoded on every other machine\n"
    )
    report.table(["archive", "bytes", *names, ""], rows)
    report.line()
    about = [
        [m.name, m.what, *(told[m.name][0][key] for key in ("machine", "processor", "python", "numpy", "numba")),
         f"{sum(each['seconds'] for each in told[m.name][1:]):.0f}"]
        for m in chosen if told.get(m.name)
    ]  # fmt: skip
    report.table(["machine", "", "kind", "compiled for", "Python", "numpy", "numba", "CPU seconds"], about)
    report.line()
    for machine in chosen:
        if machine.absent:
            report.line(f"left out: {machine.name}, {machine.what}: {machine.absent}")
    equal = len(items) - different
    report.line(f"{equal} of {len(items)} archives are the same and decode on all {len(names)} machines")
    return 1 if different else 0


def cell(said: dict | None) -> str:
    """What one machine made of one archive."""
    if said is None:
        return "not reached"
    if not said["sha256"]:
        return "refused"
    return said["sha256"][:SHOWN_DIGITS] + ("" if said["decoded"] else " not decoded")


if __name__ == "__main__":
    harness.run(main)
