"""The words that a model of words predicts, or the bytes that one of bytes does."""

from ..errors import ModelError
from ..models.model_file import Model
from ..text.forms import Bytes
from ..text.vocabulary import Vocabulary


def load_vocabulary(model: Model) -> Vocabulary:
    """The model's vocabulary. Raises ModelError if it is not what the card says."""
    if of_bytes(model):
        return Vocabulary.of_bytes()
    try:
        vocabulary = Vocabulary.unpack(model.arrays["vocabulary"])
    except KeyError:
        raise ModelError(f"the model {model.name} has no vocabulary") from None
    if len(vocabulary) != model.card["vocabulary_size"]:
        raise ModelError(f"the vocabulary of model {model.name} is not as large as its card says")
    return vocabulary


def of_bytes(model: Model) -> bool:
    """Whether the words of this model are bytes."""
    return model.card.get("text_form") == Bytes.name
