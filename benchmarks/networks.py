#!/usr/bin/env python3
"""What each network and each head buys: trained alone, then on the held-out text.

Trains as `nlmzip train --codec words --predictor kn+NETWORK` does, with the option that is
named, and measures the network static, with dynamic evaluation, and with Kneser-Ney as well.
"""

import harness  # first: it finds the environment

from word_study import study

from nlmzip.models import model_file
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
}


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_text(parser)
    harness.add_text(parser, "train")
    harness.add_text(parser, "dev")
    parser.add_argument("--epochs", type=int, default=8, metavar="N")
    options = parser.parse_args()
    data, training, dev = (p.read_bytes() for p in (options.text, options.train, options.dev))
    rows = []
    with harness.Report(__file__, options) as report:
        about = "nats a token, and bpc of archives without the spelling cache"
        report.line(f"{options.epochs} epochs; {about}\n")
        for name, (network, asked) in DESIGNS.items():
            predictors = (f"kn+{network}",)
            chosen = TrainingOptions("design", predictors=predictors, epochs=options.epochs, **asked)
            model = model_file.read(train_model([training], dev, chosen))
            row = [name, f"{model.card['networks'][network]['parameters']:,}"]
            for predictor, dynamic in ((network, False), (network, True), (predictors[0], True)):
                result = study(data, model, predictor, dynamic, spelling_cache=False)
                row += [f"{result.nats:.4f}", f"{result.bpc:.4f}"]
            rows.append(row)
        report.table(["", "parameters", "nats", "bpc", "dynamic", "bpc", "with kn", "bpc"], rows)


if __name__ == "__main__":
    harness.run(main)
