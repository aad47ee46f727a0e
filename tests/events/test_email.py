"""E-mails under lease, from their stamp to their end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.events import list_events
from tests.support.store_records import MovableClock, claim

from timbra.database.database import Database, open_database
from timbra.documents.mail.consumer import email_consumer
from timbra.events.dispatcher import EventDispatcher
from timbra.events.email import EmailDelivery, EmailOutbox
from timbra.stamps.port import AlreadyStamped, Stored
from timbra.stamps.repository import DatabaseStamps

ADDRESSES = ("ana@example.com", "luis@example.com")


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def stamps(database: Database, clock: MovableClock) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, clock, clock)
    yield opened
    opened.close()


def dispatch(database: Database) -> None:
    """Write the e-mails of new events."""
    EventDispatcher(database, [email_consumer(database)], MovableClock()).run()


@pytest.fixture
def email_outbox(database: Database, clock: MovableClock) -> EmailOutbox:
    return EmailOutbox(database, clock, clock)


def taken(email_outbox: EmailOutbox) -> EmailDelivery:
    [email] = email_outbox.lease()
    return email


def test_stamp_becomes_an_email_for_each_recipient(
    database: Database, stamps: DatabaseStamps, email_outbox: EmailOutbox
) -> None:
    claimed = replace(claim(1, '"mail_to":'), mail_to=ADDRESSES)
    outcomes = stamps.claim([claimed, claim(2), claim(3, '"mail_to": ["eva@example.com"]')])
    assert {type(outcome) for outcome in outcomes} == {Stored}
    assert email_outbox.size() == 0
    dispatch(database)
    emails = email_outbox.list_pending()
    assert [(email.uuid, email.recipient) for email in emails] == [(claimed.record.uuid, to) for to in ADDRESSES]
    assert {(email.account_id, email.attempts, email.reason) for email in emails} == {(1, 0, "")}


def test_stamp_becomes_one_email_for_a_repeated_address(
    database: Database, stamps: DatabaseStamps, email_outbox: EmailOutbox
) -> None:
    [outcome] = stamps.claim([replace(claim(1), mail_to=(*ADDRESSES, *ADDRESSES))])
    assert isinstance(outcome, Stored)
    dispatch(database)
    assert len(email_outbox.list_pending()) == len(ADDRESSES)


def test_rejected_claim_becomes_no_email(database: Database, stamps: DatabaseStamps, email_outbox: EmailOutbox) -> None:
    stamps.claim([claim(1)])
    [outcome] = stamps.claim([replace(claim(1), mail_to=ADDRESSES)])
    assert isinstance(outcome, AlreadyStamped)
    dispatch(database)
    assert email_outbox.lease() == []


@pytest.fixture
def claimed(database: Database, stamps: DatabaseStamps) -> str:
    """Return the folio of a stamp with two e-mails."""
    one = replace(claim(1), mail_to=ADDRESSES)
    stamps.claim([one])
    dispatch(database)
    return one.record.uuid


def test_lease_returns_each_email_to_one_worker(
    address: str, claimed: str, email_outbox: EmailOutbox, clock: MovableClock
) -> None:
    elsewhere = open_database(address)
    assert taken(email_outbox).recipient == ADDRESSES[0]
    assert taken(EmailOutbox(elsewhere, clock, clock)).recipient == ADDRESSES[1]
    assert email_outbox.lease() == []
    elsewhere.close()


def test_complete_deletes_an_email_and_appends_an_event(
    claimed: str, email_outbox: EmailOutbox, clock: MovableClock, database: Database
) -> None:
    email_outbox.complete([taken(email_outbox)])
    clock.advance(hours=1)
    assert taken(email_outbox).recipient == ADDRESSES[1]
    [mailed] = [event for event in list_events(database) if event.kind == "mailed"]
    assert (mailed.subject, mailed.body) == (claimed, {"to": ADDRESSES[0]})


def test_lease_returns_an_email_again_when_its_lease_has_expired(
    claimed: str, email_outbox: EmailOutbox, clock: MovableClock
) -> None:
    first = taken(email_outbox)
    taken(email_outbox)
    clock.advance(minutes=5)
    again = taken(email_outbox)
    assert (again.uuid, again.recipient, again.attempts) == (first.uuid, first.recipient, 2)


def test_reschedule_delays_an_email(claimed: str, email_outbox: EmailOutbox, clock: MovableClock) -> None:
    email = taken(email_outbox)
    email_outbox.complete([taken(email_outbox)])
    email_outbox.reschedule(email, clock.now() + timedelta(minutes=1), "no responde")
    assert email_outbox.lease() == []
    clock.advance(minutes=1)
    assert taken(email_outbox).reason == "no responde"


def test_mark_dead_keeps_an_email_until_it_is_requeued(
    claimed: str, email_outbox: EmailOutbox, clock: MovableClock, database: Database
) -> None:
    email_outbox.mark_dead(taken(email_outbox), "rechazado")
    email_outbox.complete([taken(email_outbox)])
    clock.advance(days=30)
    assert email_outbox.lease() == []
    [dead_count] = email_outbox.list_pending(dead_only=True)
    assert (dead_count.recipient, dead_count.due_at, dead_count.reason) == (ADDRESSES[0], None, "rechazado")
    assert email_outbox.list_pending(account_id=2) == []
    assert "mail-given-up" in {event.kind for event in list_events(database)}

    assert email_outbox.requeue("00000000-0000-0000-0000-000000000000") == 0
    assert email_outbox.requeue(claimed.upper()) == 1
    assert taken(email_outbox).attempts == 1
