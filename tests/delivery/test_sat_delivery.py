"""Deliveries to the SAT: what each answer and each failure does to a document, and who delivers it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.databases import prepare_sqlite
from tests.support.store_records import MovableClock, claim

from timbra.core.errors import ServiceError
from timbra.core.metrics import DELIVERIES, DELIVERY_DELAY, MetricsRegistry
from timbra.database.database import Database, open_database
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.outage_store import OutageRepository
from timbra.delivery.outages import DeliveryOutages
from timbra.delivery.receptions import ReceptionRepository
from timbra.delivery.sat_delivery import DeliveryPolicy, DeliveryService, ReceptionByKind
from timbra.sat.reception_port import AcuseIncidencia, ReceptionAcuse, ReceptionState, StampedDocument
from timbra.stamps.repository import DatabaseStamps

LATE = "late"
RECEIVED = "received"
REJECTED = "rejected"
WAITING = "waiting"
WITH_INCIDENCIA = "received-with-incidencia"
CONFIGURATION_PAUSE = timedelta(seconds=30)

GOOD = "Comprobante recibido satisfactoriamente"
DOWN = ServiceError("authority-down", "No respondió a tiempo.", retry_after=5)
NOT_ADMITTED = ServiceError("delivery-rejected", "El SAT no acepta el token del proveedor (501).")
POLICY = DeliveryPolicy(2, timedelta(seconds=10), timedelta(minutes=10), jitter=lambda: 1.0)


def acuse(
    state: ReceptionState = ReceptionState.RECEIVED, status: str = GOOD, *found: tuple[str, str]
) -> ReceptionAcuse:
    return ReceptionAcuse(state, status, tuple(AcuseIncidencia(*one) for one in found), b"<acuse/>", 2.0)


@dataclass
class Sat:
    """Answers deliveries in the given order, and then as received. most: its capacity."""

    answers: list[ReceptionAcuse | Exception] = field(default_factory=list)
    most: int = 1_000
    delivered: list[StampedDocument] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def capacity(self, wanted: int) -> int:
        return min(wanted, self.most)

    def pause(self, document: StampedDocument) -> float | None:
        """None: no failure concerns more than its document."""
        return None

    def deliver(self, document: StampedDocument) -> ReceptionAcuse:
        with self.lock:
            self.delivered.append(document)
            answer = self.answers.pop(0) if self.answers else acuse()
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Setup:
    """A database with undelivered stamps, and the delivery of one process."""

    database: Database
    clock: MovableClock
    sat: Sat
    metrics: MetricsRegistry
    outbox: AuthorityOutbox
    receptions: ReceptionRepository
    service: DeliveryService

    def stamp(self, count: int) -> list[str]:
        stamps = DatabaseStamps(self.database, self.clock, self.clock)
        claims = [claim(number) for number in range(count)]
        stamps.claim(claims)
        stamps.close()
        return [one.record.uuid for one in claims]

    def count(self, outcome: str) -> int:
        return self.metrics.counts[DELIVERIES.name, (outcome,)]


def service_of(database: Database, clock: MovableClock, sat: Sat, metrics: MetricsRegistry) -> DeliveryService:
    stamps = DatabaseStamps(database, clock, clock)
    outbox = AuthorityOutbox(database, clock, 3)
    outages = DeliveryOutages(OutageRepository(database), clock)
    return DeliveryService(outbox, stamps, ReceptionRepository(database), outages, sat, clock, POLICY, metrics)


@pytest.fixture
def address(tmp_path: Path) -> str:
    prepare_sqlite(tmp_path)
    return f"sqlite:///{tmp_path / 'timbra.db'}"


@pytest.fixture
def setup(address: str) -> Iterator[Setup]:
    clock, sat, metrics, database = MovableClock(), Sat(), MetricsRegistry(), open_database(address)
    service = service_of(database, clock, sat, metrics)
    yield Setup(
        database, clock, sat, metrics, AuthorityOutbox(database, clock, 3), ReceptionRepository(database), service
    )
    service.close()
    database.close()


def test_deliver_pending_keeps_the_acuse_and_announces_the_stamp(setup: Setup) -> None:
    [uuid] = setup.stamp(1)
    setup.clock.advance(seconds=4)
    assert setup.service.deliver_pending() == 1
    found = setup.receptions.state_of(uuid)
    assert (found.state, setup.outbox.size(), setup.count(RECEIVED)) == (RECEIVED, 0, 1)
    assert found.reception is not None
    assert found.reception.acuse == b"<acuse/>"
    assert found.reception.acknowledged_at - found.reception.uploaded_at == timedelta(seconds=2)
    [document] = setup.sat.delivered
    assert (document.uuid, document.issuer_rfc, document.is_retencion) == (uuid, claim(0).record.issuer_rfc, False)
    assert document.stamped_at == "2026-11-17T12:00:00"
    assert setup.metrics.histograms[DELIVERY_DELAY.name, ()].total == pytest.approx(4, abs=1)


@pytest.mark.parametrize(
    ("answer", "minutes", "state"),
    [
        (acuse(), 10, RECEIVED),
        (acuse(), 11, LATE),
        (acuse(ReceptionState.WITH_INCIDENCIA, GOOD, ("999", "Nombre distinto")), 0, WITH_INCIDENCIA),
        (acuse(ReceptionState.WITH_INCIDENCIA, GOOD, ("999", "Nombre distinto")), 11, WITH_INCIDENCIA),
        (acuse(ReceptionState.WITH_INCIDENCIA, GOOD, ("999", "Recepción extemporánea")), 0, LATE),
    ],
)
def test_state_follows_the_sat_and_then_the_delay(
    setup: Setup, answer: ReceptionAcuse, minutes: int, state: str
) -> None:
    [uuid] = setup.stamp(1)
    setup.clock.advance(minutes=minutes)
    setup.sat.answers = [answer]
    setup.service.deliver_pending()
    assert setup.receptions.state_of(uuid).state == state


def test_rejected_document_is_a_dead_letter_that_can_be_delivered_again(setup: Setup) -> None:
    [uuid] = setup.stamp(1)
    setup.sat.answers = [acuse(ReceptionState.REJECTED, "503", ("503", "Metadatos"))]
    setup.service.deliver_pending()
    found = setup.receptions.state_of(uuid)
    assert (found.state, found.is_dead, found.reason) == (
        REJECTED,
        True,
        "El SAT rechazó el comprobante: 503; 503 Metadatos",
    )
    assert setup.service.deliver_pending() == 0
    setup.outbox.requeue(uuid)
    assert setup.service.deliver_pending() == 1
    assert setup.receptions.state_of(uuid).state == RECEIVED


def test_document_that_the_storage_lost_is_uploaded_again(setup: Setup) -> None:
    [uuid] = setup.stamp(1)
    setup.sat.answers = [acuse(ReceptionState.REJECTED, "502", ("502", "No hay"))]
    setup.service.deliver_pending()
    assert setup.receptions.state_of(uuid).state == WAITING
    setup.clock.advance(minutes=1)
    setup.service.deliver_pending()
    assert setup.receptions.state_of(uuid).state == RECEIVED


def test_documents_wait_longer_after_each_failure_and_end_as_dead_letters(setup: Setup) -> None:
    [uuid] = setup.stamp(1)
    setup.sat.answers = [DOWN] * 3
    waits = []
    for _ in range(3):
        setup.service.deliver_pending()
        found = setup.receptions.state_of(uuid)
        waits.append(None if found.due_at is None else (found.due_at - setup.clock.now()).total_seconds())
        setup.clock.advance(minutes=1)
    assert waits == [2, 4, None]
    assert setup.service.deliver_pending() == 0
    assert setup.outbox.backlog().dead == {"stamp": 1}
    assert "No respondió a tiempo" in setup.receptions.state_of(uuid).reason
    assert setup.count("unreachable") == 3


def test_provider_that_is_not_admitted_pauses_and_loses_nothing(setup: Setup) -> None:
    uuids = setup.stamp(20)
    setup.sat.answers = [NOT_ADMITTED] * 20
    setup.service.deliver_pending()
    tried = len(setup.sat.delivered)
    assert tried <= POLICY.threads * 4
    setup.service.deliver_pending()
    assert len(setup.sat.delivered) == tried
    setup.sat.answers = []
    setup.clock.advance(seconds=CONFIGURATION_PAUSE.total_seconds() + 1)
    setup.service.deliver_pending()
    assert {setup.receptions.state_of(uuid).state for uuid in uuids} == {RECEIVED}


def test_nothing_is_leased_while_the_circuit_is_open(setup: Setup) -> None:
    [uuid] = setup.stamp(1)
    setup.sat.most = 0
    assert setup.service.deliver_pending() == 0
    assert setup.receptions.state_of(uuid).attempts == 0


@pytest.mark.parametrize("error", [ValueError("x"), ServiceError("document-invalid", "Debe ser un CFDI.")])
def test_document_that_cannot_be_delivered_does_not_stop_the_others(setup: Setup, error: Exception) -> None:
    uuids = setup.stamp(5)
    setup.sat.answers = [error]
    setup.service.deliver_pending()
    states = [setup.receptions.state_of(uuid) for uuid in uuids]
    assert sorted(found.state for found in states) == [RECEIVED] * 4 + [WAITING]
    assert setup.outbox.backlog().dead == {"stamp": 1}
    defects = setup.metrics.counts["internal_errors", ("CO1000",)]
    assert defects == isinstance(error, ValueError)


def test_two_processes_deliver_each_document_once(setup: Setup, address: str) -> None:
    uuids = setup.stamp(40)
    other_database = open_database(address)
    other = service_of(other_database, setup.clock, setup.sat, MetricsRegistry())
    with ThreadPoolExecutor(2) as threads:
        done: Sequence[int] = list(threads.map(lambda service: service.deliver_pending(), [setup.service, other]))
    other.close()
    other_database.close()
    assert sum(done) == 40
    assert sorted(document.uuid for document in setup.sat.delivered) == sorted(uuids)


def test_retencion_without_an_address_waits(setup: Setup) -> None:
    by_kind = ReceptionByKind(setup.sat, None)
    document = StampedDocument("u", "r", "f", "n", "2.0", b"", is_retencion=True)
    with pytest.raises(ServiceError, match="SAT_RETENCIONES_RECEPTION_URL"):
        by_kind.deliver(document)
    assert by_kind.capacity(5) == 5
