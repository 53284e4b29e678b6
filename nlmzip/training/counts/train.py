"""From texts to a model of bytes: exact counts, pruned and coded, and what to make of them.

documents -> counts -> pruning to the size asked for -> coded counts -> mixing weights
learnt on documents not counted -> learning rates chosen on yet others -> counts of all
documents -> model file. corpora/english/README.md says what the parts buy.
"""

import hashlib
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from ...counts import count_levels, counts_file, store, trie
from ...engine import byte_model
from ...engine.byte_model import Beginning
from ...engine.inputs import counted
from ...engine.primed import Start, rounded, shipped, widened
from ...engine.profiles import (
    LEVELS,
    LONG_DESIGN,
    LONGEST_DESIGN,
    MOST_SLOTS_BESIDE_COUNTS,
    Design,
)
from ...errors import OptionError
from ...models import model_file
from ..pipeline import Silent, created_by
from . import counting, documents, mixing
from .pruning import PRUNINGS, Pruning
from .threads import Threads

#: A model of fewer bytes than these has no room for counts beside its weights.
LEAST_SIZE = 300_000

#: The engine's level that models are trained for.
LEVEL = 5

_MIXING_BYTES = 2_000_000
_DEV_BYTES = 400_000
_LEARNING_RATES = (0.005, 0.0005)
_FINAL_RATE = 0.002
# Rates of the sets' weights at the beginning of a text and in the end that are tried.
_FIRST_RATES, _LAST_RATES = (0.001, 0.002, 0.004, 0.008), (0.001, 0.002)
_RATES = [rates for rates in product(_FIRST_RATES, _LAST_RATES) if rates[0] >= rates[1]]
# What coding a follower takes, as far as is known before the first coding.
_BITS_A_FOLLOWER = 2.3
_TRIES = 4
_CARD_BYTES = 2000


class Reach(NamedTuple):
    """How far contexts of words go back, whether some skip a word, orders, and the engine's design."""

    words: int
    skipping: bool
    orders: int
    design: Design

    @property
    def kinds(self) -> list[int]:
        """The kinds of trie.py that are coded."""
        words = (trie.WORD, trie.AFTER_ONE, trie.AFTER_TWO, trie.AFTER_THREE, trie.AFTER_FOUR)
        skipping = [trie.SKIPPING_ONE] if self.skipping else []
        longer = (trie.ORDER_7, trie.ORDER_8)[: self.orders - trie.ORDERS]
        return sorted([*range(trie.ORDERS), *words[: self.words + 1], *skipping, trie.COLUMN, *longer])


#: By the names that --contexts takes.
REACHES = {
    "short": Reach(2, True, 6, LEVELS[LEVEL].design),
    "long": Reach(4, False, 6, LONG_DESIGN),
    "longest": Reach(4, False, 8, LONGEST_DESIGN),
}


@dataclass(frozen=True)
class CountsOptions:
    """size: most bytes of the model file; contexts: of REACHES, or None for what is better
    on the dev text; seed: chooses what is kept apart."""

    name: str
    size: int = 8_000_000
    contexts: str | None = None
    seed: int = 1


class _Candidate(NamedTuple):
    """A model as it may become: dev_bpc is of texts that it does not know."""

    dev_bpc: float
    reach: Reach
    start: Start


def train_counts(
    texts: list[bytes], dev: bytes | None, options: CountsOptions, progress=None, n_threads: int = 1
) -> bytes:
    """Train a model of bytes: the bytes of its file, at most options.size.

    dev: what to choose on; a part of the texts if None. progress: as for train_model. n_threads:
    how much is done at once; it changes no byte. Raises OptionError for texts too short, or a
    size too small.
    """
    threads = Threads(n_threads, progress or Silent())
    if options.size < LEAST_SIZE:
        raise OptionError(f"a model of bytes takes at least {LEAST_SIZE} bytes; give more with --size")
    if dev is not None and not dev:
        raise OptionError("the dev text is empty; give another one, or none")
    parts = documents.keep_apart(texts, _MIXING_BYTES, 0 if dev else _DEV_BYTES, options.seed)
    if not (parts.counted and parts.mixing):
        raise OptionError("too little text to train on; give some thousands of bytes")
    dev_texts = [dev] if dev else parts.dev or parts.mixing
    chance = np.random.default_rng(options.seed)
    # Pieces may overlap, but no text is read so often that its own words are learnt by heart.
    pieces = mixing.pieces(parts.mixing, min(_MIXING_BYTES, _length(parts.mixing)), chance)
    dev_pieces = mixing.pieces(dev_texts, min(_DEV_BYTES, _length(dev_texts)), chance)

    pairs = _count(parts.counted, PRUNINGS[0], threads)
    names = [options.contexts] if options.contexts else list(REACHES)
    threads.stage("trying settings", len(names) * (_TRIES + len(pieces) + len(_RATES)))

    def candidate(name: str) -> _Candidate:
        return _candidate(REACHES[name], pairs, parts.counted, pieces, dev_pieces, options.size, threads)

    best = min(threads.map(candidate, names), key=lambda candidate: candidate.dev_bpc)
    everything = parts.counted + parts.mixing + parts.dev
    pairs = _count(everything, PRUNINGS[0], threads)
    room = options.size - _size_of(best.start)
    threads.stage("coding", _TRIES)
    pruning, coded, _ = _code(pairs, best.reach, everything, room, threads.advance)
    card, arrays = byte_model.entries(coded, {LEVEL: best.start})
    card |= {
        "format": 1,
        "name": options.name,
        "created_by": created_by(),
        "training": {
            "bytes": _length(texts),
            "sha256": hashlib.sha256(b"".join(texts)).hexdigest(),
            "pruning": {"followers": pruning.followers, "contexts": pruning.contexts},
            "mixing_bytes": _length(pieces),
            "dev_bytes": _length(dev_pieces),
            "dev_bpc": round(best.dev_bpc, 4),
            "seed": options.seed,
        },
    }
    model = model_file.write(card, arrays)
    if len(model) > options.size:
        raise OptionError(f"a model of these texts takes {len(model)} bytes; give more with --size")
    return model


