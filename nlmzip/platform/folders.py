"""Where a user's own files live: the cache of compiled kernels and the folder of models.

Called by kernels/compile.py, counts/cached_store.py and models/catalogue.py. Where there is no
home folder these go without: kernels are compiled each time, and models are given by path.
"""

import os
import sys
from pathlib import Path


def _platform_folder(xdg_variable: str, xdg_default: str, mac: str) -> Path:
    """Raises RuntimeError where there is no home folder, as for a user without an entry."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser(f"~/Library/{mac}")
    else:
        base = os.environ.get(xdg_variable, "")
        if not os.path.isabs(base):  # the standard has relative ones ignored
            base = os.path.expanduser(xdg_default)
    if base.startswith("~"):  # or a folder of that name would be made wherever one is
        raise RuntimeError("there is no home folder")
    return Path(base) / "nlmzip"


def cache_folder() -> Path:
    """Folder for what can be made again; `NLMZIP_CACHE` overrides the platform's.

    Raises RuntimeError where there is neither that nor a home folder.
    """
    chosen = os.environ.get("NLMZIP_CACHE")
    return Path(chosen) if chosen else _platform_folder("XDG_CACHE_HOME", "~/.cache", "Caches")


def models_folder() -> Path:
    """Folder of the user's own models; `NLMZIP_MODELS` overrides the platform's.

    Raises RuntimeError where there is neither that nor a home folder.
    """
    chosen = os.environ.get("NLMZIP_MODELS")
    if chosen:
        return Path(chosen)
    return _platform_folder("XDG_DATA_HOME", "~/.local/share", "Application Support") / "models"
