"""Pages of the stamps that wait for delivery and are not indexed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, text
from tests.support.events import write_deliveries
from tests.support.store_records import MovableClock, claim

from timbra.database.database import Database, open_database
from timbra.sandbox.store.documents import DocumentRepository
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT
from timbra.sandbox.store.transactions import SandboxStore
from timbra.stamps.repository import DatabaseStamps


def stamp(database: Database, count: int) -> list[str]:
    """Store stamps; return their folios in the order of the event log."""
    stamps = DatabaseStamps(database, MovableClock())
    for number in range(count):
        stamps.claim([claim(number)])
    folios = [record.uuid for record in stamps.page(None).records][::-1]
    stamps.close()
    return folios


def unread(database: Database, limit: int) -> list[str]:
    found: list[tuple[int, str]] = [(0, "")]
    pages: list[Sequence[tuple[int, str]]] = []
    with SandboxStore(database).read() as transaction:
        while page := transaction.documents.list_unread(found[-1][0], limit):
            pages.append(page)
            found += page
    assert all(len(page) <= limit for page in pages)
    return [folio for _, folio in found[1:]]


def waiting(database: Database, limit: int) -> list[str]:
    found = [""]
    with SandboxStore(database).read() as transaction:
        while page := transaction.documents.list_waiting(found[-1], limit):
            found += page
    return found[1:]


def test_pages_have_each_stamp_once_without_the_indexed_ones(database: Database) -> None:
    folios = stamp(database, 7)
    assert unread(database, 3) == folios
    assert waiting(database, 3) == []
    with database.write() as connection:
        values = {column.name: "" for column in SANDBOX_DOCUMENT.c if not column.nullable}
        own = {"uuid": folios[2], "issued_at": MovableClock().now(), "year": 2026, "fuel": False}
        row = {**values, **own}
        connection.execute(insert(SANDBOX_DOCUMENT).values(row))
    assert unread(database, 3) == [folio for folio in folios if folio != folios[2]]
    write_deliveries(database)
    assert unread(database, 3) == []
    assert waiting(database, 3) == sorted(folio for folio in folios if folio != folios[2])


def test_pages_are_read_in_the_order_of_keys_without_a_sort(sqlite_address: str) -> None:
    database = open_database(sqlite_address, "sandbox")
    stamp(database, 3)
    statements: list[str] = []
    with database.read() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.set_trace_callback(statements.append)
        repository = DocumentRepository(database, connection)
        repository.list_unread(0, 64)
        repository.list_waiting("", 64)
        raw.set_trace_callback(None)
        plans = [
            [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {statement}"))]
            for statement in statements
            if "EXISTS" in statement
        ]
    database.close()
    assert len(plans) == 2
    assert not any("B-TREE" in step or step.startswith("SCAN") for plan in plans for step in plan), plans
