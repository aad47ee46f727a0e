"""One stamped invoice as its page shows it: where it stands at the authority, its history, its relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lxml import etree

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.errors import ServiceError
from timbra.service.orders import Caller
from timbra.service.relating import Related
from timbra.store.events import Event, cancellation_events
from timbra.store.port import StampRecord

if TYPE_CHECKING:
    from timbra.wiring import House

SEAL_TAIL = 8
STEPS = {
    "cancelled": "Se canceló; no hacía falta la aceptación del receptor",
    "requested": "Se pidió cancelarla; falta la respuesta del receptor",
    "accepted": "El receptor aceptó la cancelación",
    "rejected": "El receptor rechazó la cancelación",
    "expired": "El receptor no respondió en su plazo: quedó cancelada",
    "ineffective": "Se pidió cancelarla, sin efecto",
}
MOTIVES = {
    "01": "Tiene errores y otra factura la sustituye",
    "02": "Tiene errores y ninguna la sustituye",
    "03": "La operación no se llevó a cabo",
    "04": "La operación quedó en una factura global",
}
ANSWERS = {
    "201": "La autoridad recibió la solicitud de cancelación.",
    "202": "Ya estaba cancelada, o su cancelación está en proceso.",
    "203": "La autoridad no la tiene como factura de este emisor.",
    "204": "No se puede cancelar mientras otros CFDI vigentes se relacionen con ella.",
    "205": "La autoridad todavía no la tiene registrada.",
    "209": "El folio de sustitución solo va con el motivo 01.",
    "210": "Ya pasó el plazo para cancelar facturas de ese año.",
}


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """at: fiscal instant. details: words and values, empty ones left out."""

    at: datetime
    text: str
    request_id: str
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """What the authority says; None beside what kept it from saying so, or when it was not asked."""

    asked: bool
    status: FiscalStatus | None = None
    related: Related | None = None
    trouble: ServiceError | None = None
    unrelated: ServiceError | None = None

    @property
    def may_be_cancelled(self) -> bool:
        """Whether asking for it makes sense: unless the authority has said that it is cancelled."""
        return self.status is None or self.status.status != "Cancelado"


def standing(house: House, caller: Caller, record: StampRecord, root: etree._Element) -> Standing:
    """Asks the authority, for as long as its services take. caller: who looks; relations ask with the owner's CSD."""
    owner = replace(caller, account_id=record.account_id)
    status, trouble = None, None
    related, unrelated = None, None
    try:
        service = house.status_service
        status = None if service is None else service.status(_query(record, root))
    except ServiceError as error:
        trouble = error
    try:
        related = house.relating.by_uuid(owner, record.issuer_rfc, record.uuid)
    except ServiceError as error:
        unrelated = error
    return Standing(True, status, related, trouble, unrelated)


def _query(record: StampRecord, root: etree._Element) -> StatusQuery:
    seal = root.get("Sello", "")
    return StatusQuery(record.uuid, record.issuer_rfc, record.receiver_rfc, record.total, seal[-SEAL_TAIL:])


def history(house: House, record: StampRecord) -> Sequence[HistoryLine]:
    """What happened to it, oldest first."""
    stamped = HistoryLine(record.stamped_at, "Se timbró", record.request_id)
    return [stamped, *map(line_of, cancellation_events(house.database, record.uuid))]


def line_of(event: Event) -> HistoryLine:
    """An event of a cancellation in our words."""
    step = event.kind.partition(".")[2]
    told = (
        ("Motivo", _motive(event.body)),
        ("Sustituta", event.body.get("foliosustitucion")),
        ("Por qué", event.body.get("reason")),
    )
    details = tuple((word, str(value)) for word, value in told if value)
    return HistoryLine(event.fiscal_at, STEPS.get(step, step), event.request_id, details)


def _motive(body: Mapping[str, object]) -> str:
    motivo = str(body.get("motivo") or "")
    return f"{motivo} · {MOTIVES[motivo]}" if motivo in MOTIVES else motivo
