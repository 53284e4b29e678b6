"""The body of a recurrent network unrolled over a text: its states, and gradients back through them.

gradients.py follows gradients back on it. What a step computes, and its derivative, is
training's (training/bodies/elman.py, lstm.py, gru.py, mgu.py). Called by network.py.
"""

import numpy as np

from ..training.bodies.recurrent import Recurrent, at_states_before

#: Tokens that are run at a time, whose gates take memory.
_STEPS_AT_ONCE = 4096


class Unrolled:
    """The states of a body over symbols, in the floats of its weights.

    A state s_t is h_t, and of an LSTM (h_t, c_t), side by side: `states` is (T, s), of which
    the first `width` numbers are h_t, what the head reads.
    symbols: int (T,); restarts: bool (T,), whether s_(t-1) is zero and <s> is read at t.
    """

    def __init__(self, body: Recurrent, weights: dict, symbols: np.ndarray, restarts: np.ndarray):
        self._body, self._weights, self._restarts = body, weights, restarts
        start = len(weights["embedding"]) - 1
        self._inputs = np.where(restarts, start, np.concatenate(([start], symbols[:-1])))
        self.width = weights["recurrent_weights"].shape[0]
        begins = np.union1d(np.flatnonzero(restarts), np.arange(0, symbols.size, _STEPS_AT_ONCE))
        made, state = [], None
        for begin, end in zip(begins, [*begins[1:], symbols.size]):
            before = None if restarts[begin] else state
            parts = body.run(weights, self._inputs[begin:end, None], before).states
            state = tuple(values[-1] for values in parts)
            made.append(np.concatenate([values[:, 0] for values in parts], axis=1))
        self.states = np.concatenate(made)

    def steps(self, first: int, end: int) -> "Steps":
        """The steps `first` .. `end` - 1, to pull gradients back through."""
        before = np.zeros_like(self.states[first:end])
        before[1:] = self.states[first : end - 1]
        if first:
            before[0] = self.states[first - 1]
        before[self._restarts[first:end]] = 0
        parts = self._parts(before)
        # Steps whose states before are known run side by side, as if each were a text's first.
        activations = self._body.run(self._weights, self._inputs[None, first:end], tuple(parts))
        after = [values[0] for values in activations.states]
        return Steps(self._body, self._weights, first, after, activations.gates[0], parts)

    def _parts(self, states: np.ndarray) -> list[np.ndarray]:
        return np.split(states, states.shape[-1] // self.width, axis=-1)


class Steps:
    """Some steps in a row. after, before: the parts of their states, (n, h) each; gates (n, k)."""

    def __init__(self, body: Recurrent, weights: dict, first: int, after, gates, before):
        self._body, self._weights, self._first = body, weights, first
        self._after, self._gates, self._before = after, gates, before

    def pull_back(self, times: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        """Gradients at the states s_t of `times` (n,) become those at s_(t-1): (n, rows, s).

        Each row times ds_t / ds_(t-1), of the whole state.
        """
        index = times - self._first

        def of_times(values: np.ndarray) -> np.ndarray:
            return values[index, None]  # (n, 1, .), the same for all rows

        after, before = (list(map(of_times, parts)) for parts in (self._after, self._before))
        at_states = np.split(gradients, len(after), axis=-1)
        delta, aside = self._body.step_back(
            self._weights, after, of_times(self._gates), before, at_states
        )
        return np.concatenate(at_states_before(self._weights, delta, aside), axis=-1)
