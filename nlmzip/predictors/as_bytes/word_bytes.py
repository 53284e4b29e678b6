"""A word model as a predictor of bytes: which words still fit what is known of this one.

The words that begin as the present one does are an interval of the vocabulary, so the
next byte's probability is a ratio of masses. Where the beginning is a word itself, it may
end here: its own mass goes to the bytes that end words, shared out by whether a sentence
ends next (one look ahead) and by gap_bytes.py. Words of general text are known in lower
case; which case comes is predicted from the sentence's beginning and from the word's
last case. Nothing here reads a byte that is not coded yet. Called by engine.py, which
stops where `end_source` has something to tell the predictors (predictors/as_bytes/mixed_words.py).
"""

from typing import NamedTuple

import numpy as np

from ...engine.inputs.byte_trees import LEAVES, sum_tree
from ...engine.inputs.counters import adapt
from ...engine.inputs.sources import begin_source, end_source
from ...kernels import njit, part
from ...kernels.elementary import ONE
from ...text.speller import END as END_OF_WORD
from ...text.speller import ORDER, RADIX, START, SpellerTable, spelling_probabilities
from .gap_bytes import WORD, Gaps, count, share_first, share_following
from .vocabulary_trie import Trie, child_of

# Places in `state` (int64).
IN_WORD = 0
NODE = 1  # of the trie, or -1 where no word of the vocabulary begins so
BEGIN, END = 2, 3  # of the present or last word in the data
UPPER_FIRST = 4  # whether the present word began with a capital
PATTERN = 5  # its case: one of the three below
BYTE_BEFORE = 6  # the gap's last byte, or WORD
FIRST_OF_GAP = 7  # or WORD
ENDED = 8  # whether a sentence ended in this gap
FULL_STOP = 9  # whether the gap's last bytes are a full stop and quotes
LINE_FEED = 10  # whether they are a line feed and white space
CASE_BEFORE = 11  # case of the word before: 0 lower, 1 capitalised, 2 upper, 3 none
IS_PLAIN = 12
AFTER_END = 13  # whether the present or last word began a sentence
SPELLED = 14  # the word's last letters, as the speller numbers them
STATES = 15

NO_LETTERS = (START * RADIX + START) * RADIX + START
UNDECIDED, ALL_LOWER, ALL_UPPER = range(3)
#: What `learn_byte` tells; several may be joined by |.
NOTHING, WORD_ENDED, SENTENCE_ENDED, MAY_END = 0, 1, 2, 4
#: The last case of a word of the vocabulary: never seen, 1 + one of CASE_BEFORE's, no case.
NEVER, CASELESS = 0, 4

_MASS = np.float32(2.0**-30)
_NO_MASS = np.float32(0.0)
_MOST_FREQUENCY = np.float32(1 << 30)
_PROBABILITY = np.float32(1.0 / 65536.0)
_CASE_RATE = 2048
#: A word may be unknown; each letter leaves a share of that.
_LEAST_UNKNOWN, _FADED = np.float32(0.002), np.float32(2.0**-40)
#: A letter of an unknown word has not the case of the others.
_ODD_CASE = np.float32(0.02)
#: That a sentence ends after a word, where nothing was asked.
_MAY_BE_END = np.float32(0.06)
#: Look ahead where a word ends here with at least this probability.
_LIKELY_END = np.float32(0.03)


class Words(NamedTuple):
    """The kernel's part. rows: the distributions that are inputs."""

    trees: np.ndarray  # float32 (rows, 512), byte_trees.py
    trust: np.ndarray  # float32 (rows,): the share of known words in each tree
    trie: Trie
    sums: np.ndarray  # uint32 (rows, 2, V - 1): masses before each word, lower and capital
    unknown: np.ndarray  # float32 (rows, 2): of <unk>, at the word's beginning and now
    ends: np.ndarray  # float32 (rows,): of </s> after the word that may end here
    in_word: np.ndarray  # bool (256,)
    speller: SpellerTable  # text/speller.py
    spelled: np.ndarray  # float32 (257,): the next letter of an unknown word, or its end
    gaps: Gaps
    state: np.ndarray  # int64 (STATES,)
    cases: np.ndarray  # uint8 (V,): the case that each word had last
    upper_first: np.ndarray  # uint16 (2, 4, 5): p(capital) by ENDED, CASE_BEFORE, last case
    upper_second: np.ndarray  # uint16 (4,): p(another one) by CASE_BEFORE


