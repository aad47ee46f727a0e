"""Reconciliations, as the API writes them. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from timbra.core.clock import utc, utc_or_none
from timbra.received.reconciliation.run_models import FoundDifference, StoredReconciliation
from timbra.validation.amounts import shortest_amount
from timbra.web.envelopes import SuccessAnswer


@dataclass(frozen=True, slots=True)
class KindAnswer:
    kind: Annotated[str, "Name of the kind, see docs/reconciliation.md."]
    title: str
    count: int
    satAmount: str
    booksAmount: str


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    source: str
    kind: Annotated[str, "`metadata`, `xml`, `stored`, `erp`, `payments` or `ledger`."]
    rows: int
    repaired: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class ReconciliationAnswer:
    id: int
    status: Annotated[str, "`queued`, `running`, `done` or `failed`."]
    rfc: str
    side: Annotated[str, "`issued` or `received`."]
    since: str | None
    until: str | None
    created: str
    finished: str | None
    failure: Annotated[str, "Why it failed, in Spanish; empty otherwise."]
    differences: Annotated[int | None, "Number of differences; null before the end."]
    kinds: list[KindAnswer]
    sources: list[SourceAnswer]


@dataclass(frozen=True, slots=True)
class FoundDifferenceAnswer:
    kind: str
    books: Annotated[str | None, "`erp` or `ledger`."]
    uuid: str | None
    otherUuid: Annotated[str | None, "The substitute, the complement, or the UUID in the books."]
    row: Annotated[int | None, "Row of the books, of the list of payments or of the file."]
    issuerRfc: str | None
    receiverRfc: str | None
    serie: str | None
    folio: str | None
    fecha: str | None
    tipoDeComprobante: str | None
    moneda: str | None
    satAmount: str | None
    booksAmount: Annotated[str | None, "What the books have, or what was paid."]
    detail: str | None


def reconciliation_answer(run: StoredReconciliation) -> ReconciliationAnswer:
    """Return a reconciliation in the shape of the API."""
    options, summary = run.options.comparison, run.summary
    return ReconciliationAnswer(
        run.id,
        run.state.value,
        options.rfc,
        options.side.value,
        None if options.since is None else options.since.isoformat(),
        None if options.until is None else options.until.isoformat(),
        utc(run.created_at),
        utc_or_none(run.finished_at),
        run.failure,
        None if summary is None else summary.differences,
        [
            KindAnswer(
                each.kind.name,
                each.kind.title,
                each.count,
                shortest_amount(each.sat_amount),
                shortest_amount(each.books_amount),
            )
            for each in (summary.kinds if summary else ())
        ],
        [
            SourceAnswer(each.name, each.kind, each.rows, each.repaired, each.unreadable)
            for each in (summary.sources if summary else ())
        ],
    )


def difference_answer(found: FoundDifference) -> FoundDifferenceAnswer:
    """Return a difference in the shape of the API."""
    return FoundDifferenceAnswer(
        found.kind.name,
        found.books,
        found.uuid,
        found.other_uuid,
        found.row,
        found.issuer_rfc,
        found.receiver_rfc,
        found.serie,
        found.folio,
        None if found.fecha is None else found.fecha.isoformat(),
        found.tipo,
        found.moneda,
        _amount(found.sat_amount),
        _amount(found.books_amount),
        found.detail,
    )


def _amount(value: Decimal | None) -> str | None:
    return None if value is None else shortest_amount(value)


ANSWERS: dict[str, object] = {
    "Reconciliation": SuccessAnswer[ReconciliationAnswer],
    "ReconciliationList": SuccessAnswer[list[ReconciliationAnswer]],
    "ReconciliationDifferences": SuccessAnswer[list[FoundDifferenceAnswer]],
}
