#!/usr/bin/env python3
"""Filings, given other companies' filings: what PPMd, lzma and zstd make of the same prior text.

The texts are the files of corpora/finance in the data folder, and the pieces of 4,096 and
16,384 bytes that begin 20,000 bytes into each file that is long enough for the longer one.
Given is all of train/finance, to compressors whose dictionaries, windows and memory reach
over it. Every figure is of an archive that was decoded and compared.
"""

import lzma
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.primed import PrimedPpmd, primed_lzma
from nlmzip.bench import comparison, own, packages
from nlmzip.bench.peer import GIVEN
from nlmzip.bench.table import DASH

OFFSET, PIECES = 20_000, (4_096, 16_384)
ZSTD_LEVEL = 22
#: Orders of PPMd given the training text, for each variant.
ORDERS = {"I": (6, 8, 12, 16), "H": (16, 24, 32, 48)}


class Text(NamedTuple):
    """A file or a piece of one; `group` is the column of totals that it belongs to."""

    group: str
    name: str
    data: bytes


#: Of one contestant: the bytes of each text, in the order of the texts.
Sizes = list[int]


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_data(parser)
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME|PATH",
        help="also measure nlmzip with this model; may be repeated",
    )
    parser.add_argument("--orders", type=int, nargs="+", help="of PPMd, instead of several")
    options = parser.parse_args()
    paths, training_paths = harness.data_files(options, "corpora/finance", "train/finance")
    texts = all_texts({path.name: path.read_bytes() for path in paths})
    training = b"".join(path.read_bytes() for path in training_paths)
    orders = {"I": options.orders, "H": ()} if options.orders else ORDERS
    with harness.Report(__file__, options) as report:
        measured = alone(report, texts) | own_rows(options.model, texts)
        report.line(f"the training text: {len(training_paths)} files, {len(training):,} bytes")
        measured |= zstd_rows(training, texts)
        measured |= lzma_row(training, texts)
        of_orders = ppmd_orders(report, training, texts, orders)
        measured[f"PPMd {GIVEN}, best order of each, by difference"] = best_of(of_orders)
        totals_table(report, texts, measured)
        files_table(report, texts, measured)
        report.line(f"\nPPMd {GIVEN}, each order:")
        totals_table(report, texts, of_orders)
        notes(report)
    return 0


def all_texts(files: dict[str, bytes]) -> list[Text]:
    """The files, and the pieces of those that are long enough for the longest piece."""
    texts = [Text("files", name, data) for name, data in files.items()]
    for size in PIECES:
        texts += [
            Text(f"{size:,} bytes", name, data[OFFSET : OFFSET + size])
            for name, data in files.items()
            if len(data) >= OFFSET + max(PIECES)
        ]
    return texts


# --- contestants -----------------------------------------------------------------------


def alone(report, texts: list[Text]) -> dict[str, Sizes]:
    """Other compressors without the training text; one that fails on a text is left out."""
    sizes = {}
    for peer in report.peers():
        try:
            rows = [comparison.measure_peer(peer, text.data, report.line) for text in texts]
        except comparison.PeerError as error:
            report.line(str(error))
        else:
            sizes[peer.name] = [row.n_bytes for row in rows]
    return sizes


def own_rows(models: list[str], texts: list[Text]) -> dict[str, Sizes]:
    """The mixing engine alone, and what `nlmzip encode` does with each model."""
    contestants = own.contestants([])
    for model in map(own.find_model, models):
        contestants += [
            replace(each, name=f"nlmzip --model {model.name}")
            for each in own.contestants([model])
            if each.is_default
        ]
    return {
        each.name: [own.measure(each, text.data).n_bytes for text in texts]
        for each in contestants
    }


def zstd_rows(training: bytes, texts: list[Text]) -> dict[str, Sizes]:
    """zstd with the training text as its dictionary, and with one that is trained on it."""
    import zstandard

    name = f"zstd --ultra -{ZSTD_LEVEL}"
    prefix = packages.zstd_prefix(zstandard, training)
    rows = {f"{name} {GIVEN}": zstd_sizes(prefix, len(training), texts)}
    trained = packages.zstd_dictionary(zstandard, training)
    if trained:
        size = len(trained)
        rows[f"{name} with a dictionary trained on it ({size:,} bytes)"] = zstd_sizes(
            trained, size, texts
        )
    return rows


