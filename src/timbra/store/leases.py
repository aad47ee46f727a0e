"""Leases: of all workers on all nodes, one runs a periodic job."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, or_

from timbra.clock import Clock, WallClock
from timbra.store.database import Database
from timbra.store.tables.core import LEASE


class Leases:
    """Measured in the wall time of whoever asks; nodes must agree on it better than a lease is long."""

    def __init__(self, database: Database, wall: Clock | None = None) -> None:
        self._database = database
        self._wall = wall or WallClock()

    def try_acquire(self, name: str, holder: str, seconds: float) -> bool:
        """Takes the lease if it is free, over, or already the holder's, who thereby prolongs it.

        holder: who asks, unique among all workers and stable in one of them.
        """
        now = self._wall.now()
        mine = {"holder": holder, "until": now + timedelta(seconds=seconds)}
        statement = self._database.insert(LEASE).values(name=name, **mine)
        statement = statement.on_conflict_do_update(
            index_elements=[LEASE.c.name], set_=mine, where=or_(LEASE.c.until <= now, LEASE.c.holder == holder)
        )
        with self._database.write() as connection:
            return connection.execute(statement.returning(LEASE.c.name)).first() is not None

    def release(self, name: str, holder: str) -> None:
        """Gives the lease back early; nothing when it is somebody else's by now."""
        with self._database.write() as connection:
            connection.execute(delete(LEASE).where(LEASE.c.name == name, LEASE.c.holder == holder))
