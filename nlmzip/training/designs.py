"""Which network a user's options ask for, and what the card says of it.

Called by pipeline.py; explain/network.py reads cards by it.
"""

from ..models import networks
from . import bodies
from .fit.fit import Schedule
from .heads.softmax import Softmax
from .heads.softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes
from .heads.tying import Tied
from .options import BYTES, SYMBOLS

#: The classes that are trained, and how fast each learns words, and bytes.
NETWORKS = {name: networks.body_class(name, bodies.__name__) for name in networks.NETWORKS}
SCHEDULES = {
    symbols: {name: Schedule(**getattr(row, symbols)._asdict()) for name, row in networks.NETWORKS.items()}
    for symbols in SYMBOLS
}
_MIXTURES = {"mos": MixtureOfSoftmaxes, "moc": MixtureOfContexts}
_N_SOFTMAXES = 3  # unless a user chooses


def network(part, options, vocabulary_size, reset_state):
    """What `fit` trains, for a part of models/settings.py's and a TrainingOptions."""
    design = describe(part, options)
    head = head_of(design)
    for name in ("head", "softmaxes", "tied"):
        design.pop(name, None)
    if options.symbols == BYTES:
        design |= NETWORKS[part].BATCHES_OF_BYTES
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
    design = {"embedding": options.embedding, "hidden": options.hidden, **NETWORKS[part].own_design(options)}
    if options.head != "softmax":
        design |= {"head": options.head, "softmaxes": options.softmaxes or _N_SOFTMAXES}
    if options.tied:
        design["tied"] = True
    if options.direct and networks.NETWORKS[part].direct:
        design["direct"] = True
    return design
