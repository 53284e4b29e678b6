"""From texts to a model of bytes: exact counts, pruned and coded, and what to make of them.

documents -> counts -> pruning to the size asked for -> coded counts -> mixing weights
learnt on documents not counted -> learning rates chosen on yet others -> counts of all
documents -> model file. The recipe's measurements stand in corpora/english/README.md.
"""

import hashlib
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..errors import OptionError
from ..mixing import count_levels, counted, store
from ..mixing.start import Start, shipped
from ..models import model_file
from ..prior import byte_model, counting, counts_file, trie
from . import documents, mixing
from .pipeline import Silent, created_by

#: The engine's level that models are trained for.
LEVEL = 5

_MIXING_BYTES = 2_000_000
_DEV_BYTES = 400_000
_LEARNING_RATES = (0.005, 0.0005)
_FINAL_RATE = 0.002
# Rates of the sets' weights at the beginning of a text and in the end that are tried.
_FIRST_RATES, _LAST_RATES = (0.001, 0.002, 0.004, 0.008), (0.001, 0.002)
_BITS_A_FOLLOWER = 3.0
_TRIES = 4


@dataclass(frozen=True)
class CountsOptions:
    """size: most bytes of the model file; seed: chooses what is kept apart."""

    name: str
    size: int = 8_000_000
    seed: int = 1


@dataclass(frozen=True)
class Pruning:
    """Which counts stay, for each kind of context: trie.py's, and order 0 last.

    A follower must have been seen `followers` times, and its context `contexts` times.
    """

    followers: int
    contexts: int

    def kept(self, pairs: counting.Counts) -> np.ndarray:
        """Whether each pair stays, bool (n,)."""
        new = np.append(True, pairs.contexts[1:] != pairs.contexts[:-1])[: pairs.count.size]
        which = np.cumsum(new) - 1
        totals = np.bincount(which, pairs.count)
        return (pairs.count >= self.followers) & (totals[which] >= self.contexts)


#: From most counts to fewest.
PRUNINGS = (
    Pruning(1, 2), Pruning(1, 3), Pruning(2, 2), Pruning(1, 4), Pruning(2, 4), Pruning(2, 6),
    *(Pruning(n, 2 * n) for n in (3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 40, 52, 64, 100, 200, 1000)),
)  # fmt: skip


def train_counts(texts: list[bytes], dev: bytes | None, options: CountsOptions, progress=None) -> bytes:
    """Train a model of bytes: the bytes of its file, at most options.size.

    dev: what to choose learning rates on; a part of the texts if None. progress: as for
    train_model. Raises OptionError for texts too short, or a size too small.
    """
    progress = progress or Silent()
    parts = documents.keep_apart(texts, _MIXING_BYTES, 0 if dev else _DEV_BYTES, options.seed)
    if not (parts.counted and parts.mixing):
        raise OptionError("too little text to train on; give some thousands of bytes")
    dev_texts = [dev] if dev else parts.dev

    chosen, coded, known = _counts(parts.counted, options.size, None, progress)
    progress.stage("mixing", _MIXING_BYTES)
    start = shipped()
    start = start._replace(history=counted.with_first_probabilities(start.history))
    chance = np.random.default_rng(options.seed)
    pieces = mixing.pieces(parts.mixing, _MIXING_BYTES, chance)
    start = mixing.learn(pieces, start, known, (*_LEARNING_RATES, _FINAL_RATE), progress.advance)
    start, dev_bits = _with_best_rates(start, known, dev_texts, progress)

    everything = parts.counted + parts.mixing + parts.dev
    chosen, coded, _ = _counts(everything, options.size - _size_of(start), chosen, progress)
    card, arrays = byte_model.entries(coded, {LEVEL: start})
    card |= {
        "format": 1,
        "name": options.name,
        "created_by": created_by(),
        "training": {
            "bytes": sum(map(len, texts)),
            "sha256": hashlib.sha256(b"".join(texts)).hexdigest(),
            "pruning": {"followers": chosen.followers, "contexts": chosen.contexts},
            "mixing_bytes": sum(map(len, pieces)),
            "dev_bytes": sum(map(len, dev_texts)),
            "dev_bpc": round(dev_bits, 4),
            "seed": options.seed,
        },
    }
    model = model_file.write(card, arrays)
    if len(model) > options.size:
        raise OptionError(f"a model of these texts takes at least {len(model)} bytes; give more with --size")
    return model


def _size_of(start: Start) -> int:
    """What a start takes in a model file."""
    card, arrays = byte_model.entries(counts_file.CodedCounts(b"", 0, 0, 0), {LEVEL: start})
    return len(model_file.write(card | {"name": "x"}, arrays)) + 1000


def _counts(texts: list[bytes], size: int, first: Pruning | None, progress):
    """The most counts that take at most `size` bytes: how they were pruned, coded, and as a store."""
    least = first or PRUNINGS[0]
    progress.stage("counting", trie.KINDS + 1)
    pairs = []
    kinds = (least.followers,) * trie.KINDS, (least.contexts,) * trie.KINDS
    for counts in counting.count(texts, *kinds):
        pairs.append(counts)
        progress.advance()
    total = int(count_levels.levels_of(np.array([sum(map(len, texts))]))[0])
    candidates = list(PRUNINGS[PRUNINGS.index(least) :])
    progress.stage("coding", _TRIES)
    bits = _BITS_A_FOLLOWER
    while True:
        pruning = candidates.pop(0)
        kept = [pruning.kept(counts) for counts in pairs[:-1]]
        n_followers = sum(int(each.sum()) for each in kept)
        if n_followers * bits / 8 > size and candidates:
            continue
        source = _source([_chosen(c, k) for c, k in zip(pairs, [*kept, None], strict=True)])
        coded, known = counts_file.encode(*source, total)
        progress.advance()
        if len(coded.payload) <= size or not candidates:
            return pruning, coded, known
        bits = 8 * len(coded.payload) / max(1, n_followers)


def _chosen(counts: counting.Counts, kept: np.ndarray | None) -> counting.Counts:
    return counts if kept is None else counting.Counts(*(array[kept] for array in counts))


def _source(pairs: list[counting.Counts]):
    """A store of counts, with the numbers of its contexts and followers."""
    contexts = np.concatenate([counts.contexts for counts in pairs])
    following = np.concatenate([counts.following for counts in pairs])
    levels = np.concatenate([count_levels.levels_of(counts.count) for counts in pairs])
    first = np.flatnonzero(np.append(True, contexts[1:] != contexts[:-1]))
    made = store.build(contexts[first], np.append(first, contexts.size), following, levels)
    return made, first.size, contexts.size


def _with_best_rates(start: Start, known, texts: list[bytes], progress) -> tuple[Start, float]:
    """The start with the learning rates that serve these texts best, and their bits a byte."""
    pieces = mixing.pieces(texts, _DEV_BYTES, np.random.default_rng(0))
    n_bytes = sum(map(len, pieces))
    tried = {}
    progress.stage("tuning", len(_FIRST_RATES) * len(_LAST_RATES))
    for rates in product(_FIRST_RATES, _LAST_RATES):
        changed = start._replace(rates=np.array((*rates, _FINAL_RATE), np.float16).astype(np.float32))
        if rates[0] >= rates[1]:
            bits = sum(mixing.bits_of(piece, changed, known) for piece in pieces)
            tried[rates] = bits / n_bytes, changed
        progress.advance()
    bits, best = min(tried.values(), key=lambda pair: pair[0])
    return best, bits
