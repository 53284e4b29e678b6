"""What training saw of each token's context, by its n-grams.

Called by payload.py and benchmarks/compression/heldout_table.py.
"""

import numpy as np

from ..models.model_file import Model

CLASSES = ("bigram never seen", "bigram seen, trigram not", "trigram seen")


def event_classes(symbols: np.ndarray, sentences: np.ndarray, model: Model) -> np.ndarray:
    """Index into CLASSES of each token, int (N,); </s> is a token, contexts begin with two <s>.

    symbols: int (N,); sentences: int (N,), the number of each token's sentence. Seen is what
    the model counted.
    """
    start = int(model.card["vocabulary_size"])
    before, first = _previous(symbols, sentences, model, start)
    seen = model.section("kneser_ney")
    contexts, words = seen["contexts"].astype(np.int64), seen["words"].astype(np.int64)

    def key(*parts):
        number = 0
        for part in parts:
            number = number * (start + 1) + part
        return number

    bigram = np.isin(key(before, symbols), key(contexts[:, 1], words))
    trigram = np.isin(
        key(first, before, symbols), key(contexts[:, 0], contexts[:, 1], words)
    )
    return bigram.astype(int) + trigram


def _previous(symbols, sentences, model, start) -> tuple[np.ndarray, np.ndarray]:
    """The symbol before each token and the one before that, <s> where there is none."""

    def shifted(by: int) -> np.ndarray:
        moved = np.concatenate((np.full(by, start), symbols))[: len(symbols)]
        if model.card["reset_state"]:
            of_sentence = np.concatenate((np.full(by, -1), sentences))[: len(symbols)]
            moved = np.where(of_sentence == sentences, moved, start)
        return moved

    return shifted(1), shifted(2)
