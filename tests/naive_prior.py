"""The naive twin of prior knowledge: counts in dictionaries, a store that is read by hand,
slots filled by the definition, and engines that begin with them. And a tiny model of bytes.
"""

import functools
import random
from collections import Counter, defaultdict

import naive_finer
import naive_mixing
import numpy as np
from naive_mixing import word_hash, words_of
from naive_numbers import MASK_64, mix_hash

from nlmzip.counts import count_levels, counts_file, trie
from nlmzip.engine import byte_model
from nlmzip.engine.inputs import counted
from nlmzip.engine.primed import shipped, widened
from nlmzip.engine.profiles import LEVELS
from nlmzip.models import model_file
from nlmzip.training.counts import counting
from nlmzip.training.counts import train as training

WORD, AFTER_ONE, SKIPPING_ONE, AFTER_TWO, COLUMN, AFTER_THREE, AFTER_FOUR = range(6, 13)
ROOT, ORDER_7, ORDER_8 = 13, 14, 15
KEPT_BITS = 0xFFFFFFFFFFFF0000
#: The names of what is counted, in the order of its kinds; the engine has none for order 0.
COUNTED = (
    *naive_mixing.CONTEXTS[:11], "after three words", "after four words", None, "order 7", "order 8",
)  # fmt: skip

# --- texts


def text_of(n_bytes: int, seed: int) -> bytes:
    """Sentences of few words, made up, with case, digits, both line ends, and bytes from 0x80."""
    chance = random.Random(seed)
    subjects = "The cow|the goat|THE DOG|Mr. Fox|die Kühe|it|number 12|she".split("|")
    verbs = "ate|grazed near|hunted|ran to|saw 1999 of|fraß".split("|")
    objects = "the hay|the river|the old hill|a hen|Gräser|22 sheep".split("|")
    sentences, size = [], 0
    while size < n_bytes:
        parts = [chance.choice(subjects), chance.choice(verbs), chance.choice(objects)]
        end = chance.choice([".\n", ".\n", ", and ", "; ", "!\r\n", ". "])
        sentences.append((" ".join(parts) + end).encode())
        size += len(sentences[-1])
    return b"".join(sentences)[:n_bytes]


# --- counts


def contexts_of(data: bytes) -> list[tuple]:
    """What each kind of context is after `data`, in words and bytes rather than hashes."""
    finished, now = words_of(data)
    before = (b"", b"", b"", b"", *finished)[:-5:-1]
    *_, above, line = b"", *data.split(b"\n")
    above += b"\n" if b"\n" in data else b""
    return [
        *((data[-order:].rjust(order, b"\0"),) for order in range(1, 7)),
        (now,),
        (now, before[0]),
        (now, before[1]),
        (now, *before[:2]),
        (min(len(line), 255), above[len(line)] if len(line) < len(above) else 0),
        (now, *before[:3]),
        (now, *before),
        (),
        *((data[-order:].rjust(order, b"\0"),) for order in (7, 8)),
    ]


def hash_of(kind: int, context: tuple) -> int:
    """The engine's hash of such a context."""
    if kind == ROOT:
        return 0
    if kind < 6 or kind > ROOT:
        return mix_hash(int.from_bytes(context[0], "big"), len(context[0]))
    if kind == COLUMN:
        return mix_hash(context[0] | context[1] << 8, 11)
    word, *before = map(word_hash, context)
    more = {WORD: 7, AFTER_ONE: 8, SKIPPING_ONE: 9, AFTER_TWO: 10, AFTER_THREE: 39, AFTER_FOUR: 40}[kind]
    if not before:
        return mix_hash(word, more)
    for each in before[:-1]:
        word = mix_hash(word, each)
    return mix_hash(word, before[-1] + more & MASK_64)


def count(texts, least: int = 1, least_context: int = 1) -> list[dict]:
    """Of each kind, {(context, byte): (count, documents)}; of order 0 all."""
    kinds = [defaultdict(lambda: [0, 0]) for _ in COUNTED]
    for text in texts:
        seen = set()
        for place, byte in enumerate(text):
            for kind, context in enumerate(contexts_of(text[:place])):
                pair = kinds[kind][context, byte]
                pair[0] += 1
                pair[1] += (kind, context, byte) not in seen
                seen.add((kind, context, byte))
    counted_ = []
    for kind, pairs in enumerate(kinds):
        totals = Counter()
        for (context, _), (n, _) in pairs.items():
            totals[context] += n
        counted_.append(
            {
                (context, byte): tuple(pair)
                for (context, byte), pair in pairs.items()
                if kind == ROOT or pair[0] >= least and totals[context] >= least_context
            }
        )
    return counted_


