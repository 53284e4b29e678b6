"""The naive twin of nlmzip/mixing and its codec: dictionaries, objects, one thing at a time.

Probabilities in slots and maps are whole numbers in 1/65536; everything from the inputs
to the coded probability is float32, one rounding an operation, in the promised order.
"""

import functools
import math
import re
from collections import defaultdict

import numpy as np
from naive_numbers import (
    MASK_64,
    F,
    Probability,
    clamp,
    dot,
    mix_hash,
    signed,
    squash,
    stretch,
)

from nlmzip.engine.profiles import DEFAULT, LEVELS

VOWELS, CONSONANTS = b"aeiou", b"bcdfghjklmnpqrstvwxyz"
#: How much of a count is left when the other bit comes.
CUT = {0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 7: 4}


class Node:
    """One binary decision in one context: its probability, and its history.

    history: how often 0 and 1 came, and the last three bits.
    """

    def __init__(self):
        self.probability = Probability()
        self.history = (0, 0, "")

    def move(self, bit):
        self.probability.move(bit)
        *counts, recent = self.history
        counts = [min(n + 1, 7) if bit == of else CUT[n] for of, n in enumerate(counts)]
        self.history = (*counts, (recent + str(bit))[-3:])


class Slot:
    """The nodes of half a byte in one context, and the byte last seen with its repeats."""

    Node = Node

    def __init__(self):
        self.take(0)

    def take(self, check):
        self.check = check
        self.nodes = defaultdict(self.Node)
        self.byte, self.repeats = 0, 0

    def expected(self, path):
        """The next bit of the byte last seen, None if it began otherwise than `path`."""
        bits = f"{self.byte:08b}"
        return int(bits[len(path)]) if self.repeats and bits.startswith(path) else None

    def run_class(self, path):
        return min(self.repeats, 15) * 4 + len(path) // 2

    def note(self, byte):
        self.repeats = min(self.repeats + 1, 255) if self.byte == byte else 1
        self.byte = byte


@functools.cache
def history_number(history) -> int:
    """Where a start keeps what it knows of a history."""
    zeros, ones, recent = history
    return zeros << 7 | ones << 4 | (int("1" + recent, 2) if recent else 0)