def _length(texts: list[bytes]) -> int:
    return sum(map(len, texts))


def _size_of(start: Start) -> int:
    """What a start takes in a model file, with a card."""
    coded = counts_file.CodedCounts(b"", 0, 0, 0, 0, False)
    card, arrays = byte_model.entries(coded, {LEVEL: start})
    return len(model_file.write(card | {"name": "model"}, arrays)) + _CARD_BYTES


def _candidate(reach, pairs, counted_texts, pieces, dev_pieces, size, threads) -> _Candidate:
    start = widened(shipped(LEVELS[LEVEL].start), reach.design)
    # The start that is learnt may be far smaller than the one it is learnt from.
    room = max(size - _size_of(start), size // 2)
    _, _, known = _code(pairs, reach, counted_texts, room, threads.advance)
    start = start._replace(history=counted.with_first_probabilities(start.history))
    beginning = Beginning(start, reach.design, MOST_SLOTS_BESIDE_COUNTS, known)
    rates = (*_LEARNING_RATES, _FINAL_RATE)
    beginning = mixing.learn(pieces, beginning, rates, lambda n_bytes: threads.advance())
    beginning = beginning._replace(start=rounded(beginning.start))
    dev_bpc, start = _with_best_rates(beginning, dev_pieces, threads)
    return _Candidate(dev_bpc, reach, start)


def _count(texts: list[bytes], pruning: Pruning, threads: Threads) -> list[counting.Counts]:
    """Counts of each kind of context: all that the pruning needs to decide."""
    threads.stage("counting", trie.KINDS)
    pairs = []
    kinds = [1] * trie.KINDS, [pruning.contexts] * trie.KINDS
    for counts in counting.count(texts, *kinds, threads.map):
        pairs.append(counts)
        threads.advance()
    return pairs


def _code(pairs, reach: Reach, texts, size: int, advance):
    """The most counts that take at most `size` bytes: how they were pruned, coded, and as a store."""
    total = int(count_levels.levels_of(np.array([_length(texts)]))[0])
    candidates = list(PRUNINGS)
    bits = _BITS_A_FOLLOWER
    while True:
        pruning = candidates.pop(0)
        kept = [pruning.pruned(pairs[kind]) for kind in reach.kinds]
        n_followers = sum(counts.count.size for counts in kept)
        if n_followers * bits / 8 > size and candidates:
            continue
        source = _source([*kept, pairs[trie.ROOT]])
        coded, known = counts_file.encode(*source, total, *reach[:3])
        advance()
        if len(coded.payload) <= size or not candidates:
            return pruning, coded, known
        bits = 8 * len(coded.payload) / max(1, n_followers)


def _source(pairs: list[counting.Counts]):
    """A store of counts, with the numbers of its contexts and followers."""
    contexts = np.concatenate([counts.contexts for counts in pairs])
    following = np.concatenate([counts.following for counts in pairs])
    levels = np.concatenate([count_levels.levels_of(counts.count) for counts in pairs])
    first = np.flatnonzero(np.append(True, contexts[1:] != contexts[:-1]))
    made = store.build(contexts[first], np.append(first, contexts.size), following, levels)
    return made, first.size, contexts.size


def _with_best_rates(beginning: Beginning, pieces: list[bytes], threads: Threads) -> tuple[float, Start]:
    """Bits a byte of these pieces, and the start with the learning rates that serve them best."""

    def tried(rates: tuple[float, float]) -> tuple[float, Start]:
        exact = np.array((*rates, _FINAL_RATE), np.float16).astype(np.float32)
        changed = beginning._replace(start=beginning.start._replace(rate=exact))
        bits = sum(mixing.bits_of(piece, changed) for piece in pieces)
        threads.advance()
        return bits / _length(pieces), changed.start

    return min(threads.map(tried, _RATES), key=lambda pair: pair[0])
