"""Random first weights of the networks; called by the networks and heads."""

import numpy as np

OUTPUT_SCALE = 0.01  # so small that the first loss is log V: every word about equally likely
TIED_SCALE = 0.05  # of embeddings that are output weights, too


def embedding_rows(random, n_rows, width, scale):
    """Normal with standard deviation `scale`, (n_rows, width) float32."""
    return (scale * random.standard_normal((n_rows, width))).astype(np.float32)


def hidden_matrix(random, n_in, n_out):
    """Uniform with variance 2 / (n_in + n_out) (Glorot and Bengio 2010), float32."""
    bound = np.sqrt(6 / (n_in + n_out))
    return random.uniform(-bound, bound, (n_in, n_out)).astype(np.float32)


def output_matrix(random, n_in, n_out):
    """Normal with a small standard deviation, (n_in, n_out) float32."""
    return (OUTPUT_SCALE * random.standard_normal((n_in, n_out))).astype(np.float32)


def gate_matrices(random, n_gates, n_in, n_out):
    """A hidden matrix for each gate, side by side, (n_in, n_gates * n_out) float32."""
    return np.hstack([hidden_matrix(random, n_in, n_out) for _ in range(n_gates)])
