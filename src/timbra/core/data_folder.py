"""The default data folder and the cache folder of commands, in the places of the user's operating system."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "timbra"
FORMER_DEFAULT = Path("timbra-data")
"""The default of earlier releases, in the working directory."""


def application_data_folder(environment: Mapping[str, str], platform: str, home: Path) -> Path:
    """Return the folder in which an operating system keeps the data of Timbra.

    Args:
        environment: Environment variables.
        platform: The operating system, as `sys.platform`.
        home: The user's home folder.

    Returns:
        On Windows `%LOCALAPPDATA%/timbra`, on macOS `~/Library/Application Support/timbra`, elsewhere
        `$XDG_DATA_HOME/timbra` or `~/.local/share/timbra`.

    Source: XDG Base Directory Specification; it ignores a variable with a relative path.
    """
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / NAME
    if platform == "darwin":
        return home / "Library" / "Application Support" / NAME
    base = Path(environment.get("XDG_DATA_HOME", ""))
    return (base if base.is_absolute() else home / ".local" / "share") / NAME


def default_data_folder() -> Path:
    """Return the folder that is used without TIMBRA_DATA and `--data`.

    Returns:
        The application data folder. `FORMER_DEFAULT` when it exists and the new folder does not, and for a user
        without a home folder.
    """
    try:
        folder = application_data_folder(os.environ, sys.platform, Path.home())
    except RuntimeError:
        return FORMER_DEFAULT
    return FORMER_DEFAULT if FORMER_DEFAULT.is_dir() and not folder.exists() else folder


def application_cache_folder(environment: Mapping[str, str], platform: str, home: Path) -> Path:
    """Return the folder for files that Timbra can create again.

    Args:
        environment: Environment variables.
        platform: The operating system, as `sys.platform`.
        home: The user's home folder.

    Returns:
        On Windows `%LOCALAPPDATA%/timbra/cache`, on macOS `~/Library/Caches/timbra`, elsewhere `$XDG_CACHE_HOME/timbra`
        or `~/.cache/timbra`.

    Source: XDG Base Directory Specification; it ignores a variable with a relative path.
    """
    if platform == "win32":
        return application_data_folder(environment, platform, home) / "cache"
    if platform == "darwin":
        return home / "Library" / "Caches" / NAME
    base = Path(environment.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else home / ".cache") / NAME
