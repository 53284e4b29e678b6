#!/usr/bin/env python3
"""Reading 1 KB at random places of an archive: from a file, over HTTP, and listing it.

The text is of filings. From a file: the CPU of a read beside that of decoding the one frame in
which it lies, measured within the same read, warm, and with no frame's text kept for the next
one. Over HTTP: how many ranges fsspec asks a server on the loopback for. `nlmzip list`: how much
it reads, and whether it says the same of an archive with zeros for all payloads.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from benchmarks.shared import measured_process
from benchmarks.shared.frames_read import decoding_watched, no_frames_kept
from benchmarks.shared.kept import tell
from benchmarks.shared.range_server import Request, serve
from benchmarks.shared.targets import at_most
from nlmzip.bench.packages import pip_install
from nlmzip.container.layout import Layout, read_layout

N_READ = 1 << 10
#: ms that a read may take beyond decoding its frame, and ranges that a first read may ask for.
MOST_BEYOND, MOST_RANGES = 10, 3


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_data(parser)
    parser.add_argument(
        "--size", type=int, metavar="BYTES", help="of the text, all of train/finance if not given"
    )
    parser.add_argument("--level", type=int, default=5, metavar="N")
    parser.add_argument("--model", metavar="NAME|PATH", help="what encode takes by itself if none is named")
    parser.add_argument("--frame", type=int, metavar="BYTES", help="as of encode")
    parser.add_argument("--places", type=int, default=10, metavar="N")
    parser.add_argument("--archive", type=Path, metavar="FILE", help="of the text, made if it is not there")
    options = parser.parse_args()
    (files,) = harness.data_files(options, "train/finance")
    text = b"".join(file.read_bytes() for file in files)[: options.size]
    with harness.Report(__file__, options) as report, tempfile.TemporaryDirectory() as folder:
        archive = options.archive or Path(folder, "text.nlmz")
        if not archive.exists():
            tell("encoding ...")
            settings = {"level": options.level, "model": options.model, "frame": options.frame}
            archive.write_bytes(nlmzip.compress(text, threads=0, **settings))
        with archive.open("rb") as file:
            layout = read_layout(file)
        frames = [span.raw_length for span in layout.spans]
        report.line(
            f"{len(text):,} bytes in {archive.stat().st_size:,}; {len(frames)} frames of"
            f" {min(frames):,} to {max(frames):,} bytes"
        )
        if len(frames) < 2:
            sys.exit("an archive of one frame has no other places; give more text or a smaller --frame")
        places = random_places(layout, max(options.places, 2))
        from_a_file(report, archive, text, places)
        over_http(report, archive, text, places)
        listed(report, archive, layout, Path(folder))
    return 0


def random_places(layout: Layout, n_places: int) -> list[int]:
    """Places in so many frames, or in all, from which as much as is read lies in one frame."""
    numbers, places = random.Random(1), []
    frames = list(enumerate(layout.spans))
    for number, span in numbers.sample(frames, min(n_places, len(frames))):
        begin = layout.text_ends[number] - span.raw_length
        places.append(begin + numbers.randrange(max(span.raw_length - N_READ, 1)))
    return places


def read_at(file, place: int, text: bytes) -> None:
    file.seek(place)
    if file.read(N_READ) != text[place : place + N_READ]:
        sys.exit(f"what was read at byte {place} is something else")


def from_a_file(report, archive: Path, text: bytes, places: list[int]) -> None:
    whole, decoding = [], []
    with no_frames_kept(), nlmzip.open(archive) as file, decoding_watched() as watched:
        read_at(file, places[-1], text)  # all is loaded, and an engine made
        for place in places:
            tell(f"reading at byte {place:,} ...")
            before, n_before = watched.seconds, watched.n_frames
            whole.append(harness.seconds_of(read_at, file, place, text)[1] * 1e3)
            decoding.append((watched.seconds - before) * 1e3)
            if watched.n_frames != n_before + 1:
                sys.exit(f"{watched.n_frames - n_before} frames were decoded for the bytes at {place}")
    beyond = [a - b for a, b in zip(whole, decoding, strict=True)]
    report.line(f"\nCPU ms of reading {N_READ:,} bytes at {len(places)} places of the file\n")
    rows = [
        [name, f"{statistics.mean(values):,.2f}", f"{min(values):,.2f}", f"{max(values):,.2f}", target]
        for name, values, target in (
            ("all", whole, ""),
            ("decoding its frame", decoding, ""),
            ("beyond that", beyond, at_most(max(beyond), MOST_BEYOND)),
        )
    ]
    report.table(["", "mean", "least", "most", "target"], rows)


def over_http(report, archive: Path, text: bytes, places: list[int]) -> None:
    report.line("\nover fsspec from an HTTP server on the loopback, of an archive that is opened anew\n")
    try:
        import aiohttp  # noqa: F401 - what fsspec speaks HTTP with
        import fsspec
    except ImportError as error:
        report.line(f"left out: {error.name}, which is not here; {pip_install('fsspec aiohttp')}")
        return
    rows = []
    with serve(archive.parent) as (address, requests):
        # fsspec reads 5 MB ahead unless it is told to keep nothing.
        for name, settings in (("as it comes", {}), ('cache_type="none"', {"cache_type": "none"})):
            requests.clear()
            files = fsspec.filesystem("http", skip_instance_cache=True)
            with (
                files.open(f"{address}/{archive.name}", "rb", **settings) as remote,
                nlmzip.open(remote) as file,
            ):
                for which, place in zip(("first", "second"), places):
                    tell(f"reading at byte {place:,} over HTTP ...")
                    read_at(file, place, text)
                    n_ranges, n_bytes, n_others = told(requests)
                    rows.append([
                        name, which, str(n_ranges), at_most(n_ranges, MOST_RANGES), f"{n_bytes:,}", str(n_others)
                    ])  # fmt: skip
                    requests.clear()
    report.table(["fsspec", "read", "ranges", "target", "bytes", "other requests"], rows)


def told(requests: list[Request]) -> tuple[int, int, int]:
    """How many ranges were asked for, their bytes, and how many requests were for none."""
    if any(request.method == "GET" and not request.is_range for request in requests):
        sys.exit("all of the archive was asked for")
    ranges = [request for request in requests if request.method == "GET"]
    return len(ranges), sum(request.n_bytes for request in ranges), len(requests) - len(ranges)


def listed(report, archive: Path, layout: Layout, folder: Path) -> None:
    """What `nlmzip list` reads of the archive beyond what it reads of one that holds nothing."""
    empty, zeroed = folder / "empty.nlmz", folder / "zeroed" / archive.name
    empty.write_bytes(nlmzip.compress(b"", model="none"))
    zeroed.parent.mkdir()
    data = bytearray(archive.read_bytes())
    n_zeroed = 0
    for span in layout.spans:
        # All but the frame's first bytes, among which its head stands.
        begin, end = span.place + 64, span.place + span.n_bytes
        data[begin:end] = bytes(max(end - begin, 0))
        n_zeroed += max(end - begin, 0)
    zeroed.write_bytes(data)

    def said(path: Path) -> bytes:
        command = measured_process.nlmzip("list", path.name)
        environment = {**os.environ, "PYTHONPATH": str(harness.ROOT)}
        return subprocess.run(
            command, cwd=path.parent, env=environment, stdout=subprocess.PIPE, check=True
        ).stdout

    taken = [measured_process.measured(measured_process.nlmzip("list", path)) for path in (archive, empty)]
    same = "the same" if said(archive) == said(zeroed) else "SOMETHING ELSE"
    report.line(
        f"\nnlmzip list: {taken[0].cpu_seconds:.2f} CPU s, {taken[1].cpu_seconds:.2f} of an empty archive"
    )
    if None not in (taken[0].read_bytes, taken[1].read_bytes):
        n_more = taken[0].read_bytes - taken[1].read_bytes
        report.line(f"it reads {n_more:,} bytes more than of an empty archive; the archive has {len(data):,}")
    report.line(f"with zeros for {n_zeroed:,} bytes of payloads it says {same}")


if __name__ == "__main__":
    harness.run(main)
