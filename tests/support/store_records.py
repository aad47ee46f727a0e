"""Stamps to store, identified by small numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import uuid4

from sqlalchemy import text

from timbra.database.database import Database
from timbra.stamps.port import Claim, StampRecord

NOON = datetime(2026, 11, 17, 18, tzinfo=UTC)


@dataclass
class MovableClock:
    """A clock that a test moves by hand."""

    instant: datetime = NOON

    def now(self) -> datetime:
        return self.instant

    def advance(self, **time: float) -> None:
        self.instant += timedelta(**time)


def record(seal: int | str, *, account: int = 1, at: datetime = NOON, uuid: str | None = None) -> StampRecord:
    """Return a stamp of the seal with a new folio for each call."""
    folio = uuid or str(uuid4())
    return StampRecord(
        seal_hash=sha256(str(seal).encode()).digest(),
        uuid=folio,
        account_id=account,
        environment="sandbox",
        request_id=f"request-{folio[:8]}",
        stamped_at=at,
        version="4.0",
        kind="I",
        serie="Ñ",
        folio=str(seal),
        fecha="2026-11-17T12:00:00",
        issuer_rfc="EKU9003173C9",
        receiver_rfc="XAXX010101000",
        total="116.00",
        issuer_certificate="30001000000500003416",
        provider_certificate="90001000000000000001",
        rule_set="1",
        data_version="2026-11-01",
        lists_version="2026-11-17",
        cfdi=f'<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante Folio="{seal}" UUID="{folio}"/>'.encode(),
    )


def claim(
    seal: int | str, custom_id: str | None = None, *, account: int = 1, at: datetime = NOON, uuid: str | None = None
) -> Claim:
    return Claim(record(seal, account=account, at=at, uuid=uuid), custom_id)


def insert_account(database: Database, number: int, user: str) -> None:
    with database.write() as connection:
        connection.execute(
            text(
                'INSERT INTO account (id, "user", name, password, generation, role, active, created_at, changed) '
                "VALUES (:id, :user, :user, '', 1, 'account', true, 0, 0)"
            ),
            {"id": number, "user": user},
        )
