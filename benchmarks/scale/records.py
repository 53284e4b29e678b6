#!/usr/bin/env python3
"""Single records: bytes, and CPU to write and to fetch one, beside what others make of them.

Records of English of several lengths, JSON lines and log lines: each by itself (nlmzip.Codec,
zstd with a dictionary that was trained on others of the kind, zlib) or in an archive from which
each can be fetched (nlmzip.Records, bagz). Everything is warm; records are fetched in random
order, and no frame's text is kept for the next one. Then, what a Codec takes beyond coding the
bytes.

English is of books that the model was not trained on, and dictionaries are trained on those that
it was; of the others the first half trains dictionaries, and the second half is measured. Neither
models nor dictionaries are counted.
"""

import json
import random
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from benchmarks.shared.frames_read import no_frames_kept
from benchmarks.shared.kept import tell
from benchmarks.shared.targets import at_most
from nlmzip.bench.packages import ZSTD_DICTIONARY_BYTES, pip_install

#: Of English, as much as dictionaries are trained on; zstd asks for a hundred times their length.
TRAINING_BYTES = 12_000_000
FRAMES = (16 << 10, 64 << 10, 256 << 10)
#: Records are fetched until so much time has passed or so many were, but some in any case.
FETCH_SECONDS, LEAST_FETCHES, MOST_FETCHES = 3.0, 8, 1000
#: ms that a Codec may take for SHORT bytes beyond what coding them takes, and what tells the cost of a byte.
MOST_BEYOND = {"none": 0.5, "english": 1.5}
SHORT, LONG = 200, 1000
#: So many in a row are of one length.
RUN = 5


class Kind(NamedTuple):
    """Records that are measured, and others of their kind, on which dictionaries are trained."""

    name: str
    records: list[bytes]
    training: list[bytes]


class Contestant(NamedTuple):
    """write: keep records, in a file of that path if in any; n_bytes: of what was kept; fetching:
    what gives one of the records that were kept by its number."""

    name: str
    write: Callable[[list[bytes], Path], object]
    n_bytes: Callable[[object], int]
    fetching: Callable[[object], Callable[[int], bytes]]


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_data(parser)
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[200, 1024, 4096], metavar="BYTES", help="of English"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="an array, or a value a line")
    parser.add_argument("--log", type=Path, metavar="FILE")
    parser.add_argument(
        "--bytes", type=int, default=1_500_000, metavar="N", help="that are measured of each kind"
    )
    parser.add_argument("--models", nargs="+", default=["none", "english"], metavar="NAME|PATH")
    parser.add_argument("--level", type=int, default=5, metavar="N")
    parser.add_argument(
        "--repeats", type=int, default=20, metavar="N", help="runs that tell what a Codec takes"
    )
    options = parser.parse_args()
    (books,) = harness.data_files(options, "train/english-more")
    english = joined(books, max(options.bytes, LONG * RUN * (options.repeats + 1)))
    with (
        harness.Report(__file__, options) as report,
        tempfile.TemporaryDirectory() as folder,
        no_frames_kept(),
    ):
        for line in said_of_peers():
            report.line(line)
        for kind in kinds(options, english):
            tell_kind(report, kind, contestants(options, kind, report), Path(folder, "records"))
        tell_beyond(report, options, english)
    return 0


# --- the records -----------------------------------------------------------------------


def kinds(options, english: bytes) -> list[Kind]:
    (books,) = harness.data_files(options, "train/english/books")
    training = joined(books, min(TRAINING_BYTES, 100 * options.bytes))
    made = [
        Kind(f"English, {size:,} bytes", cut(english[: options.bytes], size), cut(training, size))
        for size in options.sizes
    ]
    json_file = options.json or Path(options.data, "corpora/structured/vega-movies.json")
    log_file = options.log or Path(options.data, "corpora/logs/HDFS_2k.log")
    made.append(halves(f"JSON lines of {json_file.name}", json_lines(json_file.read_bytes()), options.bytes))
    made.append(halves(f"log lines of {log_file.name}", log_file.read_bytes().splitlines(), options.bytes))
    return made


def joined(files: list[Path], n_bytes: int) -> bytes:
    """The first bytes of these files."""
    text = b""
    for file in files:
        if len(text) >= n_bytes:
            break
        text += file.read_bytes()
    return text[:n_bytes]


def cut(text: bytes, size: int) -> list[bytes]:
    return [text[begin : begin + size] for begin in range(0, len(text) - size + 1, size)]