def zstd_sizes(dictionary, dictionary_bytes: int, texts: list[Text]) -> Sizes:
    """The dictionary is indexed once; its window reaches over the longest text."""
    import zstandard

    reach = dictionary_bytes + max(len(text.data) for text in texts)
    parameters = zstandard.ZstdCompressionParameters.from_level(
        ZSTD_LEVEL, source_size=reach, window_log=reach.bit_length()
    )
    dictionary.precompute_compress(compression_params=parameters)
    compressor = zstandard.ZstdCompressor(compression_params=parameters, dict_data=dictionary)
    decompressor = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
    sizes = []
    for text in texts:
        coded = compressor.compress(text.data)
        assert decompressor.decompress(coded) == text.data
        sizes.append(len(coded))
    return sizes


def lzma_row(training: bytes, texts: list[Text]) -> dict[str, Sizes]:
    primed = primed_lzma(training, max(len(text.data) for text in texts))
    for text in texts:
        assert lzma.decompress(primed.archive(text.data)) == training + text.data
    return {f"lzma -9e {GIVEN}, by difference": [primed.added(text.data) for text in texts]}


def ppmd_orders(report, training: bytes, texts: list[Text], orders) -> dict[str, Sizes]:
    """Each order of each variant; one that fails on a text is left out."""
    memory = packages.ppmd_memory(len(training) + max(len(text.data) for text in texts))
    found = {}
    for variant, several in orders.items():
        for order in several:
            primed = PrimedPpmd(training, variant, order, memory)
            sizes = [primed.added(text.data) for text in texts]
            name = f"variant {variant}, order {order}"
            if None in sizes:
                report.line(f"PPMd, {name}, does not give {sizes.count(None)} texts back")
            else:
                found[name] = sizes
    return found


def best_of(sizes: dict[str, Sizes]) -> Sizes:
    """The least of each text."""
    return [min(several) for several in zip(*sizes.values(), strict=True)]


# --- tables ----------------------------------------------------------------------------


def totals_table(report, texts: list[Text], measured: dict[str, Sizes]) -> None:
    """Bytes and bpc of each group: total bits over total bytes."""
    groups = list(dict.fromkeys(text.group for text in texts))
    header, rows = [""], [["size"]]
    for group in groups:
        header += [group, "bpc"]
        rows[0] += [f"{sum(len(text.data) for text in texts if text.group == group):,}", DASH]
    for name, sizes in measured.items():
        row = [name]
        for group in groups:
            places = [place for place, text in enumerate(texts) if text.group == group]
            total = sum(sizes[place] for place in places)
            bpc = 8 * total / sum(len(texts[place].data) for place in places)
            row += [f"{total:,}", f"{bpc:.4f}"]
        rows.append(row)
    report.line()
    report.table(header, rows)


def files_table(report, texts: list[Text], measured: dict[str, Sizes]) -> None:
    """Of each text the bytes, a column for each."""
    for group in dict.fromkeys(text.group for text in texts):
        places = [place for place, text in enumerate(texts) if text.group == group]
        report.line(f"\n{group}, each:\n")
        report.table(
            ["", *(texts[place].name.removesuffix(".txt") for place in places)],
            [
                [name, *(f"{sizes[place]:,}" for place in places)]
                for name, sizes in ({"size": [len(text.data) for text in texts]} | measured).items()
            ],
        )


def notes(report) -> None:
    report.line(
        f"\n{GIVEN.capitalize()}: lzma and PPMd take no dictionary, so theirs is the\n"
        "difference in length between the archive of the training text with the text behind it\n"
        "and that of the training text alone; zstd has the training text as its dictionary\n"
        "(raw content).\n"
        "PPMd alone: the best of several orders for each text. bpc: total bits over total bytes\n"
        "of text. Not counted is what is given, and what the engine starts from,\n"
        f"{own.engine_bytes():,} bytes."
    )


if __name__ == "__main__":
    harness.run(main)
