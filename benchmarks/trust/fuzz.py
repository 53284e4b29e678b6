#!/usr/bin/env python3
"""Coverage-guided fuzzing (atheris, libFuzzer) of both archive readers, the one in order and the one
that seeks, and of the decoders; of the model reader and what a model is then used for; of tokens and
text forms: any bytes give data or an NlmzipError, in the time and the memory that go with them, and
the same in both ways.

Inputs begin with fuzz_seeds.py. fuzz_archives.py and fuzz_models.py change what stands behind
checksums and put these right; fuzz_targets.py says what is done with an input and what is a finding.
The Python of readers and codecs is instrumented, kernels are not: they are compiled with bounds checked.
Inputs that gave findings are kept in the folder that --keep names.

Exit status 1 if there are findings.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

TARGETS = ("layout", "archive", "payload", "model", "text")
#: Longest inputs, in bytes.
_MOST_BYTES = {"layout": 1 << 12, "archive": 1 << 14, "payload": 1 << 9, "model": 1 << 16, "text": 1 << 11}
#: What was found before, and what was done; each has a test in tests/hostile.
FOUND = (
    ("by fuzzing: a line feed in a model's name made two lines of an error's message",
     "messages of all errors are one printable line, in Python too"),
    ("by hand: a card's number below zero took away from the memory announced for the other models",
     "what is below zero counts as nothing"),
    ("by hand: an array named twice, large and then small, was announced as small",
     "a model whose arrays share a name is refused"),
    ("by hand: ten megabytes of empty frames or members took 400 MB, and 70 were announced",
     "they are an error; one who reads in order keeps three bytes of a frame, one who seeks about 140"),
    ("by hand: a card of 4 MB took 90 MB before anything was announced; a length of 4 GiB was believed",
     "a card has 1 MiB at most"),
    ("by hand: unpacking an array could keep it once more in the dictionary of lzma",
     "announced"),
    ("by hand: a card asked for 4,096 steps of a large vocabulary, 4 GB and more, of which nothing was announced",
     "announced, with every softmax of a mixture"),
    ("by hand: decoded words were objects of their own, forty bytes for each word of two letters",
     "they are joined as they come, and remembered spellings announced by the payload"),
    ("by damage.py: an archive cut behind its embedded model decoded to an empty text",
     "an archive that ends in a model is truncated"),
    ("by damage.py: one flipped bit made an empty record of none, or told a single record apart otherwise",
     "a frame's checksum holds for how many its records are, and how they are told apart"),
    ("by damage.py: a flipped bit in a frame's number of records was called damage to the index",
     "an error: the checksum does not hold"),
    ("by reading: frames that were swapped, or stood twice, gave another text and a warning that it is whole",
     "a whole index of other frames is an error, and checksums hold for a frame's number"),
    ("by reading: a model in several frames was one to a reader in order, and several to one who seeks",
     "a model is one frame"),
    ("by fuzzing, and reading: one who seeks took frames of nothing, and behind the last, that an index told of",
     "refused, as by one who reads in order"),
    ("by fuzzing: asking a frame of no records for all of them was a ValueError; one of 2^62 records an OverflowError",
     "none, and an error of ours"),
    ("by hand: an index of 2 MB that made up a million frames took 228 MB",
     "it cannot tell of more than the archive has bytes for"),
)  # fmt: skip


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of each target (60)")
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="for inputs that gave findings")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("skipped: atheris is not installed; .venv/bin/pip install atheris")
        return 0
    if options.worker:
        return work(options)
    rows, findings = [], []
    with harness.Report(__file__, options) as report, tempfile.TemporaryDirectory() as temporary:
        for target in options.target or TARGETS:
            row, found = fuzz(target, options, options.keep or Path(temporary, "findings"))
            rows.append(row)
            findings += found
        header = ["target", "inputs", "coded", "seconds", "coverage", "kept", "findings"]
        report.table(header, rows)
        report.line()
        for finding in findings:
            report.line(f"finding: {finding}")
        for what, done in FOUND:
            report.line(f"found before {what}\n    now: {done}")
        return 1 if findings else 0


def fuzz(target: str, options, keep: Path) -> tuple[list, list[str]]:
    """Fuzz one target for the time given, in processes that go on after one that died; the
    table's row and the findings."""
    keep.mkdir(parents=True, exist_ok=True)
    tried, coded, coverage, kept, died = 0, 0, 0, 0, []
    begin, seed = time.monotonic(), options.seed
    with tempfile.TemporaryDirectory() as corpus:
        while (left := options.seconds - (time.monotonic() - begin)) > 1 or seed == options.seed:
            command = [sys.executable, __file__, "--worker", "--target", target, "--seed", str(seed)]
            command += ["--seconds", str(max(int(left), 1)), "--keep", str(keep)]
            done = subprocess.run(
                command, cwd=corpus, env=_environment(corpus), stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True, errors="replace",
            )  # fmt: skip
            told = re.findall(r"^#(\d+)\s.*cov: (\d+) .*corp: (\d+)", done.stderr, re.MULTILINE)
            counted = Path(corpus, "counted")
            runs = counted.read_text().split() if counted.exists() else []
            counted.unlink(missing_ok=True)
            tried, coded = tried + int(runs[0] if runs else 0), coded + int(runs[1] if runs else 0)
            for _, covered, inputs in told:
                coverage, kept = max(coverage, int(covered)), int(inputs)
            if done.returncode:
                Path(keep, f"{target}-died-{seed}.txt").write_text(done.stderr[-20000:])
                died.append(f"{target}: the process ended with status {done.returncode}: {_reason(done.stderr)}")
                if not runs:  # it did not even begin
                    break
            seed += 1
    seconds = time.monotonic() - begin
    found = [path.read_text().split("\n", 1)[0] for path in sorted(keep.glob(f"{target}-found-*.txt"))] + died
    row = [f"{tried:,}", f"{coded:,}", f"{seconds:.0f}", *map(str, (coverage, kept, len(found)))]
    return [target, *row], found


