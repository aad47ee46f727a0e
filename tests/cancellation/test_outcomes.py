"""Queries of the outcome of requests of cancellation, on both databases, with a clock that the test steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from tests.support.events import list_events
from tests.support.store_records import MovableClock, claim

from timbra.cancellation.outcomes import CancellationOutcomes, QueryLimit, outcome_consumer, outcome_of
from timbra.cancellation.tables import CANCELLATION_QUERY
from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.events.dispatcher import EventDispatcher
from timbra.events.event_log import Event, append_event
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.stamps.repository import DatabaseStamps

CFD4 = "http://www.sat.gob.mx/cfd/4"
FOUND = "S - Comprobante obtenido satisfactoriamente."
IN_PROCESS = FiscalStatus("Vigente", FOUND, "Cancelable con aceptación", "En proceso")
ACCEPTED = FiscalStatus("Cancelado", FOUND, "Cancelable con aceptación", "Cancelado con aceptación")
EXPIRED = FiscalStatus("Cancelado", FOUND, "Cancelable con aceptación", "Plazo vencido")
AT_ONCE = FiscalStatus("Cancelado", FOUND, "Cancelable sin aceptación", "Cancelado sin aceptación")
REJECTED = FiscalStatus("Vigente", FOUND, "Cancelable con aceptación", "Solicitud rechazada")
NOTHING = FiscalStatus("Vigente", FOUND, "Cancelable con aceptación", "")
RECEIVED = "cancellation.received"


@dataclass
class Sat:
    """The status service. answer: of every query; an error is raised."""

    answer: FiscalStatus | ServiceError = IN_PROCESS
    queries: list[StatusQuery] = field(default_factory=list)

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.queries.append(query)
        if isinstance(self.answer, ServiceError):
            raise self.answer
        return self.answer


class Node:
    """A process of deliveries."""

    def __init__(self, database: Database, per_minute: int = 60) -> None:
        self.database, self.clock, self.sat = database, MovableClock(), Sat()
        self.stamps = DatabaseStamps(database, self.clock, self.clock)
        self.outcomes = CancellationOutcomes(
            database, self.stamps, self.sat, DocumentParser(), self.clock, self.clock, QueryLimit(per_minute, 5)
        )
        self.dispatcher = EventDispatcher(database, [outcome_consumer()], self.clock)
        self.dispatcher.run()

    def request(self, number: int = 1, motive: str = "02") -> str:
        """Store a stamp, and the receipt of a request for it."""
        one = claim(number, at=self.clock.now())
        document = f'<cfdi:Comprobante xmlns:cfdi="{CFD4}" Version="4.0" Sello="seal of number-{number}"/>'
        self.stamps.claim([replace(one, record=replace(one.record, cfdi=document.encode()))])
        self.receive(one.record.uuid, motive)
        return one.record.uuid

    def receive(self, uuid: str, motive: str = "02") -> None:
        body = {"motivo": motive, "foliosustitucion": "", "code": "201"}
        event = Event(self.clock.now(), self.clock.now(), 7, RECEIVED, uuid, "request", body)
        with self.database.write() as connection:
            append_event(connection, event)
        self.dispatcher.run()

    def run(self, **time: float) -> int:
        self.clock.advance(**time)
        return self.outcomes.run()

    def waiting(self) -> int:
        with self.database.read() as connection:
            return len(connection.execute(CANCELLATION_QUERY.select()).all())

    def outcomes_of(self, uuid: str) -> list[Event]:
        return [one for one in list_events(self.database) if one.subject == uuid and one.body.get("queried")]


@pytest.fixture
def node(database: Database) -> Iterator[Node]:
    made = Node(database)
    yield made
    made.stamps.close()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (ACCEPTED, "cancellation.accepted"),
        (EXPIRED, "cancellation.expired"),
        (AT_ONCE, "cancellation.cancelled"),
        (REJECTED, "cancellation.rejected"),
        (IN_PROCESS, ""),
        (NOTHING, ""),
        (FiscalStatus("No Encontrado", "N - 602: Comprobante no encontrado.", None, ""), ""),
    ],
)
def test_outcome_of_a_status(answer: FiscalStatus, kind: str) -> None:
    assert outcome_of(answer) == kind


def test_outcome_is_written_once_with_the_values_of_the_request(node: Node) -> None:
    uuid = node.request(motive="01")
    assert node.run(seconds=59) == 0
    assert not node.sat.queries
    node.sat.answer = ACCEPTED
    assert node.run(seconds=1) == 1
    [event] = node.outcomes_of(uuid)
    assert (event.kind, event.account_id, event.request_id) == ("cancellation.accepted", 1, "request")
    assert event.body == {
        "motivo": "01",
        "foliosustitucion": "",
        "estado": "Cancelado",
        "estatuscancelacion": "Cancelado con aceptación",
        "queried": True,
    }
    [query] = node.sat.queries
    assert (query.uuid, query.issuer_rfc, query.total, query.seal_tail) == (uuid, "EKU9003173C9", "116.00", "number-1")
    assert (node.run(days=1), node.waiting(), len(node.sat.queries)) == (0, 0, 1)


def test_request_in_process_is_queried_less_and_less_often(node: Node) -> None:
    node.request()
    node.run(minutes=1)
    for wait, runs in ((10, 6), (60, 23), (6 * 60, 24), (24 * 60, 3)):
        for _ in range(runs):
            before = len(node.sat.queries)
            node.run(minutes=wait - 1)
            assert len(node.sat.queries) == before, wait
            node.run(minutes=1)
            assert len(node.sat.queries) == before + 1, wait


def test_request_after_a_rejection_is_queried_again(node: Node) -> None:
    uuid = node.request()
    node.sat.answer = REJECTED
    assert node.run(minutes=1) == 1
    node.sat.answer = AT_ONCE
    node.receive(uuid)
    assert node.run(minutes=1) == 1
    assert [one.kind for one in node.outcomes_of(uuid)] == ["cancellation.rejected", "cancellation.cancelled"]


def test_run_makes_no_more_queries_than_the_limit(database: Database) -> None:
    node = Node(database, per_minute=24)
    for number in range(5):
        node.request(number)
    node.run(minutes=1)
    assert len(node.sat.queries) == 2
    node.run(seconds=5)
    assert len({query.uuid for query in node.sat.queries}) == 4
    node.stamps.close()


def test_service_that_does_not_answer_is_tried_by_one_query_after_each_pause(node: Node) -> None:
    for number in range(3):
        node.request(number)
    node.sat.answer = ServiceError("authority-down", "No respondió a tiempo.", retry_after=5)
    node.run(minutes=1)
    assert len(node.sat.queries) == 1
    node.run(seconds=29)
    assert len(node.sat.queries) == 1
    node.run(seconds=1)
    assert len(node.sat.queries) == 2
    node.sat.answer = AT_ONCE
    assert node.run(minutes=1) == 1
    assert node.run(seconds=5) == 2


def test_request_without_a_trace_is_dropped_after_thirty_days(node: Node) -> None:
    node.request()
    node.sat.answer = NOTHING
    for _ in range(31):
        node.run(days=1)
    assert node.waiting() == 0
    node.request(2)
    node.sat.answer = IN_PROCESS
    for _ in range(31):
        node.run(days=1)
    assert node.waiting() == 1


def test_document_of_another_provider_is_not_queried(node: Node) -> None:
    node.receive("0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11")
    assert node.waiting() == 0


def test_stamp_that_cannot_be_read_keeps_no_other_waiting(node: Node) -> None:
    damaged = claim(1, at=node.clock.now())
    node.stamps.claim([damaged])  # its document has a prefix without a namespace
    node.receive(damaged.record.uuid)
    node.sat.answer = AT_ONCE
    node.request(2)
    assert node.run(minutes=1) == 1
    assert node.waiting() == 1
