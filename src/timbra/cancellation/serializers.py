"""Answers of cancellation, acceptance and relations. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from timbra.cancellation.relations import FOUND, RelationsResult
from timbra.web.envelopes import (
    CodedAnswer,
    CodedMessageAnswer,
    CodedRejectionAnswer,
    NoticedAnswer,
    noticed_success,
)

if TYPE_CHECKING:
    from timbra.cancellation.acceptance import AcceptanceResult, PendingRequests
    from timbra.cancellation.cancelling import CancellationResult
    from timbra.sat.port import CfdiParties


@dataclass(frozen=True, slots=True)
class CancelledAnswer:
    """The SAT's response to a request of cancellation."""

    acuse: Annotated[str, "XML of the acuse."]
    uuid: Annotated[Mapping[str, str], "EstatusUUID by UUID in upper case."]


@dataclass(frozen=True, slots=True)
class AcceptanceFolioAnswer:
    """The result of the receiver's answer for one CFDI."""

    uuid: str
    estatusUUID: str
    respuesta: str


@dataclass(frozen=True, slots=True)
class AcceptanceAnswer:
    """The SAT's response to the answers of a receiver."""

    acuse: Annotated[str, "XML of the acuse."]
    folios: list[AcceptanceFolioAnswer]


@dataclass(frozen=True, slots=True)
class PendingsAnswer:
    """The cancellations that wait for a receiver's answer."""

    uuid: Annotated[list[str], "Folios in upper case, oldest first."]


@dataclass(frozen=True, slots=True)
class PartiesAnswer:
    """A CFDI with its issuer and receiver."""

    uuid: str
    rfcEmisor: str
    rfcReceptor: str


@dataclass(frozen=True, slots=True)
class RelationsAnswer:
    """The relations of one CFDI."""

    uuidConsultado: str
    resultado: str
    uuidsRelacionadosPadres: Annotated[list[PartiesAnswer], "The CFDI that it refers to."]
    uuidsRelacionadosHijos: Annotated[list[PartiesAnswer], "The CFDI that refer to it."]


RelationsData = Annotated[RelationsAnswer | None, "null with codStatus 2001."]


def cancelled_answer(cancelled: CancellationResult) -> NoticedAnswer[CancelledAnswer]:
    """Build the whole answer to a cancellation; a CFDI whose last day to cancel has passed is a notice."""
    notices = [finding.sentence for finding in cancelled.late]
    return noticed_success(CancelledAnswer(cancelled.acuse, cancelled.codes), *notices)


def acceptance_answer(answered: AcceptanceResult) -> CodedAnswer[AcceptanceAnswer]:
    """Build the whole answer to the answers of a receiver."""
    folios = [AcceptanceFolioAnswer(folio.uuid, folio.code, folio.answer) for folio in answered.folios]
    return CodedAnswer(AcceptanceAnswer(answered.acuse, folios), answered.code)


def pendings_answer(pending: PendingRequests) -> CodedMessageAnswer[PendingsAnswer]:
    """Build the whole answer with pending cancellations."""
    return CodedMessageAnswer(PendingsAnswer(list(pending.uuids)), pending.code, pending.message)


def relations_answer(related: RelationsResult) -> CodedMessageAnswer[RelationsAnswer | None]:
    """Build the whole answer to a query of relations; `data` is null without any."""
    data = None
    if related.code == FOUND:
        data = RelationsAnswer(related.uuid, related.result, _parties(related.parents), _parties(related.children))
    return CodedMessageAnswer(data, related.code, related.message)


def coded_rejection(code: str, message: str) -> CodedRejectionAnswer:
    """Build the answer for a code that means that nothing was found."""
    return CodedRejectionAnswer(message=message, messageDetail=None, data=None, codStatus=code)


def _parties(related: Sequence[CfdiParties]) -> list[PartiesAnswer]:
    return [PartiesAnswer(cfdi.uuid, cfdi.issuer_rfc, cfdi.receiver_rfc) for cfdi in related]


ANSWERS: dict[str, object] = {
    "CodedRejection": CodedRejectionAnswer,
    "Cancelled": NoticedAnswer[CancelledAnswer],
    "Acceptance": CodedAnswer[AcceptanceAnswer],
    "Pendings": CodedMessageAnswer[PendingsAnswer],
    "Related": CodedMessageAnswer[RelationsData],
}
