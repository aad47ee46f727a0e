"""The answer of a validation. Its OpenAPI schema is derived from the classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict

from timbra.cfdi.nodes import retenciones10, retenciones20
from timbra.messages.codes import FINDING_CODES
from timbra.validation.models import (
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    SectionKind,
    UnevaluatedRule,
    ValidationReport,
)
from timbra.web.envelopes import SuccessAnswer

if TYPE_CHECKING:
    from datetime import date

    from timbra.catalogs.search import CatalogEntry, CatalogSummary
    from timbra.rules.engine.ports import PresumedTaxpayer
    from timbra.validation.taxpayer_lookup import ListedTaxpayer

TypeValue = Literal["Error", "Information", "Warning"]

RETENCIONES_VERSIONS = (*retenciones20.Retenciones.VERSIONS, *retenciones10.Retenciones.VERSIONS)
TYPE_VALUES: dict[ReportEntryKind, tuple[Literal[0, 2], TypeValue]] = {
    ReportEntryKind.ERROR: (0, "Error"),
    ReportEntryKind.WARNING: (2, "Warning"),
}
"""`type` and `typeValue` of a finding; the entry of a section without errors has `1` and `Information`."""


class CauseAnswer(TypedDict):
    """The result that another one follows from."""

    code: str
    path: NotRequired[str]


class ReportEntryAnswer(TypedDict):
    """One result: the four members of the contract, then Timbra's own, which are absent without a value."""

    message: str
    messageDetail: str | None
    type: Literal[0, 1, 2]
    typeValue: TypeValue
    code: NotRequired[Annotated[str, "The code of the rule; letters and digits."]]
    reportedAs: NotRequired[Annotated[str, "The code with which `message` begins, when it is not `code`."]]
    path: NotRequired[Annotated[str, "XPath from the root, with indexes and without prefixes."]]
    found: NotRequired[Annotated[str, "The value as the document writes it; absent when the document has none."]]
    expected: NotRequired[Annotated[str, "What was expected, in Spanish: a value with its reason, or a phrase."]]
    expectedValue: NotRequired[
        Annotated[str, "The value that satisfies the rule, as the attribute takes it; absent when there are several."]
    ]
    hint: NotRequired[Annotated[str, "The usual cause, a sentence in Spanish."]]
    page: NotRequired[Annotated[str, "The address of the rule on the server, below its own."]]
    causedBy: NotRequired[
        Annotated[
            CauseAnswer, "The result, of this section or another, that this one follows from, such as a wrong sum."
        ]
    ]


@dataclass(frozen=True, slots=True)
class ReportSectionAnswer:
    detail: list[ReportEntryAnswer]
    section: str


@dataclass(frozen=True, slots=True)
class UnevaluatedRuleAnswer:
    """A rule that could not be evaluated because data are missing."""

    code: str
    message: str
    missing: Annotated[str, "Name of the missing data."]
    section: str
    page: Annotated[str, "The address of the rule on the server, below its own."]


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
    notEvaluated: Annotated[
        list[UnevaluatedRuleAnswer],
        "Rules without the data that they need; they are neither errors nor warnings and not in `detail`.",
    ]
    status: Literal["success"] = "success"


def report_answer(report: ValidationReport) -> ReportAnswer:
    """Build the whole answer of a validation."""
    return ReportAnswer(
        detail=list(_sections(report)),
        cadenaOriginalSAT=report.cadena_original_sat,
        cadenaOriginalComprobante=report.cadena_original_comprobante,
        uuid=report.uuid,
        statusSat=report.status_sat,
        statusCodeSat=report.status_code_sat,
        isCancelable=report.is_cancelable,
        statusCancelation=report.status_cancelation,
        validacionEFOS=report.efos,
        dataVersion=report.data_version,
        notEvaluated=[
            _unevaluated(rule, _section_name(report.version, section))
            for section in report.sections
            for rule in section.not_evaluated
        ],
    )


def _sections(report: ValidationReport) -> Iterator[ReportSectionAnswer]:
    """Yield the sections of the contract: structure, invoice and complements, with an empty complement if none.

    The section of article 69-B is not in the contract and follows only when it has entries.
    """
    sections = list(report.sections)
    if not any(section.kind is SectionKind.COMPLEMENT for section in sections):
        sections.insert(2, ReportSection(SectionKind.COMPLEMENT))
    for section in sections:
        if section.entries or section.kind is not SectionKind.ARTICLE_69B:
            yield _section(report.version, section)


def _section(version: str, section: ReportSection) -> ReportSectionAnswer:
    entries = [_entry(entry) for entry in section.entries]
    if not section.has_errors and section.is_complete:
        entries.insert(0, _ok_entry(version, section))
    return ReportSectionAnswer(entries, _section_name(version, section))


def _section_name(version: str, section: ReportSection) -> str:
    """Return the name that clients compare literally."""
    return f"{_prefix(version)} - {_check_name(version, section)}"


def _check_name(version: str, section: ReportSection) -> str:
    match section.kind:
        case SectionKind.STRUCTURE:
            return "Validacion de Estructura"
        case SectionKind.INVOICE:
            return f"Validaciones Proveedor Comprobante ( {_prefix(version)} )"
        case SectionKind.COMPLEMENT:
            return f"Validaciones Proveedor Complemento {section.complement}"
        case SectionKind.ARTICLE_69B:
            return "Validaciones Articulo 69-B"


