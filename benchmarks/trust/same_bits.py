#!/usr/bin/env python3
"""Whether the archives are the same on another processor: SHA-256 of each, on this one and on
kernels compiled for one that knows no instructions since 2008 (no AVX, no FMA).

Of the words codec and of the mixture with a model of words: every predictor and mode. Of the
mixing engine: every level, alone and with a model of bytes.

Exit status 1 if any differs.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment

import nlmzip
from benchmarks.shared.word_study import all_modes, mode_name
from nlmzip.engine.profiles import LEVELS
from nlmzip.models import catalogue

OLDEST = "nehalem" if platform.machine() in ("x86_64", "AMD64") else "generic"


def main() -> int:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser)
    parser.add_argument(
        "--engine", default=catalogue.DEFAULT, metavar="NAME|PATH", help="a model of bytes for the engine"
    )
    parser.add_argument("--digests", action="store_true", help="print JSON of this process only")
    options = parser.parse_args()
    model, engine = catalogue.load(options.model), catalogue.load(options.engine)
    data = options.text.read_bytes()
    if options.digests:
        print(json.dumps(digests(data, model, engine)))
        return 0
    with harness.Report(__file__, options) as report:
        report.model(model)
        report.model(engine)
        here, there = digests(data, model, engine), elsewhere(options)
        rows = [
            [name, here[name][:32], there[name][:32], "same" if same else "DIFFERENT"]
            for name in here
            for same in [here[name] == there[name]]
        ]
        report.line(f"{options.text.name}, {len(data):,} bytes; the first half of each SHA-256\n")
        report.table(["archive", "this processor", f"{OLDEST}, no features", ""], rows)
        return 0 if here == there else 1


def digests(data: bytes, model, engine) -> dict[str, str]:
    """SHA-256 of the archive of each predictor and mode and of each level, by name."""
    archives = {
        f"{predictor} {mode_name(dynamic)}": nlmzip.compress(
            data, model=model, codec="words", predictor=predictor, dynamic=dynamic
        )
        for predictor, dynamic, possible in all_modes(model)
        if possible
    }
    archives |= {
        f"mix with {predictor} {mode_name(dynamic)}": nlmzip.compress(
            data, model=model, predictor=predictor, dynamic=dynamic
        )
        for predictor, dynamic, possible in all_modes(model)
        if possible
    }
    for level in LEVELS:
        archives[f"mix -{level}"] = nlmzip.compress(data, model="none", level=level)
        archives[f"mix -{level}, {engine.name}"] = nlmzip.compress(data, model=engine, level=level)
    return {name: hashlib.sha256(archive).hexdigest() for name, archive in archives.items()}


def elsewhere(options) -> dict[str, str]:
    """The same from a process for the oldest processor."""
    chosen = ["--model", options.model, "--engine", options.engine, "--text", str(options.text)]
    return on_oldest([__file__, "--digests", *chosen])


def on_oldest(command: list[str]):
    """The JSON that a script prints in a process whose kernels are compiled for the oldest processor."""
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "NUMBA_CPU_NAME": OLDEST, "NUMBA_CPU_FEATURES": ""},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    harness.run(main)