def contexts_in(store) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """All of a store by reading it from end to end: (bucket, check, [(byte, level), ...])."""
    found, data = [], store.data.tolist()
    for bucket, (place, end) in enumerate(zip(store.starts[:-1].tolist(), store.starts[1:].tolist())):
        while place < end:
            check, n = data[place] | data[place + 1] << 8, data[place + 2] + 1
            pairs = data[place + 3 : place + 3 + 2 * n]
            found.append((bucket, check, list(zip(pairs[::2], pairs[1::2], strict=True))))
            place += 3 + 2 * n
        assert place == end, "a bucket does not end where the next begins"
    assert store.starts[-1] == len(data)
    return found


class Lookup:
    """A store as a dictionary."""

    def __init__(self, store):
        self.shift, self.known = int(store.shift), {}
        for bucket, check, followers in contexts_in(store):
            self.known.setdefault((bucket, check), followers)

    def followers(self, hashed: int) -> "list[tuple[int, int]] | None":
        """(byte, level) of all that followed this context, None for one that is not known."""
        return self.known.get((hashed >> self.shift, hashed >> 16 & 0xFFFF))


# --- slots


@functools.cache
def level_count(level: int) -> int:
    """0 to 5, then a third more each time."""
    return level if level < 6 else level_count(level - 1) * 4 // 3 + 1


def count_class(n: int) -> int:
    return sum(n >= least for least in (1, 2, 3, 4, 5, 7, 11, 19, 41, 151))


@functools.cache
def counted_numbers() -> dict:
    """The number of each history that begins with counts: the free ones in order."""
    reached, waiting = {(0, 0, "")}, [(0, 0, "")]
    while waiting:
        for bit in (0, 1):
            node = naive_mixing.Node()
            node.history = waiting[0]
            node.move(bit)
            if node.history not in reached:
                reached.add(node.history)
                waiting.append(node.history)
        del waiting[0]
    numbers = {zeros << 7 | ones << 4 | (int("1" + bits, 2) if bits else 0) for zeros, ones, bits in reached}
    free = sorted(set(range(1024)) - numbers)
    bits = ("", "0", "1", "00", "01", "10", "11")
    names = [
        ("counted", zeros, ones, since)
        for zeros in range(11) for ones in range(11) if zeros or ones for since in bits
    ]  # fmt: skip
    return dict(zip(names, free))


def filled(followers, path: str) -> dict[str, tuple]:
    """Of each node of half a byte: (probability, history, observations); path: "" or four bits."""
    nodes = {}
    for n_bits in range(4):
        for number in range(1 << n_bits):
            within = f"{number:0{n_bits}b}" if n_bits else ""
            sums = [
                sum(level_count(level) for byte, level in followers if f"{byte:08b}".startswith(path + within + bit))
                for bit in "01"
            ]
            if any(sums):
                zeros, ones = sums
                probability = (10 * ones + 4) * 65536 // (10 * (zeros + ones) + 8)
                history = ("counted", count_class(zeros), count_class(ones), "")
                nodes[within] = (min(max(probability, 16), 65519), history, min(zeros + ones, 15))
    return nodes


class _Counted:
    """A node whose history may begin with counts."""

    def move(self, bit):
        known = self.history
        if known[0] == "counted":
            self.history = (0, 0, "")
        super().move(bit)
        if known[0] == "counted":
            self.history = (*known[:3], (known[3] + str(bit))[-2:])


class _Fresh:
    """A slot that tells whether it was just taken for another context."""

    def take(self, check):
        super().take(check)
        self.fresh = bool(check)


