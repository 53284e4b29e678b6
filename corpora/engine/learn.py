"""Learn the mixing engine's start: `python corpora/engine/learn.py -o START.nlm TEXT...`

Reads pieces of all the texts in turn, each with an engine whose tables are empty, and
keeps the mixing weights and maps from one piece to the next: what stays is how far each
kind of context can be trusted, not what the texts say. The learning rate falls to zero
over the pieces. See corpora/engine/README.md for the texts of the shipped start.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora.finance.splitmix import SplitMix64  # noqa: E402
from nlmzip.engine.loop import code_bytes
from nlmzip.engine.memory import engine, learnt
from nlmzip.engine.primed import Start, pack, untrained
from nlmzip.engine.profiles import DEFAULT, LEVELS, Design
from nlmzip.entropy.range_coder import Encoder
from nlmzip.models import model_file

PIECE_LENGTHS = (3_000, 15_000, 60_000)
LINE_BITS = 16
HIGHEST_RATE, LOWEST_RATE = 0.02, 0.002
# Of coarsened starts: steps of a weight from 0 to 1, rows of the largest set whose rows are kept.
WEIGHT_STEPS, LARGEST_SET = 256, 512


def pieces(texts: list[bytes], n_pieces: int, chance: SplitMix64) -> list[bytes]:
    """Pieces of several lengths at random places, text after text."""
    cut = []
    for number in range(n_pieces):
        text = texts[number % len(texts)]
        length = PIECE_LENGTHS[chance.below(len(PIECE_LENGTHS))]
        first = chance.below(max(1, len(text) - length))
        cut.append(text[first : first + length])
    return cut


def learn(texts: list[bytes], design: Design, n_pieces: int, seed: int) -> tuple[Start, int]:
    """The design's start learnt from so many pieces, and the number of bytes read."""
    start, n_bytes = untrained(design), 0
    for number, piece in enumerate(pieces(texts, n_pieces, SplitMix64(seed))):
        left = 1 - number / n_pieces
        rate = np.float32(LOWEST_RATE + (HIGHEST_RATE - LOWEST_RATE) * left)
        reading = engine(LINE_BITS, start._replace(rate=np.full(1, rate)), design)
        data = np.frombuffer(piece, np.uint8).copy()
        code_bytes(Encoder(), reading, data, 0, data.size)
        start = learnt(reading)
        n_bytes += len(piece)
        if number % 20 == 19:
            print(f"{number + 1} of {n_pieces} pieces, {n_bytes:,} bytes", file=sys.stderr)
    return start, n_bytes


def coarsened(start: Start, design: Design) -> Start:
    """The start with fewer digits, and large weight sets as their mean row, so that its file is small."""
    weights, first = [], 0
    rows = start.weights.astype(np.float32).reshape(-1, design.inputs)
    for size in design.set_sizes:
        part = rows[first : first + size]
        first += size
        if size > LARGEST_SET:
            used = (part != part[:, :1]).any(axis=1)
            part = np.tile(part[used].mean(axis=0), (size, 1))
        weights.append(part)
    steps = np.float32(WEIGHT_STEPS)
    return start._replace(
        weights=(np.round(np.concatenate(weights) * steps) / steps).ravel(),
        by_byte=np.round(start.by_byte.astype(np.float32) * np.float32(512)) / np.float32(512),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="+", type=Path, metavar="TEXT")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="START.nlm")
    parser.add_argument("--level", type=int, choices=LEVELS, default=DEFAULT)
    parser.add_argument("--pieces", type=int, default=400, metavar="N")
    parser.add_argument("--coarse", action="store_true", help="make the file small")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args()
    texts = [path.read_bytes() for path in options.texts]
    start, n_bytes = learn(texts, LEVELS[options.level].design, options.pieces, options.seed)
    if options.coarse:
        start = coarsened(start, LEVELS[options.level].design)
    card = {
        "name": options.output.stem,
        "kind": "engine start",
        "level": options.level,
        "training": {
            "texts": len(texts),
            "pieces": options.pieces,
            "bytes": n_bytes,
            "seed": options.seed,
        },
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_bytes(model_file.write(card, pack(start)))


if __name__ == "__main__":
    main()
