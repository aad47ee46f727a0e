"""Leases: of all workers of all nodes on one database, one has the right to a name for some time."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, or_, select

from timbra.core.clock import Clock, WallClock
from timbra.database.database import Database
from timbra.database.tables.core import LEASE


class Leases:
    """Leases in the wall time of the node that acquires them; the clocks of nodes must agree within a lease."""

    def __init__(self, database: Database, wall: Clock | None = None) -> None:
        self._database = database
        self._wall = wall or WallClock()

    def try_acquire(self, name: str, holder: str, seconds: float) -> bool:
        """Acquire a lease that is free or expired, or renew the holder's own; one read while another worker holds it.

        Args:
            holder: The identifier of the worker, unique among all workers of all nodes.
            seconds: The term of the lease from now on.

        Returns:
            Whether the worker holds the lease now.
        """
        now = self._wall.now()
        query = select(LEASE.c.name).where(LEASE.c.name == name, LEASE.c.holder != holder, LEASE.c.until > now)
        with self._database.read() as connection:
            if connection.execute(query).first() is not None:
                return False
        values = {"holder": holder, "until": now + timedelta(seconds=seconds)}
        statement = self._database.insert(LEASE).values(name=name, **values)
        statement = statement.on_conflict_do_update(
            index_elements=[LEASE.c.name], set_=values, where=or_(LEASE.c.until <= now, LEASE.c.holder == holder)
        )
        with self._database.write() as connection:
            return connection.execute(statement.returning(LEASE.c.name)).first() is not None

    def release(self, name: str, holder: str) -> None:
        """Release a lease before it expires; no effect when another worker holds it."""
        with self._database.write() as connection:
            connection.execute(delete(LEASE).where(LEASE.c.name == name, LEASE.c.holder == holder))
