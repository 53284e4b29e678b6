"""The gradient of each token's loss at what the head reads; called by network.py."""

import numpy as np

#: Floats of a block of predictions, (tokens, V) of each softmax, at a time.
_BLOCK = 1 << 24


class Losses:
    """loss_t = -log p(y_t) under a head of training (training/heads/softmax.py says what a head is).

    weights: by name; read: what the head reads at each token, (T, h); symbols: int (T,), the y_t.
    """

    def __init__(self, head, weights: dict, read: np.ndarray, symbols: np.ndarray):
        self._head, self._weights, self._read, self._symbols = head, weights, read, symbols

    def gradients(self, tokens: np.ndarray) -> np.ndarray:
        """d loss_t / d h_t of these tokens, (n, h), in nats per unit."""
        gradients = np.empty((tokens.size, self._read.shape[1]), self._read.dtype)
        n_softmaxes = len(self._weights.get("prior_bias", [1]))
        size = max(1, _BLOCK // (self._weights["output_bias"].size * n_softmaxes))
        for begin in range(0, tokens.size, size):
            part = tokens[begin : begin + size]
            _, of_mean, _ = self._head.cross_entropy(
                self._weights, self._read[part], self._symbols[part]
            )
            gradients[begin : begin + size] = of_mean * part.size
        return gradients
