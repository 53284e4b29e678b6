"""A slow twin of predictors/as_bytes/word_bytes.py: which words fit, one by one, without a trie or a tree."""

import numpy as np

from nlmzip.predictors.as_bytes import word_bytes
from nlmzip.predictors.as_bytes.gap_bytes import WORD
from nlmzip.text.speller import END, spelling_probabilities
from nlmzip.text.vocabulary import FIRST_WORD

UNIT = 2.0**-30


def spelling(words, beginning: bytes) -> np.ndarray:
    """p of the next letter or the end of an unknown word that begins so, in lower case."""
    context = word_bytes.NO_LETTERS
    for letter in beginning:
        context = context * 257 % 257**3 + letter
    out = np.zeros(257, np.float32)
    spelling_probabilities(words.kernel.speller, context, out)
    return out


def forms(word: bytes, lower: float, upper: float, second: float, is_plain: bool):
    """Each way to write a word of the vocabulary, with its mass."""
    if is_plain:
        return [(word, lower)]
    if word != word.lower():
        return []  # a word with capitals inside stands for itself, and is not looked for
    if not word[:1].islower():
        return [(word, lower + upper)]
    if len(word) == 1:
        return [(word, lower), (word.upper(), upper)]
    return [
        (word, lower),
        (word[:1].upper() + word[1:], upper * (1 - second)),
        (word.upper(), upper * second),
    ]


def leaves(words, row: int, text: bytes) -> np.ndarray:
    """The 256 masses of the byte after `text`, which `words` (MixedWords) has read."""
    inputs, state = words.kernel, words.kernel.state
    is_plain, out = bool(state[word_bytes.IS_PLAIN]), np.zeros(256)
    second = float(inputs.upper_second[state[word_bytes.CASE_BEFORE]]) / 65536
    masses = np.diff(inputs.sums[row].astype(np.int64), axis=1) * UNIT
    vocabulary = words.prepared.vocabulary.words[FIRST_WORD:]
    written = [
        form
        for index, word in enumerate(vocabulary)
        for form in forms(word, masses[0, index], masses[1, index], second, is_plain)
    ]
    if not state[word_bytes.IN_WORD]:
        shares, unknown = inputs.gaps.shares, float(inputs.unknown[row, 0])
        for word, mass in written:
            out[word[0]] += shares[WORD] * mass
        place = state[word_bytes.ENDED], state[word_bytes.CASE_BEFORE], word_bytes.NEVER
        capital = float(inputs.upper_first[place]) / 65536
        add_unknown(out, inputs, spelling(words, b""), shares[WORD] * unknown, capital, is_plain)
        return out + np.where(inputs.in_word, 0, shares[:256])

    beginning = text[state[word_bytes.BEGIN] :]
    unknown = float(inputs.unknown[row, 1])
    letters = spelling(words, beginning if is_plain else beginning.lower())
    end = unknown * letters[END]
    # What was known of the case is certain by now: its mass counts in full.
    capitals = beginning[1:].upper() == beginning[1:] != beginning[1:].lower()
    smalls = beginning[1:].lower() == beginning[1:] != beginning[1:].upper()
    if not is_plain and beginning[:1].isupper():
        scale = 1 / second if capitals else 1 / (1 - second) if smalls else 1
    else:
        scale = 1
    exact = vocabulary.index(key) if (key := beginning if is_plain else beginning.lower()) in vocabulary else None
    for word, mass in written:
        if word.startswith(beginning) and len(word) > len(beginning):
            out[word[len(beginning)]] += mass * scale
    if exact is not None and any(word == beginning for word, _ in written):
        end += masses[state[word_bytes.UPPER_FIRST], exact]
    pattern = state[word_bytes.PATTERN]
    upper = {word_bytes.ALL_UPPER: 1.0, word_bytes.ALL_LOWER: 0.0}.get(pattern, 0.0)
    if pattern == word_bytes.UNDECIDED and state[word_bytes.UPPER_FIRST]:
        upper = second
    add_unknown(out, inputs, letters, unknown, min(max(upper, 0.02), 0.98), is_plain)
    ends, first = float(inputs.ends[row]), inputs.gaps.first_shares
    return out + np.where(inputs.in_word, 0, end * ((1 - ends) * first[0] + ends * first[1]))


def add_unknown(out, inputs, letters, mass, upper, is_plain) -> None:
    for byte in range(256):
        if inputs.in_word[byte]:
            small = not is_plain and 97 <= byte <= 122
            out[byte] += mass * letters[byte] * (1 - upper if small else 1)
            if small:
                out[byte - 32] += mass * letters[byte] * upper
