"""Chooses what the dev text decides: mixture weights and steps of dynamic evaluation.

Everything is measured with the predictors that code, on the weights as they are stored.
A network's gradient steps do not depend on the mixture it stands in, so each network
runs over the dev text once for each step size, and all mixtures are judged by the
probabilities noted then. Called by pipeline.py.
"""

import math
from itertools import combinations

import numpy as np

from ..codec import predictors
from ..entropy.frequencies import RESOLUTION
from ..models.settings import parts_of

LEAST_STEP, LARGEST_STEP = 0.0003, 0.5  # on the summed loss of a sentence
N_STEP_SIZES = 8  # tried for each network
GOLDEN = (math.sqrt(5) - 1) / 2


class Tuner:
    """Tunes one model on the symbols of a dev text.

    `model` needs the card's vocabulary_size and reset_state, and all arrays as stored.
    `dev` is int32 (N,). `advance(n)` is told of every n tokens predicted.
    """

    def __init__(self, model, dev, advance=lambda n: None):
        self._model, self._dev, self._advance = model, dev, advance
        self._static = {}  # part: probabilities
        self._dynamic = {}  # part: {step size: probabilities}

    @staticmethod
    def n_tokens(parts, n_dev):
        """Tokens that will be predicted in all, for a progress bar."""
        n_networks = len([part for part in parts if part != "kn"])
        return n_dev * (len(parts) + n_networks * N_STEP_SIZES)

    def settings(self, parts):
        """Settings of every part alone and of Kneser-Ney with each network, as in a card."""
        for part in parts:
            self._static[part] = self._probabilities(part, dynamic=False, settings={})
        for part in parts:
            if part != "kn":
                self._dynamic[part] = self._try_step_sizes(part)
        names = ["kn"] + [p for p in parts if p != "kn"] + [f"kn+{p}" for p in parts if p != "kn"]
        return {name: self._settings_of(parts_of(name)) for name in names}

    def _settings_of(self, parts):
        static = self._mixture([self._static[part] for part in parts])
        answer = {"static": static}
        if parts != ["kn"]:
            network, others = parts[0], [self._static[part] for part in parts[1:]]
            tried = [
                {**self._mixture([probabilities, *others]), "step_size": step}
                for step, probabilities in self._dynamic[network].items()
            ]
            best = min(tried, key=lambda settings: settings["dev_nats"])
            answer["dynamic"] = {**best, "interval": predictors.DEFAULT_INTERVAL}
        return answer

    def _mixture(self, columns):
        """Weights in the form of `Interpolation` and the mean loss with them."""
        shares = mixture_shares(columns)
        weights = [round(w, 4) for w in nested_weights(shares)]
        mixture = columns[-1]
        for weight, column in zip(weights[::-1], columns[-2::-1]):
            mixture = weight * column + (1 - weight) * mixture
        return {"weights": weights, "dev_nats": round(float(-np.log(mixture).mean()), 5)}

    def _try_step_sizes(self, part):
        """{step size: probabilities} by golden section on the logarithm of the step size."""
        tried = {}

        def loss(log_step):
            step = float(f"{math.exp(log_step):.3g}")
            tried[step] = self._probabilities(part, True, {"step_size": step})
            return -np.log(tried[step]).mean()

        golden_section(loss, math.log(LEAST_STEP), math.log(LARGEST_STEP), N_STEP_SIZES)
        return tried

    def _probabilities(self, part, dynamic, settings):
        """What the coder will give each dev symbol, float64 (N,), above zero."""
        predictor = predictors.build(self._model, part, dynamic, settings)
        answer = np.empty(len(self._dev))
        for index, symbol in enumerate(self._dev.tolist()):
            answer[index] = predictor.predict()[symbol]
            predictor.perceive(symbol)
            if index % 500 == 499:
                self._advance(500)
        self._advance(len(self._dev) % 500)
        # As frequencies they are at least one. A step so large that weights overflow is
        # as bad as can be.
        answer = np.nan_to_num(answer, nan=0.0)
        return (answer * RESOLUTION + 1) / (RESOLUTION + predictor.vocabulary_size)


def mixture_shares(columns, n_rounds=200):
    """Shares of a mixture, (K,), that give data the greatest likelihood.

    columns: K arrays (N,) of the probabilities that each component gave the data.
    Expectation maximisation, as in deleted interpolation (Jelinek and Mercer 1980); the
    likelihood is concave in the shares, so there is one maximum.
    """
    columns = np.stack(columns)
    shares = np.full(len(columns), 1 / len(columns))
    for _ in range(n_rounds):
        parts = shares[:, None] * columns
        shares = (parts / parts.sum(axis=0)).mean(axis=1)
    return shares


def nested_weights(shares):
    """Share of each component but the last in the mixture of it and all after it."""
    rests = np.cumsum(shares[::-1])[::-1]
    return [float(share / rest) if rest > 0 else 0.0 for share, rest in zip(shares[:-1], rests)]


def golden_section(function, low, high, n_calls):
    """Look for the least value of a function with one valley, in n_calls calls (Kiefer 1953)."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(n_calls - 2):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
