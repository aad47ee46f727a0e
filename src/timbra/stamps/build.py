"""Construction of the stored stamps."""

from __future__ import annotations

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.stamps.partitions import StampMonths
from timbra.stamps.repository import DatabaseStamps


def database_stamps(container: Container) -> DatabaseStamps:
    """Build the repository of stamps."""
    stamps = DatabaseStamps(
        container.get(opened_database), container.get(fiscal_clock), container.wall, container.metrics
    )
    container.closing.callback(stamps.close)
    return stamps


def stamp_months(container: Container) -> StampMonths:
    """Build the tables of stamps by month."""
    return StampMonths(container.get(opened_database), container.get(fiscal_clock))
