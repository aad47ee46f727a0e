"""Answers about the delivery of stamps to the SAT. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Annotated

from timbra.delivery.receptions import DeliveryState

UTC_INSTANT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class IncidenciaAnswer:
    """An Incidencia of an acuse."""

    codigoError: str
    mensajeIncidencia: str


@dataclass(frozen=True, slots=True)
class StampDeliveryAnswer:
    """The delivery of a stamp to the SAT."""

    uuid: str
    state: Annotated[str, "`waiting`, `received`, `received-with-incidencia`, `late` or `rejected`."]
    attempts: int
    reason: Annotated[str, "Why the last attempt failed; empty without one."]
    isDead: Annotated[bool, "Whether the server does not try again by itself."]
    nextAttempt: Annotated[str | None, "UTC; null when the delivery has ended."]
    uploadedAt: Annotated[str | None, "UTC; null before the SAT's answer, as the following values."]
    acknowledgedAt: str | None
    codEstatus: str | None
    incidencias: list[IncidenciaAnswer]
    acuse: Annotated[str | None, "XML of the acuse as received, in base64."]


def delivery_answer(uuid: str, found: DeliveryState) -> StampDeliveryAnswer:
    """Build `data` of the delivery of a stamp."""
    reception = found.reception
    incidencias = reception.incidencias if reception else []
    return StampDeliveryAnswer(
        uuid=uuid,
        state=found.state,
        attempts=found.attempts,
        reason=found.reason,
        isDead=found.is_dead,
        nextAttempt=found.due_at.strftime(UTC_INSTANT) if found.due_at else None,
        uploadedAt=reception.uploaded_at.strftime(UTC_INSTANT) if reception else None,
        acknowledgedAt=reception.acknowledged_at.strftime(UTC_INSTANT) if reception else None,
        codEstatus=reception.status if reception else None,
        incidencias=[IncidenciaAnswer(one.get("code", ""), one.get("message", "")) for one in incidencias],
        acuse=b64encode(reception.acuse).decode() if reception else None,
    )
