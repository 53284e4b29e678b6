"""What a cell of an LSTM keeps of an earlier one: its cell path, and what goes through h.

    dc_T / dc_(T-m) = diag(f_T f_(T-1) ... f_(T-m+1)) + R

The path that never leaves the cell meets forget gates only (Hochreiter and Schmidhuber 1997;
Gers, Schmidhuber and Cummins 2000). R is the sum of the paths that leave it by h = o tanh(c)
and come back through i, f or g. The gate o_(T-m) is held, so h_(T-m) moves with c_(T-m) alone.
Called by long_lag.py.
"""

from typing import NamedTuple

import numpy as np

from nlmzip.training.bodies.lstm import Lstm


class Reach(NamedTuple):
    """For lags m = 1 to M: the diagonals of the cell paths (M, h), and the remainders R (M, h, h).

    Rows are units of c_T, columns those of c_(T-m).
    """

    cell_path: np.ndarray
    remainder: np.ndarray

    def full(self) -> np.ndarray:
        """dc_T / dc_(T-m), (M, h, h)."""
        return self.cell_path[:, :, None] * np.eye(self.cell_path.shape[1]) + self.remainder

    def norms(self) -> np.ndarray:
        """Spectral norms of the cell path, of the remainder and of their sum, (M, 3)."""
        matrices = np.stack((self.remainder, self.full()), axis=1)
        largest = self.cell_path.max(axis=1, keepdims=True)  # of a diagonal of positive numbers
        return np.concatenate((largest, np.linalg.norm(matrices, 2, axis=(2, 3))), axis=1)


def reach(network: Lstm, weights: dict, inputs: np.ndarray, most: int) -> Reach:
    """From the cell after the last of some input symbols (T,), `most` steps back if there are so many."""
    (_, cells), all_gates = network.run(weights, inputs[:, None])
    cell, gates = cells[:, 0], all_gates[:, 0]  # (T, h), (T, 4 h)
    bent, width = np.tanh(cell), cell.shape[1]
    kept, apart = np.ones(width), np.zeros((width, width))  # together dc_T / dc_t
    at_hidden = np.zeros((width, width))  # dc_T / dh_t, by what reads h_t later
    paths, remainders = [], []
    for t in range(len(cell) - 1, max(0, len(cell) - 1 - most), -1):
        i, f, o, g = np.split(gates[t], 4)
        at_cell = np.diag(kept) + apart
        at_gates = (
            at_cell * (g * i * (1 - i)),
            at_cell * (cell[t - 1] * f * (1 - f)),
            at_hidden * (bent[t] * o * (1 - o)),
            at_cell * (i * (1 - g * g)),
        )
        at_hidden = np.concatenate(at_gates, axis=1) @ weights["recurrent_weights"].T
        kept = kept * f
        o_before = np.split(gates[t - 1], 4)[2]
        apart = apart * f + at_hidden * (o_before * (1 - bent[t - 1] ** 2))
        paths.append(kept)
        remainders.append(apart)
    return Reach(np.reshape(paths, (-1, width)), np.reshape(remainders, (-1, width, width)))


def median_norms(reaches: list[Reach]) -> dict[int, tuple[np.ndarray, int]]:
    """By lag: medians of the three `norms`, and how many of the reaches go so far."""
    norms = [each.norms() for each in reaches]
    found = {}
    for lag in range(1, max(map(len, norms), default=0) + 1):
        reaching = np.array([each[lag - 1] for each in norms if len(each) >= lag])
        found[lag] = np.median(reaching, axis=0), len(reaching)
    return found
