"""Outages of the services that receive stamps: since when, and why; the processes of all nodes share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from timbra.core.text import storable
from timbra.database.database import Database
from timbra.database.tables.provider import DELIVERY_OUTAGE
from timbra.events.outbox import MAX_REASON_LENGTH

CFDI, RETENCIONES = "cfdi", "retenciones"
_QUERY = select(DELIVERY_OUTAGE).order_by(DELIVERY_OUTAGE.c.since)


@dataclass(frozen=True, slots=True)
class Outage:
    """A service that does not receive stamps now.

    Attributes:
        service: `CFDI` or `RETENCIONES`.
        since: Wall time of the failure that began it.
        code: The code of the last failure.
        reason: The last failure as text.
    """

    service: str
    since: datetime
    code: str
    reason: str


class OutageRepository:
    """The outages of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, outage: Outage) -> None:
        """Begin an outage, or change the reason of one that has begun."""
        values = {"code": outage.code, "reason": storable(outage.reason, MAX_REASON_LENGTH)}
        statement = self._database.insert(DELIVERY_OUTAGE)
        statement = statement.values(service=outage.service, since=outage.since, **values)
        statement = statement.on_conflict_do_update(index_elements=[DELIVERY_OUTAGE.c.service], set_=values)
        with self._database.write() as connection:
            connection.execute(statement)

    def end(self, service: str) -> None:
        with self._database.write() as connection:
            connection.execute(delete(DELIVERY_OUTAGE).where(DELIVERY_OUTAGE.c.service == service))

    def current(self) -> Sequence[Outage]:
        """Return the outages, oldest first."""
        with self._database.read() as connection:
            return read_outages(connection)


def read_outages(connection: Connection) -> Sequence[Outage]:
    """Return the outages, oldest first, in a transaction of the caller."""
    return [Outage(row.service, row.since, row.code, row.reason) for row in connection.execute(_QUERY)]
