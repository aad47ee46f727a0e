"""The states of a CFDI at the authority and the transitions between them, without I/O.

| Estado | EstatusCancelacion | step | then |
|---|---|---|---|
| Vigente | | cancelled: no acceptance needed | Cancelado, Cancelado sin aceptación |
| Vigente | | requested | Vigente, En proceso |
| Vigente | En proceso | accepted by the receiver | Cancelado, Cancelado con aceptación |
| Vigente | En proceso | rejected by the receiver | Vigente, Solicitud rechazada |
| Vigente | En proceso | expired: the receiver did not answer within its term | Cancelado, Plazo vencido |
| Vigente | Solicitud rechazada | requested again, now without a term | Vigente, En proceso |

A cancelled CFDI stays cancelled. Related CFDI are checked when cancellation is requested, not afterwards. Retenciones
have the first row only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum

from timbra.cfdi.cancelacion.request import Folio

MOTIVES = frozenset({"01", "02", "03", "04"})
WITH_SUBSTITUTE = "01"
REPLACES = "04"
ACCEPTED_CODE, RETENCION_ACCEPTED_CODE = "201", "1201"
"""EstatusUUID of a request that the authority accepts, for a CFDI and for a retención."""
UNRELATED_CODE = "1311"
"""EstatusPeticion of a request with a retención whose substitute is not related as motive 01 demands."""
NOT_CANCELABLE = "No cancelable"
WITHOUT_ACCEPTANCE = "Cancelable sin aceptación"
WITH_ACCEPTANCE = "Cancelable con aceptación"


class CancellationState(Enum):
    """(Estado, EstatusCancelacion), with the values that the SAT uses."""

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
    """A transition of a CFDI; the kinds of history events end with its value."""

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
"""The states in which cancellation may be requested."""


@dataclass(frozen=True, slots=True)
class Dependent:
    """A CFDI in force that names the CFDI to cancel.

    Attributes:
        relation: A key of c_TipoRelacion, or "pago" for a payment.
        issued_at: Its FechaTimbrado.
    """

    uuid: str
    relation: str
    issuer_rfc: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class CancellationCase:
    """The facts about a CFDI that decide about its cancellation, at one fiscal instant.

    Attributes:
        freely: Whether it may be cancelled without acceptance of the receiver.
        closes_at: The fiscal instant after which it cannot be cancelled; None without a limit.
        dependents: The CFDI in force that name it.
    """

    state: CancellationState
    issuer_rfc: str
    freely: bool
    closes_at: datetime | None
    dependents: tuple[Dependent, ...]


@dataclass(frozen=True, slots=True)
class CancellationDecision:
    """The decision about one CFDI of a request.

    Attributes:
        code: EstatusUUID.
        step: The transition; None when the state does not change.
        note: In Spanish, why an accepted request does not change the state.
    """

    code: str
    step: Transition | None = None
    note: str = ""


def after(state: CancellationState, step: Transition) -> CancellationState:
    """Return the state after a transition. Raises KeyError: The table has no such transition; the caller has a bug."""
    return TABLE[state, step]


def cancelable(case: CancellationCase) -> str:
    if case.state is CancellationState.CANCELLED:
        return WITHOUT_ACCEPTANCE
    if case.state.status == CancellationState.IN_FORCE.status and case.dependents:
        return NOT_CANCELABLE
    return WITHOUT_ACCEPTANCE if case.state is CancellationState.IN_FORCE and case.freely else WITH_ACCEPTANCE


def decide(rfc: str, folio: Folio, case: CancellationCase | None, now: datetime) -> CancellationDecision:
    """Decide about one CFDI of a request of cancellation.

    Args:
        rfc: The issuer that makes the request.
        folio: The requested CFDI with motive and substitute.
        case: The facts about the CFDI; None when the authority does not have it.
        now: The fiscal instant of the request.
    """
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


def decide_retencion(rfc: str, folio: Folio, case: CancellationCase | None, now: datetime) -> CancellationDecision:
    """Decide about one retención of a request of cancellation: at once, without acceptance and without a last day.

    Args:
        rfc: The issuer that makes the request.
        folio: The requested retención with a valid motive, and a substitute for motive 01 only.
        case: The facts about the retención; None when the authority does not have it.
        now: The fiscal instant of the request.

    Returns:
        A decision whose code is EstatusUUID, or `UNRELATED_CODE`, with which the authority rejects the whole request.

    Source: Anexo 20 of RMF, rubro II.C.
    """
    if case is None:
        return CancellationDecision("1205")
    if case.issuer_rfc != rfc:
        return CancellationDecision("1203")
    if case.state not in OPEN:
        return CancellationDecision("1202")
    is_replaced = any(_replaces(dependent, folio, rfc, now) for dependent in case.dependents)
    if folio.motivo == WITH_SUBSTITUTE and not is_replaced:
        return CancellationDecision(UNRELATED_CODE)
    return CancellationDecision(RETENCION_ACCEPTED_CODE, Transition.CANCELLED)


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
    """Whether the dependent is the substitute of a request with motive 01, of the same issuer and stamped before."""
    named = folio.motivo == WITH_SUBSTITUTE and dependent.uuid == folio.substitute
    return named and (dependent.relation, dependent.issuer_rfc) == (REPLACES, rfc) and dependent.issued_at <= now
