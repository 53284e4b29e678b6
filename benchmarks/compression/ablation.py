#!/usr/bin/env python3
"""What each part of the mixing engine buys at the default level, and what words in it buy.

Each row is the whole engine without one part; parts inside kernels are left out of a copy
of the package, which is compiled and codes in a process of its own. Texts are FILEs or those
of a list, as in levels.py; --first takes the beginning of each only. Everything is decoded
and compared.
"""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

import nlmzip
from nlmzip.bench.own import Own, engine_with
from nlmzip.codec import mix
from nlmzip.engine.byte_model import Beginning, without_model
from nlmzip.engine.primed import untrained
from nlmzip.models import catalogue
from nlmzip.models.modes import name_of_mode

#: The default design's contexts and weight sets, in its order.
CONTEXTS = (
    *(f"order {order}" for order in range(1, 7)),
    "word", "word + word before", "word, skipping one", "word + two words before",
    "column with the character above", "characters above",
)  # fmt: skip
SETS = (
    "partial byte", "match and confidence", "last byte", "classes of three bytes",
    "byte before the last", "length of the word",
)  # fmt: skip
#: A match of so many bytes is never found.
MORE_THAN_A_TEXT = 1 << 40

#: Files of nlmzip/engine/ whose lines are parts.
LOOP, COUNTERS, CURVES = "loop.py", "inputs/counters.py", "mixing/refine.py"

_LOGIT = (COUNTERS, "inputs[first] = stretch[probability >> _PROBABILITY_SHIFT]", "pass")
_MARGIN = (COUNTERS, "inputs[first + 2] = (np.float32(probability) - _CENTRE) * _SPREAD", "pass")
_BY_BYTE = (
    (
        CURVES, "probability = mixed.probability + refined(curves.by_byte, by_byte, point, share)",
        "probability = mixed.probability",
    ),
    (
        CURVES, "learn_refined(curves.by_byte, curve_by_byte(here.recent, here.partial), point, share, bit)",
        "pass",
    ),
)
_MEAN = "return (probability + refined_twice + refined_twice) * _QUARTER"
#: Parts inside kernels: a file, a line of it, and what stands there without the part.
#: An input that is not filled stays 0.
INPUT_LINES = {
    "order 0": (
        (
            LOOP, "inputs[of_order_0] = tables.stretch[moving.maps.order_0[here.partial] >> _PROBABILITY_SHIFT]",
            "pass",
        ),
        (LOOP, "maps.order_0[partial] = adapt(maps.order_0[partial], bit, tables.reciprocal[seen])", "pass"),
        (LOOP, "maps.order_0_seen[partial] = min(seen + 1, MOST_OBSERVATIONS)", "pass"),
    ),
    "adaptive probability: its logit": (_LOGIT,),
    "adaptive probability: its distance from 1/2": (_MARGIN,),
    "adaptive probability: both": (
        _LOGIT, _MARGIN,
        (COUNTERS, "slots[place] = adapt(slots[place], bit, rate)", "pass"),
    ),
    "bit history": (
        (COUNTERS, "inputs[first + 1] = stretch[by_history >> _PROBABILITY_SHIFT]", "pass"),
        (COUNTERS, "maps.history[context, history] = adapt(maps.history[context, history], bit, rate)", "pass"),
        (COUNTERS, "maps.history_seen[context, history] = min(seen + 1, MOST_OBSERVATIONS)", "pass"),
        (COUNTERS, "after = np.int64(tables.history[history, bit]) << 6 | observations", "after = observations"),
    ),
    "run": (
        (COUNTERS, "inputs[first + 3] = logit if expected else -logit", "pass"),
        (COUNTERS, "maps.run[context, index] = adapt(maps.run[context, index], expected == bit, 1024)", "pass"),
        (LOOP, "learn_runs(engine.slots, moving.current, byte)", "pass"),
    ),
}  # fmt: skip
ESTIMATION_LINES = {
    "secondary estimation by the last byte": (
        *_BY_BYTE, (CURVES, _MEAN, "return (probability + refined_twice) * _HALF"),
    ),
    "both secondary estimations": (
        *_BY_BYTE, (CURVES, _MEAN, "return probability"),
        (
            CURVES,
            "learn_refined(curves.by_trigram, curve_by_trigram(here.recent, here.partial), point, share, bit)",
            "pass",
        ),
    ),
}  # fmt: skip
WORDS = (("kn", False), ("nplm", False), ("rnn", False), ("rnn", True), ("kn+rnn", True))

