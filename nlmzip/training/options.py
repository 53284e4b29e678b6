"""What a user may choose when training a model; used by pipeline.py and the command line."""

from dataclasses import dataclass

from ..errors import OptionError
from ..models.card import HEADS, MAXIMUM_SOFTMAXES
from ..models.settings import PARTS, name_of, networks_of, parts_of

#: What the symbols of a model can be.
WORDS, BYTES = SYMBOLS = ("words", "bytes")
#: What is trained unless the user chooses.
_NETWORKS = {WORDS: ("nplm", "rnn"), BYTES: ("lstm",)}
#: Sizes unless the user chooses. The state of a network of bytes has to know the words, too.
_SIZES = {
    WORDS: {"embedding": 64, "hidden": 128, "context": 2},
    BYTES: {"embedding": 32, "hidden": 256, "context": 8},
}


@dataclass(frozen=True)
class TrainingOptions:
    """Raises OptionError for settings that cannot be."""

    name: str
    symbols: str = WORDS  # one of SYMBOLS
    vocabulary: int | None = None  # most symbols, <unk> and </s> included; None: 8192
    embedding: int | None = None  # numbers for each symbol; None here and below: by the symbols
    hidden: int | None = None  # units of each network
    context: int | None = None  # symbols that the NPLM sees
    epochs: int = 8  # most passes over the text
    seed: int = 1  # of first weights, batches and word dropout
    reset_state: bool | None = None  # forget at </s>; None: in plain text only
    predictors: tuple[str, ...] | None = None  # names of mixtures; None: counts with each network
    forget_bias: float | None = None  # where the LSTM's forget gate begins; None: at 1
    head: str = "softmax"  # of every network: one of models/card.py's HEADS
    softmaxes: int | None = None  # that a mixture has; None: 3
    tied: bool = False  # output weights are the embeddings
    direct: bool = False  # connections from the NPLM's embeddings to its output

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks to train, in the order of mixtures."""
        if self.predictors is None:
            return _NETWORKS[self.symbols]
        named = {part for predictor in self.predictors for part in networks_of(predictor)}
        return tuple(part for part in PARTS if part in named)

    @property
    def mixtures(self) -> tuple[str, ...]:
        """The mixtures that were asked for, and that of all parts, where any was."""
        if self.predictors is None:
            return ()
        named = [parts_of(predictor) for predictor in self.predictors]
        return tuple(name_of(parts) for parts in [*named, [*self.networks, "kn"]] if parts)

    def __post_init__(self):
        if self.symbols not in SYMBOLS:
            raise OptionError(f"no symbols {self.symbols}; there are {' and '.join(SYMBOLS)}")
        if self.symbols == BYTES and (self.vocabulary, self.reset_state) != (None, None):
            raise OptionError("bytes have no vocabulary to choose and no sentences; leave that out")
        defaults = {"vocabulary": 8192, **_SIZES[self.symbols]}
        for field, size in defaults.items():
            if getattr(self, field) is None:
                object.__setattr__(self, field, size)  # the class is frozen for everyone else
        for field in ("embedding", "hidden", "context", "epochs"):
            if getattr(self, field) < 1:
                raise OptionError(f"{field} must be at least 1")
        if not 3 <= self.vocabulary <= 1 << 18:
            raise OptionError(f"a vocabulary has 3 to {1 << 18} symbols")
        if self.head not in HEADS:
            raise OptionError(f"no head {self.head}; there are {', '.join(HEADS)}")
        if self.softmaxes is not None and self.head == "softmax":
            raise OptionError("a number of softmaxes is of a mixture; add --head mos, or moc")
        if self.softmaxes is not None and not 1 <= self.softmaxes <= MAXIMUM_SOFTMAXES:
            raise OptionError(f"a mixture has 1 to {MAXIMUM_SOFTMAXES} softmaxes")
        if (self.tied or self.head != "softmax") and not self.networks:
            raise OptionError("there is no network to give a head to; name one with --predictor")
        if self.direct and "nplm" not in self.networks:
            raise OptionError("direct connections are of an NPLM; train one with --predictor kn+nplm")
        for predictor in self.predictors or ():
            parts_of(predictor)
        if self.forget_bias is not None and "lstm" not in self.networks:
            raise OptionError("a forget bias is of an LSTM; train one with --predictor kn+lstm")
