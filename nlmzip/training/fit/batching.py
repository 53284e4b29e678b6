"""From a text's tokens to what the networks train on; called by nplm.py and recurrent.py.

A text is one int32 array of symbol ids in which every sentence ends with SENTENCE_END.
"""

from dataclasses import dataclass

import numpy as np

from ...text.vocabulary import SENTENCE_END

LONGEST = 200  # tokens; a longer sentence is trained in pieces, each from a zero state


@dataclass(frozen=True)
class Batch:
    """Columns of text side by side, time going down: all arrays are (T, B)."""

    inputs: np.ndarray  # symbol ids of the words before
    targets: np.ndarray  # symbol ids to predict
    mask: np.ndarray  # True where there is a token, False in the padding below it


def previous(tokens, vocabulary_size, reset_state):
    """The symbol before each token, (N,): <s>, which is id V, at the start of a sentence.

    In running text (not reset_state) only the first token of all has <s> before it.
    """
    return contexts(tokens, 1, vocabulary_size, reset_state)[:, 0]


def contexts(tokens, length, vocabulary_size, reset_state):
    """The `length` symbols before each token, oldest first, (N, length), padded with <s> (id V)."""
    answer = np.full((len(tokens), length), vocabulary_size, np.int32)
    available = np.arange(len(tokens))  # how many tokens stand before
    if reset_state:
        available = available - _sentence_starts(tokens)
    for back in range(1, min(length, len(tokens) - 1) + 1):
        known = np.flatnonzero(available >= back)
        answer[known, length - back] = tokens[known - back]
    return answer


def sentence_positions(tokens, batch_size, random=None):
    """Batches of sentences of like length: yields (positions (T, B), mask (T, B)).

    Positions index the text; padding repeats a column's first position. With a numpy
    Generator the batches are composed and ordered at random, else shortest first.
    """
    starts, lengths = _pieces(tokens)
    order = np.arange(len(starts)) if random is None else random.permutation(len(starts))
    order = order[np.argsort(lengths[order], kind="stable")]
    batches = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    if random is not None:
        random.shuffle(batches)
    for batch in batches:
        steps = np.arange(lengths[batch].max())[:, None]
        mask = steps < lengths[batch]
        yield starts[batch] + np.where(mask, steps, 0), mask


def sentence_batches(tokens, vocabulary_size, batch_size, random):
    """Batches of `batch_size` whole sentences, in random order."""
    inputs = previous(tokens, vocabulary_size, reset_state=True)
    for positions, mask in sentence_positions(tokens, batch_size, random):
        yield Batch(inputs[positions], tokens[positions], mask)


def stream_batches(tokens, vocabulary_size, n_streams, n_steps):
    """Running text cut into parallel streams: column b of a batch goes on where it stopped before.

    The last tokens, fewer than n_streams, are left out.
    """
    n_streams = max(1, min(n_streams, len(tokens) // n_steps))
    length = len(tokens) // n_streams
    used = slice(0, n_streams * length)
    inputs = previous(tokens, vocabulary_size, reset_state=False)
    inputs = inputs[used].reshape(n_streams, length).T
    targets = tokens[used].reshape(n_streams, length).T
    for start in range(0, length, n_steps):
        block = slice(start, start + n_steps)
        yield Batch(inputs[block], targets[block], np.ones(targets[block].shape, bool))


def _sentence_starts(tokens):
    """For each token the position where its sentence starts, (N,)."""
    is_start = np.ones(len(tokens), bool)
    is_start[1:] = tokens[:-1] == SENTENCE_END
    return np.maximum.accumulate(np.where(is_start, np.arange(len(tokens)), 0))


def _pieces(tokens):
    """Starts and lengths of the sentences, those longer than LONGEST in pieces."""
    offsets = np.arange(len(tokens)) - _sentence_starts(tokens)
    starts = np.flatnonzero(offsets % LONGEST == 0)
    return starts, np.diff(starts, append=len(tokens))