@njit(borrowing=True)
def bounded(probability, least):
    """From `least` to one; what is no number is `least`."""
    return (probability if probability < ONE else ONE) if probability > least else least


@njit(borrowing=True)
def set_masses(words, row, probabilities):
    """Take in a distribution of the next word, float32 (V,)."""
    sums, cases = words.sums[row], words.cases
    upper = words.upper_first[words.state[ENDED], words.state[CASE_BEFORE]]
    is_plain = words.state[IS_PLAIN]
    lower_sum, upper_sum = np.int64(0), np.int64(0)
    for symbol in range(2, probabilities.size):
        scaled = probabilities[symbol] * _MOST_FREQUENCY
        scaled = scaled if scaled > _NO_MASS else _NO_MASS
        scaled = scaled if scaled < _MOST_FREQUENCY else _MOST_FREQUENCY
        frequency = np.int64(scaled) + 1
        if not is_plain:
            capital = frequency * np.int64(upper[cases[symbol]]) >> 16
            upper_sum += capital
            frequency -= capital
            sums[1, symbol - 1] = np.uint32(upper_sum)
        lower_sum += frequency
        sums[0, symbol - 1] = np.uint32(lower_sum)
    unknown = bounded(probabilities[0], _LEAST_UNKNOWN)
    words.unknown[row, 0] = unknown
    words.unknown[row, 1] = unknown


@part
def _mass(sums, low, high):
    return np.float32(np.uint32(sums[high] - sums[low])) * _MASS


@part
def _is_small(byte):
    return 97 <= byte <= 122


@part
def _is_capital(byte):
    return 65 <= byte <= 90


@part
def _add_first_letters(words, row, share):
    """Leaves of the bytes that a word begins with; returns the mass that they have."""
    trie, sums, leaves = words.trie, words.sums[row], words.trees[row, LEAVES:]
    is_plain = words.state[IS_PLAIN]
    known = _NO_MASS
    for node in range(trie.children[0], trie.children[1]):
        byte = trie.letter[node]
        mass = _mass(sums[0], trie.low[node], trie.high[node]) * share
        if not is_plain:
            if _is_capital(byte):
                continue  # of words with capitals inside; lower words that it shares a leaf with count
            capital = _mass(sums[1], trie.low[node], trie.high[node]) * share
            known += capital
            leaves[byte - 32 if _is_small(byte) else byte] += capital
        known += mass
        leaves[byte] += mass
    return known


@part
def _add_next_letters(words, row, upper):
    """Leaves of the bytes that go on in a known word; returns the mass that they have."""
    trie, state, leaves = words.trie, words.state, words.trees[row, LEAVES:]
    sums = words.sums[row, state[UPPER_FIRST]]
    known = _NO_MASS
    node = state[NODE]
    for child in range(trie.children[node], trie.children[node + 1]):
        byte = trie.letter[child]
        mass = _mass(sums, trie.low[child], trie.high[child])
        if state[IS_PLAIN] or not (_is_small(byte) or _is_capital(byte)):
            leaves[byte] += mass
            known += mass
        elif _is_small(byte):
            leaves[byte] += mass * (ONE - upper)
            leaves[byte - 32] += mass * upper
            known += mass
    return known


@part
def _add_unknown(words, row, mass, upper):
    """Leaves of the bytes that go on in an unknown word; `upper` of its letters are capitals."""
    leaves, spelled, is_plain = words.trees[row, LEAVES:], words.spelled, words.state[IS_PLAIN]
    for byte in range(256):
        if words.in_word[byte]:
            share = mass * spelled[byte]
            if is_plain or not _is_small(byte):
                leaves[byte] += share
            else:
                leaves[byte] += share * (ONE - upper)
                leaves[byte - 32] += share * upper


