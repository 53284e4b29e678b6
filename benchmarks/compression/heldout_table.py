#!/usr/bin/env python3
"""The honest comparison on the finance held-out text, and the same by event class.

Every predictor, static and with dynamic evaluation, in the words codec and in the mixture,
beside the source's own entropy and other compressors alone and given the training text.
Every row is an archive that decodes.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.finance_source import SourceBits, source_bits
from benchmarks.shared.reported import comparison
from benchmarks.shared.statistics_of_ratios import ratio
from benchmarks.shared.word_study import LN2, PROMISE_BITS, all_modes, mode_name, study
from nlmzip.bench.comparison import measure_others
from nlmzip.bench.own import MIX, Own, detail_bits, engine_with, measure
from nlmzip.bench.peers import all_given
from nlmzip.bench.table import fixed
from nlmzip.explain.seen import CLASSES, event_classes
from nlmzip.models import catalogue

DASH = "-"


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser, "text", "train")
    parser.add_argument("--spelling-cache", action="store_true", help="a repeated unknown word as a reference")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    data, training = options.text.read_bytes(), options.train.read_bytes()
    with harness.Report(__file__, options) as report:
        report.model(model)
        source = source_bits(data)
        studies = {
            (predictor, dynamic): study(data, model, predictor, dynamic, options.spelling_cache)
            for predictor, dynamic, possible in all_modes(model)
            if possible
        }
        say_text(report, data, model, studies, options.spelling_cache)
        predictor_table(report, model, studies, source)
        codeword_table(report, studies)
        mixture_table(report, data, model, source)
        others_table(report, data, training, source)
        class_table(report, model, studies, source)


def say_text(report, data, model, studies, spelling_cache) -> None:
    any_study = studies["kn", False]
    n_tokens, n_sentences = len(any_study.symbols), int(any_study.sentences[-1]) + 1
    unknown = any_study.unknown
    report.line(
        f"{n_sentences:,} sentences, {n_tokens:,} tokens with </s>, {len(data):,} characters;"
        f" {unknown.sum():,} tokens unknown ({unknown.mean():.2%})"
    )
    without, with_ = (detail_bits(data, model, cache)["spelling"] for cache in (False, True))
    report.line(
        f"their spelling: {without / len(data):.4f} bpc, {with_ / len(data):.4f} with the cache,"
        f" which is {'on' if spelling_cache else 'off'} below"
    )


def predictor_table(report, model, studies, source: SourceBits | None) -> None:
    """Nats, perplexity and bpc of each predictor and of the source."""
    baseline = studies["kn", False]
    tokens, characters = baseline.per_sentence(), baseline.per_sentence(baseline.sizes)

    def bits(study):
        return study.per_sentence(study.word_bits + study.detail_bits)

    true_bpc = source and float(source.token_bits.sum()) / baseline.n_bytes
    rows = []
    for predictor, dynamic, possible in all_modes(model):
        if not possible:
            rows.append([predictor, mode_name(dynamic), *[DASH] * 8])
            continue
        study = studies[predictor, dynamic]
        nats = ratio(study.per_sentence(study.word_bits) * LN2, tokens)
        difference = ratio(bits(study) - bits(baseline), characters)
        rows.append([
            predictor,
            mode_name(dynamic),
            f"{nats:.4f}",
            f"{math.exp(nats.value):,.2f}",
            f"{ratio(bits(study), characters)._replace(value=study.bpc):.4f}",
            DASH if study is baseline else f"{difference:+.4f}",
            DASH if source is None else f"{study.bpc - true_bpc:+.4f}",
            f"{study.payload_bits // 8:,}",
            f"{len(study.archive):,}",
            f"{study.payload_bits - study.information:.2f}",
        ])  # fmt: skip
    if source:
        of_source = baseline.per_sentence(source.token_bits)
        nats = ratio(of_source * LN2, tokens)
        rows.append([
            "source",
            "this text",
            f"{nats:.4f}",
            f"{math.exp(nats.value):,.2f}",
            f"{ratio(of_source, characters):.4f}",
            f"{ratio(of_source - bits(baseline), characters):+.4f}",
            *[DASH] * 4,
        ])  # fmt: skip
        expected_bits, expected_characters, expected_tokens = source.expected
        nats = expected_bits * LN2 / expected_tokens
        bpc = expected_bits / expected_characters
        rows.append(["source", "expected", f"{nats:.4f}", f"{math.exp(nats):,.2f}", f"{bpc:.4f}"])
        rows[-1] += [DASH] * 5
    report.line()
    report.table(
        ["predictor", "", "nats a token", "perplexity", "bpc", "bpc - kn", "bpc - source",
         "payload", "archive", "payload bits + log2 Q"],
        rows,
    )  # fmt: skip
    report.line(
        "\nIn brackets standard errors of ratio estimates over sentences, paired for bpc - kn.\n"
        "nats a token: symbols alone, <unk> among them, from integer frequencies.\n"
        "bpc: 8 * archive bytes / characters, with spelling and header; bpc - kn without headers.\n"
        "source: the generator itself; this text: -log2 P of what it said here, from which\n"
        "bpc - source is measured; expected: its entropy.\n"
        "payload, archive: bytes; a payload may take up to ten bits more than -log2 Q."
    )


def codeword_table(report, studies) -> None:
    """Dynamic evaluation is a code (Krause et al. 2018): as long as its own -log2 Q says."""
    counted, static, study = (studies[key] for key in (("kn", False), ("rnn", False), ("rnn", True)))
    longer = study.payload_bits - study.information
    shorter = 1 - study.payload_bits / counted.payload_bits
    gain = 1 - study.payload_bits / static.payload_bits
    report.line("\nrnn with dynamic evaluation: one codeword of the whole text, which decodes\n")
    comparison(report, [
        ("codeword, bits", "79,614", f"{study.payload_bits:,}", None),
        ("-log2 Q, bits", "79,612.86", f"{study.information:,.2f}", None),
        ("their difference", "1.14", f"{longer:.2f}", 0 <= longer <= PROMISE_BITS),
        ("shorter than kn's", "19.0%", f"{shorter:.1%}", shorter > 0),
        ("shorter than without dynamic evaluation", "7.0%", f"{gain:.1%}", gain > 0),
    ])  # fmt: skip
    report.line(
        "\nReported before of another text of this kind, with a code that ends within two bits; ours\n"
        f"ends within {PROMISE_BITS}. Adapting gains little on a text from the very source of the training\n"
        "text; filings_table.py has one of another kind."
    )


def mixture_table(report, data, model, source) -> None:
    """The mixing engine alone, and with each predictor taking part."""
    rows = [measure(Own(MIX, {"model": catalogue.NO_MODEL}), data)]
    for predictor, dynamic, possible in all_modes(model):
        if possible and predictor != "uniform":
            rows.append(measure(engine_with(model, predictor, dynamic), data))
    true_bpc = source and float(source.token_bits.sum()) / len(data)
    report.line()
    report.table(
        ["the mixing engine", "archive", "bpc", "bpc - source", "encode KB/s", "decode KB/s"],
        [
            [
                row.contestant,
                f"{row.n_bytes:,}",
                f"{8 * row.n_bytes / len(data):.4f}",
                fixed(source and 8 * row.n_bytes / len(data) - true_bpc, 4),
                *(f"{len(data) / 1e3 / each:.0f}" for each in (row.encode_seconds, row.decode_seconds)),
            ]
            for row in rows
        ],
    )


def others_table(report, data, training, source) -> None:
    """Other compressors, alone and given the training text."""
    report.line()
    rows = []
    peers = report.peers()
    for row in measure_others(data, peers, all_given(peers, training), report.line):
        bpc = 8 * row.n_bytes / len(data)
        gap = source and bpc - float(source.token_bits.sum()) / len(data)
        rows.append([row.label, f"{row.n_bytes:,}", f"{bpc:.4f}", fixed(gap, 4)])
    report.table(["", "bytes", "bpc", "bpc - source"], rows)
    report.line(
        f"\nGiven the training text ({len(training):,} bytes): by difference, the length of both\n"
        "compressed together less that of the training text alone; for zstd with it as a\n"
        "raw-content dictionary, or with the dictionary that zstd's trainer makes of it."
    )


def class_table(report, model, studies, source: SourceBits | None) -> None:
    """Nats a token by what training saw of the token's context."""
    any_study = studies["kn", False]
    classes = event_classes(any_study.symbols, any_study.sentences, model)
    masks = [classes == index for index in range(len(CLASSES))]
    rows = [
        ["tokens", "", *(f"{mask.sum():,}" for mask in masks)],
        ["share", "", *(f"{mask.mean():.1%}" for mask in masks)],
        ["of them unknown", "", *(f"{(mask & any_study.unknown).sum():,}" for mask in masks)],
    ]
    contestants = [
        (predictor, mode_name(dynamic), study.word_bits)
        for (predictor, dynamic), study in studies.items()
    ]
    contestants += [("source", "this text", source.token_bits)] if source else []
    for predictor, mode, bits in contestants:
        rows.append([
            predictor,
            mode,
            *(fixed(bits[mask].mean() * LN2 if mask.any() else None, 3) for mask in masks),
        ])  # fmt: skip
    report.line()
    report.table(["nats a token", "", *CLASSES], rows)
    report.line(
        "\nThe source spells its rare words itself: its nats hold what is spelling in our archives."
    )


if __name__ == "__main__":
    harness.run(main)
