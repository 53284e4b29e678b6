"""Which network a user's options ask for, and what the card says of it.

Called by pipeline.py; explain/network.py reads cards by it.
"""

from .bodies.elman import Elman
from .bodies.gru import Gru
from .bodies.lstm import FORGET_BIAS, Lstm
from .bodies.nplm import Nplm
from .fit.fit import Schedule
from .heads.softmax import Softmax
from .heads.softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes
from .heads.tying import Tied
from .options import BYTES

#: How fast each learns words, and bytes: of these there is more text, and nothing is rare.
SCHEDULES = {
    "words": {
        "nplm": Schedule(learning_rate=0.003, weight_decay=0.3),
        "rnn": Schedule(learning_rate=0.006, weight_decay=0.3),
        "lstm": Schedule(learning_rate=0.02, weight_decay=0.3),
        "gru": Schedule(learning_rate=0.012, weight_decay=0.3),
    },
    "bytes": {
        "nplm": Schedule(learning_rate=0.003),
        "rnn": Schedule(learning_rate=0.002),
        "lstm": Schedule(learning_rate=0.006),
        "gru": Schedule(learning_rate=0.006),
    },
}
#: How networks of bytes read a text: longer stretches, since a word is several of them. On 2.4 MB
#: of books an LSTM of 128 units came in one epoch to 3.06 bits with 32 streams of 64 bytes at a
#: time, to 2.78 with 16 of 64, to 2.65 with 16 of 32: what counts is how often weights move.
_BATCHES = {"batch_size": 16, "steps_back": 32}
_NPLM_BATCHES = {"batch_size": 1024}
NETWORKS = {"nplm": Nplm, "rnn": Elman, "lstm": Lstm, "gru": Gru}
_MIXTURES = {"mos": MixtureOfSoftmaxes, "moc": MixtureOfContexts}
_N_SOFTMAXES = 3  # unless a user chooses


def network(part, options, vocabulary_size, reset_state):
    """What `fit` trains, for a part of models/settings.py's and a TrainingOptions."""
    design = describe(part, options)
    head = head_of(design)
    for name in ("head", "softmaxes", "tied"):
        design.pop(name, None)
    if options.symbols == BYTES:
        design |= _NPLM_BATCHES if part == "nplm" else _BATCHES
    return NETWORKS[part](vocabulary_size, reset_state=reset_state, head=head, **design)


def head_of(design):
    """The head that a card's design of a network says."""
    head = _MIXTURES[design["head"]](design["softmaxes"]) if "softmaxes" in design else Softmax()
    return Tied(head) if design.get("tied") else head


def schedule(part, options):
    """How the network is trained, for as many epochs as the options say elsewhere."""
    return SCHEDULES[options.symbols][part]


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
