"""The forms of a text: how the word codec reads it, and what it codes beside the words.

The codec's loop is the same for all forms and both directions:

    for token in form.tokens(data):                   # decoding: while bytes are missing
        symbol = <code form.symbol(token)>            # decoding: None in its place
        token = form.code_details(coder, symbol, token)
        <append token.text>

Every token has at least one byte, so decoding ends whatever the archive holds.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np

from ..errors import ArchiveError
from .case_model import CaseModel
from .gaps import GapModel
from .history import History
from .letter_case import FIXED, has_case, join_case, split_case
from .speller import Speller
from .spelling_cache import SpellingCache
from .tokens import Token, general_tokens, is_plain, plain_tokens
from .vocabulary import FIRST_WORD, SENTENCE_END, UNKNOWN, Vocabulary

#: Tokens that `choose_form` looks at.
_SAMPLE = 1 << 16


class TextForm:
    """What the forms share: symbols of words, and spellings of unknown ones.

    `bits` tells where the details' information went, in bits, by kind of detail.
    """

    def __init__(self, vocabulary: Vocabulary, speller: Speller | None, spelling_cache: bool):
        self._vocabulary = vocabulary
        self._speller = speller
        self._cache = SpellingCache() if spelling_cache else None
        self.bits = {"spelling": 0.0, "case": 0.0, "gaps": 0.0}

    @staticmethod
    def tokens(data: bytes) -> Iterator[Token]:
        """The tokens of `data`; their texts, joined, are `data` again."""
        raise NotImplementedError

    @staticmethod
    def key(word: bytes) -> bytes:
        """What the vocabulary holds of a word."""
        raise NotImplementedError

    def symbol(self, token: Token) -> int:
        """The token's symbol."""
        return self._vocabulary.symbol(self.key(token.word)) if token.word else SENTENCE_END

    def code_details(self, coder, symbol: int, token: Token | None) -> Token:
        """Code all of a token (None when decoding) that its symbol leaves open: the token."""
        raise NotImplementedError

    def _code_key(self, coder, symbol: int, key: bytes | None) -> bytes:
        """The key of a word, spelled if its symbol is <unk>."""
        if symbol != UNKNOWN:
            return self._vocabulary.words[symbol]
        before = coder.bits
        spelled = self._cache.code(coder, key) if self._cache else None
        if spelled is None:
            spelled = self._speller.code(coder, key)
        if self._cache:
            self._cache.add(spelled)
        self.bits["spelling"] += coder.bits - before
        return spelled


class Plain(TextForm):
    """Plain text: nothing is coded but the words and the ends of sentences."""

    name = "plain"
    tokens = staticmethod(plain_tokens)

    def __init__(self, vocabulary: Vocabulary, speller: Speller, spelling_cache: bool):
        super().__init__(vocabulary, speller, spelling_cache)
        self._gap = b""

    @staticmethod
    def key(word: bytes) -> bytes:
        return word

    def code_details(self, coder, symbol: int, token: Token | None) -> Token:
        if symbol == SENTENCE_END:
            self._gap = b""
            return Token(b"\n", b"")
        gap, self._gap = self._gap, b" "
        return Token(gap, self._code_key(coder, symbol, token.word if token else None))


class General(TextForm):
    """Any bytes: words are known in lower case; case and gaps are coded after them."""

    name = "general"
    tokens = staticmethod(general_tokens)

    def __init__(self, vocabulary: Vocabulary, speller: Speller, spelling_cache: bool):
        super().__init__(vocabulary, speller, spelling_cache)
        self._history = History()
        self._case_model = CaseModel()
        self._gap_model = GapModel()

    @staticmethod
    def key(word: bytes) -> bytes:
        return split_case(word)[0]

    def code_details(self, coder, symbol: int, token: Token | None) -> Token:
        gap, word = token or (None, None)
        key, case = split_case(word) if word else (None, FIXED)
        history = self._history
        key = b"" if symbol == SENTENCE_END else self._code_key(coder, symbol, key)
        history.set_key(key)

        before = coder.bits
        if has_case(key):
            case = self._case_model.code(coder, history, case)
        history.set_case(case)
        after_case = coder.bits
        self.bits["case"] += after_case - before

        if not key:
            gap = self._gap_model.code(coder, history, gap, least=1)
        elif history.at_start:
            gap = b""
        else:
            gap = self._gap_model.code(coder, history, gap, least=0)
        self.bits["gaps"] += coder.bits - after_case

        token = Token(gap, join_case(key, case))
        history.finish(token, key, case)
        return token


class Bytes(TextForm):
    """Any bytes, each a word of its own: nothing is left to code beside the symbols."""

    name = "bytes"

    @staticmethod
    def tokens(data: bytes) -> Iterator[Token]:
        return (Token(b"", data[place : place + 1]) for place in range(len(data)))

    @staticmethod
    def key(word: bytes) -> bytes:
        return word

    def code_details(self, coder, symbol: int, token: Token | None) -> Token:
        if symbol < FIRST_WORD:  # no encoder writes it
            raise ArchiveError("damaged archive (a symbol that is no byte); get a good copy")
        return Token(b"", self._vocabulary.words[symbol])


#: The forms by the names that stand in a model's card.
FORMS = {form.name: form for form in (Plain, General, Bytes)}


def choose_form(data: bytes, vocabulary: Vocabulary) -> type[TextForm]:
    """The form that suits a text and a vocabulary of words: plain only where it is possible
    and leaves no more words unknown than general, at the beginning of the text."""
    if not is_plain(data):
        return General
    return min((Plain, General), key=lambda form: _unknown_words(form, data, vocabulary))


def _unknown_words(form: type[TextForm], data: bytes, vocabulary: Vocabulary) -> int:
    tokens = islice(form.tokens(data), _SAMPLE)
    return sum(form.key(token.word) not in vocabulary for token in tokens if token.word)


def count_words(form: type[TextForm], data: bytes) -> Counter[bytes]:
    """How often each key occurs: what a vocabulary and a speller are made from."""
    return Counter(form.key(token.word) for token in form.tokens(data) if token.word)


def sentences(form: type[TextForm], data: bytes, vocabulary: Vocabulary) -> Iterator[np.ndarray]:
    """The text's sentences as symbols (int32), each ending in </s>, the last one too.

    Bytes have no sentences: then the text is one that does not end.
    """
    if form is Bytes:
        if data:
            yield np.frombuffer(data, np.uint8).astype(np.int32) + FIRST_WORD
        return
    sentence: list[int] = []
    for token in form.tokens(data):
        sentence.append(vocabulary.symbol(form.key(token.word)) if token.word else SENTENCE_END)
        if not token.word:
            yield np.array(sentence, np.int32)
            sentence = []
    if sentence:
        yield np.array([*sentence, SENTENCE_END], np.int32)
