"""The outbox of cancellation requests: stored first, then sent until the authority responds.

A request is durable, as an event and an outbox row, before the server sends it. When it does not reach the authority,
the caller gets the error, such as "authority-down", and a periodic job retries the request. Requests are idempotent at
the authority (202, 1202, 1002).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from threading import Lock

import structlog

from timbra.cfdi.cancelacion.answer import NAME as ANSWER
from timbra.cfdi.cancelacion.answer import AcceptReject, read_accept_reject
from timbra.cfdi.cancelacion.reading import CANCELACFD, RETENCIONES_NAMESPACES
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import NAME as CANCEL
from timbra.cfdi.cancelacion.request import Cancelacion, read_cancelacion
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import CANCELLATION_REQUESTS, MetricsRegistry
from timbra.core.trace_context import traceparent_of
from timbra.core.tracing import span
from timbra.database.batches import is_transient
from timbra.database.database import Database
from timbra.delivery.deliveries import AuthorityOutbox, OutboxDelivery
from timbra.delivery.delivery import LOCAL_FAILURES, RENEW_SECONDS, RENEWED_LEASE, mark_dead, renewed, retry
from timbra.delivery.receptions import WAITING, DeliveryState
from timbra.events.cancellation_acuses import ACCEPTED_CODES
from timbra.events.cancellation_states import RECEIVED
from timbra.events.event_log import Event, append_event, event_by_number
from timbra.events.outbox import describe
from timbra.events.retry import Circuit, doubling
from timbra.messages.codes import public_code_and_detail
from timbra.sat.port import CancellationAuthority, CancellationReceipt, Relations, RequestOrigin

LOG = structlog.get_logger(__name__)
KIND = "cancellation"
SUBMITTED, ANSWERED, REJECTED, ABANDONED = (
    f"cancellation.{state}" for state in ("submitted", "answered", "refused", "abandoned")
)
BATCH = 16
MAX_AGE = timedelta(hours=72)
PAUSES = doubling(timedelta(seconds=2), timedelta(minutes=10))
"""While the service does not answer, one request tries it after each pause."""
NAMESPACES = (CANCELACFD, *RETENCIONES_NAMESPACES)
OUTCOMES = ("answered", "rejected", "unreachable", "abandoned")
UNDELIVERED_DETAIL = "El comprobante aún no se entrega al SAT, que respondería 205."
DELIVERY_PAUSE = timedelta(seconds=5)
LOOKS, LOOK_SECONDS = 20, 0.2
"""How long a caller waits for the delivery of a stamp; less than the lease of its request."""
STORED_DETAIL = "La solicitud quedó guardada y se enviará de nuevo."


class SubmissionQueue:
    """A `CancellationAuthority` that stores requests before it forwards them to a remote one."""

    def __init__(
        self,
        authority: CancellationAuthority,
        database: Database,
        outbox: AuthorityOutbox,
        wall: Clock,
        fiscal: Clock,
        metrics: MetricsRegistry,
        delivery: Callable[[str], DeliveryState] = lambda _: DeliveryState(""),
        renew_seconds: float = RENEW_SECONDS,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Send requests to an authority.

        Args:
            metrics: Counts outcomes.
            delivery: Returns the state of the delivery of a stamp, by its folio: a request about a stamp that the
                authority does not have yet waits, because the answer would be 205.
            sleep: Waits between two looks at a delivery.
        """
        self._authority = authority
        self._database = database
        self._outbox = outbox
        self._wall = wall
        self._fiscal = fiscal
        self._renew_seconds = renew_seconds
        self._delivery = delivery
        self._sleep = sleep
        self._circuit = Circuit(wall, PAUSES)
        self._metrics = metrics
        self._counting = Lock()
        for outcome in OUTCOMES:
            metrics.declare(CANCELLATION_REQUESTS, (outcome,))

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        """As `CancellationAuthority.cancel`; after "authority-down" the request is stored for a retry."""
        return self._submit(CANCEL, request.rfc_emisor, document, origin)

    def accept_reject(self, request: AcceptReject, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        """As `CancellationAuthority.accept_reject`; after "authority-down" the answer is stored for a retry."""
        return self._submit(ANSWER, request.rfc_receptor, document, origin)

    def pendings(self, receiver_rfc: str) -> Sequence[str]:
        """Forward the query without storing it."""
        return self._authority.pendings(receiver_rfc)

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:
        """Forward the query without storing it."""
        return self._authority.relations(request, document)

    def resend_pending(self) -> int:
        """Send the requests that are due. Several workers may call this at the same time.

        Returns:
            The number of requests that the authority answered.
        """
        answered = 0
        for _ in range(BATCH):
            # One at a time: a process that is killed holds one request only.
            leased = self._outbox.lease(1, RENEWED_LEASE, kind=KIND) if self._circuit.capacity(1) else []
            if not leased:
                break
            [delivery] = leased
            try:
                answered += self._send_one(delivery)
            except Exception as error:
                if is_transient(error):
                    retry(self._outbox, delivery, describe(error))
                else:
                    mark_dead(self._outbox, delivery, error)
        return answered

    def _send_one(self, delivery: OutboxDelivery) -> bool:
        """Send one request and return whether the authority answered it."""
        event = event_by_number(self._database, int(delivery.subject))
        if event is None or self._wall.now() - event.at > MAX_AGE:
            LOG.error("cancellation request abandoned", submission=delivery.subject)
            self._count("abandoned")
            self._conclude(delivery, event, ABANDONED, {})
            return False
        if self._undelivered(event):
            self._outbox.postpone(delivery, self._wall.now() + DELIVERY_PAUSE, UNDELIVERED_DETAIL)
            return False
        try:
            self._send(delivery, event)
        except ServiceError as error:
            LOG.warning("cancellation request failed", submission=delivery.subject, code=error.code)
            return False
        return True

    def _submit(self, name: str, rfc: str, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        body = {"document": document.decode(), "root": name}
        event = self._event(SUBMITTED, rfc, origin, body)
        with self._database.write() as connection:
            number = str(append_event(connection, event))
            delivery = self._outbox.add(connection, KIND, number, RENEWED_LEASE)
        if self._undelivered(event, looks=LOOKS):
            self._outbox.postpone(delivery, self._wall.now() + DELIVERY_PAUSE, UNDELIVERED_DETAIL)
            detail = f"{UNDELIVERED_DETAIL} {STORED_DETAIL}"
            raise ServiceError("authority-down", detail, retry_after=int(DELIVERY_PAUSE.total_seconds()))
        return self._send(delivery, event)

    def _undelivered(self, event: Event, looks: int = 1) -> bool:
        """Whether a stamp of a request is still to be delivered.

        Args:
            looks: How often to look, with pauses, while the first attempts are made; a delivery that failed before
                takes longer than a caller waits.
        """
        if event.body["root"] != CANCEL:
            return False
        request = read_cancelacion(str(event.body["document"]).encode(), NAMESPACES)
        waiting = [folio.uuid.lower() for folio in request.folios]
        for look in range(looks):
            states = {uuid: self._delivery(uuid) for uuid in waiting}
            waiting = [uuid for uuid, found in states.items() if found.state == WAITING and not found.is_dead]
            if not waiting:
                return False
            if look + 1 < looks:
                if any(states[uuid].reason for uuid in waiting):
                    return True
                self._sleep(LOOK_SECONDS)
        return True

    def _send(self, delivery: OutboxDelivery, event: Event) -> CancellationReceipt:
        """Send a request; the lease is renewed until the authority answers.

        A failure that says nothing about the request postpones it, and no attempt counts: the authority is down, or the
        device does not sign the login. Any other rejection is final. The first answer makes all requests due that wait.
        """
        document = str(event.body["document"]).encode()
        origin = RequestOrigin(event.account_id, event.request_id)
        try:
            with (
                renewed(self._outbox, [delivery], self._renew_seconds),
                span("cancellation", "internal", traceparent_of(event.request_id)),
            ):
                if event.body["root"] == CANCEL:
                    receipt = self._authority.cancel(read_cancelacion(document, NAMESPACES), document, origin)
                else:
                    receipt = self._authority.accept_reject(read_accept_reject(document), document, origin)
        except ServiceError as error:
            if is_transient(error) or error.code in LOCAL_FAILURES:
                self._count("unreachable")
                self._outbox.postpone(delivery, self._circuit.fail(), describe(error))
                detail = f"{error.detail or ''} {STORED_DETAIL}".strip()
                raise ServiceError(error.code, detail, retry_after=error.retry_after) from error
            self._answered()
            self._count("rejected")
            code, detail = public_code_and_detail(error.code, error.detail or "")
            self._conclude(delivery, event, REJECTED, {"code": code, "detail": detail})
            raise
        self._answered()
        self._count("answered")
        received = self._received(document, receipt, origin) if event.body["root"] == CANCEL else ()
        body = {"codes": dict(receipt.codes), "acuse": receipt.acuse.decode()}
        self._conclude(delivery, event, ANSWERED, body, received)
        return receipt

    def _received(self, document: bytes, receipt: CancellationReceipt, origin: RequestOrigin) -> Sequence[Event]:
        """Return an event for each folio whose request the authority accepted, for the history of its document."""
        codes = {uuid.lower(): code for uuid, code in receipt.codes.items()}
        return [
            self._event(
                RECEIVED,
                folio.uuid,
                origin,
                {"motivo": folio.motivo, "foliosustitucion": folio.substitute or "", "code": codes[folio.uuid]},
            )
            for folio in read_cancelacion(document, NAMESPACES).folios
            if codes.get(folio.uuid) in ACCEPTED_CODES
        ]

    def _answered(self) -> None:
        if self._circuit.succeed():
            self._outbox.make_kind_due(KIND, RENEWED_LEASE)

    def _count(self, outcome: str) -> None:
        with self._counting:
            self._metrics.count(CANCELLATION_REQUESTS, (outcome,))

    def _conclude(
        self,
        delivery: OutboxDelivery,
        submitted: Event | None,
        kind: str,
        body: Mapping[str, object],
        further: Sequence[Event] = (),
    ) -> None:
        """Append the final event and further ones, then delete the row.

        After a crash between the two the request is sent once more.
        """
        origin = (
            RequestOrigin(submitted.account_id, submitted.request_id)
            if submitted is not None
            else RequestOrigin(None, "")
        )
        subject = submitted.subject if submitted is not None else delivery.subject
        with self._database.write() as connection:
            append_event(connection, self._event(kind, subject, origin, {**body, "submission": delivery.subject}))
            for each in further:
                append_event(connection, each)
        self._outbox.complete([delivery])

    def _event(self, kind: str, subject: str, origin: RequestOrigin, body: Mapping[str, object]) -> Event:
        return Event(self._wall.now(), self._fiscal.now(), origin.account_id, kind, subject, origin.request_id, body)


BOUNDS = (
    Bound(
        "SubmissionQueue",
        BoundKind.QUEUE,
        f"rows of the outbox, {BATCH} of a run, for {MAX_AGE.days} days",
        "A request that got no answer for so long is given up and logged.",
    ),
)
