"""Requests of cancellation on their way to an authority that may be out of reach: kept first, sent until it answers.

A request is durable, as an event and an outbox row, before it is sent. When the authority does not answer, the caller
is told so, and the request is sent again by the periodic task; that it may arrive twice is harmless (202, 1002).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import structlog

from timbra.authority.port import CancellationAuthority, Origin, Receipt, Relations
from timbra.cfdi.cancelacion.answer import NAME as ANSWER
from timbra.cfdi.cancelacion.answer import AcceptReject, read_accept_reject
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import NAME as CANCEL
from timbra.cfdi.cancelacion.request import Cancelacion, read_cancelacion
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.service.delivery import wait_after
from timbra.store.database import Database
from timbra.store.events import Event, append_event, event_by_number
from timbra.store.outbox import Delivery, Outbox

LOG = structlog.get_logger(__name__)
KIND = "cancellation"
SUBMITTED, ANSWERED, REFUSED, ABANDONED = (
    f"cancellation.{what}" for what in ("submitted", "answered", "refused", "abandoned")
)
BATCH = 16
LONGEST = timedelta(hours=72)
KEPT = "La solicitud quedó guardada y se enviará de nuevo."


class Submissions:
    """A `CancellationAuthority` over another one that is far away."""

    def __init__(
        self, authority: CancellationAuthority, database: Database, outbox: Outbox, wall: Clock, fiscal: Clock
    ) -> None:
        self._authority = authority
        self._database = database
        self._outbox = outbox
        self._wall = wall
        self._fiscal = fiscal

    def cancel(self, request: Cancelacion, document: bytes, origin: Origin) -> Receipt:
        """See `CancellationAuthority.cancel`; "authority-down" says that the request was kept."""
        return self._submit(CANCEL, request.rfc_emisor, document, origin)

    def accept_reject(self, request: AcceptReject, document: bytes, origin: Origin) -> Receipt:
        """See `CancellationAuthority.accept_reject`; "authority-down" says that the answer was kept."""
        return self._submit(ANSWER, request.rfc_receptor, document, origin)

    def pendings(self, receiver_rfc: str) -> Sequence[str]:
        """A question: asked once, never kept."""
        return self._authority.pendings(receiver_rfc)

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:
        """A question: asked once, never kept."""
        return self._authority.relations(request, document)

    def send_again(self) -> int:
        """Sends what is due; how many requests were answered. For the periodic task, of several workers at once."""
        answered = 0
        for delivery in self._outbox.pending(BATCH, kind=KIND):
            event = event_by_number(self._database, int(delivery.subject))
            if event is None or self._wall.now() - event.at > LONGEST:
                LOG.warning("request of cancellation abandoned", submission=delivery.subject)
                self._conclude(delivery, event, ABANDONED, {})
                continue
            try:
                self._send(delivery, event)
            except ServiceError as error:
                LOG.warning("request of cancellation not answered", submission=delivery.subject, code=error.code)
            else:
                answered += 1
        return answered

    def _submit(self, name: str, rfc: str, document: bytes, origin: Origin) -> Receipt:
        body = {"document": document.decode(), "root": name}
        event = self._event(SUBMITTED, rfc, origin, body)
        with self._database.write() as connection:
            delivery = self._outbox.add(connection, KIND, str(append_event(connection, event)))
        return self._send(delivery, event)

    def _send(self, delivery: Delivery, event: Event) -> Receipt:
        """Sends and concludes; "authority-down" puts it off, any other refusal is final."""
        document = str(event.body["document"]).encode()
        origin = Origin(event.account_id, event.request_id)
        try:
            if event.body["root"] == CANCEL:
                receipt = self._authority.cancel(read_cancelacion(document), document, origin)
            else:
                receipt = self._authority.accept_reject(read_accept_reject(document), document, origin)
        except ServiceError as error:
            if error.code == "authority-down":
                self._outbox.retry(delivery, self._wall.now() + wait_after(delivery.attempts))
                detail = f"{error.detail or ''} {KEPT}".strip()
                raise ServiceError(error.code, detail, retry_after=error.retry_after) from error
            self._conclude(delivery, event, REFUSED, {"code": error.code, "detail": error.detail or ""})
            raise
        self._conclude(delivery, event, ANSWERED, {"codes": dict(receipt.codes), "acuse": receipt.acuse.decode()})
        return receipt

    def _conclude(self, delivery: Delivery, submitted: Event | None, kind: str, body: Mapping[str, object]) -> None:
        """Notes the end first: should the row stay behind, the request is sent once more, which is harmless."""
        origin = Origin(submitted.account_id, submitted.request_id) if submitted is not None else Origin(None, "")
        subject = submitted.subject if submitted is not None else delivery.subject
        with self._database.write() as connection:
            append_event(connection, self._event(kind, subject, origin, {**body, "submission": delivery.subject}))
        self._outbox.done([delivery])

    def _event(self, kind: str, subject: str, origin: Origin, body: Mapping[str, object]) -> Event:
        return Event(self._wall.now(), self._fiscal.now(), origin.account_id, kind, subject, origin.request_id, body)
