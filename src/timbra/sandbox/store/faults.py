"""Repository of the faults that are active in the sandbox."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Connection, delete, select, update

from timbra.database.database import Database
from timbra.sandbox.store.models import FaultRow
from timbra.sandbox.store.tables import SANDBOX_FAULT

FAULT = SANDBOX_FAULT.c


class FaultRepository:
    """Rows of `sandbox_fault`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def list_all(self) -> list[FaultRow]:
        rows = self._connection.execute(select(SANDBOX_FAULT))
        return [FaultRow(**row._mapping) for row in rows]

    def put(self, row: FaultRow) -> None:
        """Insert or replace a fault."""
        values = asdict(row)
        statement = self._database.insert(SANDBOX_FAULT).values(**values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=[FAULT.name], set_=values))

    def delete(self, name: str | None = None) -> None:
        """Delete one fault, or all of them."""
        statement = delete(SANDBOX_FAULT)
        self._connection.execute(statement if name is None else statement.where(FAULT.name == name))

    def count_down(self, name: str) -> int | None:
        """Take one request from a counted fault and delete the fault with its last one.

        Returns:
            The requests that remain; None when another process took the last one.
        """
        own = FAULT.name == name
        counted = (
            update(SANDBOX_FAULT)
            .where(own, FAULT.remaining > 0)
            .values(remaining=FAULT.remaining - 1)
            .returning(FAULT.remaining)
        )
        remaining = self._connection.execute(counted).scalar_one_or_none()
        self._connection.execute(delete(SANDBOX_FAULT).where(own, FAULT.remaining <= 0))
        return remaining
