"""An engine of its own for a test, as codec/mix.py begins one."""

from nlmzip.codec.mix import Prepared
from nlmzip.engine.byte_model import without_model
from nlmzip.engine.inputs.sources import NO_SOURCES, together
from nlmzip.engine.memory import Memory
from nlmzip.predictors.as_bytes.prepare import prepare_source


def fresh(n_bytes, beginning, sources=NO_SOURCES):
    """An engine that has read nothing; beginning: or a start's number; sources: of `taking_part`."""
    if isinstance(beginning, int):
        beginning = without_model(beginning)
    prepared = Prepared(beginning, *(source.prepared for source in sources.each))
    return Memory(prepared.first).engine(beginning.n_slots(n_bytes))


def taking_part(*settings):
    """A model of words or bytes as the one source of a text; settings: as of prepare_source."""
    return together([prepare_source(*settings)])
