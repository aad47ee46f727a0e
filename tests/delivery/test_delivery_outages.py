"""Deliveries during and after an outage of the SAT, on both databases, with a clock that the test steps."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

import pytest
import structlog
from sqlalchemy import select
from tests.support.effort import cases
from tests.support.store_records import MovableClock, claim
from tests.support.waiting import wait_until

from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.core.retry import RetryPolicy
from timbra.database.database import Database, open_database
from timbra.database.tables.stamps import OUTBOX
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.outage_store import Outage, OutageRepository
from timbra.delivery.outages import DeliveryOutages, outage_warnings
from timbra.delivery.receptions import ReceptionRepository
from timbra.delivery.sat_delivery import DeliveryPolicy, DeliveryService
from timbra.sat.access_token import NO_ACCESS
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.reception_client import ReceptionClient
from timbra.sat.reception_port import ReceptionAcuse, ReceptionState, StampedDocument
from timbra.stamps.repository import DatabaseStamps

POLICY = DeliveryPolicy(2, timedelta(seconds=10), timedelta(hours=10), jitter=lambda: 1.0)
GOOD = ReceptionAcuse(ReceptionState.RECEIVED, "Comprobante recibido satisfactoriamente", (), b"<acuse/>", 0.0)
NO_ANSWER = ServiceError("authority-down", "No respondió a tiempo.", retry_after=5)
NOT_ADMITTED = ServiceError("delivery-rejected", "El SAT no acepta el token del proveedor (501).")
NO_DEVICE = ServiceError("signer-unavailable", "Token pac: GeneralError", retry_after=5)
WRONG_DEVICE = ServiceError("signature-faulty", "La firma producida no corresponde.", retry_after=5)
FAILURES = {error.code: error for error in (NO_ANSWER, NOT_ADMITTED, NO_DEVICE, WRONG_DEVICE)}
CODES = cases((NO_ANSWER.code, WRONG_DEVICE.code), tuple(FAILURES))
"""One failure of the SAT and one of the device; both kinds have a second in the long form."""
STAMPS = 40
PAUSE_SECONDS, LEASE_SECONDS = 30, 10
COUNTED = 5
"""Attempts that count before an outage is known: the failures that open the circuit, and as many as run beside them."""


class Sat(ReceptionClient):
    """A reception behind a circuit breaker that follows the clock of the test. failure: of every call; None: none."""

    def __init__(self, clock: MovableClock) -> None:
        breaker = CircuitBreaker(seconds=PAUSE_SECONDS, now=lambda: clock.now().timestamp())
        super().__init__(NO_ACCESS, breaker, RetryPolicy(10, 1))
        self.failure: ServiceError | None = None
        self.failing: Mapping[str, ServiceError] = {}
        self.calls = 0
        self.gate = threading.Event()
        self.gate.set()
        self._counting = threading.Lock()

    def _deliver(self, document: StampedDocument) -> ReceptionAcuse:
        with self._counting:
            self.calls += 1
        assert self.gate.wait(30)
        failure = self.failure or self.failing.get(document.uuid)
        if failure is not None:
            raise failure
        return GOOD


@dataclass
class Node:
    """A process of deliveries."""

    database: Database
    clock: MovableClock
    sat: Sat
    policy: DeliveryPolicy = POLICY
    service: DeliveryService = field(init=False)

    def __post_init__(self) -> None:
        self.outbox = AuthorityOutbox(self.database, self.clock)
        self.outages = OutageRepository(self.database)
        self.service = DeliveryService(
            self.outbox,
            DatabaseStamps(self.database, self.clock, self.clock),
            ReceptionRepository(self.database),
            DeliveryOutages(self.outages, self.clock),
            self.sat,
            self.clock,
            self.policy,
            MetricsRegistry(),
        )

    def stamp(self, numbers: range) -> list[str]:
        stamps = DatabaseStamps(self.database, self.clock, self.clock)
        claims = [claim(number, at=self.clock.now()) for number in numbers]
        stamps.claim(claims)
        stamps.close()
        return [one.record.uuid for one in claims]

    def attempts(self) -> int:
        with self.database.read() as connection:
            return sum(connection.execute(select(OUTBOX.c.attempts)).scalars())

    def run(self, seconds: int, step: int = 1) -> int:
        """Run the job of deliveries once a step while the clock advances; return how many were concluded."""
        concluded = 0
        for _ in range(0, seconds, step):
            self.clock.advance(seconds=step)
            concluded += self.service.deliver_pending()
        return concluded


@pytest.fixture
def node(database: Database) -> Iterator[Node]:
    clock = MovableClock()
    made = Node(database, clock, Sat(clock))
    yield made
    made.service.close()


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("hours", "step"), cases([(0.15, 5)], [(0.15, 5), (2, 30)]))
def test_everything_is_delivered_by_the_first_attempt_after_an_outage(
    node: Node, code: str, hours: float, step: int
) -> None:
    node.stamp(range(STAMPS))
    node.sat.failure = FAILURES[code]
    assert node.run(int(hours * 3600), step) == 0
    assert node.attempts() <= COUNTED
    node.stamp(range(STAMPS, STAMPS + 5))
    calls = node.sat.calls
    node.sat.failure = None
    assert node.run(PAUSE_SECONDS + LEASE_SECONDS) == STAMPS + 5
    assert node.sat.calls - calls == STAMPS + 5
    assert node.outbox.size() == 0


@pytest.mark.parametrize("code", CODES)
def test_an_outage_is_probed_by_one_call_in_each_pause(node: Node, code: str) -> None:
    node.stamp(range(STAMPS))
    node.sat.failure = FAILURES[code]
    node.run(60)
    calls = node.sat.calls
    node.run(10 * PAUSE_SECONDS)
    assert 9 <= node.sat.calls - calls <= 11


def test_the_first_answer_makes_documents_due_that_waited_for_hours(node: Node) -> None:
    node.stamp(range(STAMPS))
    later = node.clock.now() + timedelta(hours=1)
    for delivery in node.outbox.lease(STAMPS)[1:]:
        node.outbox.reschedule(delivery, later, "No respondió.")
    node.outages.record(outage_at(node.clock.now()))
    node.clock.advance(minutes=1)
    assert node.service.deliver_pending() == STAMPS


def outage_at(since: datetime) -> Outage:
    return Outage("cfdi", since, "authority-down", "No respondió.")


def test_a_document_that_always_fails_does_not_keep_the_others_waiting(node: Node) -> None:
    uuids = node.stamp(range(STAMPS))
    node.sat.failure = NO_ANSWER
    node.run(600)
    node.sat.failure = None
    node.sat.failing = dict.fromkeys(uuids[:3], NO_ANSWER)
    node.run(10 * PAUSE_SECONDS)
    assert node.outbox.size() == 3


@pytest.mark.parametrize("code", CODES)
def test_an_outage_says_since_when_how_many_and_how_old(node: Node, code: str) -> None:
    node.stamp(range(STAMPS))
    begun = node.clock.now()
    assert not node.outbox.backlog().outages
    node.sat.failure = FAILURES[code]
    with structlog.testing.capture_logs() as log:
        node.run(600)
    backlog = node.outbox.backlog()
    [outage] = backlog.outages
    assert (outage.service, outage.code) == ("cfdi", code)
    assert outage.since - begun <= timedelta(seconds=PAUSE_SECONDS)
    [text] = outage_warnings(backlog, node.clock.now())
    assert f"{STAMPS} entregas en espera, la más antigua desde hace 10 min" in text
    assert f"desde {outage.since:%Y-%m-%dT%H:%M:%SZ}" in text
    lines = [line for line in log if line["event"] == "the SAT does not receive stamps"]
    assert 10 <= len(lines) <= 21
    assert (lines[-1]["waiting"], lines[-1]["since"]) == (STAMPS, outage.since.isoformat())
    assert lines[-1]["oldest"] == begun.isoformat()
    node.sat.failure = None
    node.run(PAUSE_SECONDS + LEASE_SECONDS)
    assert not node.outbox.backlog().outages


def test_another_process_continues_and_ends_an_outage(node: Node) -> None:
    node.stamp(range(STAMPS))
    node.sat.failure = NO_ANSWER
    node.run(120)
    [before] = node.outages.current()
    node.run(60)
    other = Node(node.database, node.clock, Sat(node.clock))
    other.sat.failure = NO_ANSWER
    other.run(60)
    assert list(node.outages.current()) == [before]
    other.sat.failure = None
    assert other.run(PAUSE_SECONDS + LEASE_SECONDS) == STAMPS
    assert not node.outages.current()
    other.service.close()


def test_deliveries_of_a_killed_process_are_repeated_after_ten_seconds(node: Node) -> None:
    node.stamp(range(STAMPS))
    killed = node.service._lease()
    assert killed
    other = Node(node.database, node.clock, Sat(node.clock))
    assert other.service.deliver_pending() == STAMPS - len(killed)
    assert other.run(LEASE_SECONDS) == len(killed)
    other.service.close()


def is_due_at(node: Node, instant: datetime) -> bool:
    return {one.due_at for one in node.outbox.list_pending(5)} == {instant}


def test_leases_are_renewed_while_a_delivery_takes_long(database: Database, address: str) -> None:
    clock = MovableClock()
    slow = Node(database, clock, Sat(clock), replace(POLICY, renew_seconds=0.01))
    slow.stamp(range(2))
    second = open_database(address)
    other = Node(second, clock, Sat(clock))
    slow.sat.gate.clear()
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(slow.service.deliver_pending)
        wait_until(lambda: slow.sat.calls == 2)
        for _ in range(5):
            clock.advance(seconds=9)
            renewed = clock.now() + timedelta(seconds=LEASE_SECONDS)
            wait_until(partial(is_due_at, other, renewed))
            assert other.service.deliver_pending() == 0
        slow.sat.gate.set()
        assert running.result(30) == 2
    assert other.sat.calls == 0
    other.service.close()
    slow.service.close()
    second.close()
