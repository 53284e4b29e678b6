"""benchmarks/filings_peers.py: copies of a primed compressor, and the tables of its texts."""

import lzma
import random
import sys
from pathlib import Path

import pytest
import tiny

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import filings_peers
import harness
import primed

from nlmzip.bench import comparison, packages
from nlmzip.bench.peers import lzma_given

TRAINING = tiny.TEXT * 20
TEXTS = [b"", b"x", tiny.TEXT[:300], tiny.TEXT[7:2000]]


class FakeReport:
    def __init__(self):
        self.lines, self.tables = [], []

    def line(self, text=""):
        self.lines.append(text)

    def table(self, header, rows):
        assert all(len(row) == len(header) for row in rows)
        self.tables.append([header, *rows])


def of_texts() -> list[filings_peers.Text]:
    return [filings_peers.Text("files", str(place), data) for place, data in enumerate(TEXTS)]


def test_lzma_goes_on_from_one_state_as_from_the_beginning():
    stopped = primed.primed_lzma(TRAINING, 2000)
    (given,) = lzma_given(TRAINING)
    for data in TEXTS:
        assert lzma.decompress(stopped.archive(data)) == TRAINING + data
        assert stopped.added(data) == comparison.measure_peer(given, data).n_bytes


def test_lzma_has_coded_the_training_text_before_the_copies():
    training = random.Random(6).randbytes(300_000)
    assert primed.primed_lzma(training, 2000).n_unfinished < 10_000


@pytest.mark.parametrize("variant, order", [("I", 6), ("I", 16), ("H", 6), ("H", 32)])
def test_ppmd_goes_on_from_one_state_as_from_the_beginning(variant, order):
    pyppmd = pytest.importorskip("pyppmd")
    stopped = primed.primed_ppmd(TRAINING, variant, order, 1 << 24)

    def whole(data: bytes) -> bytes:
        kind = pyppmd.Ppmd8Encoder if variant == "I" else pyppmd.Ppmd7Encoder
        encoder = kind(order, 1 << 24)
        return encoder.encode(data) + encoder.flush()

    for data in TEXTS:
        assert stopped.archive(data) == whole(TRAINING + data)
        assert stopped.added(data) == len(whole(TRAINING + data)) - len(whole(TRAINING))
        texts = TRAINING + data
        assert primed.ppmd_decodes(stopped.archive(data), texts, variant, order, 1 << 24)
    assert not primed.ppmd_decodes(stopped.archive(b"a"), TRAINING + b"b", variant, order, 1 << 24)


def test_a_failure_in_a_copy_is_one_here(capfd):
    with pytest.raises(RuntimeError, match="in a copy"):
        primed.in_a_copy(lambda: 1 // 0)


def test_pieces_are_of_files_that_hold_the_longest():
    long, short = bytes(36_384), bytes(36_383)
    texts = filings_peers.all_texts({"short": short, "long": long + b"end"})
    assert [(text.group, text.name, len(text.data)) for text in texts] == [
        ("files", "short", 36_383),
        ("files", "long", 36_387),
        ("4,096 bytes", "long", 4_096),
        ("16,384 bytes", "long", 16_384),
    ]


def test_totals_are_total_bits_over_total_bytes():
    texts = [filings_peers.Text("files", name, bytes(n)) for name, n in (("a", 100), ("b", 300))]
    report = FakeReport()
    filings_peers.totals_table(report, texts, {"it": [10, 40]})
    ((_, size, row),) = report.tables
    assert size[:2] == ["size", "400"]
    assert row == ["it", "50", "1.0000"]


def test_each_text_has_its_best_order():
    pytest.importorskip("pyppmd")
    texts, report = of_texts(), FakeReport()
    orders = filings_peers.ppmd_orders(TRAINING, texts, {"I": (2, 8), "H": (16,)})
    assert list(orders) == [("I", 2), ("I", 8), ("H", 16)]
    (best,) = filings_peers.best_ppmd(report, TRAINING, texts, orders).values()
    assert best == [min(sizes) for sizes in zip(*orders.values(), strict=True)]
    assert not report.lines


def test_an_order_that_does_not_decode_is_reported_and_the_next_counts(monkeypatch):
    pytest.importorskip("pyppmd")
    texts, report = of_texts()[2:], FakeReport()
    monkeypatch.setattr(
        filings_peers, "ppmd_decodes", lambda archive, texts, variant, *_: variant == "H"
    )
    orders = {("I", 8): [1, 9], ("H", 16): [2, 3]}
    (best,) = filings_peers.best_ppmd(report, TRAINING, texts, orders).values()
    assert best == [2, 3]
    assert report.lines == ["PPMd, variant I, order 8, does not give 2 back"]


def test_zstd_reaches_over_all_it_is_given():
    zstandard = pytest.importorskip("zstandard")
    start = random.Random(5).randbytes(5000)
    training = start + bytes(3_000_000)
    texts = [filings_peers.Text("files", "start", start)]
    prefix = packages.zstd_prefix(zstandard, training)
    (size,) = filings_peers.zstd_sizes(prefix, len(training), texts)
    assert size < 100
    (given, *_) = named_zstd(zstandard).given(training)
    assert size == comparison.measure_peer(given, start).n_bytes


def named_zstd(zstandard):
    return next(peer for peer in packages._zstd(zstandard) if "22" in peer.name)


@pytest.mark.parametrize("arguments", [[], ["--data", "nowhere"]])
def test_without_the_data_it_is_skipped_and_nothing_is_kept(
    tmp_path, monkeypatch, capsys, arguments
):
    monkeypatch.delenv("NLMZIP_DATA", raising=False)
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["filings_peers.py", "--save", *arguments])
    with pytest.raises(SystemExit) as ended:
        filings_peers.main()
    assert not ended.value.code
    (line,) = capsys.readouterr().out.splitlines()
    reason = "nowhere has no corpora/finance/*.txt" if arguments else "no folder is named"
    assert line.startswith(f"skipped: {reason}; give --data FOLDER")
    assert not list(tmp_path.iterdir())
