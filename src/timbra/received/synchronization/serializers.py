"""Synchronizations and e.firma, as the API writes them. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from timbra.accounts.vault.efirma import StoredEfirma
from timbra.core.clock import utc, utc_or_none
from timbra.received.synchronization.models import RequestReport, SyncReport
from timbra.received.synchronization.texts import cause_of
from timbra.web.envelopes import SuccessAnswer


@dataclass(frozen=True, slots=True)
class EfirmaAnswer:
    rfc: str
    certificateNumber: str
    name: str
    validFrom: str
    validTo: str
    stored: str


@dataclass(frozen=True, slots=True)
class SynchronizationAnswer:
    rfc: str
    kind: Annotated[str, "`cfdi` or `retenciones`."]
    side: Annotated[str, "`received` or `issued`."]
    status: Annotated[str, "`active`, `stopped` or `blocked`."]
    reason: Annotated[str, "Why it is blocked, in Spanish."]
    resumes: Annotated[str | None, "When a blocked one is tried again."]
    since: str
    askedUntil: Annotated[str | None, "Last issue date for which the SAT was asked."]
    nextCall: Annotated[str | None, "When the SAT is called again; null while nothing is open."]
    documents: int
    withoutXml: Annotated[int, "Documents in force whose XML has not come."]
    broken: Annotated[int, "Rows and files of packages that could not be read."]
    openRequests: int
    doneRequests: int
    failedRequests: Annotated[int, "Periods that were given up."]
    sentMetadata: int
    sentXml: Annotated[int, "Questions for XML, no two equal; the SAT counts equal ones for life."]
    messages: Annotated[list[str], "Why the newest periods were given up."]


@dataclass(frozen=True, slots=True)
class BulkPackageAnswer:
    packageId: str
    status: Annotated[str, "`waiting`, `stored`, `done` or `lost`."]
    downloads: int
    failures: int
    bytes: int
    message: str
    due: str


@dataclass(frozen=True, slots=True)
class BulkRequestAnswer:
    id: int
    kind: str
    side: str
    type: Annotated[str, "`Metadata` or `CFDI`."]
    since: str
    until: str
    asked: Annotated[str, "The end that was asked for, later than `until` when the period was asked for before."]
    status: Annotated[str, "`planned`, `sending`, `waiting`, `ready`, `done`, `split`, `lost` or `failed`."]
    requestId: Annotated[str, "IdSolicitud."]
    attempt: int
    polls: int
    failures: int
    code: Annotated[str, "Code of the SAT's last answer."]
    message: str
    cause: Annotated[str, "What the code means, in Spanish."]
    documents: int
    created: str
    sent: str | None
    due: str
    packages: list[BulkPackageAnswer]


@dataclass(frozen=True, slots=True)
class BulkRequestPageAnswer:
    records: list[BulkRequestAnswer]
    cursor: Annotated[str | None, "Cursor of the next page, null on the last page."]


def efirma_answer(stored: StoredEfirma) -> EfirmaAnswer:
    """Return an e.firma in the shape of the API, without its key."""
    times = (utc(at) for at in (stored.valid_from, stored.valid_to, stored.stored_at))
    return EfirmaAnswer(stored.rfc, stored.number, stored.name, *times)


def side_of(*, is_issued: bool) -> str:
    return "issued" if is_issued else "received"


def synchronization_answer(report: SyncReport) -> SynchronizationAnswer:
    """Return a side of a taxpayer in the shape of the API."""
    sync, requests = report.sync, report.requests
    return SynchronizationAnswer(
        sync.rfc,
        sync.kind,
        side_of(is_issued=sync.is_issued),
        sync.state.value,
        sync.reason,
        utc_or_none(sync.resume_at),
        sync.since.date().isoformat(),
        None if sync.planned_until is None else sync.planned_until.date().isoformat(),
        utc_or_none(report.due_at),
        report.documents,
        report.missing,
        report.broken,
        report.open_requests,
        requests.get("done", 0),
        requests.get("failed", 0),
        report.sent_metadata,
        report.sent_xml,
        list(report.messages),
    )


def request_page_answer(reports: Sequence[RequestReport], cursor: str | None) -> BulkRequestPageAnswer:
    """Return requests in the shape of the API."""
    return BulkRequestPageAnswer([_request(report) for report in reports], cursor)


def _request(report: RequestReport) -> BulkRequestAnswer:
    request = report.request
    return BulkRequestAnswer(
        request.id,
        request.kind,
        side_of(is_issued=request.is_issued),
        "Metadata" if request.is_metadata else "CFDI",
        request.starts.isoformat(),
        request.until.isoformat(),
        request.ends.isoformat(),
        request.state.value,
        request.request_id,
        request.attempt,
        request.polls,
        request.failures,
        request.code,
        request.message,
        cause_of(request.code),
        request.documents,
        utc(request.created_at),
        utc_or_none(request.sent_at),
        utc(request.due_at),
        [
            BulkPackageAnswer(
                package.package_id,
                package.state.value,
                package.downloads,
                package.failures,
                package.size,
                package.message,
                utc(package.due_at),
            )
            for package in report.packages
        ],
    )


ANSWERS: dict[str, object] = {
    "Efirma": SuccessAnswer[EfirmaAnswer],
    "EfirmaList": SuccessAnswer[list[EfirmaAnswer]],
    "SynchronizationList": SuccessAnswer[list[SynchronizationAnswer]],
    "BulkRequestPage": SuccessAnswer[BulkRequestPageAnswer],
}
