"""Uses of the provider's keys by day, of all nodes; `UseCounter` adds them with the counts of the audit log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection, Executable, select

from timbra.database.database import Database
from timbra.database.tables.provider import KEY_USE


@dataclass(frozen=True, slots=True)
class KeyUse:
    """Signatures of one day (UTC) with the key of one certificate."""

    day: date
    number: str
    signatures: int


class KeyUseStore:
    """The counts of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def between(self, since: date, until: date) -> Sequence[KeyUse]:
        """Return the uses of a period, both days included, by day and certificate."""
        query = select(KEY_USE).where(KEY_USE.c.day.between(since.isoformat(), until.isoformat()))
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(KEY_USE.c.day, KEY_USE.c.number)).all()
        return [KeyUse(date.fromisoformat(row.day), row.number, row.signatures) for row in rows]


def add_key_uses(connection: Connection, addition: Executable, counts: Mapping[tuple[str, date], int]) -> None:
    """Add signatures by certificate number and day, within the caller's write transaction.

    Args:
        connection: A write transaction.
        addition: The result of `addition_of`.
        counts: Signatures by certificate number and day (UTC).
    """
    rows = [
        {"day": day.isoformat(), "number": number, "signatures": signatures}
        for (number, day), signatures in sorted(counts.items())
    ]
    if rows:
        connection.execute(addition, rows)


def addition_of(database: Database) -> Executable:
    """Return the statement that adds signatures to those of a day and a certificate."""
    statement = database.insert(KEY_USE)
    total = KEY_USE.c.signatures + statement.excluded.signatures
    return statement.on_conflict_do_update(index_elements=[KEY_USE.c.day, KEY_USE.c.number], set_={"signatures": total})