#: Codes a text: bytes, and CPU seconds of encoding.
Coder = Callable[[bytes], tuple[int, float]]


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_texts(parser)
    parser.add_argument("--first", type=int, metavar="N", help="bytes of each file")
    harness.add_model(parser)
    harness.add_text(parser)
    parser.add_argument("--serve", action="store_true", help="code what a process of this script says")
    options = parser.parse_args()
    whole = without_model(mix.START)
    if options.serve:
        return serve(partial(coded, whole))
    files = harness.texts(options)
    texts = [file.read_bytes()[: options.first] for file in files]
    model = catalogue.load(options.model)
    with harness.Report(__file__, options) as report:
        report.line(f"\n{', '.join(file.name for file in files)}")
        report.line(f"{len(texts)} texts, {sum(map(len, texts)):,} bytes; bytes are of payloads\n")
        table(report, texts, partial(coded, whole, check=False), without_parts(whole), rounds=2)
        report.line(
            "\nKB/s are CPU time of encoding, the least of a few rounds. The speed's ratio is to the\n"
            "whole engine's, which codes each text just before; its own ratio shows the noise. No\n"
            "start was learnt again for the parts that are left, so rows overstate a little what a\n"
            "part buys. The mixer takes 16 inputs at a time: of 52 it needs four steps, of the 48\n"
            "without a context three; any other input that is left out stays there as zero.\n"
        )
        report.model(model)
        text = options.text.read_bytes()
        report.line(f"{options.text.name}, {len(text):,} bytes; bytes are of archives\n")
        alone = Own("engine alone", {"model": catalogue.NO_MODEL})
        added = {f"+ {name_of_mode(*each)}": engine_with(model, *each) for each in WORDS}
        coders = [(name, partial(archived, own)) for name, own in {alone.name: alone, **added}.items()]
        table(report, [text], partial(archived, alone, check=False), coders, rounds=4)


def table(report, texts: list[bytes], whole: Coder, coders: Iterable[tuple[str, Coder]], rounds: int) -> None:
    """What each coder makes of all texts, beside the whole engine; of times the least counts."""
    n_bytes, rows = sum(map(len, texts)), []
    for name, code in coders:
        code(texts[0][:1000])  # compiles
        runs = [[(*whole(text), *code(text)) for text in texts] for _ in range(rounds)]
        whole_size, whole_seconds, size, seconds = np.min(runs, axis=0).sum(axis=0)
        rows.append([
            name, f"{size:,.0f}", f"{size - whole_size:+,.0f}", f"{100 * (size / whole_size - 1):+.2f}%",
            f"{n_bytes / seconds / 1e3:.0f}", f"{whole_seconds / seconds:.2f}",
        ])  # fmt: skip
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    report.table(["", "bytes", "difference", "", "KB/s", "speed's ratio"], rows)


def coded(beginning: Beginning, text: bytes, check: bool = True) -> tuple[int, float]:
    payload, seconds = harness.seconds_of(mix.encode, text, beginning)
    assert not check or mix.decode(payload, len(text), beginning) == text, "does not decode"
    return len(payload), seconds


def archived(own: Own, text: bytes, check: bool = True) -> tuple[int, float]:
    archive, seconds = harness.seconds_of(nlmzip.compress, text, **own.settings)
    assert not check or nlmzip.decompress(archive, model=own.settings["model"]) == text, "does not decode"
    return len(archive), seconds


def without_parts(whole: Beginning) -> Iterator[tuple[str, Coder]]:
    """The whole engine, and the engine without each part."""
    yield "whole engine", partial(coded, whole)
    for name, beginning in fewer_inputs(whole).items():
        yield f"without {name}", partial(coded, beginning)
    yield from other_kernels(INPUT_LINES)
    for name, beginning in smaller_mixers(whole).items():
        yield name, partial(coded, beginning)
    yield from other_kernels(ESTIMATION_LINES)
    yield "without the learnt start", partial(coded, whole._replace(start=untrained(whole.design)))


