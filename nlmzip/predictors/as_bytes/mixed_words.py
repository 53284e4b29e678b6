"""Models of words that take part in the mixture: from the predictors to the engine's inputs.

The engine's kernel finds the words in the bytes and stops where one has ended, where a
sentence has, and where a word may end; here the predictors are told, and asked for the
next distribution. Called by codec/mix.py, and by engine/loop.py at each of these places.
"""

import numpy as np

from ...engine.inputs.sources import ALONE, LIGHT
from ...models.model_file import Model
from ...text.forms import FORMS
from ...text.letter_case import FIXED, LOWER, has_case, split_case
from ...text.speller import RADIX, Speller
from ...text.vocabulary import FIRST_WORD, SENTENCE_END
from ..vocabulary import load_vocabulary
from . import word_bytes
from .distributions import Distributions, PreparedDistributions
from .gap_bytes import gaps, share_first, share_following
from .vocabulary_trie import trie_of
from .word_bytes import MAY_END, SENTENCE_ENDED, WORD_ENDED, Words, bounded

_NOTHING, _ONE = np.float32(0), np.float32(1)


class PreparedWords(PreparedDistributions):
    """A model of words that takes part: what all texts share.

    light: whether it begins with little weight, as beside a model of counts. Raises ModelError
    and OptionError where model and predictor do not fit.
    """

    def __init__(self, model: Model, predictor: str, dynamic: bool, light: bool = False):
        super().__init__(model, predictor, dynamic, LIGHT if light else ALONE)
        self.is_plain = model.card.get("text_form") == "plain"
        self.key = FORMS["plain" if self.is_plain else "general"].key
        self.vocabulary = load_vocabulary(model)
        words = self.vocabulary.words[FIRST_WORD:]
        self.trie, self.speller = trie_of(words), Speller(model.arrays)
        self.in_word = _in_word(words, self.is_plain)
        self.cases = np.full(len(self.vocabulary), word_bytes.CASELESS, np.uint8)
        self.cases[0] = word_bytes.NEVER
        if not self.is_plain:
            for symbol, word in enumerate(words, FIRST_WORD):
                if has_case(word) and word[:1].islower():
                    self.cases[symbol] = word_bytes.NEVER

    def taking_part(self, trees: np.ndarray, trust: np.ndarray) -> "MixedWords":
        """What moves while a text is coded; see engine/inputs/sources.py."""
        return MixedWords(self, trees, trust)


def _in_word(words: list[bytes], is_plain: bool) -> np.ndarray:
    """Which bytes belong to words, bool (256,)."""
    in_word = np.zeros(256, bool)
    in_word[list(range(128, 256))] = True
    for byte in range(128):
        in_word[byte] = chr(byte).isalnum()
    if is_plain:  # its words may hold any bytes but spaces and line feeds
        in_word[np.frombuffer(b"".join(words), np.uint8)] = True
        in_word[list(b" \n")] = False
    return in_word


class MixedWords:
    """Predictors of words, which the kernel finds in the bytes of a text."""

    def __init__(self, prepared: PreparedWords, trees: np.ndarray, trust: np.ndarray):
        self.prepared = prepared
        self.kernel = _kernel_part(prepared, trees, trust)
        self._distributions = Distributions(prepared)
        self._predict()

    def perceive(self, told: int, data: np.ndarray) -> None:
        """Take in what the kernel told of data (uint8), all of it coded."""
        state = self.kernel.state
        if told & WORD_ENDED:
            word = data[state[word_bytes.BEGIN] : state[word_bytes.END]].tobytes()
            symbol = self.prepared.vocabulary.symbol(self.prepared.key(word))
            if not self.prepared.is_plain:
                case = split_case(word)[1]
                word_bytes.learn_case(self.kernel, symbol, 3 if case == FIXED else case)
            self._distributions.perceive(symbol)
        if told & SENTENCE_ENDED:
            if told & WORD_ENDED:  # a network learns from what it has predicted
                self._ask()
            self._distributions.perceive(SENTENCE_END)
        if told & MAY_END:
            self._look_ahead(FIRST_WORD + int(self.kernel.trie.word[state[word_bytes.NODE]]))
        else:
            self._predict()

    def _ask(self) -> None:
        for part in self._distributions.parts:
            part.predict()

    def _predict(self) -> None:
        for row, probabilities in enumerate(self._distributions.predict()):
            word_bytes.set_masses(self.kernel, row, probabilities)

    def _look_ahead(self, word: int) -> None:
        """How likely a sentence ends after this word, if it is the next one."""
        ends = [bounded(part.peek(word)[SENTENCE_END], _NOTHING) for part in self._distributions.parts]
        if len(ends) > 1:
            mixture = ends[-1]
            for weight, end in zip(self._distributions.weights[::-1], ends[-2::-1], strict=True):
                mixture = weight * np.float32(end) + (_ONE - weight) * np.float32(mixture)
            ends.append(mixture)
        self.kernel.ends[:] = ends


def _kernel_part(prepared: PreparedWords, trees: np.ndarray, trust: np.ndarray) -> Words:
    """What the kernel knows of words before any text."""
    rows, n_words = prepared.n_trees, len(prepared.vocabulary) - FIRST_WORD
    upper_first = np.full((2, 4, 5), 2000, np.uint16)
    upper_first[1, :, :] = 50000
    upper_first[:, :, 1 + LOWER] = 1000
    upper_first[1, :, 1 + LOWER] = 55000
    upper_first[:, :, 2:4] = 60000
    upper_first[:, :, word_bytes.CASELESS] = 0
    made = Words(
        trees=trees,
        trust=trust,
        trie=prepared.trie,
        sums=np.zeros((rows, 2, n_words + 1), np.uint32),
        unknown=np.zeros((rows, 2), np.float32),
        ends=np.zeros(rows, np.float32),
        in_word=prepared.in_word,
        speller=prepared.speller.table,
        spelled=np.zeros(RADIX, np.float32),
        gaps=gaps(prepared.is_plain),
        state=np.zeros(word_bytes.STATES, np.int64),
        cases=prepared.cases.copy(),
        upper_first=upper_first,
        upper_second=np.full(4, 3000, np.uint16),
    )
    made.state[[word_bytes.BYTE_BEFORE, word_bytes.FIRST_OF_GAP]] = word_bytes.WORD
    made.state[word_bytes.ENDED] = 1
    made.state[word_bytes.CASE_BEFORE] = 3
    made.state[word_bytes.IS_PLAIN] = prepared.is_plain
    word_bytes.begin_spelling(made)
    share_first(made.gaps, prepared.in_word)
    share_following(made.gaps, word_bytes.WORD, prepared.in_word)
    return made
