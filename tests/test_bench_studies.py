"""The scripts of benchmarks/: what they measure, and that they run."""

import argparse
import sys
from pathlib import Path

import fake_report
import naive_prior
import numpy as np
import pytest
import tiny

ROOT = Path(__file__).parents[1]
import harness

import nlmzip
from benchmarks.compression import ablation, filings_table, heldout_table
from benchmarks.networks import words_in_mix
from benchmarks.shared.finance_source import SourceBits
from benchmarks.shared.word_study import LN2, study
from benchmarks.trust import same_bits
from nlmzip.codec import mix, words
from nlmzip.engine.byte_model import without_model
from nlmzip.engine.primed import fits
from nlmzip.explain.seen import event_classes
from nlmzip.models import model_file
from nlmzip.text.vocabulary import SENTENCE_END

HELD_OUT = b"the goat grazed near the hill\nthe zebra ate the meat\n\nthe cow ate the grass\n"


def test_a_study_accounts_for_every_bit_and_byte(tiny_model):
    result = study(HELD_OUT, tiny_model, "kn+rnn", True, True)
    assert 0 <= result.payload_bits - result.information <= 10
    assert result.n_bytes == len(HELD_OUT)
    assert result.per_sentence(result.sizes).tolist() == [
        len(line) for line in HELD_OUT.splitlines(keepends=True)
    ]
    assert result.per_sentence().sum() == len(result.symbols)
    assert (result.detail_bits > 0).tolist() == result.unknown.tolist()


def test_a_study_demands_the_text_back(tiny_model, monkeypatch):
    monkeypatch.setattr("nlmzip.decompress", lambda *_, **__: b"other")
    with pytest.raises(AssertionError, match="does not decode"):
        study(HELD_OUT, tiny_model, "kn", False, False)


@pytest.mark.parametrize("reset_state", [True, False])
def test_event_classes_are_those_of_ngrams_counted_naively(reset_state):
    model = model_file.read(tiny.model_bytes(reset_state=reset_state))
    vocabulary = words.load_vocabulary(model)

    def events(text):
        """(two symbols before, one before, symbol) of each token."""
        context, found = ["<s>", "<s>"], []
        for line in text.splitlines():
            for symbol in [*map(vocabulary.symbol, line.split()), SENTENCE_END]:
                found.append((*context, symbol))
                context = [context[1], symbol]
            if reset_state:
                context = ["<s>", "<s>"]
        return found

    seen = events(tiny.TEXT)
    bigrams, trigrams = {event[1:] for event in seen}, set(seen)
    expected = [
        2 if event in trigrams else 1 if event[1:] in bigrams else 0 for event in events(HELD_OUT)
    ]
    result = study(HELD_OUT, model, "kn", False, False)
    assert event_classes(result.symbols, result.sentences, model).tolist() == expected
    assert set(expected) == {0, 1, 2}


def test_plain_words_of_a_filing():
    raw = "Item 7.\nNet sales rose 3.5%! We\tdon\u2019t \u2026 see U.S. GAAP.\r\n\r\n--\nEnd"
    assert filings_table.plain_words(raw.encode()) == (
        b"item 7\nnet sales rose 3 5\nwe don t see u s\ngaap\nend\n"
    )


class FakeReport(fake_report.FakeReport):
    """Its tables by the first two cells of a row, and by column."""

    def table(self, header, rows):
        super().table(header, rows)
        self.tables[-1] = {tuple(row[:2]): dict(zip(header, row)) for row in rows}


