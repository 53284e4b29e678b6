"""Letter case, split off a word so that `The`, `THE` and `the` are one word of the vocabulary.

Only ASCII letters have case here: what follows is a bijection for any bytes, whatever
their encoding. Called by forms.py.
"""

LOWER, CAPITALISED, UPPER = range(3)
#: A word's key stands as it is: it has no letters, or capitals in its middle (`iPhone`).
FIXED = -1


def split_case(word: bytes) -> tuple[bytes, int]:
    """The word's key and its case; `join_case` puts them together again.

    The key is the word in lower case, except for words of mixed case: their key is the
    word itself. So the case need not be told (FIXED) exactly if `has_case(key)` is false.
    """
    key = word.lower()
    if key == word:
        return (key, LOWER) if has_case(key) else (key, FIXED)
    if word == key.capitalize():
        return key, CAPITALISED
    if word == key.upper():
        return key, UPPER
    return word, FIXED


def join_case(key: bytes, case: int) -> bytes:
    """The word of this key and case."""
    if case == CAPITALISED:
        return key.capitalize()
    return key.upper() if case == UPPER else key


def has_case(key: bytes) -> bool:
    """Whether words of this key come in three cases: it has letters, all of them lower."""
    return key.islower()