def _environment(folder: str) -> dict[str, str]:
    """Without models of the user's own; bounds are checked in kernels that are kept apart."""
    from nlmzip.platform.folders import cache_folder

    return os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "NLMZIP_CACHE": str(cache_folder() / "bounds-checked"),
        "NLMZIP_MODELS": str(Path(folder, "models")),
        "NLMZIP_MODEL": "none",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _reason(errors: str) -> str:
    lines = [line for line in errors.splitlines() if "ERROR" in line or "Error" in line]
    return lines[-1].strip() if lines else "unknown"


# --- in a process of its own


def work(options) -> int:
    """Fuzz one target until the time is over; findings are written down and go on."""
    import atheris

    with atheris.instrument_imports(include=["nlmzip"], exclude=_with_kernels()):
        from benchmarks.trust import (
            fuzz_archives,
            fuzz_models,
            fuzz_seeds,
            fuzz_targets,
        )

    (target,) = options.target
    fuzz_targets.prepare()
    attempt, hashes = fuzz_targets.TRY[target], fuzz_targets.HASHES
    notes = Notes(target, options.keep)

    def try_one(data: bytes) -> None:
        try:
            with suppress(fuzz_targets.Finding):
                return notes.count(attempt(data))
            notes.count(attempt(data))  # once more, since a kernel may have been compiled
        except Exception as error:  # whatever it is, it must not happen
            notes.write(error, data)

    def change(data: bytes, most: int, seed: int) -> bytes:
        chance = Random(seed)
        if chance.random() < 0.4:  # much of what is kept goes no further than an error
            data = chance.choice(seeds)
        try:
            if target in ("layout", "archive"):
                changed = fuzz_archives.change_archive(data, chance, atheris.Mutate, most, hashes)
            elif target == "model":
                changed = fuzz_models.change_model(data, chance, atheris.Mutate, most)
            else:
                changed = atheris.Mutate(data, most)
        except Exception:  # of what earlier changes left, anything can be amiss
            changed = atheris.Mutate(data, most)
        return changed if len(changed) <= most else data[:most]

    corpus = Path("corpus")
    corpus.mkdir(exist_ok=True)
    seeds = fuzz_seeds.seeds(target)
    for number, data in enumerate(seeds):
        Path(corpus, f"seed-{number}").write_bytes(data)
        with suppress(fuzz_targets.Finding):  # kernels are compiled, which takes memory
            attempt(data)
    arguments = [
        f"-max_total_time={options.seconds}", f"-seed={options.seed}", "-timeout=300", "-rss_limit_mb=4096",
        f"-max_len={_MOST_BYTES[target]}", f"-artifact_prefix={options.keep.resolve()}/{target}-died-",
        "-report_slow_units=60", "-len_control=0", "-reload=0",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], try_one, custom_mutator=change)
    atheris.Fuzz()
    return 0


def _with_kernels() -> list[str]:
    """Modules that cannot be instrumented, since numba compiles their bytecode: those that have
    something of nlmzip.kernels."""
    sources = sorted(Path(harness.ROOT, "nlmzip").rglob("*.py"))
    importing = re.compile(r"^\s*from \.+kernels\b", re.MULTILINE)
    having = [path for path in sources if path.parent.name == "kernels" or importing.search(path.read_text())]
    return [".".join(path.relative_to(harness.ROOT).with_suffix("").parts) for path in having]


class Notes:
    """Findings, each kind once: a text file with its error, and the input."""

    def __init__(self, target: str, folder: Path):
        self._target, self._folder = target, folder
        self._tried, self._coded, self._written = 0, 0, 0.0

    def count(self, coded: bool) -> None:
        """One more input, and whether it was coded or decoded to its end."""
        self._tried += 1
        self._coded += coded
        if time.monotonic() - self._written > 1:
            Path("counted").write_text(f"{self._tried} {self._coded}")
            self._written = time.monotonic()

    def write(self, error: Exception, data: bytes) -> None:
        import hashlib
        import traceback

        frames = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
        kind = f"{self._target}: {type(error).__name__} in {' '.join(frames[-2:])}"
        if type(error).__name__ == "Finding":
            kind = f"{self._target}: {re.sub('[0-9]+', 'n', str(error))}"
        path = Path(self._folder, f"{self._target}-found-{hashlib.sha256(kind.encode()).hexdigest()[:12]}.txt")
        if not path.exists():
            first = f"{kind} ({' '.join(str(error).split())[:200]})"
            path.write_text(f"{first}\n" + "".join(traceback.format_exception(error)))
            path.with_suffix(".bin").write_bytes(data)


if __name__ == "__main__":
    if "--worker" in sys.argv:  # whose import of the package is instrumented: it must be the first
        sys.exit(main())
    harness.run(main)