def test_the_held_out_table(tiny_model):
    modes = [("kn", False), ("rnn", False), ("rnn", True)]
    studies = {mode: study(HELD_OUT, tiny_model, *mode, False) for mode in modes}
    for mode in set(heldout_modes(tiny_model)) - set(modes):
        studies[mode] = studies["rnn", mode[1]]
    n_tokens = len(studies["kn", False].symbols)
    source = SourceBits((10.0, 40.0, 5.0), np.ones(n_tokens))
    report = FakeReport()
    heldout_table.predictor_table(report, tiny_model, studies, source)
    (rows,) = report.tables
    assert len(rows) == 14  # six predictors in two modes, the source in two
    for name in ("uniform", "kn"):
        assert set(rows[name, "dynamic"].values()) == {name, "dynamic", "-"}
    dynamic = studies["rnn", True]
    assert rows["rnn", "dynamic"]["nats a token"].startswith(f"{dynamic.nats:.4f} (")
    assert rows["rnn", "dynamic"]["archive"] == f"{len(dynamic.archive)}"
    bpc = 8 * len(dynamic.archive) / len(HELD_OUT)
    assert rows["rnn", "dynamic"]["bpc"].startswith(f"{bpc:.4f} (")
    difference = (dynamic.information - studies["kn", False].information) / len(HELD_OUT)
    assert rows["rnn", "dynamic"]["bpc - kn"].startswith(f"{difference:+.4f} (")
    gap = dynamic.bpc - n_tokens / len(HELD_OUT)
    assert rows["rnn", "dynamic"]["bpc - source"] == f"{gap:+.4f}"
    assert rows["source", "this text"]["nats a token"] == f"{LN2:.4f} (0.0000)"
    assert rows["source", "expected"]["bpc"] == "0.2500"


def heldout_modes(model):
    modes = heldout_table.all_modes(model)
    return [(predictor, dynamic) for predictor, dynamic, possible in modes if possible]


def test_the_table_by_event_class_adds_up(tiny_model):
    studies = {("kn", False): study(HELD_OUT, tiny_model, "kn", False, False)}
    report = FakeReport()
    heldout_table.class_table(report, tiny_model, studies, None)
    (rows,) = report.tables
    classes = heldout_table.CLASSES
    counts = [int(rows["tokens", ""][name]) for name in classes]
    nats = [float(rows["kn", "static"][name]) for name in classes]
    mean = np.dot(counts, nats) / sum(counts)
    assert mean == pytest.approx(studies["kn", False].nats, abs=1e-3)


def test_the_filings_table_runs_and_spelling_is_its_floor(tiny_model):
    report = FakeReport()
    filings_table.predictor_table(report, HELD_OUT * 2, tiny_model)
    (rows,) = report.tables
    floors = [
        float(line.split(": ")[1].split()[0]) for line in report.lines if "spelling floor" in line
    ]
    for row in rows.values():
        assert float(row["bpc"]) > floors[0]
        assert float(row["bpc, cache"]) > floors[1]
        assert float(row["bpc, cache"]) < float(row["bpc"])  # the zebra comes twice


def test_digests_tell_archives_apart(tiny_model):
    of_bytes = model_file.read(naive_prior.model_bytes())
    one, other = (same_bits.digests(text, tiny_model, of_bytes) for text in (HELD_OUT, HELD_OUT * 2))
    assert len(one) == 20 + 2 * 9  # predictors and modes, levels
    assert all(one[name] != other[name] for name in one)


def test_what_words_buy_in_the_mixture_is_told_for_each_predictor(tiny_model):
    chosen = words_in_mix.choose(tiny_model)
    assert chosen[0] == ("kn", False)
    assert chosen[1][0] in ("nplm", "rnn") and chosen[2][0] in ("kn+nplm", "kn+rnn")
    assert chosen[1][1] and chosen[2][1]  # dynamic evaluation was better on the dev text
    sizes = words_in_mix.compare(tiny.TEXT, tiny_model, chosen)
    assert sizes[1] < sizes[0] == len(nlmzip.compress(tiny.TEXT))
    assert words_in_mix.row_of("a", 2000, [1000, 900, 1001]) == [
        "a", "2,000", "1,000", "900", "-10.0%", "1,001", "+0.1%",
    ]  # fmt: skip


def test_each_part_of_the_engine_can_be_left_out():
    whole = without_model(mix.START)
    others = ablation.fewer_inputs(whole) | ablation.smaller_mixers(whole)
    assert len(others) == len(ablation.CONTEXTS) + len(ablation.SETS) + 4
    assert len(whole.design.kinds) == len(ablation.CONTEXTS)
    assert len(whole.design.selectors) == len(ablation.SETS)
    text = (ROOT / "LICENSE").read_bytes() * 2
    sizes = {name: ablation.coded(beginning, text)[0] for name, beginning in others.items()}
    assert all(fits(beginning.start, beginning.design) for beginning in others.values())
    assert len(set(sizes.values())) > 8
    assert ablation.coded(whole, text)[0] == len(mix.encode(text, mix.START)) < sizes["the match model"]


