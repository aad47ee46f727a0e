"""Data folders with an empty database, for commands that do not create one."""

from __future__ import annotations

from pathlib import Path

from timbra.app.composition import open_container
from timbra.database.build import opened_database
from timbra.settings import Settings


def create_data(folder: Path, **settings: object) -> Path:
    """Create the folder and its database, if they do not exist, and return the folder.

    Args:
        folder: The data folder.
        settings: Settings by field name, such as `environment`.
    """
    if not (folder / "timbra.db").exists():
        with open_container(Settings(data=folder, **settings)) as container:  # type: ignore[arg-type]
            container.get(opened_database).poll()
    return folder
