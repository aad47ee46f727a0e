"""Construction of the stored stamps."""

from __future__ import annotations

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.stamps.repository import DatabaseStamps


def database_stamps(container: Container) -> DatabaseStamps:
    """Build the repository of stamps."""
    stamps = DatabaseStamps(
        container.get(opened_database), container.get(fiscal_clock), container.wall, container.metrics
    )
    container.closing.callback(stamps.close)
    return stamps
