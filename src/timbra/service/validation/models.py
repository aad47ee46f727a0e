"""The validation report: sections of entries, cadenas originales, folio fiscal and fiscal status."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class ReportEntryKind(IntEnum):
    """The `type` of an entry in responses."""

    ERROR = 0
    INFORMATION = 1
    WARNING = 2


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """One result. The attributes after `kind` are additions of Timbra to the wire contract.

    Attributes:
        message: code and sentence of the rule, or `OK`.
        detail: Spanish text.
        evaluated: False for a rule that could not be evaluated because data are missing.
        page: page of the repository that describes the rule.
    """

    message: str
    detail: str | None
    kind: ReportEntryKind
    code: str | None = None
    path: str | None = None
    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    evaluated: bool = True
    page: str | None = None

    @property
    def is_finding(self) -> bool:
        """Whether the entry is an error or a warning about the document."""
        return self.kind is not ReportEntryKind.INFORMATION and self.evaluated


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One section of the report.

    Attributes:
        name: as in responses.
    """

    name: str
    entries: tuple[ReportEntry, ...]


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The report of one document.

    Attributes:
        status_sat: the SAT's text, `No Aplica` or None; so are the other three status fields.
        efos: ValidacionEFOS of the SAT's response, None when it has none.
        data_version: version of the catalogs that the document was evaluated with.
    """

    sections: tuple[ReportSection, ...]
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
        """Return the entries of all sections, in order."""
        return [entry for section in self.sections for entry in section.entries]

    @property
    def wrong(self) -> bool:
        """Whether any entry is an error."""
        return any(entry.kind is ReportEntryKind.ERROR for entry in self.entries)
