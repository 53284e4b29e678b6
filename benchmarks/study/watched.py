"""Training that can be looked at: the weights after each epoch, and text without word dropout.

Called by word_dropout.py and weight_decay.py.
"""

import numpy as np

from nlmzip.training.fit.fit import Fit, fit


class Watched:
    """A network of nlmzip.training as `fit` takes it; `epochs` are its weights after each.

    raw: tokens to train on in each epoch, without word dropout; None: those that `fit` gives.
    """

    def __init__(self, network, raw: np.ndarray | None = None):
        self.network, self.raw = network, raw
        self.vocabulary_size = network.vocabulary_size
        self.initial_weights = network.initial_weights
        self.epochs: list[dict] = []

    def steps(self, weights, tokens, random):
        return self.network.steps(weights, tokens if self.raw is None else self.raw, random)

    def log_probabilities(self, weights, tokens):
        """What `fit` asks for once after each epoch, of the dev text."""
        self.epochs.append({name: array.copy() for name, array in weights.items()})
        return self.network.log_probabilities(weights, tokens)


def train(
    network, tokens, dev_tokens, schedule, seed: int, dropout: bool
) -> tuple[Fit, list[dict]]:
    """The fit, and the weights after each epoch that was trained."""
    watched = Watched(network, None if dropout else tokens)
    return fit(watched, tokens, dev_tokens, schedule, seed), watched.epochs
