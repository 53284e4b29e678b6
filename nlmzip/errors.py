"""The errors a user can meet; every part of nlmzip raises these and the command line prints them.

The text of an error is one line without the program's or the file's name: what is
wrong, and what can be done about it.
"""


class NlmzipError(Exception):
    """Base of all errors that nlmzip raises on purpose."""


class ArchiveError(NlmzipError):
    """The bytes are not an archive, or one that is damaged, truncated or too new."""


class ModelError(NlmzipError):
    """The bytes are not a model, or one that is damaged or too new."""


class ModelNotFoundError(NlmzipError):
    """No model of this name, path or hash is to be found."""


class OptionError(NlmzipError):
    """Settings that cannot go together, such as dynamic evaluation without a network."""


class MemoryLimitError(NlmzipError):
    """Coding would take more memory than was allowed."""
