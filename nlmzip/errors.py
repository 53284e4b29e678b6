"""The errors a user can meet; every part of nlmzip raises these and the command line prints them.

The text of an error is one line without the program's or the file's name: what is
wrong, and what can be done about it.
"""


def printable(name: str) -> str:
    """`name` for a message: bytes that are no text and control characters as escapes."""

    def escaped(character: str) -> str:
        if character.isprintable():
            return character
        if "\udc80" <= character <= "\udcff":  # a byte of a name that is not text
            return f"\\x{ord(character) - 0xDC00:02x}"
        return character.encode("unicode_escape").decode("ascii")

    return "".join(map(escaped, name))


class NlmzipError(Exception):
    """Base of all errors that nlmzip raises on purpose."""

    def __str__(self) -> str:
        # Messages quote names that stand in archives and models, which may hold anything.
        return printable(super().__str__())


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
