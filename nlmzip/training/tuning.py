"""Chooses what the dev text decides: mixture weights and steps of dynamic evaluation.

Everything is measured with the predictors that code, on the weights as they are stored.
A network's gradient steps do not depend on the mixture it stands in, so each network
runs over the dev text once for each step size, and all mixtures are judged by the
probabilities noted then. Called by pipeline.py.
"""

import math

import numpy as np

from ..entropy.frequencies import RESOLUTION
from ..models.settings import parts_of
from ..predictors.build import DEFAULT_INTERVAL, build

LEAST_STEP, LARGEST_STEP = 0.0003, 0.5  # on the summed loss of a sentence
N_STEP_SIZES = 8  # tried for each network
SMALL_STEP = 0.001  # for a network on which none was tried; large ones can harm
#: Of dev, most that settings are chosen on: words, or bytes.
TUNING_TOKENS = {"words": 12_000, "bytes": 24_000}
AFTER_INTERRUPT = 1_200  # the same where the user does not want to wait
GOLDEN = (math.sqrt(5) - 1) / 2


class Tuner:
    """Tunes one model on the symbols of a dev text.

    `model` needs the card's vocabulary_size and reset_state, and all arrays as stored.
    `parts` are Kneser-Ney and networks, `mixtures` names of predictors made of them,
    `dev` is int32 (N,). `advance(n)` is told of every n tokens predicted. First `try_all`,
    if that is interrupted `fill_in`, then `settings`.
    """

    def __init__(self, model, parts, dev, advance=lambda n: None, mixtures=()):
        self._model, self._parts, self._advance = model, parts, advance
        self._mixtures = mixtures
        self._networks = [part for part in parts if part != "kn"]
        self.dev = dev  # what settings are chosen on
        self._static = {}  # part: probabilities
        self._dynamic = {part: {} for part in self._networks}  # part: {step size: probabilities}

    @property
    def n_tokens(self):
        """Tokens that `try_all` predicts, for a progress bar."""
        return len(self.dev) * (len(self._parts) + len(self._networks) * N_STEP_SIZES)

    def try_all(self):
        """Run every part over dev, and every network with each step size."""
        for part in self._parts:
            self._run_static(part)
        for part in self._networks:
            self._try_step_sizes(part)

    def fill_in(self):
        """Run what `try_all` has left out, one small step size for a network without any.

        On the first tokens of dev only; what was known before is then judged by these too.
        """
        without_run = [part for part in self._parts if part not in self._static]
        without_step = [part for part in self._networks if not self._dynamic[part]]
        if without_run or without_step:
            self.dev = self.dev[:AFTER_INTERRUPT]
        for part in without_run:
            self._run_static(part)
        for part in without_step:
            self._run_dynamic(part, SMALL_STEP)

    def settings(self):
        """Settings of every part alone, of Kneser-Ney with each network, and of the mixtures, as in a card."""
        names = ["kn", *self._networks, *(f"kn+{part}" for part in self._networks), *self._mixtures]
        return {name: self._settings_of(parts_of(name)) for name in dict.fromkeys(names)}

    def _settings_of(self, parts):
        answer = {"static": self._mixture([self._static[part] for part in parts])}
        networks = [part for part in parts if part in self._networks]
        if networks:
            answer["dynamic"] = self._dynamic_settings(parts, networks)
        return answer

    def _dynamic_settings(self, parts, networks):
        """From each network's best step alone, one network's after the other is chosen in the mixture."""
        steps = {part: self._best_step(part) for part in networks}

        def mixture(steps):
            columns = [self._dynamic[part][steps[part]] if part in steps else self._static[part] for part in parts]
            return {**self._mixture(columns), "steps": steps}

        for network in networks:
            tried = [mixture({**steps, network: step}) for step in self._dynamic[network]]
            best = min(tried, key=lambda settings: settings["dev_nats"])
            steps = best["steps"]
        chosen = list(best.pop("steps").values())
        best["step_size"] = chosen if chosen[1:] else chosen[0]
        return {**best, "interval": DEFAULT_INTERVAL}

    def _best_step(self, network):
        """Of the step sizes that were tried, the one with which the network alone is best."""
        tried = self._dynamic[network]
        return max(tried, key=lambda step: np.log(tried[step][: len(self.dev)]).sum())

    def _mixture(self, columns):
        """Weights in the form of `Interpolation` and the mean loss with them."""
        columns = [column[: len(self.dev)] for column in columns]
        shares = mixture_shares(columns)
        weights = [round(w, 4) for w in nested_weights(shares)]
        mixture = columns[-1]
        for weight, column in zip(weights[::-1], columns[-2::-1]):
            mixture = weight * column + (1 - weight) * mixture
        return {"weights": weights, "dev_nats": round(float(-np.log(mixture).mean()), 5)}

    def _try_step_sizes(self, part):
        """Golden section on the logarithm of the step size."""

        def loss(log_step):
            return -np.log(self._run_dynamic(part, float(f"{math.exp(log_step):.3g}"))).mean()

        golden_section(loss, math.log(LEAST_STEP), math.log(LARGEST_STEP), N_STEP_SIZES)

    def _run_static(self, part):
        self._static[part] = self._probabilities(part, dynamic=False, settings={})

    def _run_dynamic(self, part, step_size):
        answer = self._probabilities(part, dynamic=True, settings={"step_size": step_size})
        self._dynamic[part][step_size] = answer
        return answer

    def _probabilities(self, part, dynamic, settings):
        """What the coder will give each dev symbol, float64 (N,), above zero."""
        predictor = build(self._model, part, dynamic, settings)
        answer = np.empty(len(self.dev))
        for index, symbol in enumerate(self.dev.tolist()):
            answer[index] = predictor.predict()[symbol]
            predictor.perceive(symbol)
            if index % 500 == 499:
                self._advance(500)
        self._advance(len(self.dev) % 500)
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
