"""Stored documents, as the API writes them. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from timbra.core.clock import utc, utc_or_none
from timbra.documents.listing import SelectionTotals
from timbra.received.documents.models import DocumentChange, DocumentPage, ReceivedDocument
from timbra.validation.amounts import shortest_amount
from timbra.web.envelopes import SuccessAnswer


@dataclass(frozen=True, slots=True)
class StoredDocumentAnswer:
    uuid: str
    kind: Annotated[str, "`cfdi` or `retenciones`."]
    tipoDeComprobante: str | None
    serie: Annotated[str | None, "As `folio` and `moneda` null without XML."]
    folio: str | None
    issuerRfc: str
    issuerName: str
    receiverRfc: str
    receiverName: str
    providerRfc: Annotated[str, "RFC of the PAC."]
    fecha: str
    fechaTimbrado: str
    total: str | None
    moneda: str | None
    status: Annotated[str | None, "Estado: `Vigente` or `Cancelado`."]
    cancelledAt: str | None
    cancellation: Annotated[str | None, "EstatusCancelacion; `En proceso` waits for the receiver."]
    statusQueried: str | None
    hasXml: bool
    source: Annotated[str, "Where the XML comes from: `sat` or another source; `metadata` without XML."]
    result: Annotated[str | None, "Of the validation; null without XML."]
    errors: int | None
    warnings: int | None
    article69B: Annotated[str | None, "Situation of a party in the list of article 69-B."]
    isDifferent: Annotated[bool, "Whether a differing XML of the same UUID was delivered."]
    stored: str
    changed: str


@dataclass(frozen=True, slots=True)
class StoredDocumentPageAnswer:
    records: list[StoredDocumentAnswer]
    cursor: Annotated[str | None, "Cursor of the next page, null on the last page."]


@dataclass(frozen=True, slots=True)
class StoredFindingAnswer:
    severity: Annotated[str | None, "`error` or `warning`."]
    code: str | None
    path: str | None
    found: str | None
    expected: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class ExaminedDocumentAnswer:
    document: StoredDocumentAnswer
    findings: list[StoredFindingAnswer]


@dataclass(frozen=True, slots=True)
class StoredTotalAnswer:
    tipoDeComprobante: Annotated[str, "`R` for retenciones."]
    moneda: Annotated[str, "Empty without XML."]
    documents: int
    total: str
    cancelled: Annotated[int, "Cancelled documents, which the sum leaves out."]


@dataclass(frozen=True, slots=True)
class StoredTotalsAnswer:
    totals: list[StoredTotalAnswer]
    damaged: Annotated[int, "Documents without a total that can be added."]


@dataclass(frozen=True, slots=True)
class DocumentChangeAnswer:
    id: int
    at: str
    event: Annotated[str, "Kind of the event, as of webhooks."]
    subject: Annotated[str, "The UUID, or the RFC of the issuer."]
    uuid: str | None
    issuerRfc: str | None
    receiverRfc: str | None
    fecha: str | None
    total: str | None
    cancelledAt: str | None
    situation: Annotated[str | None, "In the list of article 69-B; null outside of it."]
    before: Annotated[str | None, "The situation before."]
    documents: Annotated[int | None, "Documents of the issuer."]


@dataclass(frozen=True, slots=True)
class DocumentChangePageAnswer:
    records: list[DocumentChangeAnswer]
    cursor: Annotated[str | None, "Cursor of the next page, null on the last page."]


def document_answer(document: ReceivedDocument) -> StoredDocumentAnswer:
    """Return a document in the shape of the API."""
    return StoredDocumentAnswer(
        document.uuid,
        document.kind,
        document.tipo_de_comprobante,
        document.serie,
        document.folio,
        document.issuer_rfc,
        document.issuer_name,
        document.receiver_rfc,
        document.receiver_name,
        document.provider_rfc,
        document.fecha,
        document.fecha_timbrado,
        document.total,
        document.moneda,
        document.status,
        document.cancelled_at,
        document.cancellation,
        utc_or_none(document.status_at),
        document.has_xml,
        document.source,
        document.result,
        document.errors,
        document.warnings,
        document.article_69b,
        document.other_sha256 is not None,
        utc(document.stored_at),
        utc(document.changed_at),
    )


def document_page_answer(page: DocumentPage) -> StoredDocumentPageAnswer:
    """Return a page in the shape of the API."""
    return StoredDocumentPageAnswer([document_answer(each) for each in page.documents], page.after)


def examined_answer(document: ReceivedDocument, findings: Sequence[Mapping[str, Any]]) -> ExaminedDocumentAnswer:
    """Return a document with the findings of its validation in the shape of the API."""
    names = ("severity", "code", "path", "found", "expected", "detail")
    rows = [StoredFindingAnswer(*(finding.get(name) for name in names)) for finding in findings]
    return ExaminedDocumentAnswer(document_answer(document), rows)


def totals_answer(totals: SelectionTotals) -> StoredTotalsAnswer:
    """Return sums in the shape of the API."""
    rows = [
        StoredTotalAnswer(kind, currency, each.documents, shortest_amount(each.total), each.cancelled)
        for (kind, currency), each in totals.by_kind.items()
    ]
    return StoredTotalsAnswer(rows, totals.damaged)


def change_page_answer(changes: Sequence[DocumentChange], cursor: str | None) -> DocumentChangePageAnswer:
    """Return a page of changes in the shape of the API."""
    names = ("uuid", "issuerRfc", "receiverRfc", "fecha", "total", "cancelledAt", "situation", "before", "documents")
    rows = [
        DocumentChangeAnswer(each.id, utc(each.at), each.kind, each.subject, *(each.body.get(name) for name in names))
        for each in changes
    ]
    return DocumentChangePageAnswer(rows, cursor)


ANSWERS: dict[str, object] = {
    "StoredDocumentPage": SuccessAnswer[StoredDocumentPageAnswer],
    "StoredDocument": SuccessAnswer[ExaminedDocumentAnswer],
    "StoredTotals": SuccessAnswer[StoredTotalsAnswer],
    "DocumentChangePage": SuccessAnswer[DocumentChangePageAnswer],
}
