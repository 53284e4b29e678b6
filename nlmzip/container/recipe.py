"""What a header says: every setting that decoding needs, and nothing else.

Options make a recipe (plan/choose.py), an archive holds one, and both directions prepare what
codes from it (plan/prepare.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelReference:
    """A model that an archive needs: the first 8 bytes of its SHA-256, and "" or its name."""

    model_hash: bytes
    model_name: str = ""


@dataclass(frozen=True, slots=True)
class WordsInMix:
    """A model of words whose predictor takes part in the mixture.

    light: whether it begins with little weight, as suits an engine that has a model itself.
    """

    predictor: str
    dynamic: bool
    model: ModelReference
    light: bool = False


@dataclass(frozen=True, slots=True)
class MixCoding:
    """The mixing engine: its profile (engine/profiles.py), and models that are no part of one."""

    profile: int
    model: ModelReference | None = None
    words: WordsInMix | None = None

    @property
    def references(self) -> list[ModelReference]:
        """All models that are referred to, in the archive's order."""
        words = self.words.model if self.words else None
        return [reference for reference in (self.model, words) if reference]


@dataclass(frozen=True, slots=True)
class WordsCoding:
    """The words codec. predictor: "uniform", "kn", "kn+rnn", ...; text_form: "plain", "general"
    or "bytes"."""

    predictor: str
    dynamic: bool
    spelling_cache: bool
    text_form: str
    model: ModelReference

    @property
    def references(self) -> list[ModelReference]:
        return [self.model]


Coding = MixCoding | WordsCoding


@dataclass(frozen=True, slots=True)
class Recipe:
    """A member's settings.

    codings: those that its frames choose from; with none, frames hold their bytes as they are.
    delimiter: None where the member is no sequence of records; otherwise the byte (0 to 255)
    behind each record, or -1 where frames hold their records' lengths. is_model: whether the
    member holds a model file for those behind it.
    """

    codings: tuple[Coding, ...] = ()
    delimiter: int | None = None
    is_model: bool = False

    @property
    def has_records(self) -> bool:
        return self.delimiter is not None

    @property
    def by_length(self) -> bool:
        """Whether frames hold the lengths of their records."""
        return self.delimiter == BY_LENGTHS


#: The delimiter of records that are told apart by lengths.
BY_LENGTHS = -1
STORED = Recipe()
MODEL = Recipe(is_model=True)
