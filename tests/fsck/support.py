"""A sandbox with stamps, balances and events on either database, and damage of one value for the time of a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Boolean, Column, String, Table, Text, and_, cast, select, type_coerce, update
from sqlalchemy.types import NULLTYPE
from tests.support.cancellation_app import CancellationApp
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.store_records import MovableClock

from timbra import examples
from timbra.accounts.build import account_services
from timbra.audit.build import audit_log
from timbra.container import Container
from timbra.database.build import opened_database
from timbra.delivery.ports import authority_work
from timbra.documents.build import document_index, state_consumer
from timbra.events.dispatcher import EventDispatcher
from timbra.fsck.checking import check_all
from timbra.fsck.findings import FsckFinding
from timbra.fsck.row_digests import DigestJob
from timbra.operations.build import operations_services
from timbra.transparency.build import transparency_log


@contextmanager
def populated(folder: Path, database: str) -> Iterator[CancellationApp]:
    """A sandbox with rows in the tables that checks compare. database: `sqlite` or `postgresql`."""
    if database == "sqlite":
        app = CancellationApp(folder, wall=MovableClock())
        populate(app)
        yield app
        app.container.close()
        return
    need_postgresql()
    with postgresql_database() as url:
        app = CancellationApp(folder, database_url=url, wall=MovableClock())
        populate(app)
        yield app
        app.container.close()


def populate(app: CancellationApp) -> None:
    accounts = app.container.get(account_services)
    limited = app.account("luis@example.com")
    accounts.balances.set_unlimited(limited.account_id, False)
    accounts.balances.add(limited.account_id, 100, "primeros")
    accounts.balances.remove(limited.account_id, 7)
    folios = [app.invoice(price=f"{price}.00") for price in (100, 200, 300)]
    document = examples.ingreso({"@Folio": "custom"}, fecha=app.fecha).encode()
    app.issue(document, "pedido 1")
    app.retencion()
    app.payment(folios[0])
    app.cancel(folios[1])
    run_consumers(app.container)


def run_consumers(container: Container) -> None:
    """Deliver, index, count and log what is stored, so that no row waits for a consumer."""
    container.get(authority_work).deliver()
    container.get(document_index).index()
    EventDispatcher(container.get(opened_database), [state_consumer(container)], container.wall).run()
    usage, wall = container.get(operations_services).usage, container.wall
    usage.count()
    assert isinstance(wall, MovableClock)
    wall.advance(minutes=5)
    usage.count()
    container.get(audit_log).chain.run()
    container.get(transparency_log).run()
    settle(container)


def settle(container: Container) -> None:
    """Write the digests of all rows; on PostgreSQL those of appended rows are due after some minutes."""
    DigestJob(container.get(opened_database), container.wall, timedelta()).run()


def findings(container: Container) -> list[FsckFinding]:
    return check_all(container).findings


def flipped(value: object, bit: int = 0) -> object:
    """Return a value of a column with another bit: the first bit of its last character, byte or number."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value ^ (1 << bit)
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ (1 << bit)]) if value else b"\x01"
    text = str(value or "0")
    return text[:-1] + chr(ord(text[-1]) ^ (1 << bit))


def stored(container: Container, table: Table, column: Column[Any], number: int = 0) -> tuple[tuple[Any, ...], Any]:
    """Return the key and the value of a column of the row of a number, in the order of the key."""
    key = list(table.primary_key)
    with container.get(opened_database).read() as connection:
        value = cast(column, Text) if isinstance(column.type, JSON) else type_coerce(column, _kind(column))
        columns = (*(type_coerce(one, NULLTYPE) for one in key), value)
        row = connection.execute(select(*columns).order_by(*key).offset(number).limit(1)).one()
    return tuple(row[:-1]), row[-1]


@contextmanager
def changed(container: Container, table: Table, column: Column[Any], value: Any, number: int = 0) -> Iterator[None]:
    """Store another value in one row during a block."""
    key, before = stored(container, table, column, number)
    _write(container, table, column, value, key)
    place = tuple(value if one is column else part for one, part in zip(table.primary_key, key, strict=True))
    try:
        yield
    finally:
        _write(container, table, column, before, place)


def _write(container: Container, table: Table, column: Column[Any], value: Any, key: tuple[Any, ...]) -> None:
    same = and_(*(type_coerce(one, NULLTYPE) == part for one, part in zip(table.primary_key, key, strict=True)))
    given = (
        cast(type_coerce(value, String), column.type)
        if isinstance(column.type, JSON)
        else type_coerce(value, _kind(column))
    )
    with container.get(opened_database).write() as connection:
        assert connection.execute(update(table).where(same).values({column: given})).rowcount == 1


def _kind(column: Column[Any]) -> Any:
    return Boolean() if isinstance(column.type, Boolean) else NULLTYPE