@part
def _upper_share(state, second):
    """How likely the next letter of the word is a capital."""
    if state[PATTERN] == UNDECIDED and state[UPPER_FIRST]:
        return np.float32(second[state[CASE_BEFORE]]) * _PROBABILITY
    return ONE if state[PATTERN] == ALL_UPPER else _NO_MASS


@begin_source.of(Words)
@part
def _predict_byte(words):
    """Fill the trees for the byte that comes next."""
    for row in range(words.trees.shape[0]):
        words.trees[row, LEAVES:] = _NO_MASS
        if words.state[IN_WORD]:
            _predict_in_word(words, row)
        else:
            _predict_in_gap(words, row)
        sum_tree(words.trees[row])


@njit(borrowing=True)
def _predict_in_word(words, row):
    state, first_shares, sums = words.state, words.gaps.first_shares, words.sums
    unknown, leaves = words.unknown[row, 1], words.trees[row, LEAVES:]
    upper = _upper_share(state, words.upper_second)
    known, end = _NO_MASS, unknown * words.spelled[END_OF_WORD]
    if state[NODE] >= 0:
        known = _add_next_letters(words, row, upper)
        exact = words.trie.word[state[NODE]]
        if exact >= 0:
            mass = _mass(sums[row, state[UPPER_FIRST]], exact, exact + 1)
            known += mass
            end += mass
    ends = words.ends[row]
    for byte in range(256):
        if not words.in_word[byte]:
            without, with_ = first_shares[0, byte], first_shares[1, byte]
            leaves[byte] = end * (without + ends * (with_ - without))
    _add_unknown(words, row, unknown, min(max(upper, _ODD_CASE), ONE - _ODD_CASE))
    words.trust[row] = known / (known + unknown)


@njit(borrowing=True)
def _predict_in_gap(words, row):
    state, shares, leaves = words.state, words.gaps.shares, words.trees[row, LEAVES:]
    word, unknown = shares[WORD], shares[WORD] * words.unknown[row, 0]
    known = _add_first_letters(words, row, word)
    for byte in range(256):
        if not words.in_word[byte]:
            leaves[byte] = shares[byte]
    upper = words.upper_first[state[ENDED], state[CASE_BEFORE], NEVER]
    _add_unknown(words, row, unknown, np.float32(upper) * _PROBABILITY)
    words.trust[row] = known / (known + unknown)


@njit(borrowing=True)
def begin_spelling(words):
    """No letter of the next word is known."""
    words.state[SPELLED] = NO_LETTERS
    spelling_probabilities(words.speller, words.state[SPELLED], words.spelled)


@part
def _spell(words, byte):
    """Take in a byte of a word: what it leaves of an unknown word's mass."""
    state = words.state
    letter = byte + 32 if not state[IS_PLAIN] and _is_capital(byte) else byte
    share = words.spelled[letter]
    state[SPELLED] = state[SPELLED] * RADIX % RADIX**ORDER + letter
    spelling_probabilities(words.speller, state[SPELLED], words.spelled)
    return share


@part
def _begin_word(words, byte, position):
    state, gaps = words.state, words.gaps
    if state[FIRST_OF_GAP] != WORD:
        count(gaps.following[state[BYTE_BEFORE]], WORD)
        count(gaps.first[state[ENDED]], state[FIRST_OF_GAP])
        share_first(gaps, words.in_word)
    capital = not state[IS_PLAIN] and _is_capital(byte)
    state[IN_WORD], state[BEGIN], state[AFTER_END] = 1, position, state[ENDED]
    state[UPPER_FIRST], state[PATTERN] = capital, UNDECIDED
    state[NODE] = child_of(words.trie, 0, byte + 32 if capital else byte)


