"""The finance corpus as a probability distribution: what other code asks of it.

    from corpora.finance import source
    source.next_word_distribution(["shares", "of"])       # {word: probability}, "</s>" for the end of the sentence
    source.sentence_log2_probability("tall birch trust has opened two oslo lobbies".split())
"""

from functools import lru_cache

from .grammar import END, Source
from .knowledge_base import build_companies
from .sentences import build_grammar
from .splitmix import SplitMix64

__all__ = ["END", "finance_source", "next_word_distribution", "sample_sentences", "sentence_log2_probability",
           "word_log2_probabilities"]


@lru_cache(maxsize=None)
def finance_source():
    """The `Source` of the corpus, built at first use."""
    return Source(build_grammar(build_companies()))


def next_word_distribution(prefix):
    """{word: probability} of what follows a list of words; {} where no sentence begins so."""
    return finance_source().next_word_distribution(prefix)


def word_log2_probabilities(words):
    """log2 P of every word and of the end, each given the words before it: a list of len(words) + 1 floats."""
    return finance_source().word_log2_probabilities(words)


def sentence_log2_probability(words):
    """log2 P of a sentence (a list of words), over all its derivations; -inf for what the source cannot say."""
    return finance_source().sentence_log2_probability(words)


def sample_sentences(seed, n_sentences):
    """n_sentences independent sentences, each a list of words."""
    generator = SplitMix64(seed)
    return [finance_source().sample(generator) for _ in range(n_sentences)]
