"""What a user may choose when training a model; used by pipeline.py and the command line."""

from dataclasses import dataclass

from ..errors import OptionError
from ..models.settings import NETWORKS


@dataclass(frozen=True)
class TrainingOptions:
    """Raises OptionError for settings that cannot be."""

    name: str
    vocabulary: int = 8192  # most symbols, <unk> and </s> included
    embedding: int = 64  # numbers for each word
    hidden: int = 128  # units of each network
    context: int = 2  # words that the NPLM sees
    epochs: int = 8  # most passes over the text
    seed: int = 1  # of first weights, batches and word dropout
    reset_state: bool | None = None  # forget at </s>; None: in plain text only
    networks: tuple[str, ...] = NETWORKS

    def __post_init__(self):
        for field in ("embedding", "hidden", "context", "epochs"):
            if getattr(self, field) < 1:
                raise OptionError(f"{field} must be at least 1")
        if not 3 <= self.vocabulary <= 1 << 18:
            raise OptionError(f"a vocabulary has 3 to {1 << 18} symbols")
        if set(self.networks) - set(NETWORKS):
            raise OptionError(f"the networks are {' and '.join(NETWORKS)}")