@part
def _continue_word(words, byte):
    state = words.state
    if not state[IS_PLAIN] and (_is_small(byte) or _is_capital(byte)):
        pattern = ALL_UPPER if _is_capital(byte) else ALL_LOWER
        fits = state[PATTERN] == pattern or state[PATTERN] == UNDECIDED
        if not fits or (pattern == ALL_UPPER and not state[UPPER_FIRST]):
            state[NODE] = -1
        state[PATTERN] = pattern
        if pattern == ALL_UPPER:
            byte += 32
    if state[NODE] >= 0:
        state[NODE] = child_of(words.trie, state[NODE], byte)


@part
def _may_end(words):
    """Whether the word so far is one of the vocabulary, and likely to end here."""
    state, trie = words.state, words.trie
    node = state[NODE]
    if node < 0 or trie.word[node] < 0:
        return False
    word, row = trie.word[node], words.trees.shape[0] - 1
    sums = words.sums[row, state[UPPER_FIRST]]
    mass = _mass(sums, word, word + 1)
    return mass > _LIKELY_END * _mass(sums, trie.low[node], trie.high[node])


@part
def _ends_sentence(state, byte):
    """Whether a sentence ends with this byte of a gap; text/tokens.py has the rule."""
    if state[IS_PLAIN]:
        return byte == 10
    white = byte == 32 or 9 <= byte <= 13
    ends = (white and state[FULL_STOP]) or (byte == 10 and state[LINE_FEED])
    if byte == 46 or byte == 33 or byte == 63:
        state[FULL_STOP] = 1
    elif not (byte == 34 or byte == 39 or byte == 41 or byte == 93):
        state[FULL_STOP] = 0
    if byte == 10:
        state[LINE_FEED] = 1
    elif not (byte == 32 or byte == 9 or byte == 13):
        state[LINE_FEED] = 0
    return ends and not state[ENDED]


@end_source.of(Words)
@part
def _learn_byte(words, byte, position):
    """Take in the byte (int64) at `position`; returns what the predictors have to know."""
    state, gaps = words.state, words.gaps
    if words.in_word[byte]:
        share = _spell(words, byte)
        if state[IN_WORD]:
            _continue_word(words, byte)
        else:
            _begin_word(words, byte, position)
            if not state[IS_PLAIN]:
                upper = words.upper_first[state[ENDED], state[CASE_BEFORE], NEVER]
                capital = np.float32(upper) * _PROBABILITY
                share *= capital if state[UPPER_FIRST] else ONE - capital
        for row in range(words.trees.shape[0]):
            words.unknown[row, 1] = max(words.unknown[row, 1] * share, _FADED)
            words.ends[row] = _MAY_BE_END
        return MAY_END if _may_end(words) else NOTHING
    told = NOTHING
    if state[IN_WORD]:
        told = WORD_ENDED
        state[IN_WORD], state[END] = 0, position
        state[FIRST_OF_GAP], state[BYTE_BEFORE] = byte, byte
        state[ENDED] = state[FULL_STOP] = state[LINE_FEED] = 0
        begin_spelling(words)
    else:
        count(gaps.following[state[BYTE_BEFORE]], byte)
        if state[FIRST_OF_GAP] == WORD:
            state[FIRST_OF_GAP] = byte
        state[BYTE_BEFORE] = byte
    if _ends_sentence(state, byte):
        state[ENDED] = 1
        told |= SENTENCE_ENDED
    share_following(gaps, state[BYTE_BEFORE], words.in_word)
    return told


@njit(borrowing=True)
def learn_case(words, symbol, case):
    """Note the case of a word that has ended: 0 lower, 1 capitalised, 2 upper, 3 none."""
    state = words.state
    if case < 3:
        known = words.cases[symbol]
        place = words.upper_first[state[AFTER_END], state[CASE_BEFORE]]
        place[known] = adapt(place[known], case > 0, _CASE_RATE)
        if case > 0 and state[END] - state[BEGIN] > 1:
            second = words.upper_second
            before = state[CASE_BEFORE]
            second[before] = adapt(second[before], case > 1, _CASE_RATE)
        if symbol:
            words.cases[symbol] = np.uint8(case + 1)
    state[CASE_BEFORE] = case
