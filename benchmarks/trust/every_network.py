#!/usr/bin/env python3
"""Every network, head and mixture: trained, coded in both codecs, decoded, and the same bits elsewhere.

Each is trained for a few epochs on the beginning of a text, of words or of bytes, and codes
some of the text's end. All is decoded and compared, and coded once more by kernels for a
processor that knows no instructions since 2008. Texts are the finance corpus, and each FILE.

Exit status 1 if any archive differs.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from benchmarks.networks.networks import DESIGNS
from benchmarks.shared.word_study import mode_name
from benchmarks.trust.same_bits import OLDEST, on_oldest
from nlmzip.models import model_file, settings
from nlmzip.training import TrainingOptions, train_model

OF_BYTES = {
    f"{predictor}{option} of bytes": (predictor, {"symbols": "bytes", **asked})
    for predictor, option, asked in (
        ("nplm", "", {}), ("rnn", "", {}), ("lstm", "", {}), ("gru", "", {}), ("lstm", " --head mos", {"head": "mos"}),
    )
}  # fmt: skip
ALL = {"all": ("nplm+rnn+lstm+gru", {}), "all of bytes": ("nplm+rnn+lstm+gru", {"symbols": "bytes"})}
CODECS = ("words", "mix")
#: Small, since it is not measured how well they predict.
SIZES = {"embedding": 16, "hidden": 32}


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--epochs", type=int, default=2, metavar="N")
    parser.add_argument("--bytes", type=int, default=6000, metavar="N", help="that are coded of each text's end")
    parser.add_argument("--digests", type=Path, metavar="FOLDER", help="print JSON of what lies in a folder only")
    options = parser.parse_args()
    if options.digests:
        print(json.dumps({str(path): digests(path) for path in sorted(options.digests.glob("*/*.nlm"))}))
        return 0
    texts = {"finance": (harness.FINANCE / "train.txt").read_bytes()}
    texts |= {path.name: path.read_bytes() for path in options.files}
    with harness.Report(__file__, options) as report, tempfile.TemporaryDirectory() as folder:
        report.line(f"{options.epochs} epochs of {SIZES}; bytes of archives in both codecs\n")
        models = train_all(Path(folder), texts, options)
        rows, here = [], {}
        for path, (text, design) in models.items():
            here[str(path)] = coded = digests(path)
            for name, (sizes, _) in coded.items():
                rows.append([text, design, name, *(f"{size:,}" for size in sizes)])
        there = on_oldest([__file__, "--digests", folder])
        flat = [(path, name) for path, coded in here.items() for name in coded]
        same = [here[path][name] == tuple(map(tuple, there[path][name])) for path, name in flat]
        for row, is_same in zip(rows, same, strict=True):
            row.append("same" if is_same else "DIFFERENT")
        report.table(["text", "network", "predictor", *CODECS, f"{OLDEST}, no features"], rows)
        report.line(f"\n{2 * len(rows)} archives, all decoded; {2 * sum(same)} of them in rows that are the same.")
        return 0 if all(same) else 1


def train_all(folder: Path, texts: dict, options) -> dict[Path, tuple[str, str]]:
    """Models of every design for every text, in a folder each: {path: (text, design)}."""
    made = {}
    for number, (name, data) in enumerate(texts.items()):
        place = folder / f"{number}"
        place.mkdir()
        training, rest = data[: -options.bytes], data[-options.bytes :]
        (place / "text").write_bytes(rest)
        for index, (design, (predictor, asked)) in enumerate({**DESIGNS, **OF_BYTES, **ALL}.items()):
            chosen = TrainingOptions(
                f"design-{index}", predictors=(predictor,), epochs=options.epochs, **SIZES, **asked
            )
            path = place / f"{index:02}.nlm"
            path.write_bytes(train_model([training], None, chosen))
            made[path] = name, design
    return made


def digests(path: Path) -> dict:
    """{predictor and mode: (bytes of its archives, their SHA-256)} of a model, in CODECS' order."""
    model, data = model_file.read_file(path), (path.parent / "text").read_bytes()
    networks = "+".join(model.card["networks"])
    mixture = settings.name_of(settings.parts_of(f"kn+{networks}"))
    answer = {}
    for predictor, dynamic in (("kn", False), (networks, False), (networks, True), (mixture, True)):
        if not settings.has_mode(model, predictor, dynamic):
            continue
        sizes, hashes = [], []
        for codec in CODECS:
            chosen = {"codec": codec, "predictor": predictor, "dynamic": dynamic}
            coded = nlmzip.compress(data, model=model, **chosen)
            assert nlmzip.decompress(coded, model=model) == data, "the archive does not decode"
            sizes.append(len(coded))
            hashes.append(hashlib.sha256(coded).hexdigest())
        answer[f"{predictor} {mode_name(dynamic)}"] = tuple(sizes), tuple(hashes)
    return answer


if __name__ == "__main__":
    harness.run(main)
