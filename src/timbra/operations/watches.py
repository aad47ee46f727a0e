"""Construction of the watches over the clock of the machine and over the database file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select

from timbra.container import Container
from timbra.container.build import data_folder
from timbra.core.clock import Clock
from timbra.database.build import opened_database
from timbra.database.database import Database
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


def database_clock(container: Container) -> Callable[[], timedelta | None]:
    """Build the function that returns how far the clock of this machine is ahead of that of the database.

    None for SQLite, and in a sandbox, whose clock is moved.
    """
    if container.environment.is_sandbox:
        return lambda: None
    return lambda: database_clock_difference(container.get(opened_database), container.wall)


def database_clock_difference(database: Database, wall: Clock) -> timedelta | None:
    """Return how far the clock of this machine is ahead of that of PostgreSQL; None for SQLite.

    The time of the query is not part of it: the difference is 0 when the clock of the database is between the instants
    before and after the query.
    """
    if database.dialect != "postgresql":
        return None
    with database.read() as connection:
        before = wall.now()
        there: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
        after = wall.now()
    if before > there:
        return before - there
    return min(after - there, timedelta())
