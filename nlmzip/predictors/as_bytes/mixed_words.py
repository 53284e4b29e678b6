"""Models of words that take part in the mixture: from the predictors to the engine's inputs.

The engine's kernel finds the words in the bytes and stops where one has ended, where a
sentence has, and where a word may end; here the predictors are told, and asked for the
next distribution. Called by codec/mix.py, and by engine/loop.py at each of these places.
"""

import numpy as np

from ...engine.inputs.byte_trees import calibration, plant
from ...engine.inputs.sources import ALONE, LIGHT
from ...models.model_file import Model
from ...models.settings import tuned
from ...text.forms import FORMS
from ...text.letter_case import FIXED, LOWER, has_case, split_case
from ...text.speller import RADIX, Speller
from ...text.speller import train as train_speller
from ...text.vocabulary import FIRST_WORD, SENTENCE_END, Vocabulary
from ..build import prepare_parts
from ..interpolation import mix
from ..vocabulary import load_vocabulary, of_bytes
from . import word_bytes
from .gap_bytes import gaps, share_first, share_following
from .vocabulary_trie import trie_of
from .word_bytes import MAY_END, SENTENCE_ENDED, WORD_ENDED, WordInputs, bounded

#: Steps that a static network keeps, so that what a look ahead has found can stay.
_WINDOW = 16
_NOTHING, _ONE = np.float32(0), np.float32(1)


class PreparedWords:
    """A model of words, or of bytes as words, that takes part: what all texts share.

    light: whether it begins with little weight, as beside a model of counts; networks of
    bytes always do: on the first 20 KB of four dev texts an LSTM of books then took 12.5%
    off, with the weights of words 11.9%. Raises ModelError and OptionError where model and
    predictor do not fit.
    """

    def __init__(self, model: Model, predictor: str, dynamic: bool, light: bool = False):
        settings = tuned(model, predictor, dynamic)
        self.of_bytes = of_bytes(model)
        self.first_weights = LIGHT if light or self.of_bytes else ALONE
        self.parts = prepare_parts(model, predictor, dynamic, settings, _WINDOW)
        self.weights = [np.float32(weight) for weight in settings.get("weights", [])]
        self.n_symbols = int(model.card["vocabulary_size"])
        #: Distributions that are inputs: each part's, and their mixture.
        self.n_trees = len(self.parts) + (len(self.parts) > 1)
        self.is_plain = self.of_bytes or model.card.get("text_form") == "plain"
        if self.of_bytes:  # without words, which the kernel leaves alone
            self.vocabulary, self.speller = Vocabulary.of_bytes(), Speller(train_speller(()))
        else:
            self.vocabulary, self.speller = load_vocabulary(model), Speller(model.arrays)
        self.key = FORMS["plain" if self.is_plain else "general"].key
        self.trie = trie_of(self.vocabulary.words[FIRST_WORD:])
        self.taking_part()  # so that what a model lacks is told now

    def taking_part(self) -> "Mixed":
        """What moves while a text is coded."""
        return MixedBytes(self) if self.of_bytes else MixedWords(self)


class Mixed:
    """A model's predictors, and what the kernel is told of them in `inputs`.

    Each part of the predictor is a distribution of its own, the mixture of several one
    more.
    """

    inputs: WordInputs

    def __init__(self, prepared: PreparedWords):
        self.prepared = prepared
        self._parts = [make() for make in prepared.parts]
        self._weights = prepared.weights
        self._mixture = np.empty(prepared.n_symbols, np.float32)

    def perceive(self, told: int, data: np.ndarray) -> None:
        """Take in what the kernel told of data (uint8), all of it coded."""
        raise NotImplementedError

    def _perceive(self, symbol: int) -> None:
        for part in self._parts:
            part.perceive(symbol)

    def _distributions(self) -> list[np.ndarray]:
        """Each part's distribution of the next symbol, and their mixture."""
        answer = [part.predict() for part in self._parts]
        if len(answer) > 1:
            mixture = answer[-1]
            for weight, probabilities in zip(self._weights[::-1], answer[-2::-1], strict=True):
                mix(weight, probabilities, mixture, self._mixture)
                mixture = self._mixture
            answer.append(mixture)
        return answer


class MixedBytes(Mixed):
    """Predictors of bytes: each distribution is a tree of the next byte as it stands."""

    def __init__(self, prepared: PreparedWords):
        super().__init__(prepared)
        self.inputs = _inputs(prepared)
        self.inputs.state[word_bytes.OF_BYTES] = 1
        self.inputs.calibration.trust[:] = _ONE
        self._predict()

    def perceive(self, told: int, data: np.ndarray) -> None:
        self._perceive(FIRST_WORD + int(data[self.inputs.state[word_bytes.BEGIN]]))
        self._predict()

    def _predict(self) -> None:
        for tree, probabilities in zip(self.inputs.trees, self._distributions(), strict=True):
            plant(probabilities[FIRST_WORD:], tree)


