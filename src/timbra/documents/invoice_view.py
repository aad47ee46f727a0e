"""Data of the page of a stamped invoice: status at the authority, history and relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from timbra.cancellation.relations import RelationsResult
from timbra.cancellation.texts_view import MOTIVES, STEPS
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.delivery.receptions import LATE, RECEIVED, REJECTED, WAITING, WITH_INCIDENCIA, DeliveryState
from timbra.events.event_log import Event
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.stamps.port import StampRecord

if TYPE_CHECKING:
    from lxml import etree

    from timbra.cancellation.services import CancellationServices
    from timbra.documents.build import DocumentServices
    from timbra.validation.services import ValidationServices

SEAL_TAIL_LENGTH = 8


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """An event in the history of an invoice.

    Attributes:
        at: Fiscal time.
        text: The event, in Spanish.
        request_id: Id of the request that caused it.
        details: Labels and values, without empty ones.
    """

    at: datetime
    text: str
    request_id: str
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class InvoiceStatus:
    """Status and relations of an invoice at the authority.

    Attributes:
        queried: False when the page did not query the authority.
        status: The status; None without an answer.
        related: The relations; None without an answer.
        status_error: Why there is no status.
        relations_error: Why there are no relations.
    """

    queried: bool
    status: FiscalStatus | None = None
    related: RelationsResult | None = None
    status_error: ServiceError | None = None
    relations_error: ServiceError | None = None

    @property
    def may_be_cancelled(self) -> bool:
        """Whether the page offers cancellation: unless the authority answers that the invoice is cancelled."""
        return self.status is None or self.status.status != "Cancelado"


def query_status(
    validation: ValidationServices,
    cancellation: CancellationServices,
    caller: Caller,
    record: StampRecord,
    root: etree._Element,
) -> InvoiceStatus:
    """Query status and relations at the authority; the SAT has no relations of retenciones. Blocks while it answers.

    Args:
        validation: Has the status service.
        cancellation: Has the relations service, whose requests are signed with the CSD of the invoice's account.
        caller: The user of the page.
    """
    owner = replace(caller, account_id=record.account_id)
    status, status_error = None, None
    related, relations_error = None, None
    try:
        service = validation.status_service
        status = None if service is None else service.status(_status_query(record, root))
    except ServiceError as error:
        status_error = error
    if record.is_retencion:
        return InvoiceStatus(True, status, None, status_error)
    try:
        related = cancellation.relating.by_uuid(owner, record.issuer_rfc, record.uuid)
    except ServiceError as error:
        relations_error = error
    return InvoiceStatus(True, status, related, status_error, relations_error)


def _status_query(record: StampRecord, root: etree._Element) -> StatusQuery:
    seal_tail = root.get("Sello", "")[-SEAL_TAIL_LENGTH:]
    is_retencion = record.kind == "R"
    return StatusQuery(record.uuid, record.issuer_rfc, record.receiver_rfc, record.total, seal_tail, is_retencion)


DELIVERY_STATES = {
    WAITING: ("En espera", "warn"),
    RECEIVED: ("Recibida", "good"),
    WITH_INCIDENCIA: ("Recibida con incidencia", "warn"),
    LATE: ("Recibida de forma extemporánea", "warn"),
    REJECTED: ("Rechazada", "bad"),
}
"""Text and badge of each state of a delivery."""


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """The delivery of an invoice to the authority.

    Attributes:
        text, badge: The state; empty for an invoice that is not delivered.
        found: The values.
    """

    text: str
    badge: str
    found: DeliveryState


def delivery_view(documents: DocumentServices, record: StampRecord) -> DeliveryView:
    """Read the delivery of an invoice; do not call it on the event loop."""
    found = documents.delivery_state(record.uuid)
    text, badge = DELIVERY_STATES.get(found.state, ("", ""))
    return DeliveryView(text, badge, found)


def history(services: DocumentServices, record: StampRecord) -> Sequence[HistoryLine]:
    """Return the stamp and the cancellation events of an invoice, oldest first. Reads the database."""
    stamped = HistoryLine(record.stamped_at, "Se timbró", record.request_id)
    return [stamped, *map(history_line, services.cancellation_events(record.uuid))]


def history_line(event: Event) -> HistoryLine:
    """Convert an event of a cancellation to Spanish text."""
    step = event.kind.partition(".")[2]
    details = {
        "Motivo": _motive(event.body),
        "Sustituta": event.body.get("foliosustitucion"),
        "Causa": event.body.get("reason"),
    }
    present = tuple((label, str(value)) for label, value in details.items() if value)
    return HistoryLine(event.fiscal_at, STEPS.get(step, step), event.request_id, present)


def _motive(body: Mapping[str, object]) -> str:
    motivo = str(body.get("motivo") or "")
    return f"{motivo} · {MOTIVES[motivo]}" if motivo in MOTIVES else motivo