def json_lines(data: bytes) -> list[bytes]:
    """The elements of an array, each on a line, or the lines that there are."""
    if not data.lstrip().startswith(b"["):
        return data.splitlines()
    return [json.dumps(each, separators=(",", ":"), ensure_ascii=False).encode() for each in json.loads(data)]


def halves(name: str, records: list[bytes], n_bytes: int) -> Kind:
    """The second half, up to so many bytes, is measured, and as much of the first half trains."""
    middle = len(records) // 2
    n_records = sum(end <= n_bytes for end in accumulate(map(len, records[middle:])))
    n_training = sum(end <= TRAINING_BYTES for end in accumulate(map(len, records[:middle])))
    return Kind(name, records[middle : middle + n_records], records[:n_training])


# --- the contestants -------------------------------------------------------------------


def contestants(options, kind: Kind, report) -> list[Contestant]:
    made = []
    for model in options.models:
        settings = {"model": model, "level": options.level}
        codec = nlmzip.Codec(**settings, bare=True)
        made.append(single(f"nlmzip.Codec, {model}", codec.compress, codec.decompress))
    for model in options.models:
        settings = {"model": model, "level": options.level}
        made += [
            records_of(f"nlmzip.Records, {model}, {frame >> 10} KB", frame, settings) for frame in FRAMES
        ]
    made += zstd(kind, report)
    made.append(
        single("zlib -9", lambda data: zlib.compress(data, 9, -15), lambda data: zlib.decompress(data, -15))
    )
    return made + bagz()


def single(name: str, compress, decompress) -> Contestant:
    """Each record by itself."""
    return Contestant(
        name,
        lambda records, path: [compress(record) for record in records],
        lambda payloads: sum(map(len, payloads)),
        lambda payloads: lambda number: decompress(payloads[number]),
    )


def in_a_file(name: str, write, fetching) -> Contestant:
    """All records in a file, which `write` makes of a path and them, and `fetching` opens."""

    def written(records: list[bytes], path: Path) -> Path:
        path.unlink(missing_ok=True)
        write(path, records)
        return path

    return Contestant(name, written, lambda path: path.stat().st_size, fetching)


def records_of(name: str, frame: int, settings: dict) -> Contestant:
    def write(path: Path, records: list[bytes]) -> None:
        with nlmzip.RecordWriter(path, frame=frame, **settings) as writer:
            for record in records:
                writer.write(record)

    return in_a_file(name, write, lambda path: nlmzip.Records(path).__getitem__)


def said_of_peers() -> list[str]:
    """What takes part beside nlmzip and zlib, and what does not."""
    lines = []
    for package in ("zstandard", "bagz"):
        try:
            __import__(package)
            lines.append(f"{package} {version(package)}")
        except ImportError:
            lines.append(f"left out: {package}, which is not here; {pip_install(package)}")
    return lines


def zstd(kind: Kind, report) -> list[Contestant]:
    """With a dictionary that is trained on others of the kind, where they are enough for one."""
    try:
        import zstandard
    except ImportError:
        return []
    try:
        trained = zstandard.train_dictionary(ZSTD_DICTIONARY_BYTES, kind.training)
    except zstandard.ZstdError as error:
        report.line(
            f"left out: zstd of {kind.name}; no dictionary comes of {len(kind.training):,} records ({error})"
        )
        return []
    # Bare, too: no magic number, dictionary's number or checksum, but the length, which fetching needs.
    bare = zstandard.ZstdCompressionParameters.from_level(
        19, format=zstandard.FORMAT_ZSTD1_MAGICLESS, write_content_size=1, write_dict_id=0, write_checksum=0
    )
    trained.precompute_compress(compression_params=bare)
    compressor = zstandard.ZstdCompressor(compression_params=bare, dict_data=trained)
    decompressor = zstandard.ZstdDecompressor(dict_data=trained, format=zstandard.FORMAT_ZSTD1_MAGICLESS)
    name = f"zstd -19, a dictionary of {len(trained.as_bytes()):,} bytes"
    return [single(name, compressor.compress, decompressor.decompress)]


def bagz() -> list[Contestant]:
    """With zstd, without a dictionary: its Python takes text for one, and trained ones are none."""
    try:
        import bagz
    except ImportError:
        return []
    compression = bagz.CompressionZstd(level=19)

    def write(path: Path, records: list[bytes]) -> None:
        with bagz.Writer(str(path), bagz.Writer.Options(compression=compression)) as writer:
            for record in records:
                writer.write(record)

    options = bagz.Reader.Options(compression=compression)
    return [in_a_file("bagz, zstd -19", write, lambda path: bagz.Reader(str(path), options).__getitem__)]