class _Filling:
    """A context whose slots begin with what a training text saw."""

    def enter(self, hashed, path):
        super().enter(hashed, path)
        if self.slot.fresh:
            self.slot.fresh = False
            self._fill(self.lookup.followers(hashed) or [], path)

    def _fill(self, followers, path):
        for within, (probability, history, observations) in filled(followers, path).items():
            node = self.slot.nodes[int("1" + within, 2)]
            node.probability.value, node.probability.seen = probability, observations
            node.history = history
            if isinstance(node, naive_finer.FinerNode):
                node.fast.value = node.slow.value = probability
        if len(followers) == 1 and not path:
            ((byte, level),) = followers
            self.slot.byte, self.slot.repeats = byte, min(level_count(level), 255)


class _Prior:
    """An engine that begins with a store, here a Lookup."""

    def __init__(self, lookup, start, n_slots, design):
        super().__init__(start, n_slots, design)
        for context in self.contexts:
            context.lookup = lookup
        if len(start.rate) == 3:
            self.last_rate, self.final_rate = start.rate[1:]

    def every_hash(self):
        contexts = contexts_of(self.data)
        kinds = (AFTER_THREE, AFTER_FOUR, ORDER_7, ORDER_8)
        return super().every_hash() | {COUNTED[kind]: hash_of(kind, contexts[kind]) for kind in kinds}


class Node(_Counted, naive_mixing.Node):
    pass


class Slot(_Fresh, naive_mixing.Slot):
    Node = Node


class Context(_Filling, naive_mixing.Context):
    Slot = Slot


class Engine(_Prior, naive_mixing.Engine):
    Context = Context


class FinerNode(_Counted, naive_finer.FinerNode):
    pass


class FinerSlot(_Fresh, naive_finer.FinerSlot):
    Node = FinerNode


class FinerContext(_Filling, naive_finer.FinerContext):
    Slot = FinerSlot


class FinerEngine(_Prior, naive_finer.FinerEngine):
    Context = FinerContext


def _history_number(history, ordinary=naive_mixing.history_number) -> int:
    return counted_numbers()[history] if history[0] == "counted" else ordinary(history)


# The twins index their maps with it.
naive_mixing.history_number = naive_finer.history_number = functools.cache(_history_number)


def encode(data: bytes, beginning) -> bytes:
    """The payload of `data` for what a model begins with (engine/byte_model.py)."""
    engine = FinerEngine if beginning.design.finer else Engine
    level = LEVELS[5]._replace(design=beginning.design, most_slots=beginning.most_slots)
    lookup = Lookup(beginning.store)
    return naive_mixing.encode(data, beginning.start, level, functools.partial(engine, lookup))


# --- a tiny model


@functools.cache
def source(words: int = 2, skipping: bool = True, orders: int = 6, seed: int = 1):
    """(store, contexts, followers, level of the length) of exact counts of two small texts."""
    texts = [text_of(30_000, seed), text_of(30_000, seed + 1)]
    pairs = list(counting.count(texts, [1] * trie.KINDS, [2] * trie.KINDS))
    kinds = training.Reach(words, skipping, orders, None).kinds
    total = int(count_levels.levels_of(np.array([60_000]))[0])
    return (*training._source([*(pairs[kind] for kind in kinds), pairs[ROOT]]), total)


@functools.cache
def coded(words: int = 2, skipping: bool = True, orders: int = 6, seed: int = 1):
    """Coded counts of these texts, and the store that a decoder will have."""
    return counts_file.encode(*source(words, skipping, orders, seed), words, skipping, orders)


def start_of(design):
    """The start of a level with this design whose map knows counted histories."""
    level = next((level for level in LEVELS.values() if level.design == design), LEVELS[5])
    begin = widened(shipped(level.start), design)
    return begin._replace(history=counted.with_first_probabilities(begin.history))


def model_entries(words: int = 2, levels=(5,), name: str = "tiny prior", seed: int = 1, orders: int = 6):
    """Card and arrays of a tiny model of bytes."""
    counts, _ = coded(words, words < 3, orders, seed)
    card = {"counts": {"words": words, "orders": orders}}
    starts = {level: start_of(byte_model.design_of(card, level)) for level in levels}
    card, arrays = byte_model.entries(counts, starts)
    return card | {"name": name, "format": 1}, arrays


@functools.cache
def model_bytes(words: int = 2, levels=(5,), name: str = "tiny prior", seed: int = 1, orders: int = 6) -> bytes:
    """The file of a tiny model of bytes."""
    return model_file.write(*model_entries(words, levels, name, seed, orders))