class Context:
    """One kind of context: its slots among those of all, and what its histories and runs are worth."""

    Slot = Slot

    def __init__(self, start, number, slots, n_slots):
        self.slots, self.n_slots = slots, n_slots
        self.histories = [
            Probability(p, seen) for p, seen in zip(start.history[number], start.history_seen[number])
        ]
        self.runs = [Probability(p) for p in start.run[number]]

    def enter(self, hashed, path):
        """Find the slot of the next four bits: in three places, the least seen gives way."""
        if path:
            hashed = mix_hash(hashed, int("1" + path, 2))
        check = hashed >> 48 or 1
        line = hashed % 2**32 * self.n_slots // 2**32
        places = [self.slots[line ^ way] for way in range(3)]
        self.slot = next((slot for slot in places if slot.check == check), None)
        if self.slot is None:
            self.slot = min(places, key=lambda s: s.nodes[1].probability.seen if s.check else -1)
            self.slot.take(check)
        if not path:
            self.byte_slot = self.slot

    def inputs(self, path):
        node = self.node = self.slot.nodes[int("1" + path[len(path) // 4 * 4 :], 2)]
        values = [F(0)] * 4
        if node.probability.seen:
            by_history = self.histories[history_number(node.history)]
            values[0] = stretch(node.probability.value)
            values[1] = stretch(by_history.value)
            values[2] = node.probability.margin
        expected = self.byte_slot.expected(path)
        if expected is not None:
            trust = self.runs[self.byte_slot.run_class(path)]
            values[3] = signed(stretch(trust.value), expected)
        return values

    def move_finer(self, bit):
        """What only the slow levels have."""

    def move(self, path, bit):
        if self.node.probability.seen:
            self.histories[history_number(self.node.history)].move(bit)
        self.node.move(bit)
        expected = self.byte_slot.expected(path)
        if expected is not None:
            self.runs[self.byte_slot.run_class(path)].move(expected == bit, rate=1024)


def words_of(data) -> tuple[list[bytes], bytes]:
    """The finished words of a text in lower case, and the one that it ends in (perhaps empty)."""
    *finished, rest = re.split(rb"[^0-9A-Za-z\x80-\xff]", data.lower())
    return [word for word in finished if word], rest


def word_hash(word) -> int:
    value = 0
    for byte in word:
        value = mix_hash(value, byte)
    return value


CONTEXTS = (
    "order 1", "order 2", "order 3", "order 4", "order 5", "order 6", "word", "after one word",
    "skipping one word", "after two words", "column", "above",
)  # fmt: skip


def context_hashes(data) -> list[int]:
    """Of CONTEXTS for what follows `data`, all from the definitions."""

    def last(n):
        return int.from_bytes(data[-n:], "big")

    finished, now = words_of(data)
    word, before, before_that = map(word_hash, (now, *reversed((b"", b"", *finished)[-2:])))
    *_, line_above, line = b"", *data.split(b"\n")
    above = upper_right = 0
    if b"\n" in data:
        line_above += b"\n"
        above, upper_right = (*line_above[len(line) :], 0, 0)[:2]
    return [
        *(mix_hash(last(order), order) for order in range(1, 7)),
        mix_hash(word, 7),
        mix_hash(word, before + 8 & MASK_64),
        mix_hash(word, before_that + 9 & MASK_64),
        mix_hash(mix_hash(word, before), before_that + 10 & MASK_64),
        mix_hash(min(len(line), 255) | above << 8, 11),
        mix_hash(above | upper_right << 8 | last(1) << 16, 12),
    ]


class Match:
    """What followed the last time that the last bytes, or such as hash alike, stood here."""

    n_places = 1 << 18

    def __init__(self, start, design, number):
        self.places, self.pointer, self.length = {}, 0, 0
        self.hashed = design.matches[number]
        trust = start.match.reshape(len(design.matches), -1)[number]
        self.trust = [Probability(p) for p in trust]

    @property
    def trust_class(self):
        return self.length if self.length < 16 else min(16 + (self.length - 16) // 8, 31)

    def expected(self, data, path):
        if not self.length:
            return None
        bits = f"{data[self.pointer]:08b}"
        return int(bits[len(path)]) if bits.startswith(path) else None

    def inputs(self, expected):
        if expected is None:
            return [F(0), F(0)]
        trust = self.trust[self.trust_class]
        return [signed(stretch(trust.value), expected), signed(trust.margin, expected)]

    def move(self, expected, bit):
        if expected is not None:
            self.trust[self.trust_class].move(expected == bit, rate=1024)
            if expected != bit:
                self.fail()

    def fail(self):
        self.length = 0

    def hash_of(self, data):
        return mix_hash(int.from_bytes(data[-self.hashed :], "big"), 0)

    def note(self, data):
        """The text now ends with one more byte."""
        if self.length:
            self.pointer, self.length = self.pointer + 1, min(self.length + 1, 65535)
        if len(data) >= self.hashed:
            place = self.hash_of(data) % self.n_places
            self.look(data, self.places.get(place, 0))
            self.places[place] = len(data)

    def look(self, data, pointer):
        if not self.length:
            self.take(data, pointer)

    def take(self, data, pointer):
        """Whether enough bytes before the pointer agree, so that the match is there now."""
        same = 0
        while same < min(400, pointer) and data[pointer - 1 - same] == data[-1 - same]:
            same += 1
        if same < max(5, self.hashed - 1):
            return False
        self.pointer, self.length = pointer, same
        return True


@functools.cache
def first_curve():
    return [squash(F(point - 16) / F(2)) for point in range(33)]


class Curve:
    """33 probabilities, half a unit of logit apart."""

    def __init__(self, points):
        self.points = [F(point) for point in points]

    def place(self, logit):
        place = min(max((logit + F(8)) * F(2), F(0)), F(31.999))
        return int(place), place - F(int(place))

    def read(self, logit):
        point, share = self.place(logit)
        return self.points[point] * (F(1) - share) + self.points[point + 1] * share

    def move(self, logit, bit):
        point, share = self.place(logit)
        for at, part in ((point, F(1) - share), (point + 1, share)):
            self.points[at] += (F(bit) - self.points[at]) * (F(0.02) * part)


@functools.cache
def class_of(byte) -> int:
    kinds = (CONSONANTS, VOWELS, (CONSONANTS + VOWELS).upper(), b"0123456789", b" ", b"\n\r")
    for number, kind in enumerate(kinds, 1):
        if byte in kind:
            return number
    return 7 if byte >= 128 else 0


class Engine:
    """Predicts the next bit from the bytes so far and the bits of this byte; then learns it."""

    Context, Match = Context, Match
    last_rate, final_rate = F(0.002), F(0.005)

    def __init__(self, start, n_slots, design):
        self.start, self.design = start, design
        slots = defaultdict(self.Context.Slot)
        self.contexts = [self.Context(start, number, slots, n_slots) for number in range(len(design.kinds))]
        self.matches = [self.Match(start, design, number) for number in range(len(design.matches))]
        self.order_0 = [Probability(p, n) for p, n in zip(start.order_0, start.order_0_seen)]
        rows = start.weights.astype(np.float32).reshape(-1, design.inputs)
        self.weights = np.split(rows, np.cumsum(design.set_sizes)[:-1])
        self.finals = np.split(start.final.astype(np.float32), np.cumsum(design.final_sizes)[:-1])
        self.rate = F(start.rate[0])
        self.by_byte = {}
        self.by_hash = defaultdict(lambda: Curve(first_curve()))

    def begin_byte(self, data):
        self.data = data
        every = self.every_hash()
        self.hashes = [every[name] for name in self.design.kinds]
        self.word_length = len(words_of(data)[1])
        self.rate = max(self.rate * F(0.99997), self.last_rate)

    def every_hash(self):
        """By the names of contexts."""
        return dict(zip(CONTEXTS, context_hashes(self.data), strict=True))

    def predict(self, path):
        """The probability of a one after the bits `path` of this byte."""
        self.partial = partial = int("1" + path, 2)
        if len(path) in (0, 4):
            for context, hashed in zip(self.contexts, self.hashes):
                context.enter(hashed, path)
        self.expected = [match.expected(self.data, path) for match in self.matches]
        inputs = [value for context in self.contexts for value in context.inputs(path)]
        for match, expected in zip(self.matches, self.expected):
            inputs += match.inputs(expected)
        inputs += [stretch(self.order_0[partial].value), F(0.3)]
        self.inputs = np.array(inputs + [F(0)] * (self.design.inputs - len(inputs)))
        # Views: what these rows learn, the weights learn.
        small = self.small_contexts(path)
        chosen = (small[selector] for selector in self.design.selectors)
        self.rows = [weights[row] for weights, row in zip(self.weights, chosen, strict=True)]
        self.logits = [clamp(dot(row, self.inputs)) for row in self.rows]
        chosen = (small[selector] for selector in self.design.final_selectors)
        self.final_rows = [finals[row] for finals, row in zip(self.finals, chosen, strict=True)]
        self.final_logits = [self.final_logit(row) for row in self.final_rows]
        self.logit = sum(self.final_logits, F(0)) / F(len(self.final_logits))
        self.mixed = squash(self.logit)
        self.curves = self.refinements(partial)
        return self.refined([curve.read(self.logit) for curve in self.curves])

    def final_logit(self, row):
        total = F(0)
        for weight, logit in zip(row, self.logits):
            total = total + weight * logit
        return clamp(total)

    def small_contexts(self, path):
        """What can choose weights, in the order of their numbers."""
        before_that, before, last = (b"\0\0\0" + self.data)[-3:]
        n_seen = sum(context.node.probability.seen > 0 for context in self.contexts)
        matched = 0
        for match, expected in zip(self.matches, self.expected):
            if expected is not None and not matched:
                matched = 2 + 2 * (match.trust_class % 32 // 5) + expected
        three = 0
        for byte in (last, before, before_that):
            three = three * 8 + class_of(byte)
        thirds = 3 * n_seen // len(self.contexts)
        return [
            int("1" + path, 2),
            (matched * 4 + thirds) * 8 + len(path),
            last,
            three * 8 + len(path),
            before,
            min(self.word_length, 15) * 8 + len(path),
        ]

    def refinements(self, partial):
        last = self.data[-1] if self.data else 0
        number = last * 256 + partial
        if number not in self.by_byte:
            self.by_byte[number] = Curve(self.start.by_byte[number])
        trigram = mix_hash(int.from_bytes(self.data[-3:], "big"), partial) >> 48
        return [self.by_byte[number], self.by_hash[trigram]][: self.design.curves]

    def refined(self, probabilities):
        if len(probabilities) == 1:
            return (self.mixed + probabilities[0]) / F(2)
        by_byte, by_trigram = probabilities
        return (self.mixed + by_byte + by_trigram + by_trigram) / F(4)

    def learn(self, path, bit):
        for row, logit in zip(self.rows, self.logits):
            row += (F(bit) - squash(logit)) * self.rate * self.inputs
        for row, logit in zip(self.final_rows, self.final_logits):
            row += (F(bit) - squash(logit)) * self.final_rate * np.array(self.logits)
        for curve in self.curves:
            curve.move(self.logit, bit)
        # One after the other: two contexts may stand in one slot, where the later one took it.
        for context in self.contexts:
            context.move_finer(bit)
        for context in self.contexts:
            context.move(path, bit)
        for match, expected in zip(self.matches, self.expected):
            match.move(expected, bit)
        self.order_0[int("1" + path, 2)].move(bit)

    def end_byte(self, data):
        for context in self.contexts:
            context.byte_slot.note(data[-1])
        for match in self.matches:
            match.note(data)


class Coder:
    """An arithmetic coder whose `low` is one long number; the range is kept above 2^56."""

    def __init__(self):
        self.low, self.range, self.n_bytes = 0, (1 << 64) - 1, 0

    def code(self, probability, bit):
        ones = min(max(int(probability * F(1 << 22)), 1), (1 << 22) - 1)
        step = self.range >> 22
        self.low += 0 if bit else ones * step
        self.range = step * (ones if bit else (1 << 22) - ones)
        while self.range < 1 << 56:
            self.low, self.range, self.n_bytes = self.low << 8, self.range << 8, self.n_bytes + 1

    def finish(self) -> bytes:
        return (-(-self.low >> 56)).to_bytes(self.n_bytes + 1, "big")


def encode(data: bytes, start, level=LEVELS[DEFAULT], make=Engine) -> bytes:
    """The payload of `data`; make: the class of the level's engine."""
    enough = 2 ** (math.floor(math.log2(len(data) * len(level.design.kinds))) + 1)
    engine, coder = make(start, min(max(enough, 4096), level.most_slots), level.design), Coder()
    for position in range(len(data)):
        engine.begin_byte(data[:position])
        bits = f"{data[position]:08b}"
        for place in range(8):
            path, bit = bits[:place], int(bits[place])
            coder.code(engine.predict(path), bit)
            engine.learn(path, bit)
        engine.end_byte(data[: position + 1])
    return coder.finish()
