#!/usr/bin/env python3
"""The out-of-domain study: a model on a text full of words that it has never seen.

Twice: for the text as plain words (lower case; words are runs of a-z and 0-9; a sentence,
which is a line, ends at . ! ? before a space and at line ends), and for the file as it is.
Every bpc is of an archive that decodes.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.plain_words import plain_words
from benchmarks.shared.word_study import all_modes, checked_archive, mode_name, study
from nlmzip.bench.comparison import measure_others
from nlmzip.bench.own import detail_bits
from nlmzip.bench.peers import all_given
from nlmzip.models import catalogue
from nlmzip.text.vocabulary import SENTENCE_END


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("file", type=Path)
    harness.add_model(parser)
    harness.add_text(parser, "train")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    raw, training = options.file.read_bytes(), options.train.read_bytes()
    with harness.Report(__file__, options) as report:
        report.model(model)
        peers = report.peers()
        for name, data in (("plain words", plain_words(raw)), ("the raw file", raw)):
            report.line(f"\n== {options.file.name}: {name}, {len(data):,} bytes ==\n")
            predictor_table(report, data, model)
            others_table(report, data, training, peers)


def predictor_table(report, data: bytes, model) -> None:
    studies, with_cache = {}, {}
    for predictor, dynamic, possible in all_modes(model):
        if possible:
            key = predictor, dynamic
            studies[key] = study(data, model, *key, spelling_cache=False)
            with_cache[key] = 8 * len(checked_archive(data, model, *key, True)) / len(data)
    rows = []
    for (predictor, dynamic), result in studies.items():
        key = predictor, dynamic
        static = studies[predictor, False]
        share = result.word_bits[result.unknown].sum() / result.word_bits.sum()
        rows.append([
            predictor,
            mode_name(dynamic),
            f"{result.nats:.4f}",
            f"{math.exp(result.nats):,.1f}",
            f"{share:.1%}",
            f"{result.bpc:.4f}",
            f"{with_cache[key]:.4f}",
            f"{static.nats - result.nats:.4f}" if dynamic else "-",
            f"{with_cache[predictor, False] - with_cache[key]:.4f}" if dynamic else "-",
        ])  # fmt: skip
    any_study = studies["kn", False]
    unknown, is_word = any_study.unknown, any_study.symbols != SENTENCE_END
    report.line(
        f"{len(unknown):,} tokens with </s>, {int(any_study.sentences.max()) + 1:,} sentences;"
        f" unknown: {unknown.mean():.1%} of tokens, {unknown.sum() / is_word.sum():.1%} of words"
    )
    for cache in (False, True):
        details = detail_bits(data, model, cache)
        report.line(
            f"spelling floor {'with the cache' if cache else 'alone'}:"
            f" {details['spelling'] / len(data):.4f} bpc"
            + (f", case and gaps {details['other'] / len(data):.4f}" if details["other"] else "")
        )
    size = model.card["vocabulary_size"]
    report.line(f"a uniform guess: {math.log(size):.4f} nats, perplexity {size:,}\n")
    report.table(
        ["predictor", "", "nats a token", "perplexity", "<unk>'s share", "bpc", "bpc, cache",
         "dynamic's gain, nats", "and bpc, cache"],
        rows,
    )  # fmt: skip


def others_table(report, data: bytes, training: bytes, peers) -> None:
    report.line()
    measured = measure_others(data, peers, all_given(peers, training), report.line)
    rows = [[row.label, f"{row.n_bytes:,}", f"{8 * row.n_bytes / len(data):.4f}"] for row in measured]
    report.table(["", "bytes", "bpc"], rows)


if __name__ == "__main__":
    harness.run(main)
