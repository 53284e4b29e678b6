"""The `words` codec: each token's symbol under a word model, then what it leaves open.

One loop serves both directions: predict, code, perceive. All bits can be attributed to
the words or to the details beside them. Called by coding.py and bench/.
"""

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import NamedTuple

from ..entropy.frequencies import ProbabilityCoder
from ..entropy.range_coder import Decoder, Encoder, RangeCoder
from ..errors import ArchiveError, ModelError, OptionError
from ..models.model_file import Model
from ..predictors.build import build
from ..predictors.vocabulary import load_vocabulary, of_bytes
from ..text.forms import FORMS, Bytes, TextForm, choose_form
from ..text.speller import Speller
from ..text.tokens import Token

#: Called with the bytes done and the bytes in all.
Progress = Callable[[int, int], None]

_TOKENS_PER_REPORT = 256


class WordSettings(NamedTuple):
    """What decides how tokens are coded; form is a key of text.forms.FORMS."""

    predictor: str
    dynamic: bool
    spelling_cache: bool
    form: str


class CodedToken(NamedTuple):
    """A token and the information it took: the symbol's bits, and the details' bits."""

    token: Token
    symbol: int
    word_bits: float
    detail_bits: float


class WordCoder:
    """Codes the tokens of one text, in order, with one coder of either direction.

    Raises ModelError and OptionError where model and settings do not fit.
    """

    def __init__(self, coder: RangeCoder, model: Model, settings: WordSettings):
        self.form = load_form(model, settings.form, settings.spelling_cache)
        self._coder = coder
        self._model_name = model.name
        self._predictor = build(model, settings.predictor, settings.dynamic)
        self._symbols = ProbabilityCoder(coder, int(model.card["vocabulary_size"]))

    def code(self, token: Token | None) -> tuple[Token, int]:
        """Code one token (None when decoding); returns it and its symbol."""
        symbol = 0 if token is None else self.form.symbol(token)
        try:
            symbol = self._symbols.code(self._predictor.predict(), symbol)
        except ValueError:  # a total beyond what any distribution gives
            raise ModelError(
                f"the predictions of model {self._model_name} are no probabilities; use another model"
            ) from None
        token = self.form.code_details(self._coder, symbol, token)
        self._predictor.perceive(symbol)
        return token, symbol


def load_form(model: Model, name: str, spelling_cache: bool) -> TextForm:
    """The text form of this name over the model's words.

    Raises ModelError for a model that lacks what this takes, OptionError for a form of
    bytes over words and the other way round.
    """
    form, bytewise = FORMS[name], of_bytes(model)
    if bytewise != (form is Bytes):
        raise OptionError(f"the model {model.name} has no words of the form {name}")
    speller = None if bytewise else Speller(model.arrays)
    return form(load_vocabulary(model), speller, spelling_cache)


class Prepared:
    """The words codec with a model: what all frames share. Raises ModelError, OptionError where
    model and settings do not fit."""

    def __init__(self, model: Model, settings: WordSettings):
        load_form(model, settings.form, settings.spelling_cache)
        self.model, self.settings = model, settings

    def state(self, shared: dict | None = None) -> "State":
        return State(self)


class State:
    """Codes one text after the other, each with predictors that have read nothing."""

    def __init__(self, prepared: Prepared):
        self._prepared = prepared

    def form_for(self, data: bytes) -> str:
        return form_for(data, self._prepared.model)

    def encode(self, data, progress: Progress | None = None) -> bytes:
        """The payload of `data`."""
        return encode(bytes(data), self._prepared.model, self._prepared.settings, progress)

    def decode(self, payload: bytes, raw_length: int, progress: Progress | None = None) -> bytes:
        """The data of a payload. Raises ArchiveError if the payload is damaged."""
        return decode(payload, raw_length, self._prepared.model, self._prepared.settings, progress)


def form_for(data: bytes, model: Model) -> str:
    """The name of the text form in which this model codes `data` best."""
    return Bytes.name if of_bytes(model) else choose_form(data, load_vocabulary(model)).name


def encode(
    data: bytes, model: Model, settings: WordSettings, progress: Progress | None = None
) -> bytes:
    """The payload of `data`."""
    coder = Encoder()
    words = WordCoder(coder, model, settings)
    _run(words, coder, words.form.tokens(data), len(data), progress)
    return coder.finish()


def measure(data: bytes, model: Model, settings: WordSettings) -> Iterator[CodedToken]:
    """Encode `data` and tell, token by token, where the information went."""
    coder = Encoder()
    words = WordCoder(coder, model, settings)
    before = 0.0
    for token in words.form.tokens(data):
        details_before = sum(words.form.bits.values())
        _, symbol = words.code(token)
        after = coder.bits
        detail_bits = sum(words.form.bits.values()) - details_before
        yield CodedToken(token, symbol, after - before - detail_bits, detail_bits)
        before = after


def decode(
    payload: bytes,
    raw_length: int,
    model: Model,
    settings: WordSettings,
    progress: Progress | None = None,
) -> bytes:
    """The data of a payload. Raises ArchiveError if the payload is damaged."""
    coder = Decoder(payload)
    words = WordCoder(coder, model, settings)
    data = bytes(_run(words, coder, repeat(None), raw_length, progress))
    if len(data) != raw_length or not coder.finished:
        raise ArchiveError("damaged archive (its text does not end where it should); get a good copy")
    return data


def _run(
    words: WordCoder, coder: RangeCoder, tokens, n_bytes: int, progress: Progress | None
) -> bytearray:
    """Code tokens until they make up `n_bytes`, or the payload is seen to be damaged; their text."""
    text = bytearray()
    for count, token in enumerate(tokens):
        if len(text) >= n_bytes:
            break
        text += words.code(token)[0].text
        if count % _TOKENS_PER_REPORT == 0:
            if coder.overrun:
                break
            if progress:
                progress(len(text), n_bytes)
    return text
