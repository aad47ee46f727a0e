"""The validation report: sections of findings, cadenas originales, folio fiscal and fiscal status."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.sat.port import StatusQuery


class ReportEntryKind(Enum):
    """The severity of a finding."""

    ERROR = "error"
    WARNING = "warning"


class SectionKind(Enum):
    """The part of the document that a section is about.

    Attributes:
        STRUCTURE: schemas, namespaces and schema locations.
        INVOICE: the seal, the issuer's certificate and the rules of the Comprobante.
        COMPLEMENT: the rules of one complement, the stamp included.
        ARTICLE_69B: the parties in the list of article 69-B of the CFF.
    """

    STRUCTURE = "structure"
    INVOICE = "invoice"
    COMPLEMENT = "complement"
    ARTICLE_69B = "article-69b"


STAMP = "tfd:TimbreFiscalDigital"
TITLES = {
    SectionKind.STRUCTURE: "Estructura del XML",
    SectionKind.INVOICE: "Comprobante",
    SectionKind.ARTICLE_69B: "Lista del artículo 69-B del CFF",
}


@dataclass(frozen=True, slots=True)
class EntryCause:
    """The finding that another one follows from, in this section or another, by code and path."""

    code: str
    path: str | None


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """A finding: an error or a warning about the document.

    Attributes:
        message: code and sentence of the rule; `Aviso` for a finding of no rule.
        detail: Spanish text.
        found: the value as the document writes it; None when it is absent.
        expected: what was expected, in Spanish.
        expected_value: the value that satisfies the rule, as the attribute takes it; None when there is not one only.
        page: address of the rule below that of a server, `/validador/reglas/CFDI40103`.
        reported_as: code with which `message` begins in place of `code`; None for `code`.
        caused_by: the finding that this one follows from, which has none itself; None for a primary finding.
    """

    message: str
    detail: str | None
    kind: ReportEntryKind
    code: str | None = None
    path: str | None = None
    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    page: str | None = None
    reported_as: str | None = None
    expected_value: str | None = None
    caused_by: EntryCause | None = None

    def __reduce__(self) -> tuple[type[ReportEntry], tuple[object, ...]]:
        """Pickle the fields by position: a report of a child process has thousands of entries."""
        return ReportEntry, _values_of_entry(self)


_values_of_entry = attrgetter(*(each.name for each in fields(ReportEntry)))


@dataclass(frozen=True, slots=True)
class UnevaluatedRule:
    """A rule that could not be evaluated because data are missing. It is neither an error nor a warning.

    Attributes:
        message: code and sentence of the rule.
        missing: Spanish name of the missing data.
        page: address of the rule below that of a server, as in `ReportEntry`.
    """

    code: str
    message: str
    missing: str
    page: str


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One section of the report.

    Attributes:
        complement: name of the complement with its prefix; empty for other kinds.
        is_complete: whether all that the section is about was checked; False when data of the version are missing.
    """

    kind: SectionKind
    entries: tuple[ReportEntry, ...] = ()
    not_evaluated: tuple[UnevaluatedRule, ...] = ()
    complement: str = ""
    is_complete: bool = True

    def __reduce__(self) -> tuple[type[ReportSection], tuple[object, ...]]:
        """Pickle the fields by position, see `ReportEntry`."""
        return ReportSection, (self.kind, self.entries, self.not_evaluated, self.complement, self.is_complete)

    @property
    def title(self) -> str:
        """The title in Spanish."""
        if self.kind is not SectionKind.COMPLEMENT:
            return TITLES[self.kind]
        name = self.complement.rpartition(":")[2]
        return "Timbre fiscal digital" if self.complement == STAMP else f"Complemento {name}"

    @property
    def has_errors(self) -> bool:
        """Whether any entry is an error."""
        return any(entry.kind is ReportEntryKind.ERROR for entry in self.entries)


@dataclass(frozen=True, slots=True)
class ExaminedReport:
    """The report of one document before its fiscal status is added.

    Attributes:
        sections: structure, invoice and complements.
        article_69b: the section of the list of article 69-B; None without it.
        version: as in `ValidationReport`, and so are the other values of those names.
        status_query: the query of the status; None for a document without the values of the query.
    """

    sections: tuple[ReportSection, ...]
    article_69b: ReportSection | None
    version: str
    uuid: str | None
    cadena_original_sat: str | None
    cadena_original_comprobante: str | None
    data_version: str
    status_query: StatusQuery | None


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The report of one document.

    Attributes:
        version: version of the CFDI.
        status_sat: the SAT's text, `No Aplica` or None; so are the other three status fields.
        efos: ValidacionEFOS of the SAT's response, None when it has none.
        data_version: version of the catalogs that the document was evaluated with.
    """

    sections: tuple[ReportSection, ...]
    version: str = "4.0"
    uuid: str | None = None
    cadena_original_sat: str | None = None
    cadena_original_comprobante: str | None = None
    status_sat: str | None = None
    status_code_sat: str | None = None
    is_cancelable: str | None = None
    status_cancelation: str | None = None
    efos: str | None = None
    data_version: str = field(default="")

    @property
    def entries(self) -> list[ReportEntry]:
        """Return the findings of all sections, in order."""
        return [entry for section in self.sections for entry in section.entries]

    @property
    def primary_entries(self) -> list[ReportEntry]:
        """Return the findings of all sections that follow from no other one, in order."""
        return [entry for entry in self.entries if entry.caused_by is None]

    @property
    def not_evaluated(self) -> list[UnevaluatedRule]:
        """Return the rules of all sections that could not be evaluated, in order."""
        return [rule for section in self.sections for rule in section.not_evaluated]

    @property
    def wrong(self) -> bool:
        """Whether any entry is an error."""
        return any(section.has_errors for section in self.sections)
