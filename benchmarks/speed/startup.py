#!/usr/bin/env python3
"""What a command costs before it does anything, and what training everything once costs.

Each command is a process of its own; medians of CPU seconds over runs in turn.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

RUNS = 9
MOST_ABOVE_NUMBA = 0.5  # CPU seconds


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("--no-training", action="store_true", help="leave the training out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, harness.Report(__file__, options) as report:
        text = Path(folder) / "text"
        text.write_bytes((harness.FINANCE / "dev.txt").read_bytes()[:1024])
        nlmzip = [sys.executable, "-m", "nlmzip"]
        encode = [*nlmzip, "encode", "-c", str(text)]
        commands = {
            "python -c 'import numba'": [sys.executable, "-c", "import numba"],
            "nlmzip --help": [*nlmzip, "--help"],
            "nlmzip info finance": [*nlmzip, "info", "finance"],
            "nlmzip encode, 1 KB": encode,
            "nlmzip encode --model finance, 1 KB": [*encode, "--model", "finance"],
        }
        seconds = {name: [] for name in commands}
        for run in range(RUNS + 1):  # the first one fills the caches
            for name, command in commands.items():
                cpu, _ = measure(command)
                if run:
                    seconds[name].append(cpu)
        medians = {name: statistics.median(values) for name, values in seconds.items()}
        numba = medians["python -c 'import numba'"]
        rows = [[name, f"{cpu:.2f}", f"{cpu - numba:+.2f}"] for name, cpu in medians.items()]
        report.line(f"medians of {RUNS} runs")
        report.line()
        report.table(["", "CPU s", "beyond import numba"], rows)
        report.line()
        worst = max(cpu - numba for name, cpu in medians.items() if "encode" in name)
        verdict = "met" if worst <= MOST_ABOVE_NUMBA else "NOT met"
        report.line(f"encode beyond import numba: {worst:.2f} s (at most {MOST_ABOVE_NUMBA}: {verdict})")
        if not options.no_training:
            train, dev = (str(harness.FINANCE / name) for name in ("train.txt", "dev.txt"))
            output = str(Path(folder) / "finance.nlm")
            command = [*nlmzip, "train", "--codec", "words", train, "--dev", dev, "-o", output]
            cpu, wall = measure(command)
            report.line(
                f"nlmzip train --codec words on the finance corpus: {wall:.0f} s, {cpu:.0f} CPU s"
            )
    return 0


def measure(command: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a process and its children."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(harness.ROOT)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begin


if __name__ == "__main__":
    harness.run(main)
