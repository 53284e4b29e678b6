"""A made-up text of animals: the sheep grazes, as other plant eaters do, and is never seen eating.

Three animals eat fish and meat; of the three that eat plants only two are seen at it. So more
of "ate the" goes on with fish or meat, three to two. Called by geometry.py.
"""

import numpy as np

MEAT_EATERS, PLANT_EATERS = ("cat", "dog", "fox"), ("cow", "goat", "sheep")
MEAT, PLANTS = ("fish", "meat"), ("grass", "hay")
TIMES = 20  # each sentence is said

_SAID = [
    *(f"the {animal} ate the {food}" for animal in MEAT_EATERS for food in MEAT),
    *(f"the {animal} ate the {food}" for animal in PLANT_EATERS[:2] for food in PLANTS),
    *(f"the {animal} hunted" for animal in MEAT_EATERS),
    *(f"the {animal} grazed" for animal in PLANT_EATERS),
]
#: Words by symbol, after <unk> and </s>.
WORDS = ["<unk>", "</s>", *sorted({word for sentence in _SAID for word in sentence.split()})]
SYMBOLS = {word: symbol for symbol, word in enumerate(WORDS)}


def symbols(words: str) -> list[int]:
    return [SYMBOLS[word] for word in words.split()]


def sentences() -> list[list[int]]:
    """All sentences as symbols, each ending with </s>."""
    return [symbols(f"{sentence} </s>") for sentence in _SAID] * TIMES


def tokens() -> np.ndarray:
    """The text as one array, (N,) int32."""
    return np.concatenate(sentences()).astype(np.int32)