def test_what_is_left_of_a_start_stays_with_its_context_and_set():
    whole = without_model(mix.START)
    before = whole.start.weights.reshape(-1, 64)
    third = ablation.without_context(whole, 2)
    after = third.start.weights.reshape(-1, 48)
    assert third.design.kinds == (*whole.design.kinds[:2], *whole.design.kinds[3:])
    assert np.array_equal(after, np.delete(before, range(8, 12), axis=1)[:, :48])
    assert np.array_equal(third.start.run[2], whole.start.run[3])
    two = ablation.with_sets(whole, [0, 2])
    assert np.array_equal(two.start.weights.reshape(-1, 64)[256:], before[256 + 512 : 256 + 512 + 256])
    assert two.start.final.sum(1) == pytest.approx(whole.start.final.sum(1), abs=1e-5)


def test_lines_of_parts_inside_kernels_stand_there_once():
    for lines in (ablation.INPUT_LINES | ablation.ESTIMATION_LINES).values():
        for name, line, replacement in lines:
            source = (ROOT / "nlmzip" / "engine" / name).read_text()
            changed = ablation.changed(source, line, replacement)
            assert changed != source and len(changed.splitlines()) == len(source.splitlines())
            compile(changed, name, "exec")
    with pytest.raises(ValueError):
        ablation.changed("a\n    a\n", "a", "pass")


def test_texts_are_named_or_those_of_a_list_for_one_use(tmp_path):
    table = tmp_path / "list.tsv"
    table.write_text('path\tbytes\tuse\na/"b\t1\tdev\nedge/c\t1\tdev\nd\t1\treport\n')
    options = argparse.Namespace(files=[], list=table, use="dev")
    assert harness.texts(options) == [tmp_path / 'a/"b']
    options.files = [table]
    assert harness.texts(options) == [table]
    with pytest.raises(SystemExit):
        harness.texts(argparse.Namespace(files=[], list=None, use="dev"))


def test_the_codeword_of_dynamic_evaluation_is_beside_its_information(tiny_model):
    modes = [("kn", False), ("rnn", False), ("rnn", True)]
    studies = {mode: study(HELD_OUT, tiny_model, *mode, False) for mode in modes}
    report = FakeReport()
    heldout_table.codeword_table(report, studies)
    measured = {name: (row["measured"], row["agrees"]) for (name, _), row in report.tables[0].items()}
    assert measured["codeword, bits"] == (f"{studies['rnn', True].payload_bits:,}", "-")
    assert measured["-log2 Q, bits"] == (f"{studies['rnn', True].information:,.2f}", "-")
    assert measured["their difference"][1] == "yes"


def test_the_held_out_table_has_the_mixture(tiny_model):
    report = FakeReport()
    heldout_table.mixture_table(report, HELD_OUT, tiny_model, None)
    (rows,) = report.tables
    assert len(rows) == 1 + 9


def test_a_report_is_kept_without_folders_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    outside = tmp_path / "text.txt"
    outside.write_bytes(HELD_OUT)
    inside = str(ROOT / "tests" / "tiny.py")
    monkeypatch.setattr(sys, "argv", ["x.py", "--save", "--text", str(outside), inside])
    options = argparse.Namespace(save=True)
    with harness.Report("benchmarks/folder/x.py", options) as report:
        report.table(["", "n"], [["a", "1"]])
    kept = (tmp_path / "x.txt").read_text().splitlines()
    assert kept[0] == "$ benchmarks/folder/x.py --text text.txt tests/tiny.py"
    assert kept[1].startswith("nlmzip ")
    assert kept[2:] == ["   n", "a  1"]


def test_a_report_that_fails_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    with pytest.raises(AssertionError):
        with harness.Report("x.py", argparse.Namespace(save=True)):
            raise AssertionError
    assert not list(tmp_path.iterdir())
