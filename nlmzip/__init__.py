"""nlmzip: text compression by language models.

    >>> import nlmzip
    >>> archive = nlmzip.compress(b"to be or not to be, that is the question\\n")
    >>> nlmzip.decompress(archive)
    b'to be or not to be, that is the question\\n'

Numba and the models are imported by the first call that codes.
"""

from . import archive
from .coding import compress, decompress
from .errors import (
    ArchiveError,
    MemoryLimitError,
    ModelError,
    ModelNotFoundError,
    NlmzipError,
    OptionError,
)

__version__ = "0.1.0"

__all__ = [
    "ArchiveError",
    "MemoryLimitError",
    "ModelError",
    "ModelNotFoundError",
    "NlmzipError",
    "OptionError",
    "archive",
    "compress",
    "decompress",
]
