"""The migration to consumers of the event log, while programs of before and of now write."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace

import pytest
from sqlalchemy import select
from tests.support import earlier_programs as old
from tests.support.store_records import MovableClock, claim, record

from timbra.database.database import Database, open_database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.database.tables.webhooks import WEBHOOK_DELIVERY, WEBHOOK_EVENT
from timbra.delivery.consumer import DELIVERIES
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.documents.mail.consumer import email_consumer
from timbra.events.dispatcher import EventDispatcher
from timbra.stamps.port import Stored
from timbra.stamps.repository import DatabaseStamps
from timbra.webhooks.consumer import webhook_consumer
from timbra.webhooks.subscriptions import WebhookSubscriptions

WEBHOOKS = ("wh_a", "wh_b")
RECIPIENTS = ("eva@example.com",)
FEW = 20
"""Stamps of each writer before, during and after the migration."""


def dispatch(database: Database) -> None:
    consumers = [
        webhook_consumer(WebhookSubscriptions(database).has),
        email_consumer(database),
        DELIVERIES,
    ]
    EventDispatcher(database, consumers, MovableClock()).run()


def deliveries(database: Database) -> Counter[tuple[str, str]]:
    """Count the deliveries of each folio to each endpoint."""
    query = select(WEBHOOK_EVENT.c.subject, WEBHOOK_DELIVERY.c.webhook_id)
    query = query.join_from(WEBHOOK_EVENT, WEBHOOK_DELIVERY, WEBHOOK_DELIVERY.c.event_id == WEBHOOK_EVENT.c.id)
    with database.read() as connection:
        return Counter((row.subject, row.webhook_id) for row in connection.execute(query))


def of_each_stamp(database: Database, destinations: Sequence[str] = WEBHOOKS) -> Counter[tuple[str, str]]:
    with database.read() as connection:
        uuids = connection.execute(select(STAMP.c.uuid)).scalars().all()
    return Counter((uuid, destination) for uuid in uuids for destination in destinations)


def emails(database: Database) -> Counter[tuple[str, str]]:
    with database.read() as connection:
        rows = connection.execute(select(EMAIL_OUTBOX.c.uuid, EMAIL_OUTBOX.c.recipient))
        return Counter((row.uuid, row.recipient) for row in rows)


def test_events_of_before_become_no_work(empty_address: str) -> None:
    old.build_database(empty_address, WEBHOOKS)
    with closing(old.running_program(empty_address)) as before, before.write() as connection:
        old.write_stamp(connection, record(1), WEBHOOKS, RECIPIENTS)
    with closing(open_database(empty_address)) as database:
        dispatch(database)
        assert deliveries(database) == of_each_stamp(database)
        assert emails(database) == of_each_stamp(database, RECIPIENTS)
        with database.read() as connection:
            assert connection.execute(select(EVENT.c.format)).scalars().all() == [None]


@dataclass
class Restart:
    """A rolling restart: two programs of before write, and one of now migrates halfway."""

    address: str
    program: str
    delivered: Counter[str] = field(default_factory=Counter)
    halfway: threading.Barrier = field(default_factory=lambda: threading.Barrier(3, timeout=60))
    migrated: threading.Event = field(default_factory=threading.Event)

    def write_as_before(self, writer: str) -> None:
        with closing(old.running_program(self.address)) as program:
            self._write(program, f"{writer}-early")
            self.halfway.wait()
            self._write(program, f"{writer}-meanwhile")
            assert self.migrated.wait(60)
            self._write(program, f"{writer}-late")

    def write_as_now(self) -> None:
        self.halfway.wait()
        with closing(open_database(self.address)) as database:
            self.migrated.set()
            with closing(DatabaseStamps(database, MovableClock(), MovableClock())) as stamps:
                for number in range(FEW):
                    [outcome] = stamps.claim([replace(claim(f"now-{number}"), mail_to=RECIPIENTS)])
                    assert isinstance(outcome, Stored)
                    dispatch(database)
                    self.deliver(database, most=3)

    def deliver(self, database: Database, most: int) -> None:
        """Deliver to the authority."""
        outbox = AuthorityOutbox(database, MovableClock())
        leased = outbox.lease(most)
        outbox.complete(leased)
        self.delivered.update(delivery.subject for delivery in leased)

    def _write(self, program: Database, name: str) -> None:
        for number in range(FEW):
            with program.write() as connection:
                old.write_stamp(connection, record(f"{name}-{number}"), WEBHOOKS, RECIPIENTS, self.program)


@pytest.mark.parametrize("program", [old.FIRST, old.SECOND])
def test_rolling_restart_under_load_loses_and_doubles_nothing(empty_address: str, program: str) -> None:
    old.build_database(empty_address, WEBHOOKS, program)
    restart = Restart(empty_address, program)
    with ThreadPoolExecutor(3) as threads:
        runs = [threads.submit(restart.write_as_before, writer) for writer in ("a", "b")]
        runs.append(threads.submit(restart.write_as_now))
        for run in runs:
            run.result()
    with closing(open_database(empty_address)) as database:
        dispatch(database)
        found = deliveries(database)
        assert found == of_each_stamp(database)
        assert len(found) == 2 * (2 * 3 * FEW + FEW)
        assert set(found.values()) == {1}
        restart.deliver(database, most=1000)
        with database.read() as connection:
            assert restart.delivered == Counter(connection.execute(select(STAMP.c.uuid)).scalars())
        assert emails(database) == of_each_stamp(database, RECIPIENTS)
