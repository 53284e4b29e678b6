#!/usr/bin/env python3
"""A network of bytes, trained on prose, on texts of all kinds: static, and learning as it codes.

Without --model it is trained first, as `nlmzip train --codec words --symbols bytes --epochs 1`
does, in half an hour for 20 MB. Beside it lzma alone, and lzma given the text that the model was trained on, by difference;
and the mixing engine alone and with the network. Every archive is decoded and compared.
"""

import lzma
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

from benchmarks.shared.primed import primed_lzma
from nlmzip.bench.own import MIX, Own, engine_with, measure
from nlmzip.models import catalogue, model_file, settings
from nlmzip.training import TrainingOptions, train_model


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_texts(parser)
    parser.add_argument("--model", metavar="NAME|PATH")
    parser.add_argument("--train", nargs="+", type=Path, required=True, metavar="FILE", help="what it was trained on")
    parser.add_argument("--first", type=int, metavar="N", help="bytes of each file")
    options = parser.parse_args()
    books = [path.read_bytes() for path in options.train]
    model = catalogue.load(options.model) if options.model else trained(books)
    training = b"".join(books)
    texts = {path.name: path.read_bytes()[: options.first] for path in harness.texts(options)}
    network = "+".join(part for part in model.card["networks"])
    ours = [of_words(model, network, False), of_words(model, network, True)]
    if settings.has_mode(model, f"kn+{network}", True):
        ours.append(of_words(model, f"kn+{network}", True))
    ours += [Own(MIX, {"model": catalogue.NO_MODEL}), engine_with(model, network, True)]
    with harness.Report(__file__, options) as report:
        report.model(model)
        report.line(f"trained on {len(options.train)} files, of {len(training):,} bytes\n")
        given = primed_lzma(training, max(map(len, texts.values())))
        rows = []
        for name, data in texts.items():
            sizes = [measure(own, data).n_bytes for own in ours]
            alone = len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
            with_training = given.added(data)
            decoded = lzma.decompress(given.archive(data))
            assert decoded[len(training) :] == data, "lzma does not give the text back"
            rows.append([name, len(data), *sizes, alone, with_training])
        columns = list(zip(*rows, strict=True))[1:]
        rows.append(["total", *map(sum, columns)])
        header = ["", "size", *(own.name for own in ours), "lzma -9e", "given training"]
        report.table(header, [[name, *(f"{size:,}" for size in sizes)] for name, *sizes in rows])
        dynamic = 1 + [own.settings.get("dynamic") for own in ours].index(True)
        names = [row[0] for row in rows[:-1] if row[1 + dynamic] < row[-2]]
        given_too = [row[0] for row in rows[:-1] if row[1 + dynamic] < row[-1]]
        report.line(
            f"\nThe network with dynamic evaluation is smaller than lzma on {len(names)} of {len(rows) - 1}:"
            f" {', '.join(names)};\nthan lzma given the training text on {len(given_too)}: {', '.join(given_too)}."
        )
        report.line("Not counted is what lies beside the archives: the model, and what the engine starts from.")


def trained(books: list[bytes]):
    """The model that the command line trains by default."""
    return model_file.read(train_model(books, None, TrainingOptions("bytes", symbols="bytes", epochs=1)))


def of_words(model, predictor: str, dynamic: bool) -> Own:
    """A predictor alone, in the words codec."""
    chosen = {"model": model, "codec": "words", "predictor": predictor, "dynamic": dynamic}
    return Own(f"{predictor} {'dynamic' if dynamic else 'static'}", chosen, model)


if __name__ == "__main__":
    harness.run(main)
