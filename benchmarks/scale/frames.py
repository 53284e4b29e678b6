#!/usr/bin/env python3
"""What cutting a text into frames costs: bytes of one frame, of the default, and of other sizes.

In how many slots a table remembers each context may depend on a frame's length: --line-bits gives
all frames tables of one size, so that what is left is the cost of beginning anew. The tables that
were used are told beside each size. Texts are the FILEs, or those of a list, as of levels.py.
"""

import sys
import time
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from benchmarks.shared.kept import Kept, add_keep
from benchmarks.shared.targets import at_most
from nlmzip.engine import geometry
from nlmzip.engine.byte_model import Beginning

#: What the default may lose against one frame, of all texts and of each.
MOST_LOSS, MOST_LOSS_OF_EACH = 0.01, 0.02
PERCENT = ".0%"
ONE, DEFAULT = "all", "default"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_texts(parser)
    parser.add_argument(
        "--frames", nargs="*", default=["1M", "2M", "4M", "8M", "16M"], metavar="SIZE",
        help="beside one frame and the default",
    )  # fmt: skip
    parser.add_argument("--level", type=int, default=5, metavar="N")
    parser.add_argument("--model", metavar="NAME|PATH", help="what encode takes by itself if none is named")
    parser.add_argument(
        "--slots", type=int, metavar="N", help="so many slots at most, a multiple of four, in all frames"
    )
    parser.add_argument("--threads", type=int, default=0, metavar="N")
    parser.add_argument("--decode", action="store_true", help="decode all archives and compare")
    add_keep(parser)
    options = parser.parse_args()
    if options.decode and options.slots is not None:
        parser.error("archives with tables of another size are not decoded; leave out --decode")
    frames = [ONE, DEFAULT, *options.frames]
    kept = Kept(options.keep)
    with harness.Report(__file__, options) as report:
        files = harness.texts(options)
        measured = {}
        for file in files:
            for frame in frames:
                case = [file.name, file.stat().st_size, f"frame {frame}", f"-{options.level}"]
                case += [options.model or "", options.slots or ""]
                measured[file, frame] = kept.value(case, lambda: coded(file.read_bytes(), frame, options))
        tell(report, files, frames, measured)
    return 0


def frame_option(frame: str) -> int | str | None:
    """As nlmzip.compress takes it."""
    if frame in (ONE, DEFAULT):
        return None if frame == DEFAULT else ONE
    return int(frame[:-1]) * _UNITS[frame[-1]] if frame[-1] in _UNITS else int(frame)


def coded(data: bytes, frame: str, options) -> dict:
    """Bytes of the archive, CPU seconds, and how many slots frames had."""
    used, by_default = set(), Beginning.n_slots

    def noted(beginning: Beginning, n_bytes: int) -> int:
        found = by_default(beginning, n_bytes)
        if options.slots is not None:
            found = geometry.n_slots(n_bytes, len(beginning.design.kinds), options.slots)
        used.add(found)
        return found

    settings = {"level": options.level, "model": options.model, "threads": options.threads}
    with mock.patch.object(Beginning, "n_slots", noted):
        begin = time.process_time()
        archive = nlmzip.compress(data, frame=frame_option(frame), **settings)
        seconds = time.process_time() - begin
    if options.decode and nlmzip.decompress(archive, model=options.model, threads=options.threads) != data:
        sys.exit(f"an archive in frames of {frame} decodes to something else")
    return {"bytes": len(archive), "seconds": seconds, "slots": sorted(used)}


def tell(report, files: list[Path], frames: list[str], measured: dict) -> None:
    """measured: of each file and size of frames, what `coded` found."""
    n_bytes = {(file, frame): found["bytes"] for (file, frame), found in measured.items()}
    totals = {frame: sum(n_bytes[file, frame] for file in files) for frame in frames}

    def row(name: str, of_frame, n_text: int, target: float) -> list[str]:
        one, *others = (of_frame(frame) for frame in frames)
        losses = [each / one - 1 for each in others]
        cells = (f"{each:,} {loss:+.2%}" for each, loss in zip(others, losses, strict=True))
        return [name, f"{n_text:,}", f"{one:,}", *cells, at_most(losses[0], target, PERCENT)]

    sizes = {file: file.stat().st_size for file in files}
    rows = [
        row(file.name, lambda frame: n_bytes[file, frame], sizes[file], MOST_LOSS_OF_EACH) for file in files
    ]
    rows.append(row("total", totals.get, sum(sizes.values()), MOST_LOSS))
    report.table(["text", "bytes", "one frame", *frames[1:], "loss of the default"], rows)
    report.line("\nCPU seconds of all texts, and slots\n")
    report.table(
        ["frames", "CPU s", "slots"],
        [
            [
                frame,
                f"{sum(measured[file, frame]['seconds'] for file in files):.1f}",
                ", ".join(
                    map("{:,}".format, sorted({each for file in files for each in measured[file, frame]["slots"]}))
                ),
            ]
            for frame in frames
        ],
    )


if __name__ == "__main__":
    harness.run(main)