def _ok_entry(version: str, section: ReportSection) -> ReportEntryAnswer:
    """Return the first entry of a section without errors; the name of a complement has the prefix twice."""
    name = _check_name(version, section)
    if section.kind is SectionKind.COMPLEMENT:
        name = _section_name(version, section)
    return {"message": "OK", "messageDetail": f"{name} Correcta", "type": 1, "typeValue": "Information"}


def _prefix(version: str) -> str:
    family = "Retenciones" if version in RETENCIONES_VERSIONS else "CFDI"
    return f"{family}{version.replace('.', '')}"


def _unevaluated(rule: UnevaluatedRule, section: str) -> UnevaluatedRuleAnswer:
    code = _public(rule.code, rule.code)
    return UnevaluatedRuleAnswer(
        code, _public(rule.code, rule.message), rule.missing, section, _public(rule.code, rule.page)
    )


def _public(name: str | None, text: str) -> str:
    """Return a text with the code of a finding in place of its name; other texts as they are."""
    return text.replace(name, FINDING_CODES[name], 1) if name in FINDING_CODES else text


def _entry(entry: ReportEntry) -> ReportEntryAnswer:
    kind, kind_name = TYPE_VALUES[entry.kind]
    answer: ReportEntryAnswer = {
        "message": _public(entry.code, entry.message),
        "messageDetail": entry.detail,
        "type": kind,
        "typeValue": kind_name,
    }
    if entry.code is not None:
        answer["code"] = _public(entry.code, entry.code)
    if entry.reported_as is not None:
        answer["reportedAs"] = entry.reported_as
    if entry.path is not None:
        answer["path"] = entry.path
    if entry.found is not None:
        answer["found"] = entry.found
    if entry.expected is not None:
        answer["expected"] = entry.expected
    if entry.expected_value is not None:
        answer["expectedValue"] = entry.expected_value
    if entry.hint is not None:
        answer["hint"] = entry.hint
    if entry.page is not None:
        answer["page"] = _public(entry.code, entry.page)
    cause = entry.caused_by
    if cause is not None:
        code = _public(cause.code, cause.code)
        answer["causedBy"] = {"code": code} if cause.path is None else {"code": code, "path": cause.path}
    return answer


@dataclass(frozen=True, slots=True)
class LrfcAnswer:
    """A row of the list of taxpayers (l_RFC)."""

    contribuyenteRFC: str
    sncf: bool
    subcontratacion: bool


@dataclass(frozen=True, slots=True)
class Article69BAnswer:
    """A row of the list of article 69-B. The server does not have the columns about publications: null."""

    id: str
    rfc: str
    nombre_Contribuyente: str
    situacion_del_contribuyente: str
    numero_y_fecha_oficio_global_presuncion: None = None
    publicacion_pagina_SAT_presuntos: None = None
    publicacion_DOF_presuntos: None = None
    publicacion_pagina_SAT_desvirtuados: None = None
    numero_fecha_oficio_global_contribuyentes_que_desvirtuaron: None = None
    publicacion_DOF_desvirtuados: None = None
    numero_fecha_oficio_global_definitivos: None = None
    publicacion_pagina_SAT_definitivos: None = None
    publicacion_DOF_definitivos: None = None
    numero_fecha_oficio_global_sentencia_favorable: None = None
    publicacion_pagina_SAT_sentencia_favorable: None = None
    publicacion_DOF_sentencia_favorable: None = None


def lrfc_answer(row: ListedTaxpayer) -> LrfcAnswer:
    """Build `data` of a row of l_RFC."""
    return LrfcAnswer(row.rfc, row.sncf, row.subcontracting)


def article_69b_answer(row: PresumedTaxpayer) -> Article69BAnswer:
    """Build `data` of a row of the list of article 69-B."""
    return Article69BAnswer(row.rfc, row.rfc, row.name, row.situation)


@dataclass(frozen=True, slots=True)
class CatalogAnswer:
    name: Annotated[str, "The SAT's name; with the prefix of its standard unless it is CFDI 4.0."]
    standard: str
    columns: Annotated[list[str], "Columns that `where` compares."]
    published: Annotated[str | None, "Day of the edition; null where the data do not say it."]


@dataclass(frozen=True, slots=True)
class CatalogKeyAnswer:
    clave: str
    texto: Annotated[str, "The SAT's text; empty where it has none."]
    columnas: Annotated[dict[str, str], "The other columns, without empty ones."]


@dataclass(frozen=True, slots=True)
class CatalogKeysAnswer:
    catalog: str
    on: Annotated[str, "Day on which the keys are valid."]
    total: Annotated[int, "Number of all keys found."]
    keys: list[CatalogKeyAnswer]


def catalog_answer(catalog: CatalogSummary) -> CatalogAnswer:
    """Build an element of `data` of the list of catalogs."""
    published = None if catalog.published is None else catalog.published.isoformat()
    return CatalogAnswer(catalog.name, catalog.standard, list(catalog.columns), published)


def catalog_keys_answer(catalog: str, on: date, total: int, entries: Iterable[CatalogEntry]) -> CatalogKeysAnswer:
    """Build `data` of a search in a catalog."""
    keys = [CatalogKeyAnswer(each.key, each.text, dict(each.columns)) for each in entries]
    return CatalogKeysAnswer(catalog, on.isoformat(), total, keys)


ANSWERS: dict[str, object] = {
    "Report": ReportAnswer,
    "Lrfc": SuccessAnswer[LrfcAnswer],
    "Article69B": SuccessAnswer[Article69BAnswer],
    "CatalogList": SuccessAnswer[list[CatalogAnswer]],
    "CatalogKeys": SuccessAnswer[CatalogKeysAnswer],
}
