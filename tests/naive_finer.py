"""The naive twin of what only the slow levels have: structure.py, finer.py, selectors.py."""

import functools
import re

import naive_mixing
from naive_mixing import (
    Context,
    Match,
    Node,
    Slot,
    class_of,
    history_number,
    word_hash,
    words_of,
)
from naive_numbers import MASK_64, F, Probability, mix_hash, stretch

SEPARATORS = b",;\t|"


def number(data) -> int:
    return int.from_bytes(data, "big")


def letters_of(data) -> bytes:
    """The bytes that belong to words, in lower case."""
    return re.sub(rb"[^0-9a-z\x80-\xff]", b"", data.lower())


def plain(data) -> bytes:
    return re.sub(rb"[0-9]", b"0", data.lower())


def followers(data, context) -> int:
    """The last three bytes that followed earlier occurrences of `context`, as a number."""
    known = b"\0\0" + data
    n = len(context)
    places = range(2, len(known))
    return number(bytes(known[place] for place in places if known[place - n : place] == context)[-3:])


def characters_of(data) -> tuple[list[int], int]:
    """UTF-8 characters, the last one first, with four of 0 before the text; bytes that the last lacks."""
    found = re.findall(rb"^[\x80-\xbf]+|[^\x80-\xbf][\x80-\xbf]*", data, re.DOTALL)
    lacking = 0
    if found:
        lead = found[-1][0]
        whole = 1 + (lead >= 192) + (lead >= 224) + (lead >= 240)
        lacking = max(whole - len(found[-1]), 0)
    values = [number(character) & MASK_64 for character in found[::-1]]
    if not re.match(rb"[\x80-\xbf]", data):
        values.append(0)  # what stood before the first character
    return values + [0] * 4, lacking


def fields_of(line, begin) -> dict[int, int]:
    """Where each of a line's fields begins; all from the 64th on are one."""
    fields = {0: begin}
    for place, byte in enumerate(line, begin + 1):
        if byte in SEPARATORS:
            fields[min(max(fields) + 1, 63)] = place
    return fields


@functools.cache
def key_and_value(data):
    """(hash of the key, of the text so far, of the key's last value)."""
    key = text = 0
    values = {}
    for part in re.split(rb"([:=,\n}\];])", data):
        if part in (b":", b"="):
            key, text = text, 0
        elif part and part in b",\n}];":
            if text:
                values[key % 4096] = text
            text = 0
        else:
            text = word_hash(re.sub(rb'[ "]', b"", part))
    return key, text, values.get(key % 4096, 0)


CONTEXTS = (
    "eight bytes", "twelve bytes", "bytes 2 to 3", "bytes 2 to 4", "bytes 1 and 3", "bytes 3 to 4",
    "twelve classes", "six in lower case", "followers of one byte", "followers of two bytes",
    "three words", "gap before the word", "endings of words", "field", "above in the field", "key",
    "last value of the key", "first word of the line", "character", "two characters",
    "three characters", "skipping one character", "match", "indentation", "sixteen classes",
    "words before this one", "key and three in lower case",
)  # fmt: skip
LONG_CONTEXTS = ("after three words", "after four words", "order 7", "order 8")


