"""Every kind of network: its name, its bit in archives, its classes, and how fast it learns.

A network is one row here, predictors/bodies/X.py, which codes with it, and
training/bodies/X.py, which trains it. A row's bit never changes once archives were written.
Needs neither numpy nor numba: classes are imported when they are asked for. Called by the
container, models/, predictors/architecture.py and training/designs.py.
"""

from importlib import import_module
from typing import NamedTuple


class Rates(NamedTuple):
    """How fast a network learns in training (training/fit/fit.py)."""

    learning_rate: float
    weight_decay: float = 0.0


class Network(NamedTuple):
    """name: in predictors' names; bit: of the number that names a predictor in archives; body: file
    and class, both in predictors/bodies/ and in training/bodies/; words, bytes: how fast it
    learns these: of bytes there is more text, and nothing is rare; direct: whether its head
    may read the embeddings, too."""

    name: str
    bit: int
    body: str
    words: Rates
    bytes: Rates
    direct: bool = False


#: By name, in the order in which a mixture weighs them: the parts that dynamic evaluation can move.
NETWORKS = {
    network.name: network
    for network in (
        Network("nplm", 2, "nplm.Nplm", Rates(0.003, 0.3), Rates(0.003), direct=True),
        Network("rnn", 4, "elman.Elman", Rates(0.006, 0.3), Rates(0.002)),
        Network("lstm", 8, "lstm.Lstm", Rates(0.02, 0.3), Rates(0.006)),
        Network("gru", 16, "gru.Gru", Rates(0.012, 0.3), Rates(0.006)),
        Network("mgu", 32, "mgu.Mgu", Rates(0.012, 0.3), Rates(0.006)),
    )
}
#: Of networks and counts: all parts that a predictor can have.
PREDICTOR_BITS = {"kn": 1} | {name: network.bit for name, network in NETWORKS.items()}


def body_class(name: str, package: str) -> type:
    """A network's class in `package`, the name of predictors/bodies or of training/bodies."""
    module, body = NETWORKS[name].body.split(".")
    return getattr(import_module(f"{package}.{module}"), body)


def predictor_number(predictor: str) -> int:
    """The number that names a predictor in archives. Raises ValueError for an unknown one."""
    if predictor == "uniform":
        return 0
    parts = predictor.split("+")
    if any(part not in PREDICTOR_BITS for part in parts) or len(set(parts)) != len(parts):
        raise ValueError(predictor)
    return sum(PREDICTOR_BITS[part] for part in parts)


def predictor_name(number: int) -> str:
    """The predictor that a number names. Raises ValueError for bits that mean nothing yet."""
    if number & ~sum(PREDICTOR_BITS.values()):
        raise ValueError(number)
    return "+".join(name for name, bit in PREDICTOR_BITS.items() if number & bit) or "uniform"
