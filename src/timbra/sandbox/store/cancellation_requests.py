"""Repository of requests of cancellation that are pending for their receiver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from timbra.database.database import Database
from timbra.sandbox.store.models import CancellationRequestRow, OpenRequest
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_REQUEST

REQUEST = SANDBOX_REQUEST.c


class CancellationRequestRepository:
    """Rows of `sandbox_request`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def list_due(self, now: datetime, uuids: Sequence[str] | None = None) -> list[CancellationRequestRow]:
        """Return the requests that are due at the fiscal instant, earliest first; those of `uuids` when given."""
        query = select(SANDBOX_REQUEST).where(REQUEST.due_at <= now).order_by(REQUEST.due_at, REQUEST.uuid)
        if uuids is not None:
            query = query.where(REQUEST.uuid.in_(uuids))
        return [CancellationRequestRow(**row._mapping) for row in self._connection.execute(query)]

    def list_of_receiver(self, rfc: str) -> list[str]:
        """Return the folios that are pending for a receiver, oldest request first."""
        query = select(REQUEST.uuid).where(REQUEST.receiver_rfc == rfc)
        return list(self._connection.execute(query.order_by(REQUEST.requested_at, REQUEST.uuid)).scalars())

    def list_open(self, limit: int) -> list[OpenRequest]:
        """Return the pending requests, oldest first, with issuer and total of their CFDI."""
        document = SANDBOX_DOCUMENT.c
        columns = (REQUEST.uuid, document.issuer_rfc, REQUEST.receiver_rfc, document.total, REQUEST.motivo)
        query = select(*columns, REQUEST.requested_at, REQUEST.due_at, REQUEST.outcome)
        query = query.join(SANDBOX_DOCUMENT, document.uuid == REQUEST.uuid)
        rows = self._connection.execute(query.order_by(REQUEST.requested_at, REQUEST.uuid).limit(limit))
        return [OpenRequest(*row) for row in rows]

    def insert(self, row: CancellationRequestRow) -> None:
        """Insert a request; its CFDI has none yet."""
        self._connection.execute(self._database.insert(SANDBOX_REQUEST).values(asdict(row)))

    def delete(self, uuid: str) -> None:
        self._connection.execute(delete(SANDBOX_REQUEST).where(REQUEST.uuid == uuid))

    def clear_due_date(self, uuid: str) -> None:
        """Remove the due date: the request is pending without a term."""
        self._connection.execute(update(SANDBOX_REQUEST).where(REQUEST.uuid == uuid).values(due_at=None))
