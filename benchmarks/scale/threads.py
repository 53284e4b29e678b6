#!/usr/bin/env python3
"""Several threads beside one on the same text: time, CPU, and the same archive.

Each round encodes and decodes with one thread, then with several. What the machine could give
at best is told by as many processes of one thread each that encode the text at the same time.
On a machine that has other work to do, the ratios say little.

Exit status 1 if an archive or a text differs.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.kept import tell
from benchmarks.shared.measured_process import Taken, measured, nlmzip
from benchmarks.shared.targets import at_least, megabytes
from benchmarks.shared.train_text import write_text

#: How many times as fast two threads are on two idle cores.
LEAST_SPEED_UP = 1.85


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_data(parser)
    parser.add_argument("--size", type=float, default=20, metavar="MB")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    parser.add_argument("--level", type=int, default=5, metavar="N")
    parser.add_argument("--model", metavar="NAME|PATH", help="what encode takes by itself if none is named")
    parser.add_argument("--frame", metavar="SIZE", help="as of encode")
    options = parser.parse_args()
    settings = [f"-{options.level}"]
    settings += ["--model", options.model] if options.model else []
    settings += ["--frame", options.frame] if options.frame else []
    with harness.Report(__file__, options) as report, tempfile.TemporaryDirectory() as folder:
        report.line(f"{os.cpu_count()} processors; load before the first round: {os.getloadavg()[0]:.2f}")
        text = write_text(options, Path(folder, "text"), round(options.size * 1e6))
        counts, rounds = (1, options.threads), []
        for number in range(options.rounds):
            tell(f"round {number + 1} of {options.rounds} ...")
            rounds.append({count: both_directions(text, settings, count) for count in counts})
            rounds[-1]["beside"] = side_by_side(text, settings, options.threads)
        return told(report, rounds, options.threads)


def both_directions(text: Path, settings: list[str], n_threads: int) -> dict[str, Taken]:
    archive = text.with_name("archive")
    encode = measured(nlmzip("-c", *settings, f"-T{n_threads}", text), keep=archive)
    return {"encode": encode, "decode": measured(nlmzip("-dc", f"-T{n_threads}", archive))}


def side_by_side(text: Path, settings: list[str], n_processes: int) -> float:
    """Seconds that so many processes of one thread take, each of which encodes the text; the slowest one."""
    command = nlmzip("-c", *settings, "-T1", text)
    with ThreadPoolExecutor(n_processes) as pool:
        return max(taken.seconds for taken in pool.map(measured, [command] * n_processes))


def told(report, rounds: list[dict], n_threads: int) -> int:
    """rounds: what each number of threads took, and the seconds of processes side by side."""
    rows = []
    for direction in ("encode", "decode"):
        one, several = ([each[count][direction] for each in rounds] for count in (1, n_threads))
        seconds = [sum(taken.seconds for taken in each) / len(each) for each in (one, several)]
        cpu = [sum(taken.cpu_seconds for taken in each) / len(each) for each in (one, several)]
        ratios = [a.seconds / b.seconds for a, b in zip(one, several, strict=True)]
        rows.append([
            direction, *(f"{each:.2f}" for each in seconds), f"{seconds[0] / seconds[1]:.3f}",
            f"{min(ratios):.3f} to {max(ratios):.3f}", at_least(seconds[0] / seconds[1], LEAST_SPEED_UP),
            *(f"{each:.2f}" for each in cpu), f"{cpu[1] / cpu[0]:.3f}",
            *(megabytes(max(taken.peak_bytes for taken in each)) for each in (one, several)),
        ])  # fmt: skip
    both = "-T1", f"-T{n_threads}"
    report.line(f"seconds, means of {len(rounds)} rounds\n")
    report.table(
        ["", *both, "times as fast", "in the rounds", "target", *(f"CPU {each}" for each in both), "ratio",
         *(f"MB {each}" for each in both)], rows,
    )  # fmt: skip
    alone = sum(each[1]["encode"].seconds for each in rounds)
    beside = sum(each["beside"] for each in rounds)
    report.line(
        f"\n{n_threads} processes side by side encode {n_threads * alone / beside:.3f} times as much as one"
    )
    same = True
    for direction, what in (("encode", "archives"), ("decode", "texts")):
        digests = {each[count][direction].sha256 for each in rounds for count in (1, n_threads)}
        same = same and len(digests) == 1
        report.line(
            f"SHA-256 of the {what}: {'the same' if len(digests) == 1 else 'DIFFERENT'}, {min(digests)[:32]}"
        )
    return 0 if same else 1


if __name__ == "__main__":
    harness.run(main)
