"""Repository of receivers that reply to requests of cancellation automatically."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from timbra.database.database import Database
from timbra.sandbox.store.models import AutoReplyRow
from timbra.sandbox.store.tables import SANDBOX_AUTO_REPLY

SCRIPT = SANDBOX_AUTO_REPLY.c


class AutoReplyRepository:
    """Rows of `sandbox_script`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def get(self, rfc: str) -> AutoReplyRow | None:
        """Return the automatic reply of a receiver."""
        row = self._connection.execute(select(SANDBOX_AUTO_REPLY).where(SCRIPT.rfc == rfc)).one_or_none()
        return None if row is None else AutoReplyRow(row.rfc, row.outcome, row.seconds)

    def list_all(self) -> list[AutoReplyRow]:
        """Return all automatic replies, by RFC."""
        rows = self._connection.execute(select(SANDBOX_AUTO_REPLY).order_by(SCRIPT.rfc))
        return [AutoReplyRow(row.rfc, row.outcome, row.seconds) for row in rows]

    def put(self, row: AutoReplyRow) -> None:
        """Insert or replace the automatic reply of a receiver."""
        values = {"outcome": row.outcome, "seconds": row.seconds}
        statement = self._database.insert(SANDBOX_AUTO_REPLY).values(rfc=row.rfc, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=[SCRIPT.rfc], set_=values))

    def delete(self, rfc: str | None = None) -> None:
        """Delete the automatic reply of one receiver, or of all."""
        statement = delete(SANDBOX_AUTO_REPLY)
        self._connection.execute(statement if rfc is None else statement.where(SCRIPT.rfc == rfc))
