"""Texts cut into documents, and some of them kept apart.

A model of bytes is told by what it has not seen: its mixing weights are learnt, and its
settings chosen, on documents whose counts it does not hold.
"""

from typing import NamedTuple

import numpy as np

#: Longest document, in bytes: a longer text is cut at ends of lines.
LONGEST = 1 << 18
_FEWEST = 40  # documents, unless they would be very short
_SHORTEST = 1 << 12
_WHOLE_TEXTS = 20  # from so many texts on, documents of one text are kept together
_LARGEST_SHARE = 0.1  # of the text, for each of the two parts kept apart


class Parts(NamedTuple):
    """Lists of documents: to count, to learn mixing weights on, and to choose settings on."""

    counted: list[bytes]
    mixing: list[bytes]
    dev: list[bytes]


def documents_of(text: bytes, longest: int) -> list[bytes]:
    """A text in documents of at most about `longest` bytes, cut at ends of lines if it has any."""
    documents, first = [], 0
    while len(text) - first > longest:
        cut = text.rfind(b"\n", first + longest // 2, first + longest) + 1
        documents.append(text[first : cut or first + longest])
        first += len(documents[-1])
    return [*documents, text[first:]] if first < len(text) else documents


def keep_apart(texts: list[bytes], mixing_bytes: int, dev_bytes: int, seed: int) -> Parts:
    """Documents of texts in three parts, the two that are kept apart of about these sizes.

    Whole texts are kept apart where there are many, as a later file will be another text.
    """
    total = sum(map(len, texts))
    longest = min(max(total // _FEWEST, _SHORTEST), LONGEST)
    groups = [documents_of(text, longest) for text in texts if text]
    if len(groups) < _WHOLE_TEXTS:
        groups = [[document] for group in groups for document in group]
    order = np.random.default_rng(seed).permutation(len(groups))
    wanted = {
        "mixing": min(mixing_bytes, int(total * _LARGEST_SHARE)),
        "dev": min(dev_bytes, int(total * _LARGEST_SHARE)),
    }
    largest = total * _LARGEST_SHARE  # a text that is most of all is to be counted
    parts = Parts([], [], [])
    for number in order:
        size = sum(map(len, groups[number]))
        for name in wanted:
            if wanted[name] > 0 and (size <= largest or len(groups[number]) == 1):
                getattr(parts, name).extend(groups[number])
                wanted[name] -= size
                break
        else:
            parts.counted.extend(groups[number])
    return parts
