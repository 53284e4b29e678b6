"""A weighted grammar without recursion: what it can say, how it draws, and what a sentence costs under it.

Three kinds of expression: `Words`, `Sequence`, `Choice`. Choices are independent of each other. Several derivations
may give the same sentence, so the probability of a sentence is a sum, made here by a forward pass over beliefs.

A *continuation* is what is left to say: None, or a pair (expression, continuation). A *belief* is a dictionary
{continuation: probability} that sums to one: where in the grammar the words so far may have led, and how likely.
"""

import math
from bisect import bisect_right
from itertools import accumulate

END = "</s>"


class Words:
    """A fixed string of words, possibly none."""

    def __init__(self, text):
        self.words = tuple(text.split())
        self.after_first = Words(" ".join(self.words[1:])) if len(self.words) > 1 else None

    def sample(self, generator):
        """The words, as a list."""
        return list(self.words)


class Sequence:
    """Expressions said one after the other."""

    def __init__(self, parts):
        self.parts = tuple(parts)

    def sample(self, generator):
        """Words drawn from each part in turn, as a list."""
        return [word for part in self.parts for word in part.sample(generator)]


class Choice:
    """One of several expressions, with probability proportional to its integer weight."""

    def __init__(self, options, weights=None):
        self.options = tuple(options)
        self.weights = tuple(weights) if weights else (1,) * len(self.options)
        self.cumulative = tuple(accumulate(self.weights))
        self.total = self.cumulative[-1]

    def sample(self, generator):
        """Words drawn from one option, as a list."""
        return self.options[bisect_right(self.cumulative, generator.below(self.total))].sample(generator)


def derivations(expression):
    """Every derivation as (probability, words): exponential, for small expressions and for tests only."""
    if isinstance(expression, Words):
        yield 1.0, expression.words
    elif isinstance(expression, Choice):
        for weight, option in zip(expression.weights, expression.options):
            for probability, words in derivations(option):
                yield weight / expression.total * probability, words
    elif not expression.parts:
        yield 1.0, ()
    else:
        for probability, words in derivations(expression.parts[0]):
            for other_probability, other_words in derivations(Sequence(expression.parts[1:])):
                yield probability * other_probability, words + other_words


class Source:
    """The distribution over sentences that an expression stands for: an automaton of beliefs, made as it is used."""

    def __init__(self, expression):
        self.expression = expression
        self.start = {(expression, None): 1.0}
        self._steps = {}

    def sample(self, generator):
        """One sentence as a list of words, without the end symbol."""
        return self.expression.sample(generator)

    def next_word_distribution(self, prefix):
        """{word: probability} after a list of words, `END` included; {} where no sentence begins so."""
        belief = self.start
        for word in prefix:
            belief = self._steps_of(belief).get(word, (0.0, {}))[1]
        return {word: probability for word, (probability, _) in self._steps_of(belief).items()}

    def word_log2_probabilities(self, words):
        """log2 P of every word and of the final `END`, given the words before: len(words) + 1 floats."""
        belief, logarithms = self.start, []
        for word in [*words, END]:
            probability, belief = self._steps_of(belief).get(word, (0.0, {}))
            logarithms.append(math.log2(probability) if probability else -math.inf)
        return logarithms

    def sentence_log2_probability(self, words):
        """log2 P(sentence), summed over all derivations; -inf for what the grammar cannot say."""
        return sum(self.word_log2_probabilities(words))

    def expectations(self):
        """Exact expectations of (bits, characters with the newline, tokens with the end) of a sentence."""
        known = {}

        def expect(belief):
            key = _key(belief)
            if key not in known:
                bits = characters = tokens = 0.0
                for word, (probability, rest) in self._steps_of(belief).items():
                    below = (0.0, 0.0, 0.0) if word == END else expect(rest)
                    bits += probability * (below[0] - math.log2(probability))
                    characters += probability * (below[1] + (0 if word == END else len(word) + 1))
                    tokens += probability * (below[2] + 1)
                known[key] = bits, characters, tokens
            return known[key]

        return expect(self.start)

    def _steps_of(self, belief):
        """{word: (probability, belief after it)}: the forward pass, and Bayes' rule, for one word."""
        key = _key(belief)
        if key not in self._steps:
            joint = {}
            for continuation, weight in belief.items():
                for probability, word, rest in _first_words(continuation):
                    after = joint.setdefault(word, {})
                    after[rest] = after.get(rest, 0.0) + weight * probability
            steps = {}
            for word, after in joint.items():
                total = math.fsum(after.values())
                steps[word] = total, {rest: probability / total for rest, probability in after.items()}
            self._steps[key] = steps
        return self._steps[key]


def _key(belief):
    """A hashable name of a belief; equal for beliefs that differ by rounding only."""
    return frozenset((continuation, round(probability, 12)) for continuation, probability in belief.items())


def _first_words(continuation):
    """All (probability, word, continuation after it), one for each way to begin what is left to say."""
    if continuation is None:
        yield 1.0, END, None
        return
    expression, rest = continuation
    if isinstance(expression, Choice):
        for weight, option in zip(expression.weights, expression.options):
            for probability, word, after in _first_words((option, rest)):
                yield weight / expression.total * probability, word, after
    elif isinstance(expression, Sequence):
        for part in reversed(expression.parts):
            rest = (part, rest)
        yield from _first_words(rest)
    elif not expression.words:
        yield from _first_words(rest)
    else:
        yield 1.0, expression.words[0], (expression.after_first, rest) if expression.after_first else rest
