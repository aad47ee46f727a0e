"""Availability by day: the minutes in which the server was ready."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import select

from timbra.database.database import Database
from timbra.database.tables.operations import AVAILABILITY_DAY


class AvailabilityLog:
    """Rows of `availability_day`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, day: date, *, is_ready: bool) -> None:
        """Add the probe of one minute."""
        column = AVAILABILITY_DAY.c["ready" if is_ready else "unready"]
        values = {"ready": 0, "unready": 0, column.name: 1}
        statement = self._database.insert(AVAILABILITY_DAY).values(day=day.isoformat(), **values)
        statement = statement.on_conflict_do_update(
            index_elements=[AVAILABILITY_DAY.c.day], set_={column.name: column + 1}
        )
        with self._database.write() as connection:
            connection.execute(statement)

    def days(self, since: date, until: date) -> Sequence[tuple[date, int, int]]:
        """Return day, minutes ready and minutes not ready of the days with a probe.

        Args:
            since: The first day.
            until: The last day, inclusive.
        """
        column = AVAILABILITY_DAY.c
        query = select(AVAILABILITY_DAY).where(column.day.between(since.isoformat(), until.isoformat()))
        with self._database.read() as connection:
            return [
                (date.fromisoformat(row.day), row.ready, row.unready)
                for row in connection.execute(query.order_by(column.day))
            ]
