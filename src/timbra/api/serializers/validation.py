"""The answer of a validation. Its OpenAPI schema is derived from the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict

from timbra.service.validation.models import ReportEntry, ReportEntryKind, ValidationReport

TypeValue = Literal["Error", "Information", "Warning"]

TYPE_VALUES: dict[ReportEntryKind, tuple[Literal[0, 1, 2], TypeValue]] = {
    ReportEntryKind.ERROR: (0, "Error"),
    ReportEntryKind.INFORMATION: (1, "Information"),
    ReportEntryKind.WARNING: (2, "Warning"),
}
"""`type` and `typeValue` of an entry."""


class ReportEntryAnswer(TypedDict):
    """One result: the four members of the contract, then Timbra's own, which are absent without a value."""

    message: str
    messageDetail: str | None
    type: Literal[0, 1, 2]
    typeValue: TypeValue
    code: NotRequired[str]
    path: NotRequired[Annotated[str, "XPath from the root, with indexes and without prefixes."]]
    found: NotRequired[str]
    expected: NotRequired[str]
    hint: NotRequired[str]
    page: NotRequired[Annotated[str, "The page of the repository that describes the rule."]]


@dataclass(frozen=True, slots=True)
class ReportSectionAnswer:
    """A section of the report."""

    detail: list[ReportEntryAnswer]
    section: str


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """The whole answer, which has no `data`: to validate a wrong invoice is a success of the service too."""

    detail: list[ReportSectionAnswer]
    cadenaOriginalSAT: str | None
    cadenaOriginalComprobante: str | None
    uuid: str | None
    statusSat: str | None
    statusCodeSat: str | None
    isCancelable: str | None
    statusCancelation: str | None
    validacionEFOS: str | None
    dataVersion: Annotated[str, "Version of the catalogs that the document was evaluated with."]
    status: Literal["success"] = "success"


def report_answer(report: ValidationReport) -> ReportAnswer:
    """Build the whole answer of a validation."""
    return ReportAnswer(
        detail=[
            ReportSectionAnswer([_entry(entry) for entry in section.entries], section.name)
            for section in report.sections
        ],
        cadenaOriginalSAT=report.cadena_original_sat,
        cadenaOriginalComprobante=report.cadena_original_comprobante,
        uuid=report.uuid,
        statusSat=report.status_sat,
        statusCodeSat=report.status_code_sat,
        isCancelable=report.is_cancelable,
        statusCancelation=report.status_cancelation,
        validacionEFOS=report.efos,
        dataVersion=report.data_version,
    )


def _entry(entry: ReportEntry) -> ReportEntryAnswer:
    kind, kind_name = TYPE_VALUES[entry.kind]
    answer: ReportEntryAnswer = {
        "message": entry.message,
        "messageDetail": entry.detail,
        "type": kind,
        "typeValue": kind_name,
    }
    if entry.code is not None:
        answer["code"] = entry.code
    if entry.path is not None:
        answer["path"] = entry.path
    if entry.found is not None:
        answer["found"] = entry.found
    if entry.expected is not None:
        answer["expected"] = entry.expected
    if entry.hint is not None:
        answer["hint"] = entry.hint
    if entry.page is not None:
        answer["page"] = entry.page
    return answer
