#!/usr/bin/env python3
"""Memory and delay of texts that stream: the same however long they are.

Peak memory of encoding and decoding, through pipes (nlmzip -c, nlmzip -dc) and of files, on one
thread, of texts of several lengths; and, through pipes, the time to the first decoded byte of
the longest one beside that of decoding an archive of its first frame alone. Every text is
decoded and its SHA-256 compared, and both ways give the same archive.

A megabyte takes about 5 seconds in each direction: --sizes, --levels, --models and --ways choose,
and with --keep a run that was stopped goes on.

Exit status 1 if a text or an archive differs.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.kept import Kept, add_keep
from benchmarks.shared.measured_process import Taken, measured, nlmzip, sha256_of
from benchmarks.shared.targets import at_most, megabytes
from benchmarks.shared.train_text import write_text
from nlmzip.container.layout import read_layout

#: MB that a process may take, and by how much the peaks of several lengths may differ.
MOST_MEMORY, MOST_MEMORY_FASTEST, MOST_SPREAD = 600, 300, 0.05
#: The first byte comes when its frame is decoded; least times of a few runs differ by as much.
MOST_DELAY, DELAYS = 1.05, 2
PIPE, FILE = WAYS = ("pipe", "file")


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_data(parser)
    parser.add_argument("--sizes", type=float, nargs="+", default=[20, 60, 120], metavar="MB")
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 5], metavar="N")
    parser.add_argument("--models", nargs="+", default=["none", "english"], metavar="NAME|PATH")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    add_keep(parser)
    options = parser.parse_args()
    kept = Kept(options.keep)
    # The shortest ones first: what is wrong shows early.
    cases = list(product(sorted(options.sizes), options.levels, options.models, options.ways))
    with harness.Report(__file__, options) as report, tempfile.TemporaryDirectory() as folder:
        measurements = {}
        for size, level, model, way in cases:

            def measure():
                text = write_text(options, Path(folder, "text"), round(size * 1e6))
                found = streamed(text, level, model, way)
                if way == PIPE and size == max(options.sizes):
                    found["delays"] = delays(text, level, model)
                return found

            measurements[size, level, model, way] = kept.value([size, "MB", f"-{level}", model, way], measure)
        return tell(report, measurements)


def streamed(text: Path, level: int, model: str, way: str) -> dict:
    """What one text takes in both directions."""
    archive, settings = text.with_name("archive"), settings_of(level, model)
    if way == PIPE:
        encode = measured(nlmzip("-c", *settings), piped=text, keep=archive)
        decode = measured(nlmzip("-dc", "-T1"), piped=archive)
        decoded = decode.sha256
    else:
        decoded_to = text.with_name("decoded")
        encode = measured(nlmzip(*settings, "-qfo", archive, text))
        decode = measured(nlmzip("-d", "-T1", "-qfo", decoded_to, archive))
        decoded = sha256_of(decoded_to)
    return {
        "encode": encode, "decode": decode, "n_archive": archive.stat().st_size, "archive": sha256_of(archive),
        "same": decoded == sha256_of(text),
    }  # fmt: skip


def settings_of(level: int, model: str) -> list[str]:
    return [f"-{level}", "--model", model, "-T1"]


def delays(text: Path, level: int, model: str) -> list[dict[str, Taken]]:
    """Decoding the archive that `streamed` left until a first byte came, and its first frame, in turn."""
    archive, part, coded = (text.with_name(name) for name in ("archive", "first frame", "its archive"))
    with archive.open("rb") as file, text.open("rb") as whole:
        part.write_bytes(whole.read(read_layout(file).spans[0].raw_length))
    measured(nlmzip("-c", *settings_of(level, model), "--frame", "all"), piped=part, keep=coded)
    return [
        {
            "first": measured(nlmzip("-dc", "-T1"), piped=archive, stop=1),
            "frame": measured(nlmzip("-dc", "-T1"), piped=coded),
        }
        for _ in range(DELAYS)
    ]


def tell(report, measurements: dict) -> int:
    """measurements: of each size in MB, level, model and way, what `streamed` found."""
    rows, delayed, archives, groups = [], [], {}, {}
    for (size, level, model, way), found in measurements.items():
        encode, decode = Taken(*found["encode"]), Taken(*found["decode"])
        archives.setdefault((size, level, model), set()).add(found["archive"])
        groups.setdefault((f"-{level}", model, way), []).append((encode.peak_bytes, decode.peak_bytes))
        rows.append([
            f"{size:g}", f"-{level}", model, way, f"{found['n_archive']:,}",
            megabytes(encode.peak_bytes), megabytes(decode.peak_bytes),
            f"{encode.cpu_seconds:.1f}", f"{decode.cpu_seconds:.1f}",
            "same" if found["same"] else "DIFFERENT",
        ])  # fmt: skip
        if turns := found.get("delays"):
            first, frame = ([Taken(*turn[what]) for turn in turns] for what in ("first", "frame"))
            cpu = [min(taken.cpu_seconds for taken in each) for each in (first, frame)]
            delayed.append([
                f"{size:g}", f"-{level}", model,
                f"{min(taken.first_byte_seconds for taken in first):.2f}",
                f"{min(taken.seconds for taken in frame):.2f}",
                *(f"{each:.2f}" for each in cpu), f"{cpu[0] / cpu[1]:.3f}", at_most(cpu[0] / cpu[1], MOST_DELAY),
            ])  # fmt: skip
    report.table(
        ["MB of text", "level", "model", "way", "bytes", "encode MB", "decode MB", "encode CPU s", "decode CPU s",
         "decoded"], rows,
    )  # fmt: skip
    report.line("\npeak memory, of all lengths: the largest, and how much larger it is than the smallest\n")
    report.table(
        ["level", "model", "way", "", "MB", "target", "spread", "target"],
        [[*group, *row] for group, peaks in groups.items() for row in peak_rows(group, peaks)],
    )
    if delayed:
        report.line(
            f"\nto the first byte, beside decoding an archive of the first frame alone; the least of {DELAYS} runs\n"
        )
        report.table(
            ["MB of text", "level", "model", "first byte s", "frame s", "first byte CPU s", "frame CPU s", "ratio",
             "target"], delayed,
        )  # fmt: skip
    differing = [case for case, digests in archives.items() if len(digests) > 1]
    report.line(
        f"\npipes and files give the same archives: {'NO: ' + str(differing) if differing else 'yes'}"
    )
    return 0 if not differing and all(found["same"] for found in measurements.values()) else 1


def peak_rows(group: tuple[str, str, str], peaks: list[tuple[int, int]]) -> list[list[str]]:
    """Rows of both directions; peaks: of encoding and of decoding, bytes, of each length."""
    level, model, _ = group
    limit = MOST_MEMORY_FASTEST if (level, model) == ("-1", "none") else MOST_MEMORY
    rows = []
    for direction, values in zip(("encode", "decode"), zip(*peaks), strict=True):
        spread = max(values) / min(values) - 1
        rows.append([
            direction, megabytes(max(values)), at_most(max(values) / 1e6, limit),
            f"{spread:.1%}", at_most(spread, MOST_SPREAD, ".0%"),
        ])  # fmt: skip
    return rows


if __name__ == "__main__":
    harness.run(main)
