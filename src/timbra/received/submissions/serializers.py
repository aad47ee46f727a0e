"""Added documents, links of suppliers and submissions, as the API writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from timbra.core.clock import utc, utc_or_none
from timbra.received.documents.intake import REJECTED, Arrival
from timbra.received.documents.models import Outcome
from timbra.received.submissions.models import ReceivedSubmission, SupplierLink
from timbra.web.envelopes import SuccessAnswer


@dataclass(frozen=True, slots=True)
class ReasonAnswer:
    code: str
    message: Annotated[str, "In Spanish."]


@dataclass(frozen=True, slots=True)
class AddedFileAnswer:
    name: Annotated[str, "Of the file; `archive.zip!member.xml` for a member of an archive."]
    outcome: Annotated[str, "`new`, `known`, `replaced`, `different` or `rejected`."]
    uuid: str | None
    result: Annotated[str, "Of the validation: `valid`, `warned`, `invalid` or `unreadable`; empty without one."]
    reasons: Annotated[list[ReasonAnswer], "Why it was rejected."]


@dataclass(frozen=True, slots=True)
class AddedDocumentsAnswer:
    new: int
    known: int
    replaced: int
    different: int
    rejected: int
    files: list[AddedFileAnswer]


@dataclass(frozen=True, slots=True)
class SupplierLinkAnswer:
    id: int
    name: str
    issuerRfc: str | None
    created: str
    expires: str
    revoked: str | None
    used: str | None
    url: Annotated[str | None, "Only the answer to its creation has it."]


@dataclass(frozen=True, slots=True)
class SubmissionFileAnswer:
    name: str
    outcome: str
    uuid: str | None
    reasons: list[ReasonAnswer]


@dataclass(frozen=True, slots=True)
class SubmissionAnswer:
    id: int
    at: str
    source: Annotated[str, "`supplier` or `mail`."]
    origin: Annotated[str, "Name of the link, or address of the sender."]
    subject: str
    stored: int
    known: int
    rejected: int
    files: Annotated[list[SubmissionFileAnswer], "At most 200, the rejected ones first."]


def added_answer(arrivals: Sequence[Arrival]) -> AddedDocumentsAnswer:
    """Return what became of added documents in the shape of the API."""
    counts = Counter(each.word for each in arrivals)
    files = [
        AddedFileAnswer(
            each.name,
            each.word,
            each.document.get("uuid"),
            each.result,
            [ReasonAnswer(reason.code, reason.text) for reason in each.reasons],
        )
        for each in arrivals
    ]
    new, known, replaced, different = (counts[outcome] for outcome in Outcome)
    return AddedDocumentsAnswer(new, known, replaced, different, counts[REJECTED], files)


def link_answer(link: SupplierLink, url: str | None = None) -> SupplierLinkAnswer:
    """Return a link in the shape of the API."""
    return SupplierLinkAnswer(
        link.id,
        link.name,
        link.issuer_rfc,
        utc(link.created_at),
        utc(link.expires_at),
        utc_or_none(link.revoked_at),
        utc_or_none(link.used_at),
        url,
    )


def submission_answer(submission: ReceivedSubmission) -> SubmissionAnswer:
    """Return a submission in the shape of the API."""
    files = [
        SubmissionFileAnswer(
            each["name"],
            each["outcome"],
            each["uuid"],
            [ReasonAnswer(reason["code"], reason["text"]) for reason in each["reasons"]],
        )
        for each in submission.files
    ]
    return SubmissionAnswer(
        submission.id,
        utc(submission.at),
        submission.source,
        submission.origin,
        submission.subject,
        submission.stored,
        submission.known,
        submission.rejected,
        files,
    )


ANSWERS: dict[str, object] = {
    "AddedDocuments": SuccessAnswer[AddedDocumentsAnswer],
    "SupplierLink": SuccessAnswer[SupplierLinkAnswer],
    "SupplierLinkList": SuccessAnswer[list[SupplierLinkAnswer]],
    "SubmissionList": SuccessAnswer[list[SubmissionAnswer]],
}