class MixedWords(Mixed):
    """Predictors of words, which the kernel finds in the bytes."""

    def __init__(self, prepared: PreparedWords):
        super().__init__(prepared)
        self._is_plain, self._key = prepared.is_plain, prepared.key
        self._vocabulary = prepared.vocabulary
        self.inputs = _inputs(prepared)
        self._predict()

    def perceive(self, told: int, data: np.ndarray) -> None:
        """Take in what the kernel told of data (uint8), all of it coded."""
        state = self.inputs.state
        if told & WORD_ENDED:
            word = data[state[word_bytes.BEGIN] : state[word_bytes.END]].tobytes()
            symbol = self._vocabulary.symbol(self._key(word))
            if not self._is_plain:
                case = split_case(word)[1]
                word_bytes.learn_case(self.inputs, symbol, 3 if case == FIXED else case)
            self._perceive(symbol)
        if told & SENTENCE_ENDED:
            if told & WORD_ENDED:  # a network learns from what it has predicted
                self._ask()
            self._perceive(SENTENCE_END)
        if told & MAY_END:
            self._look_ahead(FIRST_WORD + int(self.inputs.trie.word[state[word_bytes.NODE]]))
        else:
            self._predict()

    def _ask(self) -> None:
        for part in self._parts:
            part.predict()

    def _predict(self) -> None:
        for row, probabilities in enumerate(self._distributions()):
            word_bytes.set_masses(self.inputs, row, probabilities)

    def _look_ahead(self, word: int) -> None:
        """How likely a sentence ends after this word, if it is the next one."""
        ends = [bounded(part.peek(word)[SENTENCE_END], _NOTHING) for part in self._parts]
        if len(ends) > 1:
            mixture = ends[-1]
            for weight, end in zip(self._weights[::-1], ends[-2::-1], strict=True):
                mixture = weight * np.float32(end) + (_ONE - weight) * np.float32(mixture)
            ends.append(mixture)
        self.inputs.ends[:] = ends


def _inputs(prepared: PreparedWords) -> WordInputs:
    """What the kernel knows of words before any text."""
    vocabulary, is_plain, rows = prepared.vocabulary, prepared.is_plain, prepared.n_trees
    words = vocabulary.words[FIRST_WORD:]
    in_word = np.zeros(256, bool)
    in_word[list(range(128, 256))] = True
    for byte in range(128):
        in_word[byte] = chr(byte).isalnum()
    cases = np.full(len(vocabulary), word_bytes.CASELESS, np.uint8)
    cases[0] = word_bytes.NEVER
    if is_plain:  # its words may hold any bytes but spaces and line feeds
        in_word[np.frombuffer(b"".join(words), np.uint8)] = True
        in_word[list(b" \n")] = False
    else:
        for symbol, word in enumerate(words, FIRST_WORD):
            if has_case(word) and word[:1].islower():
                cases[symbol] = word_bytes.NEVER
    upper_first = np.full((2, 4, 5), 2000, np.uint16)
    upper_first[1, :, :] = 50000
    upper_first[:, :, 1 + LOWER] = 1000
    upper_first[1, :, 1 + LOWER] = 55000
    upper_first[:, :, 2:4] = 60000
    upper_first[:, :, word_bytes.CASELESS] = 0
    made = WordInputs(
        trees=np.zeros((rows, 512), np.float32),
        calibration=calibration(rows),
        trie=prepared.trie,
        sums=np.zeros((rows, 2, len(words) + 1), np.uint32),
        unknown=np.zeros((rows, 2), np.float32),
        ends=np.zeros(rows, np.float32),
        in_word=in_word,
        speller=prepared.speller.table,
        spelled=np.zeros(RADIX, np.float32),
        gaps=gaps(is_plain),
        state=np.zeros(word_bytes.STATES, np.int64),
        cases=cases,
        upper_first=upper_first,
        upper_second=np.full(4, 3000, np.uint16),
    )
    made.state[[word_bytes.BYTE_BEFORE, word_bytes.FIRST_OF_GAP]] = word_bytes.WORD
    made.state[word_bytes.ENDED] = 1
    made.state[word_bytes.CASE_BEFORE] = 3
    made.state[word_bytes.IS_PLAIN] = is_plain
    word_bytes.begin_spelling(made)
    share_first(made.gaps, in_word)
    share_following(made.gaps, word_bytes.WORD, in_word)
    return made

