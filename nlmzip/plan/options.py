"""What may be asked of an encoder, and what is wrong with it, before anything is read."""

import os
from dataclasses import dataclass

from ..engine.profiles import LEVELS
from ..errors import OptionError

#: The codecs that can be asked for.
MIX, WORDS = CODECS = ("mix", "words")

#: A text in one frame, however long it is.
ONE_FRAME = 0
#: Fewest bytes that may be asked for in a frame.
LEAST_FRAME = 1


@dataclass(frozen=True)
class Options:
    """The options of nlmzip.compress that change an archive's bytes; None: what suits best."""

    level: int | None = None
    model: "str | os.PathLike | object | list | None" = None
    codec: str = MIX
    predictor: str | None = None
    dynamic: bool | None = None
    spelling_cache: bool | None = None
    store_name: bool = True
    embed_model: bool = False
    frame: int | str | None = None

    def __post_init__(self) -> None:
        """Raises OptionError for what is no option, or does not go together."""
        if self.codec not in CODECS:
            raise OptionError(f"no codec {self.codec}; there are {' and '.join(CODECS)}")
        if self.level is not None and (type(self.level) is not int or self.level not in LEVELS):
            raise OptionError(f"there is no level {self.level!r}; choose one from 1 to 9")
        if self.codec == WORDS and self.level is not None:
            raise OptionError("levels belong to the mixing engine; leave out --codec words or the level")
        if self.codec != WORDS and self.spelling_cache is not None:
            raise OptionError("the spelling cache belongs to the words codec; add --codec words")
        self.frame_bytes  # noqa: B018 - raises for what is no size

    @property
    def frame_bytes(self) -> int | None:
        """Bytes of a frame: ONE_FRAME for all in one, None for what the recipe suggests."""
        if self.frame is None:
            return None
        if self.frame == "all":
            return ONE_FRAME
        if type(self.frame) is not int or self.frame < LEAST_FRAME:
            raise OptionError(f"a frame of {self.frame!r} is none; give a number of bytes, or all")
        return self.frame
