"""The environment of a data folder: its lists, keys and documents are not used by another environment.

The database has its environment too; the folder has one because the database may be elsewhere.
"""

from __future__ import annotations

from pathlib import Path

from timbra.core.errors import ServiceError

FILE = "environment"


def require_environment(folder: Path, environment: str) -> None:
    """Check that a data folder has no environment yet, or this one.

    Raises:
        ServiceError: "CO1000" when it belongs to another environment.
    """
    owner = _read(folder)
    if owner not in ("", environment):
        raise ServiceError("CO1000", f"La carpeta de datos {folder} pertenece al ambiente {owner}, no a {environment}.")


def mark_environment(folder: Path, environment: str) -> None:
    """Write the environment into a folder that has none; the caller has opened the database of the environment.

    Raises:
        ServiceError: "CO1000" when another process wrote another environment meanwhile.
    """
    try:
        with (folder / FILE).open("x") as file:
            file.write(environment + "\n")
    except FileExistsError:
        require_environment(folder, environment)


def _read(folder: Path) -> str:
    try:
        return (folder / FILE).read_text().strip()
    except FileNotFoundError:
        return ""
