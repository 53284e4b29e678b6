"""A text under one predictor, token by token, and the archive that proves the figures.

Called by heldout_table.py, filings_table.py, networks.py and training_starts.py; the modes and their
names by same_bits.py, every_network.py and speed.py, too.
"""

import math
from dataclasses import dataclass

import numpy as np

import nlmzip
from nlmzip.codec import words
from nlmzip.container.parser import read_members
from nlmzip.container.recipe import WordsCoding
from nlmzip.models.model_file import Model
from nlmzip.models.modes import modes
from nlmzip.text.vocabulary import SENTENCE_END, UNKNOWN

LN2 = math.log(2)

#: The payload takes at most so many bits more than -log2 Q: two, and eight to flush.
PROMISE_BITS = 2 + 8


@dataclass(frozen=True)
class Study:
    """N tokens of a text; all arrays (N,).

    symbols int64; sentences int64, the number of the token's sentence; sizes int64, the
    bytes of text that a token stands for; word_bits and detail_bits float64, the -log2
    of integer frequencies over their totals, of the symbol and of all beside it.
    """

    archive: bytes
    payload_bits: int
    symbols: np.ndarray
    sentences: np.ndarray
    sizes: np.ndarray
    word_bits: np.ndarray
    detail_bits: np.ndarray

    @property
    def n_bytes(self) -> int:
        return int(self.sizes.sum())

    @property
    def bpc(self) -> float:
        """8 * archive bytes / text bytes."""
        return 8 * len(self.archive) / self.n_bytes

    @property
    def information(self) -> float:
        """-log2 Q of the whole text, in bits."""
        return float(self.word_bits.sum() + self.detail_bits.sum())

    @property
    def nats(self) -> float:
        """Nats a token, the symbol alone: <unk> counts, its spelling does not."""
        return float(self.word_bits.mean()) * LN2

    @property
    def unknown(self) -> np.ndarray:
        return self.symbols == UNKNOWN

    def per_sentence(self, values: np.ndarray | None = None) -> np.ndarray:
        """Sums of values (N,) over each sentence; without values, its number of tokens."""
        return np.bincount(self.sentences, values).astype(float)


def study(data: bytes, model: Model, predictor: str, dynamic: bool, spelling_cache: bool) -> Study:
    """Measure, compress, decode, compare. AssertionError if anything is not as promised."""
    coded = checked_archive(data, model, predictor, dynamic, spelling_cache)
    (member,) = read_members(coded)
    (frame,) = member.frames
    assert frame.coding is not None, "coding expands this text, so it was stored"
    coding = member.recipe.codings[frame.coding]
    assert isinstance(coding, WordsCoding)
    settings = words.WordSettings(predictor, dynamic, spelling_cache, coding.text_form)
    tokens = list(words.measure(data, model, settings))
    symbols = np.array([token.symbol for token in tokens])
    result = Study(
        archive=coded,
        payload_bits=8 * len(frame.payload),
        symbols=symbols,
        sentences=np.cumsum(symbols == SENTENCE_END) - (symbols == SENTENCE_END),
        sizes=np.array([len(token.token.text) for token in tokens]),
        word_bits=np.array([token.word_bits for token in tokens]),
        detail_bits=np.array([token.detail_bits for token in tokens]),
    )
    assert result.n_bytes == len(data)
    assert 0 <= result.payload_bits - result.information <= PROMISE_BITS
    return result


def checked_archive(
    data: bytes, model: Model, predictor: str, dynamic: bool, spelling_cache: bool
) -> bytes:
    """An archive of `data` in one frame that has been decoded and compared."""
    coded = nlmzip.compress(
        data, model=model, codec="words", predictor=predictor, dynamic=dynamic,
        spelling_cache=spelling_cache, frame="all",
    )
    assert nlmzip.decompress(coded, model=model) == data, "the archive does not decode"
    return coded


def all_modes(model: Model) -> list[tuple[str, bool, bool]]:
    """(predictor, dynamic, whether that can be) for each predictor, first static, then dynamic."""
    possible = modes(model)
    names = list(dict.fromkeys(predictor for predictor, _ in possible))
    return [
        (name, dynamic, (name, dynamic) in possible) for name in names for dynamic in (False, True)
    ]


def mode_name(dynamic: bool) -> str:
    return "dynamic" if dynamic else "static"
