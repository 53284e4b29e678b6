#!/usr/bin/env python3
"""What each network and each head buys: trained alone, then on the held-out text.

Trains as `nlmzip train --codec words --predictor NETWORK` does, with the option that is
named, and measures the network static, with dynamic evaluation, and with Kneser-Ney as well.
The row that the dev text chooses is the one with the least nats on it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.finance_source import source_bits
from benchmarks.shared.word_study import study
from nlmzip.models import model_file, settings
from nlmzip.training import TrainingOptions, train_model

#: A network and what is asked of it beyond the defaults.
DESIGNS = {
    "nplm": ("nplm", {}),
    "nplm --direct": ("nplm", {"direct": True}),
    "nplm --tied": ("nplm", {"tied": True}),
    "rnn": ("rnn", {}),
    "rnn --tied": ("rnn", {"tied": True}),
    "rnn --head moc": ("rnn", {"head": "moc"}),
    "rnn --head mos": ("rnn", {"head": "mos"}),
    "lstm": ("lstm", {}),
    "lstm --forget-bias 3": ("lstm", {"forget_bias": 3.0}),
    "gru": ("gru", {}),
    "gru --head mos": ("gru", {"head": "mos"}),
    "rnn+gru --head mos": ("rnn+gru", {"head": "mos"}),
}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_text(parser, "text", "train", "dev")
    parser.add_argument("--epochs", type=int, default=8, metavar="N")
    options = parser.parse_args()
    data, training, dev = (p.read_bytes() for p in (options.text, options.train, options.dev))
    source = source_bits(data)
    rows = []
    with harness.Report(__file__, options) as report:
        about = "nats a token, and bpc of archives without the spelling cache"
        report.line(f"{options.epochs} epochs; {about}\n")
        for name, (network, asked) in DESIGNS.items():
            chosen = TrainingOptions("design", predictors=(network,), epochs=options.epochs, **asked)
            model = model_file.read(train_model([training], dev, chosen))
            trained = model.card["networks"].values()
            mixture = settings.name_of(settings.parts_of(f"kn+{network}"))
            row = [name, f"{sum(each['parameters'] for each in trained):,}"]
            for predictor, dynamic in ((network, False), (network, True), (mixture, True)):
                result = study(data, model, predictor, dynamic, spelling_cache=False)
                row += [f"{result.nats:.4f}", f"{result.bpc:.4f}"]
            if source:
                row.append(f"{result.bpc - float(source.token_bits.sum()) / len(data):+.4f}")
            rows.append([*row, f"{model.card['settings'][mixture]['dynamic']['dev_nats']:.4f}"])
        header = ["", "parameters", "nats", "bpc", "dynamic", "bpc", "with kn", "bpc"]
        report.table([*header, *(["bpc - source"] if source else []), "its dev nats"], rows)
        best = min(rows, key=lambda row: float(row[-1]))
        report.line(f"\nThe dev text chooses {best[0]}.")


if __name__ == "__main__":
    harness.run(main)
