"""An engine of its own for a test, as codec/mix.py begins one."""

from nlmzip.codec.mix import Prepared
from nlmzip.engine.memory import Memory
from nlmzip.engine.profiles import line_bits
from nlmzip.plan.byte_model import without_model
from nlmzip.predictors.as_bytes.mixed_words import PreparedWords


def fresh(n_bytes, beginning, words=None):
    """An engine that has read nothing; beginning: or a start's number; words: what takes part."""
    if isinstance(beginning, int):
        beginning = without_model(beginning)
    prepared = Prepared(beginning, words and words.prepared)
    return Memory(prepared.first).engine(line_bits(n_bytes, beginning.most_line_bits))


def words_of(*settings):
    """What moves of a model of words or bytes that takes part; settings: as of PreparedWords."""
    return PreparedWords(*settings).taking_part()
