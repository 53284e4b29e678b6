"""From a file's name to its archive's, and back."""

import os

from ..container.format import SUFFIX
from ..platform.files import Skipped


def encoded_name(path: str, *, force: bool = False) -> str:
    """The archive of `path`; without force raises Skipped where the name says that it is one."""
    if path.endswith(SUFFIX) and not force:
        raise Skipped(path, f"ends in {SUFFIX} already, skipped; use --force to encode it again")
    return path + SUFFIX


def decoded_name(path: str) -> str:
    """The name of the file that the archive `path` holds; raises Skipped without the suffix."""
    stem = path[: -len(SUFFIX)]
    if not path.endswith(SUFFIX) or not os.path.basename(stem):
        raise Skipped(path, f"does not end in {SUFFIX}, skipped; use -o FILE or -c to decode it")
    return stem
