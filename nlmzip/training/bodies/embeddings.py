"""The gradient of an embedding table; called by nplm.py and recurrent.py."""

import numpy as np


def embedding_gradient(ids, row_gradients, n_rows):
    """Add up the gradients of looked-up rows into a whole table, (n_rows, d).

    ids (n,) integers, row_gradients (n, d). A row looked up several times, within one
    context or by several tokens of a batch, gets the sum of all its gradients.
    np.add.at does the same, but slowly.
    """
    table = np.zeros((n_rows, row_gradients.shape[1]), row_gradients.dtype)
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    starts = np.flatnonzero(np.diff(sorted_ids, prepend=-1))
    table[sorted_ids[starts]] = np.add.reduceat(row_gradients[order], starts, axis=0)
    return table