# --- what is measured ------------------------------------------------------------------


def tell_kind(report, kind: Kind, found: list[Contestant], path: Path) -> None:
    n_bytes = sum(map(len, kind.records))
    mean = n_bytes / len(kind.records)
    report.line(f"\n{kind.name}: {len(kind.records):,} records, {n_bytes:,} bytes, {mean:,.1f} each\n")
    rows = []
    for contestant in found:
        tell(f"{kind.name}: {contestant.name} ...")
        n_kept, write, fetch = measured(contestant, kind.records, path)
        rows.append([
            contestant.name, f"{n_kept / len(kind.records):,.1f}", f"{8 * n_kept / n_bytes:.3f}",
            f"{write * 1e3:.3f}", f"{fetch * 1e3:.3f}",
        ])  # fmt: skip
    report.table(["", "bytes a record", "bits a byte", "write, CPU ms", "fetch, CPU ms"], rows)


def measured(contestant: Contestant, records: list[bytes], path: Path) -> tuple[int, float, float]:
    """Bytes of all records, and CPU seconds to write one and to fetch one."""
    contestant.write(records[:2], path)  # all is loaded, and compiled
    kept, seconds = harness.seconds_of(contestant.write, records, path)
    fetch, numbers = contestant.fetching(kept), random.Random(1)
    fetch(0)
    fetched = []
    while len(fetched) < LEAST_FETCHES or (sum(fetched) < FETCH_SECONDS and len(fetched) < MOST_FETCHES):
        number = numbers.randrange(len(records))
        record, taken = harness.seconds_of(fetch, number)
        fetched.append(taken)
        if record != records[number]:
            sys.exit(f"{contestant.name}: record {number} is another one")
    return contestant.n_bytes(kept), seconds / len(records), statistics.mean(fetched)


def tell_beyond(report, options, english: bytes) -> None:
    report.line(
        f"\na Codec, {SHORT} bytes, CPU of the thread, medians of {options.repeats} runs of {RUN}: a byte costs what"
        f" {LONG} bytes\ntake beyond {SHORT}, for each of them, and what {SHORT} bytes take beyond that is told\n"
    )
    rows = []
    for model in options.models:
        codec = nlmzip.Codec(model=model, level=options.level, bare=True)
        for direction, (whole, a_byte) in beyond(codec, english, options.repeats).items():
            rest = (whole - SHORT * a_byte) * 1e3
            target = at_most(rest, MOST_BEYOND[model]) if model in MOST_BEYOND else ""
            rows.append(
                [model, direction, f"{whole * 1e3:.3f}", f"{a_byte * 1e6:.2f}", f"{rest:.3f}", target]
            )
    report.table(["model", "", "ms", "us a byte", "ms beyond", "target"], rows)


def beyond(codec, text: bytes, repeats: int) -> dict[str, tuple[float, float]]:
    """Of each direction, seconds for SHORT bytes, and for a byte more; both lengths in turn."""
    found = {"compress": {SHORT: [], LONG: []}, "decompress": {SHORT: [], LONG: []}}
    for turn in range(repeats + 1):
        for length in (SHORT, LONG):
            begins = range(turn * RUN * LONG, (turn + 1) * RUN * LONG, LONG)
            payloads, seconds = run_seconds(
                codec.compress, [text[begin : begin + length] for begin in begins]
            )
            found["compress"][length].append(seconds)
            found["decompress"][length].append(run_seconds(codec.decompress, payloads)[1])
    medians = {}
    for direction, of_length in found.items():
        # The first run loads and compiles.
        short, long = (statistics.median(of_length[length][1:]) for length in (SHORT, LONG))
        medians[direction] = short, (long - short) / (LONG - SHORT)
    return medians


def run_seconds(function, arguments: list[bytes]) -> tuple[list[bytes], float]:
    """What it makes of these, one after the other, and the mean seconds, without the first one,
    which tidies up what came before, of another length."""
    results, seconds = zip(*(thread_seconds_of(function, argument) for argument in arguments))
    return list(results), statistics.mean(seconds[1:])


def thread_seconds_of(function, argument):
    begin = time.thread_time()
    result = function(argument)
    return result, time.thread_time() - begin


if __name__ == "__main__":
    harness.run(main)
