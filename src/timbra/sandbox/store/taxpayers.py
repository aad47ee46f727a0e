"""Repository of the simulated l_RFC: published rows, and pending changes, which the next list publishes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from timbra.database.database import Database
from timbra.database.membership import rows_in
from timbra.sandbox.store.models import TaxpayerRow
from timbra.sandbox.store.search import contains_words, first_rows
from timbra.sandbox.store.tables import SANDBOX_TAXPAYER

TAXPAYER = SANDBOX_TAXPAYER.c


class TaxpayerRepository:
    """Rows of `sandbox_taxpayer`, in the transaction of `connection`.

    Column values are those of the table: `regimes` is one text, keys separated by blanks.
    """

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def get(self, rfc: str) -> TaxpayerRow | None:
        """Return the taxpayer, listed or not."""
        row = self._connection.execute(select(SANDBOX_TAXPAYER).where(TAXPAYER.rfc == rfc)).first()
        return None if row is None else _taxpayer(row)

    def list_all(self) -> list[TaxpayerRow]:
        """Return all taxpayers, by RFC."""
        return [_taxpayer(row) for row in self._connection.execute(select(SANDBOX_TAXPAYER).order_by(TAXPAYER.rfc))]

    def listed(self, rfcs: Collection[str]) -> dict[str, TaxpayerRow]:
        """Return those of the RFCs that the published list has, by RFC."""
        query = select(SANDBOX_TAXPAYER).where(TAXPAYER.listed)
        return {row.rfc: _taxpayer(row) for row in rows_in(self._connection, query, TAXPAYER.rfc, rfcs)}

    def named(self, name: str) -> list[str]:
        """Return the RFCs that the published list has with exactly this name and not as cancelled."""
        query = select(TAXPAYER.rfc).where(TAXPAYER.listed, ~TAXPAYER.cancelled, TAXPAYER.name == name)
        return list(self._connection.execute(query).scalars())

    def search(self, text: str, limit: int) -> tuple[Sequence[TaxpayerRow], int]:
        """Return taxpayers whose RFC or name contains the words, by RFC, and how many there are in total."""
        condition = contains_words(text, TAXPAYER.rfc, TAXPAYER.name)
        rows, total = first_rows(self._connection, SANDBOX_TAXPAYER, condition, (TAXPAYER.rfc,), limit)
        return [_taxpayer(row) for row in rows], total

    def insert(self, values: Mapping[str, object]) -> bool:
        """Insert a taxpayer unless the RFC exists; return whether it was inserted.

        Args:
            values: Every column except `pending`.
        """
        statement = self._database.insert(SANDBOX_TAXPAYER).values(dict(values)).on_conflict_do_nothing()
        return self._connection.execute(statement.returning(TAXPAYER.rfc)).first() is not None

    def insert_missing(self, rows: Iterable[Mapping[str, object]]) -> None:
        """Insert the taxpayers whose RFC does not exist."""
        statement = self._database.insert(SANDBOX_TAXPAYER).on_conflict_do_nothing()
        self._connection.execute(statement, [dict(row) for row in rows])

    def update(self, rfc: str, values: Mapping[str, object]) -> None:
        """Change columns at once."""
        self._connection.execute(update(SANDBOX_TAXPAYER).where(TAXPAYER.rfc == rfc).values(dict(values)))

    def set_pending(self, rfc: str, pending: Mapping[str, object]) -> None:
        """Store the columns that the next refresh changes."""
        self.update(rfc, {"pending": json.dumps(pending)})

    def publish_pending(self) -> int:
        """Apply what is pending and list what is not listed; return the number of changed rows."""
        waiting = select(TAXPAYER.rfc, TAXPAYER.pending).where(~TAXPAYER.listed | TAXPAYER.pending.is_not(None))
        rows = self._connection.execute(waiting).all()
        for rfc, pending in rows:
            self.update(rfc, {**json.loads(pending or "{}"), "listed": True, "pending": None})
        return len(rows)


def _taxpayer(row: Any) -> TaxpayerRow:
    return TaxpayerRow(
        rfc=row.rfc,
        name=row.name,
        postal_code=row.postal_code,
        regimes=frozenset(row.regimes.split()),
        obligations=row.obligations,
        cancelled=row.cancelled,
        situation=row.situation or "",
        listed=row.listed,
        pending=json.loads(row.pending) if row.pending else {},
    )
