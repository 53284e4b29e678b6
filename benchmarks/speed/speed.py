#!/usr/bin/env python3
"""How fast a token is coded on one core, in a unit that does not depend on the machine.

The unit is one plain product of a vector with a 128 x 3,427 float32 matrix, timed between
the pieces of text that are coded, so that both see the same noise. Medians over pieces, of
CPU time: one thread computes, and what others do on the machine is not its doing.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice, repeat
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

import nlmzip
from benchmarks.shared.word_study import all_modes, mode_name
from nlmzip.codec import mix, words
from nlmzip.engine.profiles import DEFAULT, LEVELS
from nlmzip.entropy.range_coder import Decoder, Encoder
from nlmzip.kernels import njit
from nlmzip.kernels.dense import affine
from nlmzip.models import catalogue

ROWS, COLUMNS = 128, 3427
PRODUCTS = 100  # timed at once

STATIC_TARGET, DYNAMIC_TARGET = 4, 10  # products a token
DECODE_TARGET = 1.15  # decoding over encoding
MEMORY_TARGET = 400  # MB
FAST_TARGET = 1.8  # speed of the mixing engine at -1 over that at its default
BANDWIDTH_TARGET = 2  # reading over multiplying, GB/s


class Piece(NamedTuple):
    """One stretch of text: its size, and the seconds of each direction and of one product."""

    n_tokens: int
    n_bytes: int
    encode: float
    decode: float
    product: float


@njit
def read_all(memory):
    """Sum of uint64 words, of which nothing but their reading costs time."""
    total = np.uint64(0)
    for index in range(memory.size):
        total += memory[index]
    return total


class Product:
    """The unit, and the plain reading of the same matrix."""

    def __init__(self):
        generator = np.random.default_rng(1)
        self.weights = generator.standard_normal((ROWS, COLUMNS)).astype(np.float32)
        self._x = generator.standard_normal(ROWS).astype(np.float32)
        self._bias, self._out = np.zeros(COLUMNS, np.float32), np.zeros(COLUMNS, np.float32)
        self._words = self.weights.view(np.uint8).reshape(-1).view(np.uint64)
        self.multiply_seconds()
        self.read_seconds()

    def multiply_seconds(self) -> float:
        """Seconds of one product: the mean of PRODUCTS in a row."""
        begin = time.thread_time()
        for _ in range(PRODUCTS):
            affine(self._x, self.weights, self._bias, self._out)
        return (time.thread_time() - begin) / PRODUCTS

    def bandwidths(self) -> list[float]:
        """GB/s of the matrix in a product and in plain reading."""
        seconds = self.multiply_seconds(), self.read_seconds()
        return [self.weights.nbytes / each / 1e9 for each in seconds]

    def read_seconds(self) -> float:
        begin = time.thread_time()
        for _ in range(PRODUCTS):
            read_all(self._words)
        return (time.thread_time() - begin) / PRODUCTS


class Contestant:
    """A predictor that encodes a text and decodes it, one step behind, piece by piece."""

    def __init__(self, data: bytes, model, predictor: str, dynamic: bool):
        self.name = predictor, mode_name(dynamic)
        form = words.form_for(data, model)
        cache = model.card["default"]["spelling_cache"]
        settings = words.WordSettings(predictor, dynamic, cache, form)
        payload = words.encode(data, model, settings)  # compiles, too
        self._encoder = words.WordCoder(Encoder(), model, settings)
        self._decoder = words.WordCoder(Decoder(payload), model, settings)
        self._tokens = self._encoder.form.tokens(data)
        self.pieces: list[Piece] = []

    def run_piece(self, n_tokens: int, product: Product) -> None:
        """Time the next tokens in both directions, and products before, between and after."""
        tokens = list(islice(self._tokens, n_tokens))
        if not tokens:
            return
        before = product.multiply_seconds()
        begin = time.thread_time()
        for token in tokens:
            self._encoder.code(token)
        encode = time.thread_time() - begin
        between = product.multiply_seconds()
        begin = time.thread_time()
        decoded = [self._decoder.code(each)[0] for each in repeat(None, len(tokens))]
        decode = time.thread_time() - begin
        after = product.multiply_seconds()
        assert decoded == tokens
        n_bytes = sum(len(token.text) for token in tokens)
        unit = statistics.median((before, between, after))
        self.pieces.append(Piece(len(tokens), n_bytes, encode, decode, unit))

    def median(self, figure) -> float:
        return statistics.median(map(figure, self.pieces))


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser)
    parser.add_argument("--piece", type=int, default=500, metavar="TOKENS")
    parser.add_argument("--pieces", type=int, default=40, metavar="N")
    parser.add_argument("--memory-of", choices=("encode", "decode"), help="print MB, no more")
    options = parser.parse_args()
    if options.memory_of:
        print(peak_memory(options))
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    model = catalogue.load(options.model)
    data = options.text.read_bytes()
    with harness.Report(__file__, options) as report:
        report.model(model)
        product = Product()
        contestants = [
            Contestant(data, model, predictor, dynamic)
            for predictor, dynamic, possible in all_modes(model)
            if possible
        ]
        bandwidths = []
        for _ in range(options.pieces):
            for contestant in contestants:
                bandwidths.append(product.bandwidths())
                contestant.run_piece(options.piece, product)
        predictor_table(report, contestants)
        axpy, read = (statistics.median(column) for column in zip(*bandwidths))
        n_bytes = product.weights.nbytes
        report.line(
            f"\none product of 128 x 3,427: {n_bytes / axpy / 1e3:.1f} us, {axpy:.1f} GB/s"
            f" = {axpy / 2:.1f} billion multiply-adds a second;\n"
            f"reading the same {n_bytes / 1e6:.2f} MB: {read:.1f} GB/s, {read / axpy:.2f} times"
            f" that {verdict(read / axpy, BANDWIDTH_TARGET)}"
        )
        fast = speed_of_fast(data)
        met = "met" if fast >= FAST_TARGET else "MISSED"
        report.line(
            f"the mixing engine encodes {fast:.2f} times as fast at -1 as at its default"
            f" (at least {FAST_TARGET}: {met})"
        )
        with tempfile.TemporaryDirectory() as empty_cache:
            peaks = {
                "encode": memory_of_child(options, "encode"),
                "decode": memory_of_child(options, "decode"),
                "encode with kernels to compile": memory_of_child(options, "encode", empty_cache),
            }
        for what, peak in peaks.items():
            report.line(f"peak memory of {what}: {peak:.0f} MB {verdict(peak, MEMORY_TARGET)}")


def predictor_table(report, contestants) -> None:
    rows = []
    for contestant in contestants:
        encode = contestant.median(lambda piece: piece.encode / piece.n_tokens / piece.product)
        decode = contestant.median(lambda piece: piece.decode / piece.n_tokens / piece.product)
        ratio = contestant.median(lambda piece: piece.decode / piece.encode)
        targets = {("rnn", "static"): STATIC_TARGET, ("rnn", "dynamic"): DYNAMIC_TARGET}
        target = targets.get(contestant.name)
        rows.append([
            *contestant.name,
            f"{contestant.median(lambda p: p.encode / p.n_tokens) * 1e6:.0f}",
            f"{encode:.2f}",
            f"{decode:.2f}",
            verdict(max(encode, decode), target) if target else "",
            f"{ratio:.3f}",
            verdict(ratio, DECODE_TARGET),
            f"{contestant.median(lambda p: p.n_bytes / p.encode) / 1e3:.1f}",
            f"{contestant.median(lambda p: p.n_bytes / p.decode) / 1e3:.1f}",
        ])  # fmt: skip
    report.line(
        f"medians over {len(contestants[0].pieces)} pieces of {contestants[0].pieces[0].n_tokens:,}"
        " tokens, in turn over all predictors\n"
    )
    report.table(
        ["predictor", "", "us a token", "encode, products", "decode, products", "target",
         "decode / encode", "target", "encode KB/s", "decode KB/s"],
        rows,
    )  # fmt: skip


def speed_of_fast(data: bytes, turns: int = 7) -> float:
    """How many times as fast -1 is as the default: the median over encodings in turn."""
    ratios = []
    for turn in range(turns + 1):
        seconds = []
        for level in (LEVELS[1], LEVELS[DEFAULT]):
            begin = time.thread_time()
            mix.encode(data, level.start)
            seconds.append(time.thread_time() - begin)
        if turn:  # the first one compiles
            ratios.append(seconds[1] / seconds[0])
    return statistics.median(ratios)


def verdict(value: float, target: float) -> str:
    return f"(at most {target}: {'met' if value <= target else 'MISSED'})"


def memory_of_child(options, direction: str, cache: str | None = None) -> float:
    """Peak memory of a fresh process that does one direction with the model's own settings, MB.

    cache: a folder for compiled kernels, the usual one if None.
    """
    environment = {**os.environ, **({"NLMZIP_CACHE": cache} if cache else {})}
    command = [sys.executable, __file__, "--model", options.model, "--text", str(options.text)]
    command += ["--memory-of", direction]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def peak_memory(options) -> float:
    if options.memory_of == "encode":
        nlmzip.compress(options.text.read_bytes(), model=options.model, codec="words")
    else:
        # Encoding in another process, so that only decoding counts here.
        command = [sys.executable, "-m", "nlmzip", "encode", "--codec", "words", "-c"]
        command += ["--model", options.model]
        environment = {**os.environ, "PYTHONPATH": str(harness.ROOT)}
        done = subprocess.run(
            [*command, str(options.text)], env=environment, stdout=subprocess.PIPE, check=True
        )
        nlmzip.decompress(done.stdout, model=options.model)
    return peak_bytes() / 1e6


def peak_bytes() -> int:
    """Most memory that this process has held; what its parent held does not count."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: ru_maxrss would begin with the parent's memory
        (line,) = (each for each in status.read_text().splitlines() if each.startswith("VmHWM:"))
        return int(line.split()[1]) << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


if __name__ == "__main__":
    harness.run(main)
