"""Deletion of archived stamps, acuses and events; what a pending delivery needs stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Table, func, insert, select
from tests.support.events import write_deliveries
from tests.support.store_records import NOON, MovableClock, claim

from timbra.archive.pruning import PruningRepository
from timbra.archive.store import ArchiveRecord, ArchiveRepository
from timbra.core.periods import Period
from timbra.database.database import Database
from timbra.database.tables.stamps import CUSTOM_ID, EVENT, OUTBOX, STAMP
from timbra.delivery.consumer import DELIVERIES
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.receptions import ReceptionRepository, StoredReception
from timbra.events.event_log import Event, append_event
from timbra.stamps.partitions import StampMonths
from timbra.stamps.repository import DatabaseStamps

RECEIVED = "received"

PERIOD = Period(NOON - timedelta(days=1), NOON + timedelta(days=1))


@pytest.fixture
def uuids(database: Database) -> list[str]:
    """Store three stamps with customids; the last one is not delivered."""
    clock = MovableClock()
    stamps = DatabaseStamps(database, clock, clock)
    claims = [claim(number, f"pedido {number}") for number in range(3)]
    stamps.claim(claims)
    stamps.close()
    write_deliveries(database)
    found = [one.record.uuid for one in claims]
    for uuid in found[:2]:
        reception = StoredReception(uuid, 1, "EKU9003173C9", "4.0", NOON, NOON, NOON, 1, RECEIVED, "200", [], b"<a/>")
        ReceptionRepository(database).conclude(reception)
    return found


def count(database: Database, *tables: Table) -> list[int]:
    with database.read() as connection:
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables]


def test_delete_stamps_keeps_those_with_a_pending_delivery(database: Database, uuids: list[str]) -> None:
    pruning = PruningRepository(database, [DELIVERIES], StampMonths(database, MovableClock()))
    assert pruning.pending(uuids) == {uuids[2]}
    assert pruning.delete_stamps(uuids) == 2
    assert count(database, STAMP, CUSTOM_ID) == [1, 1]
    assert pruning.delete_stamps(uuids) == 0
    AuthorityOutbox(database).drop(uuids[2])
    assert pruning.delete_stamps(uuids) == 1
    assert count(database, STAMP, CUSTOM_ID) == [0, 0]


def test_delete_stamps_keeps_those_whose_event_is_a_dead_letter(database: Database, uuids: list[str]) -> None:
    outbox = AuthorityOutbox(database)
    outbox.drop(uuids[2])
    with database.write() as connection:
        number = connection.execute(select(EVENT.c.id).where(EVENT.c.subject == uuids[1])).scalar_one()
        values = {"subject": str(number), "created_at": NOON, "due_at": NOON, "attempts": 0, "dead": True}
        connection.execute(insert(OUTBOX).values(kind="event.deliveries", **values))
    pruning = PruningRepository(database, [DELIVERIES], StampMonths(database, MovableClock()))
    assert pruning.pending(uuids) == {uuids[1]}
    assert pruning.delete_stamps(uuids) == 2
    assert count(database, STAMP) == [1]


def test_delete_receptions_keeps_those_of_stamps_that_exist(database: Database, uuids: list[str]) -> None:
    pruning = PruningRepository(database, [DELIVERIES], StampMonths(database, MovableClock()))
    assert pruning.delete_receptions(uuids) == 0
    pruning.delete_stamps(uuids[:1])
    assert pruning.delete_receptions(uuids) == 1
    assert ReceptionRepository(database).state_of(uuids[1]).reception is not None


def test_events_leave_out_those_that_a_pending_delivery_needs(database: Database, uuids: list[str]) -> None:
    pruning = PruningRepository(database, [DELIVERIES], StampMonths(database, MovableClock()))
    [page] = pruning.events(PERIOD)
    assert [event.subject for _, event in page] == uuids
    numbers = [number for number, _ in page]
    with database.write() as connection:
        AuthorityOutbox(database).add(connection, "cancellation", str(numbers[1]))
    [page] = pruning.events(PERIOD)
    assert [event.subject for _, event in page] == [uuids[0], uuids[2]]
    # The newest event stays: SQLite would give its number again.
    assert pruning.delete_events(numbers) == 1
    assert count(database, EVENT) == [2]
    assert list(pruning.events(Period(NOON + timedelta(days=1), NOON + timedelta(days=2)))) == []


def test_archive_records_keep_what_is_known_when_an_attempt_fails(database: Database) -> None:
    archives = ArchiveRepository(database)
    assert archives.first_event_at() is None
    record = ArchiveRecord("timbra-2026-10", "2026-10-01", "2026-10-31", "archives")
    archives.record_failure(record, NOON, "No hay espacio.")
    [found] = archives.all()
    assert (found.exported_at, found.failed_at, found.failure) == (None, NOON, "No hay espacio.")
    written = replace(record, digest="ab" * 32, documents=7, acuses=6, events=5, exported_at=NOON)
    archives.save(written)
    assert archives.all() == [written]
    archives.record_failure(record, NOON, "El archivo está dañado.")
    [found] = archives.all()
    assert (found.documents, found.digest, found.failure) == (7, "ab" * 32, "El archivo está dañado.")
    archives.mark_pruned("timbra-2026-10", NOON)
    [found] = archives.all()
    assert (found.pruned_at, found.failed_at, found.failure) == (NOON, None, "")


def test_nothing_is_deleted_of_a_stamp_whose_event_no_consumer_has_read(database: Database, uuids: list[str]) -> None:
    clock, one = MovableClock(), claim(3)
    stamps = DatabaseStamps(database, clock, clock)
    stamps.claim([one])
    stamps.close()
    pruning = PruningRepository(database, [DELIVERIES], StampMonths(database, MovableClock()))
    uuid = one.record.uuid
    assert pruning.pending([uuids[0], uuid]) == {uuid}
    assert pruning.delete_stamps([uuid]) == 0
    [page] = pruning.events(PERIOD)
    assert uuid not in [event.subject for _, event in page]
    with database.write() as connection:
        append_event(connection, Event(NOON, NOON, 1, "noted", "", "", {}))
    number = numbers(database)[uuid]
    assert pruning.delete_events([number]) == 0
    write_deliveries(database)
    AuthorityOutbox(database).drop(uuid)
    assert (pruning.delete_stamps([uuid]), pruning.delete_events([number])) == (1, 1)


def numbers(database: Database) -> dict[str, int]:
    with database.read() as connection:
        return {row.subject: row.id for row in connection.execute(select(EVENT.c.subject, EVENT.c.id))}
