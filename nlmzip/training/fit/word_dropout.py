"""Word dropout: words seen once stand in for words never seen; called by fit.py.

Without it <unk> never is a target, and maximum likelihood drives its probability to
zero. Kiperwasser and Goldberg (2016); the rate of one half for words seen once is the
Good-Turing reading of it.
"""

import numpy as np

from ...text.vocabulary import FIRST_WORD, UNKNOWN

RATE = 0.5


def seen_once(tokens, vocabulary_size):
    """True for each token whose word occurs once in the tokens, (N,) bool."""
    counts = np.bincount(tokens, minlength=vocabulary_size)
    return (counts[tokens] == 1) & (tokens >= FIRST_WORD)


def word_dropout(tokens, once, random):
    """A copy in which each token of a word seen once is <unk> with probability 1/2.

    To be drawn before contexts are cut from the text, so that a token is dropped as
    context and as target alike. `once` is what `seen_once` says of the tokens.
    """
    dropped = once & (random.random(len(tokens)) < RATE)
    return np.where(dropped, np.int32(UNKNOWN), tokens)