def fewer_inputs(whole: Beginning) -> dict[str, Beginning]:
    """Without each context, and without the match model."""
    made = {name: without_context(whole, index) for index, name in enumerate(CONTEXTS)}
    made["the match model"] = whole._replace(design=whole.design._replace(matches=(MORE_THAN_A_TEXT,)))
    return made


def smaller_mixers(whole: Beginning) -> dict[str, Beginning]:
    """Without each weight set, all but one, the second layer, one secondary estimation."""
    start, design, made = whole.start, whole.design, {}
    for index, name in enumerate(SETS):
        others = [each for each in range(len(SETS)) if each != index]
        made[f"without the weight set by {name}"] = with_sets(whole, others)
    made[f"one weight set only, by {SETS[0]}"] = with_sets(whole, [0])
    # Rates of the weights at first and at last, and of the second layer.
    rate = np.array([start.rate[0], design.last_rate, 0], np.float32)
    averaging = start._replace(final=np.full_like(start.final, 1 / len(SETS)), rate=rate)
    made["without the second layer: sets averaged"] = whole._replace(start=averaging)
    made["without secondary estimation by three bytes"] = whole._replace(design=design._replace(curves=1))
    return made


def without_context(whole: Beginning, index: int) -> Beginning:
    start, design, per_context = whole.start, whole.design, whole.design.context_inputs
    fewer = design._replace(kinds=design.kinds[:index] + design.kinds[index + 1 :])
    rows = start.weights.reshape(-1, design.inputs)[:, : design.bias_input + 1]
    kept = np.delete(rows, slice(per_context * index, per_context * (index + 1)), axis=1)
    weights = np.zeros((len(rows), fewer.inputs), np.float32)
    weights[:, : kept.shape[1]] = kept
    maps = {name: np.delete(getattr(start, name), index, 0) for name in ("history", "history_seen", "run")}
    return whole._replace(start=start._replace(weights=weights.ravel(), **maps), design=fewer)


def with_sets(whole: Beginning, sets: list[int]) -> Beginning:
    """With these weight sets only; what the others had in the second layer is shared out equally."""
    start, design = whole.start, whole.design
    fewer = design._replace(selectors=tuple(design.selectors[index] for index in sets))
    parts = np.split(start.weights.reshape(-1, design.inputs), np.cumsum(design.set_sizes)[:-1])
    final = start.final[:, sets]
    final = final + (start.final.sum(1) - final.sum(1))[:, None] / np.float32(len(sets))
    weights = np.concatenate([parts[index] for index in sets])
    return whole._replace(start=start._replace(weights=weights.ravel(), final=final), design=fewer)


def changed(source: str, line: str, replacement: str) -> str:
    """The source with another line where this one stands, which it does once."""
    lines = source.splitlines()
    (place,) = [index for index, each in enumerate(lines) if each.strip() == line]
    lines[place] = lines[place].replace(line, replacement)
    return "\n".join(lines) + "\n"


def other_kernels(parts: dict) -> Iterator[tuple[str, Coder]]:
    for name, lines in parts.items():
        with copy_without(lines) as code:
            yield f"without {name}", code


@contextmanager
def copy_without(lines) -> Iterator[Coder]:
    """A coder that runs on a copy of the package in which these lines are others."""
    with TemporaryDirectory() as folder:
        for name in ("nlmzip", "benchmarks"):
            skipped = shutil.ignore_patterns("__pycache__", "results")
            shutil.copytree(harness.ROOT / name, Path(folder, name), ignore=skipped)
        for name, line, replacement in lines:
            path = Path(folder, "nlmzip", "engine", name)
            path.write_text(changed(path.read_text(), line, replacement))
        command = [sys.executable, Path(folder, harness.name_of(__file__)), "--serve"]
        environment = os.environ | {"NLMZIP_CACHE": str(Path(folder, "cache"))}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, env=environment, **pipes) as other:

            def code(text: bytes) -> tuple[int, float]:
                pickle.dump(text, other.stdin)
                other.stdin.flush()
                return pickle.load(other.stdout)

            yield code


def serve(code: Coder) -> None:
    """Answer each text with what the coder makes of it, until there are no more."""
    while sys.stdin.buffer.peek():
        pickle.dump(code(pickle.load(sys.stdin.buffer)), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    harness.run(main)
