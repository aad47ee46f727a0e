"""Answers of the SAT to deliveries, and uses of the provider's keys."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from tests.support.events import write_deliveries
from tests.support.store_records import NOON, MovableClock, claim

from timbra.database.database import Database
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.receptions import DeliveryState, ReceptionRepository, StoredReception
from timbra.events.audit.counts import UseCounter
from timbra.events.audit.events import AuditFilter, audit_page
from timbra.events.audit.key_uses import KeyUse, KeyUseStore
from timbra.stamps.repository import DatabaseStamps

LATE = "late"
RECEIVED = "received"
REJECTED = "rejected"
WAITING = "waiting"
WITH_INCIDENCIA = "received-with-incidencia"
KEY_USED = "key.used"

SECOND = timedelta(seconds=1)


@pytest.fixture
def uuid(database: Database) -> str:
    """Store an undelivered stamp that is in the outbox; return its folio."""
    clock = MovableClock()
    stamps = DatabaseStamps(database, clock, clock)
    one = claim(1)
    stamps.claim([one])
    stamps.close()
    write_deliveries(database)
    return one.record.uuid


def reception(uuid: str, state: str = RECEIVED, acuse: bytes = b"<acuse/>", seconds: int = 5) -> StoredReception:
    return StoredReception(
        uuid=uuid,
        account_id=7,
        issuer_rfc="EKU9003173C9",
        version="4.0",
        stamped_at=NOON,
        uploaded_at=NOON + SECOND,
        acknowledged_at=NOON + seconds * SECOND,
        attempts=2,
        state=state,
        status="503" if state == REJECTED else "Comprobante recibido satisfactoriamente",
        incidencias=[] if state == RECEIVED else [{"code": "999", "message": "Ñandú"}],
        acuse=acuse,
    )


def test_state_of_a_stamp_that_waits_has_its_attempts(database: Database, uuid: str) -> None:
    store, outbox = ReceptionRepository(database), AuthorityOutbox(database, MovableClock())
    assert store.state_of(uuid).state == WAITING
    [delivery] = outbox.lease(1)
    outbox.reschedule(delivery, NOON + SECOND, "authority-down")
    found = store.state_of(uuid.upper())
    assert (found.state, found.attempts, found.reason, found.due_at) == (WAITING, 1, "authority-down", NOON + SECOND)
    assert store.state_of("00000000-0000-0000-0000-000000000000") == DeliveryState("")


@pytest.mark.parametrize("state", [RECEIVED, WITH_INCIDENCIA, LATE])
def test_conclude_stores_the_acuse_and_ends_the_delivery(database: Database, uuid: str, state: str) -> None:
    store = ReceptionRepository(database)
    store.conclude(reception(uuid, state))
    assert store.state_of(uuid) == DeliveryState(state, attempts=2, reception=reception(uuid, state))
    assert AuthorityOutbox(database).size() == 0


def test_conclude_keeps_a_rejected_document_as_a_dead_letter(database: Database, uuid: str) -> None:
    store, outbox = ReceptionRepository(database), AuthorityOutbox(database)
    store.conclude(reception(uuid, REJECTED))
    found = store.state_of(uuid)
    assert (found.state, found.is_dead, found.due_at) == (REJECTED, True, None)
    assert found.reason == "El SAT rechazó el comprobante: 503; 999 Ñandú"
    assert outbox.backlog().dead == {"stamp": 1}
    assert outbox.requeue(uuid) == 1


def test_conclude_keeps_the_first_good_answer_and_replaces_a_rejection(database: Database, uuid: str) -> None:
    store = ReceptionRepository(database)
    store.conclude(reception(uuid, REJECTED, b"<first/>"))
    store.conclude(reception(uuid, RECEIVED, b"<second/>"))
    store.conclude(reception(uuid, REJECTED, b"<third/>"))
    found = store.state_of(uuid)
    assert (found.state, found.reception and found.reception.acuse) == (RECEIVED, b"<second/>")
    assert AuthorityOutbox(database).size() == 0


def test_newest_and_counts_select_by_state_and_period(database: Database) -> None:
    store = ReceptionRepository(database)
    for number, state in enumerate([RECEIVED, RECEIVED, LATE, REJECTED]):
        store.conclude(reception(f"0000000{number}-0000-0000-0000-000000000000", state, seconds=number))
    assert [row.state for row in store.newest(3)] == [REJECTED, LATE, RECEIVED]
    assert [row.acuse for row in store.newest(1, LATE)] == [b""]
    counts = store.counts(NOON + SECOND, NOON + 3 * SECOND)
    assert counts == {RECEIVED: 1, WITH_INCIDENCIA: 0, LATE: 1, REJECTED: 0}


def test_uses_of_the_provider_key_are_in_the_audit_log_and_add_up_by_day(database: Database) -> None:
    wall = MovableClock(datetime(2026, 11, 21, 23, 50, tzinfo=UTC))
    counters = [UseCounter(database, wall, wall) for _ in range(2)]
    first, second = date(2026, 11, 21), date(2026, 11, 22)
    for counter in counters:
        counter.count(KEY_USED, None, "", "1")
        counter.count(KEY_USED, 5, "", "9")  # a key of the vault
    wall.advance(minutes=20)
    counters[0].count(KEY_USED, None, "", "1")
    counters[1].count(KEY_USED, None, "", "2")
    for counter in counters:
        counter.flush()
    store = KeyUseStore(database)
    assert store.between(second, second) == [KeyUse(second, "1", 1), KeyUse(second, "2", 1)]
    assert [use.signatures for use in store.between(first, second)] == [2, 1, 1]
    wall.advance(hours=2)
    counters[0].roll_up()
    with database.read() as connection:
        events = audit_page(connection, AuditFilter(kind=KEY_USED), None, 10)
    counts = sorted((found.event.subject, json.loads(found.event.body)["count"]) for found in events)
    assert counts == [("1", 1), ("1", 2), ("2", 1), ("9", 2)]
