"""Construction of the watches over the clock of the machine and over the database file."""

from __future__ import annotations

from pathlib import Path

from timbra.container import Container
from timbra.container.build import data_folder
from timbra.database.build import opened_database
from timbra.operations.clock_discipline import ClockDiscipline, read_clock
from timbra.operations.integrity import DatabaseIntegrity


def clock_discipline(container: Container) -> ClockDiscipline:
    """Build the watch over the clock of the machine."""
    return ClockDiscipline(read_clock, container.settings.clock_max_error_seconds)


def database_integrity(container: Container) -> DatabaseIntegrity:
    """Build the daily check of the database file."""
    database = container.get(opened_database)
    file = database.engine.url.database if database.dialect == "sqlite" else None
    folder = container.get(data_folder)
    return DatabaseIntegrity(Path(file) if file else None, folder, container.wall, container.stopping.is_set)