def structure_hashes(data, expected_byte) -> list[int]:
    """Of CONTEXTS; their numbers, with which they are salted, are those from 12 to 37, then 42."""
    padded = bytes(16) + data
    last, recent = padded[-1], padded[-8:]
    finished, now = words_of(data)
    words = [b""] * 3 + finished
    word, before, before_that, third = map(word_hash, (now, *words[:-4:-1]))
    gap = word_hash((re.findall(rb"[^0-9A-Za-z\x80-\xff]+", data) or [b""])[-1])
    classes = 0
    for byte in data[-16:]:
        classes = classes << 4 | class_of(byte)
    plain_ = (bytes(8) + plain(data))[-8:]
    letters = (bytes(8) + letters_of(data))[-8:]
    characters, lacking = characters_of(data)

    *lines, line = data.split(b"\n")
    begin = len(data) - len(line)
    fields = fields_of(line, begin)
    field_number = max(fields)
    field = word_hash(data[fields[field_number] :])
    around = 0
    if lines:
        in_above = fields_of(lines[-1], begin - len(lines[-1]) - 1).get(field_number, 0)
        place = in_above + len(data) - fields[field_number]
        if in_above and place < begin:
            around = data[place] | 256
            if place + 1 < begin:
                around |= data[place + 1] << 16
    unseparated = line.translate(None, SEPARATORS)
    indentation = len(unseparated) - len(unseparated.lstrip(b" "))
    first_word = word_hash((words_of(line)[0] or [b""])[0])
    key, text, previous = key_and_value(data)

    def characters_hash(n):
        hashed = mix_hash(characters[0], n)
        for character in characters[1 : (n if lacking else n - 1) + 1]:
            hashed = mix_hash(hashed, character)
        return hashed

    def tagged(kind):
        return last + (kind + 1 << 8)

    if last < 128:
        by_character = [
            mix_hash(number(plain_[-4:]), 31),
            mix_hash(number(letters[-5:]), tagged(31)),
            mix_hash(number(letters), tagged(32)),
            mix_hash(number(padded[-5:-1]), 34),
        ]
    else:
        skipped = characters[2] if lacking else characters[1]
        by_character = [mix_hash(characters_hash(n), 30 + n) for n in (1, 2, 3)]
        by_character.append(mix_hash(mix_hash(skipped, characters[0] if lacking else 0), 34))
    pair = number(padded[-2:])
    return [
        mix_hash(number(recent), 13),
        mix_hash(mix_hash(number(recent), number(padded[-12:-8])), 14),
        mix_hash(number(padded[-3:-1]), 15),
        mix_hash(number(padded[-4:-1]), 16),
        mix_hash(padded[-3] << 16 | last, 17),
        mix_hash(number(padded[-4:-2]), 18),
        mix_hash(classes & 0xFFFFFFFFFFFF, tagged(18)),
        mix_hash(number(plain_[-6:]), 20),
        mix_hash(followers(data, padded[-1:]), tagged(20)),
        mix_hash(followers(data, padded[-2:]), tagged(21)),
        mix_hash(mix_hash(mix_hash(word, before), before_that), third + 23 & MASK_64),
        mix_hash(mix_hash(word, gap), before + 24 & MASK_64),
        mix_hash(mix_hash(word, number(words[-1][-3:])), number(words[-2][-3:]) + 25),
        mix_hash(mix_hash(field, field_number), 26),
        mix_hash(mix_hash(around, last), field_number + (27 << 8)),
        mix_hash(mix_hash(key, text), 28),
        mix_hash(mix_hash(key, previous), text + 29 & MASK_64),
        mix_hash(mix_hash(first_word, word), tagged(29)),
        *by_character,
        mix_hash(expected_byte, tagged(34)),
        mix_hash(indentation, pair + (36 << 24)),
        mix_hash(classes, pair + (37 << 24)),
        mix_hash(mix_hash(before, before_that), tagged(37)),
        mix_hash(mix_hash(key, number(plain_[-3:])), 43),
    ]


def long_hashes(data) -> list[int]:
    """Of LONG_CONTEXTS."""
    finished, now = words_of(data)
    last, *before = map(word_hash, (now, *([b""] * 4 + finished)[:-5:-1]))
    two = mix_hash(mix_hash(last, before[0]), before[1])
    return [
        mix_hash(two, before[2] + 39 & MASK_64),
        mix_hash(mix_hash(two, before[2]), before[3] + 40 & MASK_64),
        *(mix_hash(int.from_bytes(data[-order:], "big"), order) for order in (7, 8)),
    ]


