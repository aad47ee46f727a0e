"""The data folder and fiscal time."""

from __future__ import annotations

from pathlib import Path

from timbra.container import Container
from timbra.container.folder_environment import require_environment
from timbra.core.clock import Clock


def data_folder(container: Container) -> Path:
    """Return the data folder, created at first use with access for its owner only.

    Raises:
        ServiceError: "CO1000" when the folder belongs to another environment.
    """
    settings = container.settings
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    require_environment(settings.data, settings.environment)
    return settings.data


def fiscal_clock(_container: Container) -> Clock:
    """Return fiscal time; each environment binds it."""
    raise NotImplementedError
