"""The states of a CFDI at the authority and what moves it: the whole machine, without any I/O.

| Estado | EstatusCancelacion | step | then |
|---|---|---|---|
| Vigente | | cancelled: no acceptance needed | Cancelado, Cancelado sin aceptación |
| Vigente | | requested | Vigente, En proceso |
| Vigente | En proceso | accepted by the receiver | Cancelado, Cancelado con aceptación |
| Vigente | En proceso | rejected by the receiver | Vigente, Solicitud rechazada |
| Vigente | En proceso | expired: the receiver kept silent for its term | Cancelado, Plazo vencido |
| Vigente | Solicitud rechazada | requested again, now without a term | Vigente, En proceso |

A cancelled CFDI stays cancelled. Related CFDI are checked when cancellation is requested, not afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum

from timbra.cfdi.cancelacion.request import Folio

MOTIVES = frozenset({"01", "02", "03", "04"})
WITH_SUBSTITUTE = "01"
REPLACES = "04"
ACCEPTED_CODE = "201"
"""EstatusUUID of a request that the authority accepts."""
NOT_CANCELABLE = "No cancelable"
WITHOUT_ACCEPTANCE = "Cancelable sin aceptación"
WITH_ACCEPTANCE = "Cancelable con aceptación"


class CancellationState(Enum):
    """(Estado, EstatusCancelacion), in SAT's words."""

    IN_FORCE = ("Vigente", "")
    REQUESTED = ("Vigente", "En proceso")
    REJECTED = ("Vigente", "Solicitud rechazada")
    CANCELLED = ("Cancelado", "Cancelado sin aceptación")
    ACCEPTED = ("Cancelado", "Cancelado con aceptación")
    EXPIRED = ("Cancelado", "Plazo vencido")

    @property
    def status(self) -> str:
        return self.value[0]

    @property
    def cancellation(self) -> str:
        return self.value[1]


class Transition(StrEnum):
    """What happens to a CFDI; events of the history are called after it."""

    CANCELLED = "cancelled"
    REQUESTED = "requested"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EXPIRED = "expired"


TABLE: dict[tuple[CancellationState, Transition], CancellationState] = {
    (CancellationState.IN_FORCE, Transition.CANCELLED): CancellationState.CANCELLED,
    (CancellationState.IN_FORCE, Transition.REQUESTED): CancellationState.REQUESTED,
    (CancellationState.REQUESTED, Transition.ACCEPTED): CancellationState.ACCEPTED,
    (CancellationState.REQUESTED, Transition.REJECTED): CancellationState.REJECTED,
    (CancellationState.REQUESTED, Transition.EXPIRED): CancellationState.EXPIRED,
    (CancellationState.REJECTED, Transition.REQUESTED): CancellationState.REQUESTED,
}
OPEN = frozenset(state for state, step in TABLE if step is Transition.REQUESTED)
"""The states in which cancellation may be asked for."""


@dataclass(frozen=True, slots=True)
class Dependent:
    """A CFDI in force that names the one in question. relation: key of c_TipoRelacion, or "pago"."""

    uuid: str
    relation: str
    issuer_rfc: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class CancellationCase:
    """A CFDI on file as it is at an instant.

    freely: whether it may be cancelled without the receiver. closes_at: from then on it cannot be cancelled any more;
    None without such a limit.
    """

    state: CancellationState
    issuer_rfc: str
    freely: bool
    closes_at: datetime | None
    dependents: tuple[Dependent, ...]


@dataclass(frozen=True, slots=True)
class CancellationDecision:
    """code: EstatusUUID. step: None when nothing changes. note: Spanish, why a good code changes nothing."""

    code: str
    step: Transition | None = None
    note: str = ""


def after(state: CancellationState, step: Transition) -> CancellationState:
    """KeyError for a step that the table does not know: a bug, never a caller's fault."""
    return TABLE[state, step]


def cancelable(case: CancellationCase) -> str:
    """EsCancelable."""
    if case.state is CancellationState.CANCELLED:
        return WITHOUT_ACCEPTANCE
    if case.state.status == CancellationState.IN_FORCE.status and case.dependents:
        return NOT_CANCELABLE
    return WITHOUT_ACCEPTANCE if case.state is CancellationState.IN_FORCE and case.freely else WITH_ACCEPTANCE


def decide(rfc: str, folio: Folio, case: CancellationCase | None, now: datetime) -> CancellationDecision:
    """What the authority answers to the issuer `rfc` who asks to cancel; case: None when it knows no such CFDI."""
    rejected = _rejection(rfc, folio, case, now)
    if rejected is not None or case is None:
        return CancellationDecision(rejected or "205")
    replaced = [dependent for dependent in case.dependents if _replaces(dependent, folio, rfc, now)]
    if len(replaced) < len(case.dependents):
        return CancellationDecision("204")
    if folio.motivo == WITH_SUBSTITUTE and not replaced:
        return CancellationDecision(
            ACCEPTED_CODE, note="FolioSustitucion no es un CFDI vigente del emisor con TipoRelacion 04 a este."
        )
    freely = case.freely and (case.state, Transition.CANCELLED) in TABLE
    return CancellationDecision(ACCEPTED_CODE, Transition.CANCELLED if freely else Transition.REQUESTED)


def _rejection(rfc: str, folio: Folio, case: CancellationCase | None, now: datetime) -> str | None:
    if folio.motivo not in MOTIVES:
        return "207"
    if folio.substitute is not None and folio.motivo != WITH_SUBSTITUTE:
        return "209"
    if case is None:
        return "205"
    if case.issuer_rfc != rfc:
        return "203"
    if case.state not in OPEN:
        return "202"
    return "210" if case.closes_at is not None and now >= case.closes_at else None


def _replaces(dependent: Dependent, folio: Folio, rfc: str, now: datetime) -> bool:
    """Whether it is the substitute that a request with motivo 01 names, by the same issuer, stamped before."""
    named = folio.motivo == WITH_SUBSTITUTE and dependent.uuid == folio.substitute
    return named and (dependent.relation, dependent.issuer_rfc) == (REPLACES, rfc) and dependent.issued_at <= now
