"""nlmzip: text compression by language models.

    >>> import nlmzip
    >>> archive = nlmzip.compress(b"to be or not to be, that is the question\\n")
    >>> nlmzip.decompress(archive)
    b'to be or not to be, that is the question\\n'

Numba and the models are imported by the first call that codes.
"""

from .api.codec import Codec
from .api.file import NlmzipFile, open, register_with_fsspec
from .api.incremental import Compressor, Decompressor
from .api.model import Model
from .api.one_shot import compress, decompress
from .api.records import Records, RecordWriter
from .errors import (
    ArchiveError,
    MemoryLimitError,
    ModelError,
    ModelNotFoundError,
    NlmzipError,
    OptionError,
)
from .version import __version__

__all__ = [
    "ArchiveError",
    "Codec",
    "Compressor",
    "Decompressor",
    "Model",
    "MemoryLimitError",
    "ModelError",
    "ModelNotFoundError",
    "NlmzipError",
    "NlmzipFile",
    "OptionError",
    "RecordWriter",
    "Records",
    "__version__",
    "compress",
    "decompress",
    "open",
    "register_with_fsspec",
]
