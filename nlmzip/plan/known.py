"""The models that a text or an archive is coded with: those offered, those an archive brings, and
all that are at hand."""

from dataclasses import dataclass, field

from ..container.recipe import ModelReference
from ..models import catalogue, model_file
from ..models.model_file import BYTES, WORDS, Model


@dataclass
class Known:
    """offered: as nlmzip.decompress takes them; embedded: those that the archive has brought."""

    offered: object = None
    embedded: list[Model] = field(default_factory=list)

    @property
    def identity(self) -> tuple:
        """What tells these models from others."""
        offered = (each.sha256 if isinstance(each, Model) else each for each in catalogue.as_list(self.offered))
        return tuple(offered), tuple(model.sha256 for model in self.embedded)

    def of_bytes(self, reference: ModelReference) -> Model:
        """Raises ModelNotFoundError, ModelError, OSError."""
        return self._find(reference, BYTES)

    def of_words(self, reference: ModelReference) -> Model:
        """Raises ModelNotFoundError, ModelError, OSError."""
        return self._find(reference, WORDS)

    def card(self, reference: ModelReference, kind: str) -> "dict | None":
        """The card of the model that would be found, None if there is none; loads no other."""
        for model in self.embedded:
            if model.kind == kind and model.sha256.startswith(reference.model_hash):
                return model_file.card_with_arrays(model)
        return catalogue.card_by_hash(reference.model_hash, self.offered, kind)

    def _find(self, reference: ModelReference, kind: str) -> Model:
        return catalogue.load_by_hash(
            reference.model_hash, self.offered, reference.model_name, kind, self.embedded
        )