class FinerNode(Node):
    """With a fast probability and a slow one."""

    def __init__(self):
        super().__init__()
        self.fast, self.slow = Probability(), Probability()

    def move_finer(self, bit):
        seen = self.probability.seen
        rate = (1 << 17) // (2 * seen + 3)
        self.fast.move(bit, max(rate, 65536 // 6))
        self.slow.move(bit, rate if seen < 62 else 256)

    @property
    def calibration(self):
        """Where the adaptive probability and its observations are calibrated."""
        seen = self.probability.seen
        return (seen if seen <= 8 else min(8 + seen // 8, 15)) * 32 + self.probability.value // 2048


class FinerSlot(Slot):
    Node = FinerNode


class FinerContext(Context):
    Slot = FinerSlot

    def __init__(self, start, number, slots, n_slots):
        super().__init__(start, number, slots, n_slots)
        pairs = zip(start.calibration[number], start.calibration_seen[number])
        self.calibrations = [Probability(p, seen) for p, seen in pairs]

    def inputs(self, path):
        values = super().inputs(path)
        node = self.node
        if not node.probability.seen:
            return values + [F(0)] * 4
        by_history = self.histories[history_number(node.history)]
        calibrated = self.calibrations[node.calibration]
        return values + [
            by_history.margin, stretch(calibrated.value), stretch(node.fast.value), stretch(node.slow.value),
        ]  # fmt: skip

    def move_finer(self, bit):
        if self.node.probability.seen:
            self.calibrations[self.node.calibration].move(bit)
        self.node.move_finer(bit)


class RecoveringMatch(Match):
    n_places = 1 << 19

    def __init__(self, start, design, number):
        super().__init__(start, design, number)
        self.misses = 0

    @property
    def trust_class(self):
        if not self.misses:
            return super().trust_class
        return 32 + min(self.misses - 1, 3) * 8 + min(self.length // 2, 7)

    def fail(self):
        super().fail()
        self.misses += 1

    def hash_of(self, data):
        if self.hashed < 8:
            return super().hash_of(data)
        recent, older = data[-8:], data[-self.hashed : -8]
        return mix_hash(mix_hash(number(recent), number(older)), self.hashed)

    def look(self, data, pointer):
        if self.length >= 16:
            self.misses = 0
        if self.length and not self.misses:
            return
        if self.take(data, pointer):
            self.misses = 0
        elif not self.length and self.misses > 8:
            self.misses = 0
        elif not self.length and self.misses:
            self.pointer, self.length = self.pointer + 1, 1


class FinerEngine(naive_mixing.Engine):
    Context, Match = FinerContext, RecoveringMatch
    last_rate, final_rate = F(0.0005), F(0.001)

    def every_hash(self):
        self.expected_byte = 0
        for match in reversed(self.matches):
            if match.length:
                trust = min(match.length // 4, 3) if match.misses else min(4 + match.length // 16, 7)
                self.expected_byte = trust << 8 | self.data[match.pointer]
        structural = structure_hashes(self.data, self.expected_byte)
        return super().every_hash() | dict(zip(CONTEXTS, structural, strict=True))

    def small_contexts(self, path):
        states = 0
        for match, expected in zip(self.matches, self.expected):
            state = 0
            if expected is not None:
                state = 1 if match.misses else 2 if match.length < 32 else 3
            states = states * 4 + state
        seen = [context.node.probability.seen > 0 for context in self.contexts[:6]]
        order = (*seen, False).index(False)
        *_, line = self.data.split(b"\n")
        column = len(line) // 4 if len(line) < 8 else 2 if len(line) < 72 else 3
        field_number = min(sum(line.count(bytes([byte])) for byte in SEPARATORS), 3)
        lacking = characters_of(self.data)[1]
        expects = 0
        if any(self.expected[place] is not None for place in (0, -1)):
            expects = self.expected_byte & 255 | 256 * (1 + len(path) // 2)
        return super().small_contexts(path) + [
            states % 64 * 8 + len(path),
            order * 256 + self.partial,
            ((lacking * 4 + field_number) * 4 + column) * 8 + len(path),
            (bytes(3) + self.data)[-3],
            class_of((b"\0" + self.data)[-1]) * 256 + self.partial,
            expects,
        ]

    def refinements(self, partial):
        _, now = words_of(self.data)
        hashed = [
            mix_hash(number(self.data[-2:]), partial),
            mix_hash(word_hash(now), partial + 256),
            mix_hash(self.expected_byte, partial + 512),
        ]
        more = [self.by_hash[table, value >> 48] for table, value in enumerate(hashed)]
        return super().refinements(partial) + more

    def refined(self, probabilities):
        *first, pair, word, match = probabilities
        return super().refined(first) * F(0.5) + (pair + word + match) * F(1 / 6)
