#!/usr/bin/env python3
"""What the shipped model of English buys: texts and their beginnings, with it and without.

Every archive is decoded and compared. Each kernel is warmed up before time is taken.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

LENGTHS = (1 << 10, 1 << 12, 1 << 14)


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    parser.add_argument("--model", default="english", metavar="NAME|PATH")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()

    import nlmzip
    from nlmzip.models import catalogue

    seconds = {}

    def size(data: bytes, model: str) -> int:
        """Bytes of an archive that decodes; its time is added up."""
        begin = time.process_time()
        made = nlmzip.compress(data, model=model)
        encoded = time.process_time()
        if nlmzip.decompress(made, model=model) != data:
            raise nlmzip.NlmzipError(f"an archive with model {model} does not give the text back")
        for key, spent in (("encode", encoded - begin), ("decode", time.process_time() - encoded)):
            seconds[model, key] = seconds.get((model, key), 0.0) + spent
        return len(made)

    with harness.Report(__file__, options) as report:
        path = catalogue.find(options.model)
        models = (catalogue.NO_MODEL, options.model)
        for model in models:
            size(options.files[0].read_bytes()[:4096], model)
        seconds.clear()
        rows, n_bytes = [], 0
        for file in options.files:
            text = file.read_bytes()
            for length in (*(each for each in LENGTHS if each < len(text)), len(text)):
                piece = text[:length]
                n_bytes += length
                without, with_ = (size(piece, model) for model in models)
                name = file.name if length == len(text) else f"{file.name}, first {length}"
                bpc = f"{8 * without / length:.3f}", f"{8 * with_ / length:.3f}"
                rows.append([name, f"{length:,}", f"{without:,}", f"{with_:,}", *bpc, f"{100 - 100 * with_ / without:.1f}%"])
        report.table(["", "size", "none", path.stem, "none, bpc", f"{path.stem}, bpc", "smaller by"], rows)
        report.line()
        for model in models:
            speeds = (f"{key} {n_bytes / 1e3 / seconds[model, key]:.0f} KB/s" for key in ("encode", "decode"))
            report.line(f"model {model}: {', '.join(speeds)} of CPU time")
        ratio = seconds[models[0], "encode"] / seconds[models[1], "encode"]
        report.line(f"encoding with the model runs at {ratio:.2f} times the speed without")
        report.line()
        report.line(f"Bytes of whole archives. Not counted: the model, {path.stat().st_size:,} bytes beside the archive.")
    return 0


if __name__ == "__main__":
    harness.run(main)
