"""Webhooks in the database: events in the transaction of a stamp, deliveries under lease, and their log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from operator import itemgetter
from typing import Any

import pytest
from sqlalchemy import insert
from tests.support.events import list_events
from tests.support.store_records import NOON, MovableClock, claim

from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT
from timbra.delivery.delivered_events import DeliveredEvents
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.events.consumers import reads_none
from timbra.events.dispatcher import EventDispatcher
from timbra.events.event_log import Event, append_event
from timbra.rejections.store import Rejection, RejectionStore
from timbra.stamps.repository import DatabaseStamps
from timbra.webhooks.consumer import webhook_consumer
from timbra.webhooks.kinds import DEFAULT_KINDS, KINDS
from timbra.webhooks.store.events import Occurrence, find_event, publish
from timbra.webhooks.store.models import Attempt, Webhook
from timbra.webhooks.store.outbox import WebhookOutbox
from timbra.webhooks.store.repository import WebhookRepository
from timbra.webhooks.subscriptions import WebhookSubscriptions

BATCH_DONE = "batch.done"
REJECTED = "cfdi.rejected"
STAMPED = "cfdi.stamped"
EVENTS = "events"


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def stamps(database: Database, clock: MovableClock) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, clock, clock)
    yield opened
    opened.close()


@pytest.fixture
def outbox(database: Database, clock: MovableClock) -> WebhookOutbox:
    return WebhookOutbox(database, clock)


@pytest.fixture
def repository(database: Database) -> WebhookRepository:
    return WebhookRepository(database)


def webhook(name: str = "wh_a", events: tuple[str, ...] = KINDS, *, enabled: bool = True) -> Webhook:
    return Webhook(name, 1, "https://example.com/", EVENTS, events, "", enabled, "", b"s", None, None, NOON)


@pytest.fixture
def account(database: Database, repository: WebhookRepository) -> int:
    """The account 1, with one endpoint for all events."""
    values = {
        "id": 1,
        "user": "ana@example.com",
        "name": "ana@example.com",
        "password": "-",
        "generation": 1,
        "role": "account",
        "active": True,
        "created_at": NOON,
        "changed": 1,
    }
    with database.write() as connection:
        connection.execute(insert(ACCOUNT).values(values))
        repository.save(connection, webhook())
    return 1


def dispatch(database: Database) -> int:
    """Write the webhooks of new events."""
    consumer = webhook_consumer(WebhookSubscriptions(database).has)
    return EventDispatcher(database, [consumer], MovableClock()).run()


def bodies(database: Database, outbox: WebhookOutbox) -> list[dict[str, object]]:
    dispatch(database)
    found = []
    for delivery in outbox.lease(100):
        with database.read() as connection:
            event = find_event(connection, delivery.event_id)
        assert event is not None
        found.append(json.loads(event.body))
    return found


def test_stamp_becomes_one_event_and_a_delivery_for_each_subscriber(
    database: Database, stamps: DatabaseStamps, outbox: WebhookOutbox, repository: WebhookRepository, account: int
) -> None:
    with database.write() as connection:
        repository.save(connection, webhook("wh_b"))
    claimed = claim(1, account=account)
    stamps.claim([claimed, claim(2, account=9)])
    assert outbox.size() == 0
    assert dispatch(database) == 1

    deliveries = outbox.lease(10)

    assert [delivery.webhook_id for delivery in deliveries] == ["wh_a", "wh_b"]
    assert len({delivery.event_id for delivery in deliveries}) == 1
    with database.read() as connection:
        event = find_event(connection, deliveries[0].event_id)
    assert event is not None
    body = json.loads(event.body)
    assert (body["id"], body["type"], body["account"], body["mode"]) == (
        event.id,
        STAMPED,
        "ana@example.com",
        "sandbox",
    )
    told = body["data"]["object"]
    assert (told["uuid"], told["issuerRfc"], told["total"]) == (claimed.record.uuid, "EKU9003173C9", "116.00")
    assert (told["requestId"], told["stampedAt"]) == (claimed.record.request_id, "2026-11-17T18:00:00Z")
    assert "<cfdi" not in event.body


def test_publish_writes_nothing_for_an_account_without_subscription(
    database: Database, outbox: WebhookOutbox, account: int
) -> None:
    with database.write() as connection:
        assert not publish(connection, Occurrence(2, BATCH_DONE, "batch_1", NOON, {}))
    assert outbox.size() == 0
    with database.write() as connection:
        assert publish(connection, Occurrence(account, BATCH_DONE, "batch_1", NOON, {}))
    assert outbox.size() == 1


def test_publish_counts_the_events_of_a_subject(database: Database, outbox: WebhookOutbox, account: int) -> None:
    for subject in ("a", "a", "b"):
        with database.write() as connection:
            publish(connection, Occurrence(account, BATCH_DONE, subject, NOON, {"of": subject}))
    assert sorted((body["data"]["object"]["of"], body["sequence"]) for body in bodies(database, outbox)) == [  # type: ignore[index]
        ("a", 1),
        ("a", 2),
        ("b", 1),
    ]


def test_cancellation_events_reach_the_account_of_the_stamp(
    database: Database, stamps: DatabaseStamps, outbox: WebhookOutbox, account: int
) -> None:
    claimed = claim(1, account=account)
    stamps.claim([claimed])
    bodies(database, outbox)
    for step in ("requested", "accepted", "noted"):
        event = Event(NOON, NOON, 7, f"cancellation.{step}", claimed.record.uuid, "", {"motivo": "02"})
        with database.write() as connection:
            append_event(connection, event)
    found = [(body["type"], body["data"]["object"]["motive"]) for body in bodies(database, outbox)]  # type: ignore[index]
    assert sorted(found) == [
        ("cancellation.accepted", "02"),
        ("cancellation.done", "02"),
        ("cancellation.requested", "02"),
    ]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("requested", [("cancellation.requested", "requested")]),
        ("received", [("cancellation.requested", "requested")]),
        ("ineffective", [("cancellation.requested", "requested")]),
        ("cancelled", [("cancellation.requested", "requested"), ("cancellation.done", "cancelled")]),
        ("accepted", [("cancellation.accepted", "accepted"), ("cancellation.done", "accepted")]),
        ("expired", [("cancellation.expired", "expired"), ("cancellation.done", "expired")]),
        ("rejected", [("cancellation.rejected", "rejected")]),
        ("submitted", []),
    ],
)
def test_cancellation_step_is_told_by_its_events(
    database: Database, outbox: WebhookOutbox, account: int, step: str, told: list[tuple[str, str]]
) -> None:
    event = Event(NOON, NOON, account, f"cancellation.{step}", "a", "", {})
    with database.write() as connection:
        append_event(connection, event)
    found: list[dict[str, Any]] = sorted(bodies(database, outbox), key=itemgetter("sequence"))
    assert [(body["type"], body["data"]["object"]["status"]) for body in found] == told


def test_outcome_that_was_queried_does_not_repeat_the_request(
    database: Database, outbox: WebhookOutbox, account: int
) -> None:
    event = Event(NOON, NOON, account, "cancellation.cancelled", "a", "", {"queried": True})
    with database.write() as connection:
        append_event(connection, event)
    assert [body["type"] for body in bodies(database, outbox)] == ["cancellation.done"]


def test_delivery_to_the_authority_is_published(
    database: Database, stamps: DatabaseStamps, outbox: WebhookOutbox, clock: MovableClock, account: int
) -> None:
    stamps.claim([claim(1, account=account), claim(2, account=9)])
    is_read = webhook_consumer(WebhookSubscriptions(database).has).reads
    authority = AuthorityOutbox(database, clock, events=DeliveredEvents(is_read, clock, clock))
    assert authority.tells_end
    assert not AuthorityOutbox(database, clock, events=DeliveredEvents(reads_none, clock, clock)).tells_end
    dispatch(database)
    outbox.complete(outbox.lease(10))
    authority.complete(authority.lease(10))
    assert [event.kind for event in list_events(database)] == ["stamped", "stamped", "delivered"]
    assert [body["type"] for body in bodies(database, outbox)] == ["cfdi.delivered"]


def test_rejections_are_published_to_those_who_ask_for_them(
    database: Database, outbox: WebhookOutbox, repository: WebhookRepository, account: int
) -> None:
    store = RejectionStore(database, webhook_consumer(WebhookSubscriptions(database).has).reads)
    rejection = Rejection(account, NOON, NOON, "r-1", "/cfdi33/stamp/v4", "301", "mal", document=b"<a/>")
    store.add([rejection], {})
    [body] = bodies(database, outbox)
    assert (body["type"], body["data"]["object"]["code"]) == (REJECTED, "301")  # type: ignore[index]
    with database.write() as connection:
        repository.save(connection, webhook(events=DEFAULT_KINDS))
    store.add([rejection], {})
    dispatch(database)
    assert outbox.size() == 1
    assert [event.kind for event in list_events(database)] == ["rejected"]


def test_endpoint_gets_no_event_of_before_it_was_created(
    database: Database, stamps: DatabaseStamps, outbox: WebhookOutbox, repository: WebhookRepository, account: int
) -> None:
    stamps.claim([claim(1, account=account)])
    with database.write() as connection:
        repository.save(connection, replace(webhook("wh_b"), created_at=NOON + timedelta(seconds=1)))
    dispatch(database)
    assert [delivery.webhook_id for delivery in outbox.lease(10)] == ["wh_a"]


def test_subscriptions_follow_changes_of_endpoints(
    database: Database, repository: WebhookRepository, account: int
) -> None:
    subscriptions = WebhookSubscriptions(database)
    assert subscriptions.has(STAMPED, account)
    assert not subscriptions.has(STAMPED, 2)
    with database.write() as connection:
        repository.save(connection, webhook(enabled=False))
    assert not subscriptions.has(STAMPED, account)
    assert not subscriptions.has(STAMPED)


def test_lease_skips_paused_endpoints(
    database: Database, outbox: WebhookOutbox, repository: WebhookRepository, clock: MovableClock, account: int
) -> None:
    with database.write() as connection:
        publish(connection, Occurrence(account, BATCH_DONE, "a", NOON, {}))
        repository.save(connection, replace(webhook(), paused_until=NOON + timedelta(seconds=5)))
    assert outbox.lease(10) == []
    clock.advance(seconds=5)
    assert len(outbox.lease(10)) == 1


def test_resend_requeues_a_delivered_event_and_dead_letters(
    database: Database, outbox: WebhookOutbox, repository: WebhookRepository, account: int
) -> None:
    with database.write() as connection:
        publish(connection, Occurrence(account, BATCH_DONE, "a", NOON, {}))
    [delivery] = outbox.lease(1)
    attempt = Attempt("d", delivery.event_id, "wh_a", NOON, 1, 500, delivered=False, answer="boom", milliseconds=3)
    with database.write() as connection:
        repository.record(connection, attempt, {"failures": 1})
    outbox.mark_dead(delivery, "HTTP 500")
    with database.write() as connection:
        [line] = repository.lines(connection, "wh_a", 10)
        assert (line.state, line.attempts, line.last) == ("failed", 1, attempt)
        assert outbox.resend(connection, "wh_a") == 1
    [again] = outbox.lease(1)
    assert (again.event_id, again.attempts) == (delivery.event_id, 1)
    outbox.complete([again])
    with database.write() as connection:
        assert repository.lines(connection, "wh_a", 10)[0].state == "delivered"
        assert outbox.resend(connection, "wh_a", delivery.event_id) == 1
    assert len(outbox.lease(1)) == 1


def test_expire_deletes_old_events(
    database: Database, outbox: WebhookOutbox, repository: WebhookRepository, account: int
) -> None:
    for at in (NOON, NOON + timedelta(days=2)):
        with database.write() as connection:
            publish(connection, Occurrence(account, BATCH_DONE, "a", at, {}))
    with database.write() as connection:
        assert repository.expire(connection, NOON + timedelta(days=1)) == 1
    assert outbox.size() == 1
