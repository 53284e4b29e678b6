"""Adam (Kingma and Ba 2015, algorithm 1) with clipping and weight decay; called by fit.py."""

import numpy as np

BLOCK = 1 << 14  # elements; a block of weights, gradient and moments stays in the nearest cache


def clip_gradients(gradients, largest_norm):
    """Scale all gradients in place so that their joint Euclidean norm is at most largest_norm.

    Returns the norm before (Pascanu, Mikolov and Bengio 2013).
    """
    norm = float(np.sqrt(sum(float(np.vdot(g, g)) for g in gradients.values())))
    if norm > largest_norm:
        for gradient in gradients.values():
            gradient *= largest_norm / norm
    return norm


class Adam:
    """Moves a dictionary of weights in place.

    Weight decay is decoupled from the gradient (Loshchilov and Hutter 2019): each step
    also takes learning_rate * weight_decay of every matrix away, of biases nothing.
    """

    def __init__(self, weights, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.0):
        self.weights = weights
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.weight_decay = weight_decay
        self.n_steps = 0
        self.means = {name: np.zeros_like(w) for name, w in weights.items()}
        self.squares = {name: np.zeros_like(w) for name, w in weights.items()}

    def step(self, gradients, learning_rate):
        """One step along the gradients, which have the weights' names and shapes."""
        self.n_steps += 1
        # Both moments start from zero: their corrections of the paper, drawn together.
        correction = np.sqrt(1 - self.beta2**self.n_steps)
        rate = float(learning_rate * correction / (1 - self.beta1**self.n_steps))
        epsilon = float(self.epsilon * correction)
        for name, weight in self.weights.items():
            decay = self.weight_decay * learning_rate if weight.ndim > 1 else 0.0
            flat = [
                array.reshape(-1)
                for array in (weight, gradients[name], self.means[name], self.squares[name])
            ]
            for start in range(0, weight.size, BLOCK):
                w, g, mean, square = (array[start : start + BLOCK] for array in flat)
                mean *= self.beta1
                mean += (1 - self.beta1) * g
                square *= self.beta2
                square += (1 - self.beta2) * g * g
                size = np.sqrt(square)
                size += epsilon
                np.divide(mean, size, out=size)
                size *= rate
                if decay:
                    w *= 1 - decay
                w -= size
