"""Trains one network: epochs of word dropout, Adam and a look at the dev text; called by worker.py."""

from dataclasses import dataclass, field

import numpy as np

from .adam import Adam, clip_gradients
from .word_dropout import seen_once, word_dropout


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train."""

    epochs: int = 8
    learning_rate: float = 0.003  # at its highest
    warm_up: float = 0.02  # share of all tokens while the rate rises to it; then it falls to zero
    weight_decay: float = 0.0
    largest_gradient: float = 1.0  # joint norm of all gradients
    patience: int = 3  # epochs without a better dev loss before training ends

    def rate(self, share_done):
        """Learning rate when this share of all tokens has been trained on."""
        rising = share_done / self.warm_up if self.warm_up else 1.0
        falling = (1 - share_done) / (1 - self.warm_up)
        return self.learning_rate * max(0.0, min(rising, falling, 1.0))


@dataclass
class Fit:
    """What training found: weights of the epoch with the least dev loss, finite in any case."""

    weights: dict
    dev_losses: list = field(default_factory=list)  # nats a token, one an epoch
    interrupted: bool = False

    @property
    def best_epoch(self):
        """Counted from 1; 0 when training was stopped before the first epoch ended."""
        return int(np.argmin(self.dev_losses)) + 1 if self.dev_losses else 0


def fit(network, tokens, dev_tokens, schedule, seed, advance=lambda n, **figures: None):
    """Train a network on tokens, (N,) int32, and return a `Fit`.

    `network` has initial_weights, steps and log_probabilities, as in nplm.py and recurrent.py.
    `advance(n, loss=, dev=)` is called after every batch of n tokens.
    KeyboardInterrupt ends training early and keeps the best epoch so far, or the weights
    as they are before the first one ended. So do a loss or weights that are not finite;
    where no epoch can be kept then, the weights are those of the start.
    """
    random = np.random.default_rng(seed)
    weights = network.initial_weights(random)
    adam = Adam(weights, weight_decay=schedule.weight_decay)
    once = seen_once(tokens, network.vocabulary_size)
    result = Fit(weights)
    n_total, n_done = schedule.epochs * len(tokens), 0
    figures = {}
    try:
        for epoch in range(1, schedule.epochs + 1):
            dropped = word_dropout(tokens, once, random)
            for n, loss, gradients in network.steps(weights, dropped, random):
                if not np.isfinite(loss):
                    raise FloatingPointError
                clip_gradients(gradients, schedule.largest_gradient)
                adam.step(gradients, schedule.rate(n_done / n_total))
                n_done += n
                figures["loss"] = float(loss)
                advance(n, **figures)
            dev_loss = float(-network.log_probabilities(weights, dev_tokens).mean(dtype=float))
            if not (np.isfinite(dev_loss) and _are_finite(weights)):
                raise FloatingPointError
            result.dev_losses.append(dev_loss)
            figures["dev"] = min(result.dev_losses)
            if result.best_epoch == epoch:
                result.weights = {name: array.copy() for name, array in weights.items()}
            elif epoch - result.best_epoch >= schedule.patience:
                break
    except KeyboardInterrupt:
        result.interrupted = True
    except FloatingPointError:
        pass  # more of the same would not mend it
    if not (result.dev_losses or _are_finite(weights)):
        result.weights = network.initial_weights(np.random.default_rng(seed))
    return result


def _are_finite(weights):
    return all(np.isfinite(array).all() for array in weights.values())
