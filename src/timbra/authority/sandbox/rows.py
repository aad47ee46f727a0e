"""Reading and writing the simulated lists, each within the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from timbra.authority.sandbox import seeds
from timbra.authority.sandbox.listing import Entry, SealRow, TaxpayerRow, entry_of
from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate, Kind
from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_CERTIFICATE, SANDBOX_TAXPAYER

DEFAULTS: Mapping[str, object] = {
    "postal_code": "",
    "regimes": "",
    "obligations": seeds.OBLIGATIONS,
    "cancelled": False,
    "situation": "",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """What the published lists say of one RFC. taxpayer, obligations: None when it is not listed."""

    taxpayer: TaxpayerRow | None
    obligations: int | None
    seals: Mapping[str, SealRow]


def read_listed(connection: Connection, rfc: str, published: datetime) -> Listed:
    """The rows of lists that were published at that fiscal instant."""
    person, seal = SANDBOX_TAXPAYER.c, SANDBOX_CERTIFICATE.c
    row = connection.execute(select(SANDBOX_TAXPAYER).where(person.rfc == rfc, person.listed)).first()
    if row is None:
        return Listed(None, None, {})
    rows = connection.execute(
        select(seal.number, seal.status, seal.valid_from, seal.valid_to).where(
            seal.rfc == rfc, seal.in_list, seal.listed
        )
    ).all()
    seals = {
        number: SealRow(rfc, number, _status(status, end, published), row.obligations, start, end)
        for number, status, start, end in rows
    }
    return Listed(entry_of(row).taxpayer, row.obligations, seals)


def read_entry(connection: Connection, rfc: str) -> Entry:
    """A taxpayer with what is pending. ServiceError("taxpayer-unknown")."""
    row = connection.execute(select(SANDBOX_TAXPAYER).where(SANDBOX_TAXPAYER.c.rfc == rfc)).first()
    if row is None:
        raise ServiceError("taxpayer-unknown", f"El RFC {rfc[:20]} no está registrado.")
    return entry_of(row)


def insert_taxpayer(
    database: Database, connection: Connection, rfc: str, values: Mapping[str, object], *, listed: bool
) -> bool:
    """Whether it was new; one that exists stays as it is."""
    row = {**DEFAULTS, **values, "rfc": rfc, "listed": listed}
    statement = database.insert(SANDBOX_TAXPAYER).values(row).on_conflict_do_nothing()
    return connection.execute(statement.returning(SANDBOX_TAXPAYER.c.rfc)).first() is not None


def order_change(connection: Connection, entry: Entry, values: Mapping[str, object]) -> None:
    """Changes a taxpayer that no list has yet; keeps the change for the next list otherwise."""
    columns = {"pending": json.dumps({**entry.pending, **values})} if entry.listed else dict(values)
    statement = update(SANDBOX_TAXPAYER).where(SANDBOX_TAXPAYER.c.rfc == entry.taxpayer.rfc)
    connection.execute(statement.values(columns))


def insert_certificate(database: Database, connection: Connection, certificate: Certificate, *, listed: bool) -> bool:
    """Puts a certificate on record, a CSD for the LCO too; whether it was new."""
    row = {
        "number": certificate.number,
        "rfc": certificate.rfc,
        "kind": certificate.kind.value,
        "status": "A",
        "valid_from": certificate.valid_from,
        "valid_to": certificate.valid_to,
        "in_list": certificate.kind is Kind.CSD,
        "listed": listed and certificate.kind is Kind.CSD,
        "certificate": certificate.der,
    }
    statement = database.insert(SANDBOX_CERTIFICATE).values(row).on_conflict_do_nothing()
    return connection.execute(statement.returning(SANDBOX_CERTIFICATE.c.number)).first() is not None


def order_revocation(connection: Connection, number: str) -> bool:
    """Whether there is such a certificate; the next list has it as revoked."""
    table = SANDBOX_CERTIFICATE
    statement = update(table).where(table.c.number == number, table.c.in_list).values(pending_status="R")
    return connection.execute(statement).rowcount > 0


def insert_seeds(database: Database, connection: Connection) -> None:
    """What the sandbox starts with; rows that exist stay as they are."""
    people: list[dict[str, Any]] = [
        {
            **DEFAULTS,
            "rfc": seed.rfc,
            "name": seed.name,
            "postal_code": seed.postal_code,
            "obligations": seed.obligations,
            "regimes": " ".join(seed.regimes),
            "listed": True,
        }
        for seed in seeds.taxpayers()
    ]
    seals: list[dict[str, Any]] = [
        {
            "number": seed.number,
            "rfc": seed.rfc,
            "kind": Kind.CSD.value,
            "status": "A",
            "valid_from": seed.valid_from,
            "valid_to": seed.valid_to,
            "in_list": True,
            "listed": True,
        }
        for seed in seeds.seals()
    ]
    connection.execute(database.insert(SANDBOX_TAXPAYER).on_conflict_do_nothing(), people)
    connection.execute(database.insert(SANDBOX_CERTIFICATE).on_conflict_do_nothing(), seals)


def _status(stored: str, valid_to: datetime, published: datetime) -> Any:
    """A certificate is listed as expired by the first list after its end."""
    return "C" if stored == "A" and valid_to < published else stored
