"""Which network a user's options ask for, and what the card says of it; called by pipeline.py."""

from .elman import Elman
from .gru import Gru
from .lstm import FORGET_BIAS, Lstm
from .nplm import Nplm
from .softmax import Softmax
from .softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes
from .tying import Tied

_NETWORKS = {"nplm": Nplm, "rnn": Elman, "lstm": Lstm, "gru": Gru}
_MIXTURES = {"mos": MixtureOfSoftmaxes, "moc": MixtureOfContexts}
_N_SOFTMAXES = 3  # unless a user chooses


def network(part, options, vocabulary_size, reset_state):
    """What `fit` trains, for a part of models/settings.py's and a TrainingOptions."""
    design = describe(part, options)
    head = Softmax()
    if "softmaxes" in design:
        head = _MIXTURES[design.pop("head")](design.pop("softmaxes"))
    if design.pop("tied", False):
        head = Tied(head)
    return _NETWORKS[part](vocabulary_size, reset_state=reset_state, head=head, **design)


def describe(part, options):
    """The design as a card says it: of head, tied and direct only what is not the simplest."""
    design = {"embedding": options.embedding, "hidden": options.hidden}
    if part == "nplm":
        design["context"] = options.context
    if part == "lstm":
        design["forget_bias"] = FORGET_BIAS if options.forget_bias is None else options.forget_bias
    if options.head != "softmax":
        design |= {"head": options.head, "softmaxes": options.softmaxes or _N_SOFTMAXES}
    if options.tied:
        design["tied"] = True
    if options.direct and part == "nplm":
        design["direct"] = True
    return design
