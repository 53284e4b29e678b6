"""The trained networks of a model in float64, and what a text makes of them at each token.

A context is the point x that the hidden layer reads: of the NPLM the stacked embeddings of
the words before, of the Elman network the word before and the state. Both then have
h = tanh(x W + b) and logits h W_o + b_o. The LSTM and the GRU have states, but no such point.
Called by geometry.py, gradients_through_time.py, long_lag.py, parameter_counts.py,
softmax_bottleneck.py, softmax_mixtures.py, tightness.py and word_dropout.py.
"""

import numpy as np

from nlmzip.models.model_file import Model
from nlmzip.predictors.vocabulary import load_vocabulary
from nlmzip.text import forms
from nlmzip.training.bodies.gru import Gru
from nlmzip.training.bodies.lstm import Lstm
from nlmzip.training.fit import batching

#: The networks that these tables can take apart.
NETWORKS = ("nplm", "rnn")
#: And those whose states alone they can look at.
GATED = {"lstm": Lstm, "gru": Gru}
WITH_STATES = (*NETWORKS, *GATED)


def networks(model: Model, parts=NETWORKS) -> dict[str, dict[str, np.ndarray]]:
    """Weights by name, float64, of each of these networks that the model has with one softmax."""
    designs = model.card.get("networks", {})
    plain = [part for part in parts if not {"head", "tied", "direct"} & designs.get(part, {}).keys()]
    found = {part: float64(model.section(part)) for part in plain}
    return {part: arrays for part, arrays in found.items() if arrays}


def float64(weights: dict) -> dict:
    """The same weights with more digits."""
    return {name: array.astype(np.float64) for name, array in weights.items()}


def about_gated(report, model: Model) -> None:
    """How to come by a model with the networks that this one has not, where it has not all."""
    if not all(model.section(part) for part in GATED):
        report.line(
            "\nThe same of an LSTM and a GRU: train a model with both and name it with --model:\n"
            "nlmzip train corpora/finance/train.txt --dev corpora/finance/dev.txt --codec words \\\n"
            "    --predictor kn+lstm --predictor kn+gru -o gated.nlm"
        )


def sentences(data: bytes, model: Model) -> list[np.ndarray]:
    """The sentences of a text in plain form as the model's symbols, each ending with </s>."""
    return list(forms.sentences(forms.Plain, data, load_vocabulary(model)))


def hidden_layer(part: str, weights: dict) -> tuple[np.ndarray, np.ndarray]:
    """(W (k, h), b (h,)) of h = tanh(x W + b), where x is a row of `points`."""
    if part == "nplm":
        matrix = weights["hidden_weights"]
    else:
        matrix = np.concatenate((weights["input_weights"], weights["recurrent_weights"]))
    return matrix, weights["hidden_bias"]


def points(part: str, weights: dict, tokens: np.ndarray) -> np.ndarray:
    """The context of each token of a text (N,) as a point, (N, k); sentences stand alone."""
    embedding = weights["embedding"]
    n_rows, width = embedding.shape
    if part == "nplm":
        length = len(weights["hidden_weights"]) // width
        contexts = batching.contexts(tokens, length, n_rows - 1, reset_state=True)
        return embedding[contexts].reshape(len(tokens), -1)
    inputs = embedding[batching.previous(tokens, n_rows - 1, reset_state=True)]
    matrix, bias = hidden_layer(part, weights)
    before = np.empty((len(tokens), len(bias)), embedding.dtype)  # h_(t-1)
    for positions, mask in batching.sentence_positions(tokens, batch_size=256):  # (T, B)
        state = np.zeros((positions.shape[1], len(bias)), embedding.dtype)
        for step, real in zip(positions, mask):
            before[step[real]] = state[real]
            state = np.tanh(np.concatenate((inputs[step], state), axis=1) @ matrix + bias)
    return np.concatenate((inputs, before), axis=1)


def states(part: str, weights: dict, tokens: np.ndarray) -> np.ndarray:
    """What enters the softmax at each token of a text (N,): (N, h), between -1 and 1."""
    if part in GATED:
        return gated_states(GATED[part], weights, tokens)
    matrix, bias = hidden_layer(part, weights)
    return np.tanh(points(part, weights, tokens) @ matrix + bias)


def gated_states(kind, weights: dict, tokens: np.ndarray) -> np.ndarray:
    """h of an LSTM or a GRU at each token of a text (N,): (N, h); sentences stand alone."""
    rows, width = weights["embedding"].shape
    network = kind(rows - 1, width, len(weights["recurrent_weights"]))
    inputs = batching.previous(tokens, rows - 1, reset_state=True)
    hidden = np.empty((len(tokens), network.hidden), weights["embedding"].dtype)
    for positions, mask in batching.sentence_positions(tokens, batch_size=256):  # (T, B)
        hidden[positions[mask]] = network.run(weights, inputs[positions]).states[0][mask]
    return hidden


def log_probabilities(weights: dict, hidden: np.ndarray) -> np.ndarray:
    """log softmax(h W_o + b_o) of states (N, h): (N, V)."""
    return log_softmax(hidden @ weights["output_weights"] + weights["output_bias"])


def log_probabilities_of(
    symbols: np.ndarray | int, weights: dict, hidden: np.ndarray, rows_at_once: int = 512
) -> np.ndarray:
    """The logarithm of the probability of one symbol in each state (N, h), or of its own: (N,)."""
    symbols = np.broadcast_to(symbols, len(hidden))
    blocks = [slice(row, row + rows_at_once) for row in range(0, len(hidden), rows_at_once)]
    return np.concatenate([
        log_probabilities(weights, hidden[block])[np.arange(len(hidden[block])), symbols[block]]
        for block in blocks
    ])  # fmt: skip


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Logarithms of the softmax of each row, (N, V)."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def relabelled(part: str, weights: dict) -> dict:
    """The same network with its hidden units in reverse order."""
    other = {name: array[..., ::-1] for name, array in weights.items()}
    other |= {name: weights[name] for name in ("embedding", "output_bias")}
    other["output_weights"] = weights["output_weights"][::-1]
    if part == "rnn":
        other["recurrent_weights"] = weights["recurrent_weights"][::-1, ::-1]
    return other


def midpoint(one: dict, other: dict) -> dict:
    """Halfway between two networks of the same shapes."""
    return {name: (one[name] + other[name]) / 2 for name in one}


def mean_loss(part: str, weights: dict, tokens: np.ndarray) -> float:
    """Nats a token of a text (N,)."""
    return float(-log_probabilities_of(tokens, weights, states(part, weights, tokens)).mean())
