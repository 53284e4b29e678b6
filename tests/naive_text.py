"""Naive twins of what nlmzip/text computes fast: plain Python, dictionaries, no kernels."""

from collections import Counter, defaultdict

WORD_BYTES = frozenset(
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + bytes(range(128, 256))
)


def runs(data: bytes, longest: int = 64) -> list[tuple[bool, bytes]]:
    """The text as (is word, bytes) runs of one kind, cut at `longest` bytes."""
    parts: list[tuple[bool, bytearray]] = []
    for byte in data:
        is_word = byte in WORD_BYTES
        if not parts or parts[-1][0] != is_word or len(parts[-1][1]) == longest:
            parts.append((is_word, bytearray()))
        parts[-1][1].append(byte)
    return [(is_word, bytes(part)) for is_word, part in parts]


class Speller:
    """The interpolated order-3 model, from the words themselves."""

    def __init__(self, words: list[bytes]):
        self.counts: dict[tuple, Counter] = defaultdict(Counter)
        for word in words:
            symbols = ["start"] * 3 + list(word) + ["end"]
            for place in range(3, len(symbols)):
                for order in range(4):
                    self.counts[tuple(symbols[place - order : place])][symbols[place]] += 1

    def probability(self, word: bytes, place: int, symbol) -> float:
        """Of a symbol (a byte or "end") after the first `place` bytes of the word."""
        symbols = ["start"] * 3 + list(word)[:place]
        probability = 1 / 257
        for order in range(4):
            counts = self.counts.get(tuple(symbols[len(symbols) - order :]), Counter())
            total, different = sum(counts.values()), len(counts)
            if total:
                probability = (counts[symbol] + different * probability) / (total + different)
        return probability

    def word_probability(self, word: bytes) -> float:
        """Of a whole word, given that it is not empty (and shorter than the longest)."""
        probability = 1 / (1 - self.probability(word, 0, "end"))
        for place, symbol in enumerate([*word, "end"]):
            probability *= self.probability(word, place, symbol)
        return probability


class SpellingCache:
    """PPM method C over whole words: (frequency, total) of each event, as integers."""

    def __init__(self):
        self.counts: Counter[bytes] = Counter()

    def event(self, word: bytes) -> tuple[int, int] | None:
        """Of a pointer to the word or of the escape; None if nothing is coded."""
        if not self.counts:
            return None
        spelled, different = sum(self.counts.values()), len(self.counts)
        return self.counts.get(word, different), spelled + different

    def add(self, word: bytes) -> None:
        self.counts[word] += 1


class AdaptiveModel:
    """Interpolation with trust learnt online, contexts in dictionaries, float64."""

    def __init__(self, alphabet: int, levels: int, ways: int, limit: int, rate: float):
        self.alphabet, self.ways, self.limit, self.rate = alphabet, ways, limit, rate
        self.counts = [defaultdict(list) for _ in range(levels)]  # context: [symbol, count]
        self.trust = [defaultdict(lambda: 0.5) for _ in range(levels)]

    def _levels(self, contexts):
        for table, trust, context in zip(self.counts, self.trust, contexts, strict=True):
            entries = table[context]
            total = sum(count for _, count in entries)
            different = sum(count > 0 for _, count in entries)
            size = (min(total, 128).bit_length(), min(different, 4))
            yield entries, total, trust, size

    def probability(self, contexts, symbol: int) -> float:
        probability = 1 / self.alphabet
        for entries, total, trust, size in self._levels(contexts):
            if total:
                own = sum(count for seen, count in entries if seen == symbol) / total
                probability += trust[size] * (own - probability)
        return probability

    def learn(self, contexts, symbol: int) -> None:
        probability = 1 / self.alphabet
        for entries, total, trust, size in self._levels(contexts):
            if total:
                own = sum(count for seen, count in entries if seen == symbol) / total
                mixed = probability + trust[size] * (own - probability)
                posterior = trust[size] * own / mixed
                moved = trust[size] + self.rate * (posterior - trust[size])
                trust[size] = min(max(moved, 0.002), 0.998)
                probability = mixed
            entry = next((entry for entry in entries if entry[0] == symbol and entry[1]), None)
            if entry is None and len(entries) < self.ways:
                entry = [symbol, 0]
                entries.append(entry)
            elif entry is None:
                entry = min(entries, key=lambda entry: entry[1])
                entry[:] = [symbol, 0]
            entry[1] += 1
            if entry[1] >= self.limit:
                for entry in entries:
                    entry[1] //= 2
