"""Where a user's own files live: the cache of compiled kernels and the folder of models.

Called by kernels/compile.py and models/catalogue.py.
"""

import os
import sys
from pathlib import Path


def _platform_folder(xdg_variable: str, xdg_default: str, mac: str) -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser(f"~/Library/{mac}")
    else:
        base = os.environ.get(xdg_variable) or os.path.expanduser(xdg_default)
    return Path(base) / "nlmzip"


def cache_folder() -> Path:
    """Folder for what can be made again; `NLMZIP_CACHE` overrides the platform's."""
    chosen = os.environ.get("NLMZIP_CACHE")
    return Path(chosen) if chosen else _platform_folder("XDG_CACHE_HOME", "~/.cache", "Caches")


def models_folder() -> Path:
    """Folder of the user's own models; `NLMZIP_MODELS` overrides the platform's."""
    chosen = os.environ.get("NLMZIP_MODELS")
    if chosen:
        return Path(chosen)
    return _platform_folder("XDG_DATA_HOME", "~/.local/share", "Application Support") / "models"
