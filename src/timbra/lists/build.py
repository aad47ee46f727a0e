"""Construction of the SAT's published lists."""

from __future__ import annotations

from pathlib import Path

from timbra.container import Container
from timbra.container.build import data_folder
from timbra.lists.published import PublishedLists


def list_folder(container: Container) -> Path:
    """Return the folder of the lists."""
    return container.settings.lists_folder or container.get(data_folder) / "lists"


def published_lists(container: Container) -> PublishedLists:
    """Build the SAT's published lists, with which production evaluates documents."""
    return PublishedLists(container.get(list_folder))
