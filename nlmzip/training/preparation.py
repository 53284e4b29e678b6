"""What part of the texts is kept for dev, and in which form they are read; called by pipeline.py."""

from collections import Counter

from ..text import forms
from ..text.tokens import is_plain
from ..text.vocabulary import Vocabulary
from .options import BYTES

DEV_SHARE = 0.08  # of each text, its end


def keep_apart(texts):
    """Cut each text in two: (list of beginnings, their ends joined as a dev text)."""
    cuts = [_cut(text) for text in texts]
    return (
        [text[:cut] for text, cut in zip(texts, cuts)],
        b"".join(text[cut:] for text, cut in zip(texts, cuts)),
    )


def _cut(text):
    """Where the end of a text begins: after a line, else after a word, else anywhere."""
    wanted = int(len(text) * (1 - DEV_SHARE))
    for separator in (b"\n", b" "):
        found = text.rfind(separator, len(text) // 2, wanted)
        if found >= 0:
            return found + 1
    return wanted


def choose_form(texts, dev, options):
    """Plain, if all texts can be read so and then leave no more words of dev unknown; else General.

    Bytes where the options say so.
    """
    if options.symbols == BYTES:
        return forms.Bytes
    if not all(map(is_plain, [*texts, dev])):
        return forms.General

    def n_unknown(form):
        counts = sum((forms.count_words(form, text) for text in texts), Counter())
        vocabulary = Vocabulary.of_counts(counts, options.vocabulary)
        return sum(n for word, n in forms.count_words(form, dev).items() if word not in vocabulary)

    return min((forms.Plain, forms.General), key=n_unknown)
