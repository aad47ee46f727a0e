"""Repository of the sandbox's own keys: certificate authority and provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Connection, select, update

from timbra.database.database import Database
from timbra.sandbox.store.models import KeyRow
from timbra.sandbox.store.tables import SANDBOX_KEY


class KeyRepository:
    """Rows of `sandbox_key`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def list_all(self) -> list[KeyRow]:
        """Return both keys; empty before they are created."""
        return [
            KeyRow(row.role, row.number, row.certificate, row.sealed_key)
            for row in self._connection.execute(select(SANDBOX_KEY))
        ]

    def insert_missing(self, rows: Sequence[KeyRow]) -> None:
        """Insert the keys whose role has no row yet."""
        statement = self._database.insert(SANDBOX_KEY).on_conflict_do_nothing()
        self._connection.execute(statement, [asdict(row) for row in rows])

    def replace_sealed_key(self, role: str, sealed_key: bytes) -> None:
        """Store the ciphertext of a key under a new master key."""
        statement = update(SANDBOX_KEY).where(SANDBOX_KEY.c.role == role)
        self._connection.execute(statement.values(sealed_key=sealed_key))
