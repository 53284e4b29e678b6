"""The closed vocabulary: words and their symbols (ids), and how it is chosen and stored.

Symbols: 0 is <unk>, 1 is </s>, the words follow sorted as bytes. <s>, the symbol after
the last, is a context only and never predicted. Called by forms.py, the codecs and
training.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from ..errors import ModelError

UNKNOWN, SENTENCE_END = 0, 1
#: Words begin at this symbol.
FIRST_WORD = 2
#: Most symbols of a vocabulary: what the coder's frequencies leave room for.
MAXIMUM_SIZE = 1 << 18


class Vocabulary:
    """The symbols of some words; `words[symbol]` is a word, <unk> and </s> are empty."""

    def __init__(self, words: Iterable[bytes]):
        """Take different words in any order. Raises ModelError if they cannot be one."""
        ordered = sorted(words)
        self.words = [b"", b"", *ordered]
        self._symbols = {word: symbol for symbol, word in enumerate(ordered, FIRST_WORD)}
        if len(self._symbols) < len(ordered):
            raise ModelError("a word stands in the vocabulary twice")
        if not all(ordered):
            raise ModelError("a word of the vocabulary is empty")
        if len(self) > MAXIMUM_SIZE:
            raise ModelError(
                f"a vocabulary of {len(self)} symbols; at most {MAXIMUM_SIZE} are possible"
            )

    def __len__(self) -> int:
        """V, the number of symbols that can be predicted."""
        return len(self.words)

    def __contains__(self, word: bytes) -> bool:
        return word in self._symbols

    @property
    def sentence_start(self) -> int:
        """The symbol of <s>."""
        return len(self.words)

    def symbol(self, word: bytes) -> int:
        """The symbol of a word, UNKNOWN if it has none."""
        return self._symbols.get(word, UNKNOWN)

    @classmethod
    def of_counts(
        cls, counts: Mapping[bytes, int], maximum_size: int = MAXIMUM_SIZE, least_count: int = 1
    ) -> "Vocabulary":
        """The most frequent words (of equal ones the first as bytes), V at most `maximum_size`."""
        frequent = [word for word, count in counts.items() if count >= least_count]
        frequent.sort(key=lambda word: (-counts[word], word))
        return cls(frequent[: max(maximum_size - FIRST_WORD, 0)])

    @classmethod
    def of_bytes(cls) -> "Vocabulary":
        """Each byte as a word: <unk> and </s> are never seen, and byte b is FIRST_WORD + b."""
        return cls(bytes([byte]) for byte in range(256))

    def pack(self) -> np.ndarray:
        """The words as they stand in a model file: uint8, joined by line feeds.

        Raises ValueError for a word that has one.
        """
        if any(b"\n" in word for word in self.words):
            raise ValueError("a word of the vocabulary has a line feed")
        return np.frombuffer(b"\n".join(self.words[FIRST_WORD:]), np.uint8)

    @classmethod
    def unpack(cls, array: np.ndarray) -> "Vocabulary":
        """The vocabulary of which `array` (uint8) is the packed form."""
        data = array.astype(np.uint8).tobytes()
        return cls(data.split(b"\n") if data else ())
