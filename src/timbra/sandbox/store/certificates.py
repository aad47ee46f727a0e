"""Repository of the simulated LCO and of the certificates that the sandbox issued."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from timbra.database.database import Database
from timbra.database.membership import rows_in
from timbra.sandbox.store.models import CertificateRow
from timbra.sandbox.store.search import contains_words, first_rows
from timbra.sandbox.store.tables import SANDBOX_CERTIFICATE

CERTIFICATE = SANDBOX_CERTIFICATE.c
COLUMNS = tuple(column for column in CERTIFICATE if column.name != "certificate")


class SandboxCertificateRepository:
    """Rows of `sandbox_certificate`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def der(self, number: str) -> bytes | None:
        """Return the certificate in DER; None when the sandbox does not have it."""
        query = select(CERTIFICATE.certificate).where(CERTIFICATE.number == number)
        return self._connection.execute(query).scalar_one_or_none()

    def listed(self, rfcs: Collection[str]) -> Iterable[CertificateRow]:
        """Yield the certificates that the published LCO has for these RFCs."""
        query = select(*COLUMNS).where(CERTIFICATE.in_list, CERTIFICATE.listed)
        return map(_certificate, rows_in(self._connection, query, CERTIFICATE.rfc, rfcs))

    def search(self, text: str, limit: int, account_id: int | None = None) -> tuple[Sequence[CertificateRow], int]:
        """Return certificates whose number or RFC contains the words, latest start first, and their total number.

        Args:
            limit: Largest number of returned certificates.
            account_id: The account that requested them; None for all certificates.
        """
        condition = contains_words(text, CERTIFICATE.rfc, CERTIFICATE.number)
        if account_id is not None:
            condition &= CERTIFICATE.account_id == account_id
        order = (CERTIFICATE.valid_from.desc(), CERTIFICATE.number.desc())
        rows, total = first_rows(self._connection, SANDBOX_CERTIFICATE, condition, order, limit)
        return [_certificate(row) for row in rows], total

    def insert(self, row: CertificateRow, der: bytes) -> bool:
        """Insert a certificate unless its number exists; return whether it was inserted."""
        values = {**_values(row), "certificate": der}
        statement = self._database.insert(SANDBOX_CERTIFICATE).values(values).on_conflict_do_nothing()
        return self._connection.execute(statement.returning(CERTIFICATE.number)).first() is not None

    def insert_missing(self, rows: Iterable[CertificateRow]) -> None:
        """Insert certificates without DER whose number does not exist."""
        statement = self._database.insert(SANDBOX_CERTIFICATE).on_conflict_do_nothing()
        self._connection.execute(statement, [_values(row) for row in rows])

    def set_pending_status(self, number: str, status: str) -> bool:
        """Store the status that the next refresh publishes; return whether the LCO has such a certificate."""
        statement = update(SANDBOX_CERTIFICATE).where(CERTIFICATE.number == number, CERTIFICATE.in_list)
        return self._connection.execute(statement.values(pending_status=status)).rowcount > 0

    def publish_pending(self) -> int:
        """Apply what is pending and list what is not listed; return the number of changed rows."""
        table = SANDBOX_CERTIFICATE
        changed = self._connection.execute(
            update(table)
            .where(CERTIFICATE.pending_status.is_not(None))
            .values(status=CERTIFICATE.pending_status, pending_status=None)
        )
        unlisted = update(table).where(CERTIFICATE.in_list, ~CERTIFICATE.listed)
        return changed.rowcount + self._connection.execute(unlisted.values(listed=True)).rowcount


def _certificate(row: Any) -> CertificateRow:
    return CertificateRow(
        number=row.number,
        rfc=row.rfc,
        kind=row.kind,
        status=row.status,
        pending_status=row.pending_status,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        in_list=row.in_list,
        listed=row.listed,
        account_id=row.account_id,
    )


def _values(row: CertificateRow) -> Mapping[str, object]:
    return {
        "number": row.number,
        "rfc": row.rfc,
        "kind": row.kind,
        "status": row.status,
        "valid_from": row.valid_from,
        "valid_to": row.valid_to,
        "in_list": row.in_list,
        "listed": row.listed,
        "account_id": row.account_id,
    }
