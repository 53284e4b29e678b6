"""From a model to the source of the mixture that it is: of words, or of bytes. Called by plan/."""

from ...engine.inputs.sources import PreparedSource
from ...models.model_file import Model
from ..vocabulary import of_bytes
from .mixed_bytes import PreparedBytes
from .mixed_words import PreparedWords


def prepare_source(model: Model, predictor: str, dynamic: bool, light: bool = False) -> PreparedSource:
    """What a model of words, or of bytes as symbols, tells the mixture: shared by all texts.

    light: whether it begins with little weight, as beside a model of counts. Raises ModelError
    and OptionError where model and predictor do not fit.
    """
    if of_bytes(model):
        return PreparedBytes(model, predictor, dynamic)
    return PreparedWords(model, predictor, dynamic, light)
