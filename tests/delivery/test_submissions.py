"""Cancellation requests while the authority is unavailable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.support.events import list_events
from tests.support.store_records import NOON, MovableClock
from tests.support.waiting import wait_until

from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.database.database import Database, open_database
from timbra.delivery.cancellation_submissions import SubmissionQueue
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.receptions import DeliveryState
from timbra.rules.reference.explanation import explanations
from timbra.sat.port import CancellationAuthority, CancellationReceipt, Relations, RequestOrigin

RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"
HOURS = 72
STORED_DETAIL = "La solicitud quedó guardada y se enviará de nuevo."

FOLIO = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
REQUEST = Cancelacion("EKU9003173C9", (Folio(FOLIO, "02"),))
DOCUMENT = etree.tostring(REQUEST.to_root(NOON))
RETENCIONES = Cancelacion("EKU9003173C9", (Folio(FOLIO, "02"),), RETENCIONES1)
ANSWERS = AcceptReject("URE180429TM6", {FOLIO: ReceiverAnswer.REJECT})
ORIGIN_VALUES = (7, "request")
ORIGIN = RequestOrigin(*ORIGIN_VALUES)


@dataclass
class RemoteAuthority:
    """An authority that fails as configured before it answers."""

    failures: list[ServiceError] = field(default_factory=list)
    taken: list[object] = field(default_factory=list)

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        return self._take((request, document, origin), "201")

    def accept_reject(self, request: AcceptReject, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        return self._take((request, document, origin), "1000")

    def pendings(self, receiver_rfc: str) -> list[str]:
        return [FOLIO]

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:
        return None

    def _take(self, what: object, code: str) -> CancellationReceipt:
        if self.failures:
            raise self.failures.pop(0)
        self.taken.append(what)
        return CancellationReceipt(b"<Acuse/>", {FOLIO: code})


def down() -> ServiceError:
    return ServiceError("authority-down", "No respondió a tiempo.", retry_after=5)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'timbra.db'}")
    yield opened
    opened.close()


@pytest.fixture
def remote() -> RemoteAuthority:
    return RemoteAuthority()


@pytest.fixture
def submissions(database: Database, clock: MovableClock, remote: RemoteAuthority) -> SubmissionQueue:
    return SubmissionQueue(remote, database, AuthorityOutbox(database, clock), clock, clock, MetricsRegistry())


def kinds(database: Database) -> list[str]:
    return [event.kind.removeprefix("cancellation.") for event in list_events(database)]


def test_cancel_returns_receipt_when_authority_responds(
    submissions: SubmissionQueue, database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    authority: CancellationAuthority = submissions
    assert authority.cancel(REQUEST, DOCUMENT, ORIGIN).codes == {FOLIO: "201"}
    assert remote.taken == [(REQUEST, DOCUMENT, ORIGIN)]
    assert kinds(database) == ["submitted", "answered", "received"]
    received = list_events(database)[-1]
    assert (received.subject, received.account_id, received.request_id) == (FOLIO, *ORIGIN_VALUES)
    assert received.body == {"motivo": "02", "foliosustitucion": "", "code": "201"}
    clock.advance(hours=1)
    assert submissions.resend_pending() == 0
    assert len(remote.taken) == 1


@pytest.mark.parametrize("request_", [REQUEST, RETENCIONES])
def test_resend_pending_retries_until_answer(
    submissions: SubmissionQueue,
    database: Database,
    remote: RemoteAuthority,
    clock: MovableClock,
    request_: Cancelacion,
) -> None:
    document = etree.tostring(request_.to_root(NOON))
    remote.failures = [down(), down()]
    with pytest.raises(ServiceError, match="authority-down") as rejected:
        submissions.cancel(request_, document, ORIGIN)
    assert STORED_DETAIL in str(rejected.value.detail)
    assert submissions.resend_pending() == 0
    clock.advance(seconds=2)
    assert (submissions.resend_pending(), remote.taken) == (0, [])
    clock.advance(seconds=3)
    assert submissions.resend_pending() == 0
    clock.advance(seconds=1)
    assert submissions.resend_pending() == 1
    assert remote.taken == [(request_, document, ORIGIN)]
    assert kinds(database) == ["submitted", "answered", "received"]
    [_, answered, _] = list_events(database)
    assert (answered.account_id, answered.body["codes"]) == (7, {FOLIO: "201"})


@pytest.mark.parametrize("code", ["signer-unavailable", "signature-faulty"])
@pytest.mark.parametrize("is_first", [True, False])
def test_request_that_the_device_kept_from_the_authority_is_sent_later(
    submissions: SubmissionQueue,
    database: Database,
    remote: RemoteAuthority,
    clock: MovableClock,
    code: str,
    is_first: bool,
) -> None:
    failure = ServiceError(code, "El dispositivo no firma.", retry_after=5 if code == "signer-unavailable" else None)
    remote.failures = [failure] if is_first else [down(), failure]
    with pytest.raises(ServiceError, match=code if is_first else "authority-down"):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    while remote.failures:
        clock.advance(minutes=1)
        assert submissions.resend_pending() == 0
    assert kinds(database) == ["submitted"]
    clock.advance(minutes=10)
    assert submissions.resend_pending() == 1
    assert remote.taken == [(REQUEST, DOCUMENT, ORIGIN)]
    assert kinds(database) == ["submitted", "answered", "received"]


def test_texts_name_the_hours_after_which_a_request_is_abandoned() -> None:
    assert f"hasta por {HOURS} horas" in explanations("CA2000")[0].cause
    root = Path(__file__).parents[2]
    sentences = [
        ("ARCHITECTURE.md", "sends what got no answer again, and gives up after {} hours"),
        ("docs/operations.md", "A request of cancellation that gets no answer is sent again for {} hours"),
        ("docs/operations.md", "After {} hours it is abandoned"),
        ("docs/production.md", "the request is stored and sent again for {} hours"),
        ("docs/cancellation.md", "is sent again until the SAT answers, for at most {} hours"),
    ]
    texts = {page: " ".join((root / page).read_text("utf-8").split()) for page, _ in sentences}
    assert [(page, text) for page, text in sentences if text.format(HOURS) not in texts[page]] == []


def test_rejection_of_authority_is_not_retried(
    submissions: SubmissionQueue, database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    remote.failures = [ServiceError("cancel-xml", "CR1309 - Firma mal formada o inválida")]
    with pytest.raises(ServiceError, match="cancel-xml"):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    clock.advance(hours=1)
    assert submissions.resend_pending() == 0
    assert kinds(database) == ["submitted", "refused"]
    body = list_events(database)[-1].body
    assert (body["code"], body["detail"]) == (
        "CACFDI33",
        "Problemas con el xml. CR1309 - Firma mal formada o inválida",
    )


def test_resend_pending_sends_requests_of_dead_worker(
    submissions: SubmissionQueue, database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    class Killed(BaseException):
        """The process ends before the answer is stored."""

    def die(*_: object) -> CancellationReceipt:
        raise Killed

    remote._take = die  # type: ignore[method-assign, assignment]
    with pytest.raises(Killed):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    del remote._take
    assert submissions.resend_pending() == 0
    clock.advance(seconds=9)
    assert submissions.resend_pending() == 0
    clock.advance(seconds=1)
    assert submissions.resend_pending() == 1
    assert remote.taken == [(REQUEST, DOCUMENT, ORIGIN)]


@pytest.mark.parametrize("is_first", [True, False])
def test_lease_is_renewed_while_the_authority_takes_its_time(
    database: Database, remote: RemoteAuthority, clock: MovableClock, is_first: bool
) -> None:
    submissions = SubmissionQueue(
        remote, database, AuthorityOutbox(database, clock), clock, clock, MetricsRegistry(), renew_seconds=0.01
    )
    other = SubmissionQueue(remote, database, AuthorityOutbox(database, clock), clock, clock, MetricsRegistry())
    if not is_first:
        remote.failures = [down()]
        with pytest.raises(ServiceError):
            submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
        clock.advance(minutes=1)
    taking = remote._take

    def slow(what: object, code: str) -> CancellationReceipt:
        outbox = AuthorityOutbox(database, clock)
        for _ in range(3):
            clock.advance(seconds=9)
            wait_until(lambda: outbox.list_pending(1)[0].due_at == clock.now() + timedelta(seconds=10))
            assert other.resend_pending() == 0
        return taking(what, code)

    remote._take = slow  # type: ignore[method-assign]
    if is_first:
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    else:
        assert submissions.resend_pending() == 1
    assert remote.taken == [(REQUEST, DOCUMENT, ORIGIN)]
    assert AuthorityOutbox(database, clock).size() == 0


def test_request_without_an_answer_waits_as_long_as_its_backoff_says(
    submissions: SubmissionQueue, database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    remote.failures = [down() for _ in range(6)]
    with pytest.raises(ServiceError):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    for seconds in (2, 4, 8, 16, 32):
        assert AuthorityOutbox(database, clock).list_pending(1)[0].due_at == clock.now() + timedelta(seconds=seconds)
        clock.advance(seconds=seconds)
        assert submissions.resend_pending() == 0


def test_first_answer_sends_all_requests_that_waited(
    submissions: SubmissionQueue, database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    outbox = AuthorityOutbox(database, clock)
    remote.failures = [down() for _ in range(40)]
    for _ in range(5):
        with pytest.raises(ServiceError):
            submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    while remote.failures:
        assert submissions.resend_pending() == 0
        clock.advance(minutes=1)
    assert {(row.attempts, row.dead) for row in outbox.list_pending(10)} == {(0, False)}
    clock.advance(minutes=9)
    assert submissions.resend_pending() == 5
    assert outbox.size() == 0


def test_resend_pending_abandons_a_request_after_its_hours(
    submissions: SubmissionQueue, database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    remote.failures = [down(), down()]
    with pytest.raises(ServiceError):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    clock.advance(hours=HOURS)
    assert (submissions.resend_pending(), remote.failures) == (0, [])
    assert kinds(database) == ["submitted"]
    clock.advance(minutes=10)
    assert (submissions.resend_pending(), remote.taken) == (0, [])
    assert kinds(database) == ["submitted", "abandoned"]
    assert AuthorityOutbox(database, clock).size() == 0


def test_answers_are_stored_and_queries_are_not(
    submissions: SubmissionQueue, remote: RemoteAuthority, clock: MovableClock
) -> None:
    remote.failures = [down()]
    document = etree.tostring(ANSWERS.to_root(NOON))
    with pytest.raises(ServiceError, match="authority-down"):
        submissions.accept_reject(ANSWERS, document, ORIGIN)
    clock.advance(minutes=1)
    assert submissions.resend_pending() == 1
    assert remote.taken == [(ANSWERS, document, ORIGIN)]
    assert submissions.pendings("URE180429TM6") == [FOLIO]
    assert submissions.relations(RelationsRequest(FOLIO, "URE180429TM6"), b"") is None


def queue_of(
    database: Database, remote: RemoteAuthority, clock: MovableClock, states: list[DeliveryState], slept: list[float]
) -> SubmissionQueue:
    """Return a queue that finds a stamp in these states, one after the other; the last one stays."""

    def delivery(uuid: str) -> DeliveryState:
        assert uuid == FOLIO
        return states.pop(0) if len(states) > 1 else states[0]

    outbox = AuthorityOutbox(database, clock)
    return SubmissionQueue(remote, database, outbox, clock, clock, MetricsRegistry(), delivery, sleep=slept.append)


def test_cancel_waits_for_the_delivery_of_its_stamp(
    database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    slept: list[float] = []
    waiting = DeliveryState("waiting")
    queue = queue_of(database, remote, clock, [waiting, waiting, DeliveryState("received")], slept)
    assert queue.cancel(REQUEST, DOCUMENT, ORIGIN).codes == {FOLIO: "201"}
    assert slept == [0.2, 0.2]


@pytest.mark.parametrize(("reason", "looks"), [("", 19), ("No respondió a tiempo.", 0)])
def test_cancel_is_sent_after_a_delivery_that_takes_long(
    database: Database, remote: RemoteAuthority, clock: MovableClock, reason: str, looks: int
) -> None:
    slept: list[float] = []
    states = [DeliveryState("waiting", reason)]
    queue = queue_of(database, remote, clock, states, slept)
    with pytest.raises(ServiceError) as caught:
        queue.cancel(REQUEST, DOCUMENT, ORIGIN)
    assert (caught.value.code, caught.value.retry_after, len(slept)) == ("authority-down", 5, looks)
    assert caught.value.detail == (
        "El comprobante aún no se entrega al SAT, que respondería 205. "
        "La solicitud quedó guardada y se enviará de nuevo."
    )
    clock.advance(seconds=6)
    assert (queue.resend_pending(), remote.taken) == (0, [])
    states[:] = [DeliveryState("received")]
    clock.advance(seconds=6)
    assert queue.resend_pending() == 1
    assert remote.taken == [(REQUEST, DOCUMENT, ORIGIN)]
    assert kinds(database) == ["submitted", "answered", "received"]


@pytest.mark.parametrize(
    "state", [DeliveryState(""), DeliveryState("rejected", is_dead=True), DeliveryState("waiting", is_dead=True)]
)
def test_cancel_does_not_wait_for_a_stamp_that_is_not_delivered_any_more(
    database: Database, remote: RemoteAuthority, clock: MovableClock, state: DeliveryState
) -> None:
    slept: list[float] = []
    assert queue_of(database, remote, clock, [state], slept).cancel(REQUEST, DOCUMENT, ORIGIN).codes == {FOLIO: "201"}
    assert slept == []


def test_request_that_waits_for_a_delivery_is_abandoned_too(
    database: Database, remote: RemoteAuthority, clock: MovableClock
) -> None:
    queue = queue_of(database, remote, clock, [DeliveryState("waiting", "No respondió.")], [])
    with pytest.raises(ServiceError):
        queue.cancel(REQUEST, DOCUMENT, ORIGIN)
    clock.advance(hours=73)
    assert queue.resend_pending() == 0
    assert kinds(database) == ["submitted", "abandoned"]
