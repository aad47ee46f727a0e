"""What the simulated authority has on record, as lists of bounded length for whoever looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, false, func, or_, select, true

from timbra.authority.sandbox.listing import Entry, entry_of
from timbra.seals.certificate import Kind
from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_CERTIFICATE, SANDBOX_DOCUMENT, SANDBOX_REQUEST, SANDBOX_TAXPAYER

PERSON, SEAL, REQUEST = SANDBOX_TAXPAYER.c, SANDBOX_CERTIFICATE.c, SANDBOX_REQUEST.c


@dataclass(frozen=True, slots=True)
class CertificateEntry:
    """A certificate on record. status: A active, R revoked; pending: the status that the next refresh publishes.

    in_list: whether it is of a kind that the LCO carries; listed: whether a published one has it.
    """

    number: str
    rfc: str
    kind: Kind
    status: str
    pending: str | None
    valid_from: datetime
    valid_to: datetime
    in_list: bool
    listed: bool

    @property
    def is_revocable(self) -> bool:
        return self.in_list and self.status == "A" and self.pending is None


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request that waits for its receiver. due_at, outcome: what comes by itself, None for nothing."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    motivo: str
    requested_at: datetime
    due_at: datetime | None
    outcome: str | None


class Overview:
    """Reads alone; lists have at most `limit` rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def taxpayers(self, wanted: str, limit: int) -> tuple[Sequence[Entry], int]:
        """Those whose RFC or name contains the text, by RFC, and how many there are in all."""
        fits = _contains(wanted, PERSON.rfc, PERSON.name)
        rows, total = self._rows(SANDBOX_TAXPAYER, fits, (PERSON.rfc,), limit)
        return [entry_of(row) for row in rows], total

    def certificates(self, wanted: str, limit: int) -> tuple[Sequence[CertificateEntry], int]:
        """Those whose number or RFC contains the text, of the latest start first, and how many there are in all."""
        fits = _contains(wanted, SEAL.rfc, SEAL.number)
        rows, total = self._rows(SANDBOX_CERTIFICATE, fits, (SEAL.valid_from.desc(), SEAL.number.desc()), limit)
        return [_certificate(row) for row in rows], total

    def open_requests(self, limit: int) -> Sequence[OpenRequest]:
        """Those that wait, oldest first."""
        document = SANDBOX_DOCUMENT.c
        columns = (REQUEST.uuid, document.issuer_rfc, REQUEST.receiver_rfc, document.total, REQUEST.motivo)
        query = select(*columns, REQUEST.requested_at, REQUEST.due_at, REQUEST.outcome)
        query = query.join(SANDBOX_DOCUMENT, document.uuid == REQUEST.uuid)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(REQUEST.requested_at, REQUEST.uuid).limit(limit))
            return [OpenRequest(*row) for row in rows]

    def _rows(
        self, table: Any, fits: ColumnElement[bool], order: Sequence[ColumnElement[Any]], limit: int
    ) -> tuple[Sequence[Row[Any]], int]:
        with self._database.read() as connection:
            total = connection.execute(select(func.count()).select_from(table).where(fits)).scalar_one()
            return connection.execute(select(table).where(fits).order_by(*order).limit(limit)).all(), total


def _contains(wanted: str, *columns: ColumnElement[str]) -> ColumnElement[bool]:
    """Every word in one of the columns, whatever the case; nothing that is stored has what cannot be printed."""
    if not wanted.isprintable():
        return false()
    words = wanted.split()
    return and_(true(), *(or_(*(column.icontains(word, autoescape=True) for column in columns)) for word in words))


def _certificate(row: Row[Any]) -> CertificateEntry:
    return CertificateEntry(
        number=row.number,
        rfc=row.rfc,
        kind=Kind(row.kind),
        status=row.status,
        pending=row.pending_status,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        in_list=row.in_list,
        listed=row.listed,
    )
