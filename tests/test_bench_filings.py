"""benchmarks/compression/filings_peers.py: copies of a primed compressor, and the tables of its texts."""

import lzma
import random
import sys

import harness
import pytest
import tiny
from fake_report import FakeReport

from benchmarks.compression import filings_peers
from benchmarks.shared import primed
from nlmzip.bench import comparison, packages
from nlmzip.bench.standard_library import lzma_given

TRAINING = tiny.TEXT * 20
TEXTS = [b"", b"x", tiny.TEXT[:300], tiny.TEXT[7:2000]]


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
@pytest.mark.parametrize("training", [b"", TRAINING[:100], TRAINING], ids=len)
def test_ppmd_goes_on_from_one_state_as_from_the_beginning(training, variant, order):
    pyppmd = pytest.importorskip("pyppmd")
    stopped = primed.PrimedPpmd(training, variant, order, 1 << 24)

    def whole(data: bytes) -> bytes:
        kind = pyppmd.Ppmd8Encoder if variant == "I" else pyppmd.Ppmd7Encoder
        encoder = kind(order, 1 << 24)
        return encoder.encode(data) + encoder.flush()

    for data in TEXTS:
        assert stopped.primed.archive(data) == whole(training + data)
        assert stopped.added(data) == len(whole(training + data)) - len(whole(training))


def test_ppmd_that_does_not_decode_does_not_count():
    pytest.importorskip("pyppmd")
    stopped = primed.PrimedPpmd(TRAINING, "I", 6, 1 << 24)
    good = stopped.primed.tail(tiny.TEXT)
    stopped.primed.tail = lambda data: good[:-9] + bytes(9)
    assert stopped.added(tiny.TEXT) is None
    stopped.primed.tail = lambda data: good
    assert stopped.added(tiny.TEXT) == stopped.primed.added(tiny.TEXT)
    assert stopped.added(b"x" + tiny.TEXT[1:]) is None


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
    sizes = filings_peers.ppmd_orders(report, TRAINING, texts, {"I": (2, 8), "H": (16,)})
    assert list(sizes) == ["variant I, order 2", "variant I, order 8", "variant H, order 16"]
    assert not report.lines
    best = filings_peers.best_of({"a": [1, 9, 4], "b": [2, 3, 4]})
    assert best == [1, 3, 4]


def test_an_order_that_does_not_decode_is_reported_and_left_out(monkeypatch):
    pytest.importorskip("pyppmd")
    texts, report = of_texts(), FakeReport()
    monkeypatch.setattr(primed.PrimedPpmd, "added", lambda self, data: 7 if data else None)
    assert filings_peers.ppmd_orders(report, TRAINING, texts, {"I": (6,)}) == {}
    assert report.lines == ["PPMd, variant I, order 6, does not give 1 texts back"]


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
