"""The report of a validation and the result of a verification, as programs read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.text import Text

    from timbra.core.errors import ServiceError
    from timbra.validation.models import ExaminedReport, ReportEntry, ReportSection, ValidationReport

Severity = Literal["error", "warning"]
SealState = Literal["valid", "invalid", "absent", "not evaluated"]
WIDTH = 100
"""Characters of a line of a printed report."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or a warning about a document.

    Attributes:
        code: The code of the rule, such as `CFDI40147`; None for a warning of no rule.
        severity: `error` or `warning`.
        path: XPath from the root, with indexes and without prefixes: `Conceptos/Concepto[3]/@Importe`; None for the
            document.
        found: The value as the document writes it; None when it is absent.
        expected: What was expected, in Spanish.
        expected_value: The value that satisfies the rule, as the attribute takes it; None when there is not one only.
        message: The sentence of the rule, with its code, in Spanish.
        detail: The finding as a sentence, in Spanish.
        hint: The usual cause, a sentence in Spanish; None without one.
        section: `structure`, `invoice`, `complement` or `article-69b`.
        caused_by: The code of the finding that this one follows from; None for a primary finding.
        citation: The document of the SAT that has the rule, with its place; None without one.
    """

    code: str | None
    severity: Severity
    path: str | None
    found: str | None
    expected: str | None
    expected_value: str | None
    message: str
    detail: str | None
    hint: str | None
    section: str
    caused_by: str | None
    citation: str | None

    def to_dict(self) -> dict[str, str | None]:
        """Return the attributes by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Report:
    """All errors and warnings of one document.

    Attributes:
        source: The path of the document, `archive.zip!member.xml` in an archive; None for one that was given as XML.
        findings: Errors and warnings, in the order of the document's sections.
        not_evaluated: Codes of the rules whose data are missing, such as those that need `lists`.
        version: `4.0`, `3.3`, `3.2` or `2.2` of a CFDI, `2.0` or `1.0` of a retención; empty for a document that could
            not be read.
        uuid: The folio fiscal, as written; None without a stamp.
        status: `Vigente`, `Cancelado` or `No Encontrado` with `status=True`; None otherwise, and when the SAT does not
            answer.
        cancelable: The SAT's text about the cancellation of the document, with its status.
        cancellation: The SAT's text about a cancellation in progress, with its status.
        error: Why the document could not be read as a CFDI; None for one with a report.
    """

    source: str | None
    findings: tuple[Finding, ...]
    not_evaluated: tuple[str, ...] = ()
    version: str = ""
    uuid: str | None = None
    status: str | None = None
    cancelable: str | None = None
    cancellation: str | None = None
    error: ServiceError | None = None
    _report: ValidationReport | None = field(default=None, repr=False, compare=False)
    _row: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the document could be read and has no error; it may have warnings."""
        return not self.errors

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that are warnings."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def row(self) -> dict[str, Any]:
        """Return the document as a row of a table: its parties, dates, amounts and result.

        The columns are those of the table `documents` of `timbra validate --csv`; amounts are `Decimal`.
        """
        return dict(self._row)

    def rows(self) -> list[dict[str, Any]]:
        """Return the findings as rows of a table, each with `source` and `uuid` of the document."""
        return [{"source": self.source, "uuid": self.uuid, **finding.to_dict()} for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values that JSON has."""
        error = None if self.error is None else {"code": self.error.code, "detail": self.error.detail}
        return {
            "source": self.source,
            "ok": self.ok,
            "version": self.version,
            "uuid": self.uuid,
            "status": self.status,
            "cancelable": self.cancelable,
            "cancellation": self.cancellation,
            "error": error,
            "findings": [finding.to_dict() for finding in self.findings],
            "not_evaluated": list(self.not_evaluated),
        }

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.__rich__().plain.splitlines())

    def __rich__(self) -> Text:
        """Return the report as rich prints it: what `timbra validate` shows."""
        from io import StringIO

        from rich.console import Console
        from rich.text import Text

        from timbra.validation.folders import DocumentResult
        from timbra.validation.report_rendering import print_result

        result = DocumentResult(self.source or "XML", self._report, self.error)
        written = StringIO()
        console = Console(file=written, width=WIDTH, force_terminal=True, color_system="standard", highlight=False)
        print_result(console, result, everything=False)
        return Text.from_ansi(written.getvalue().rstrip("\n"))

    def _repr_html_(self) -> str:
        """Return the report as notebooks show it."""
        from io import StringIO

        from rich.console import Console

        console = Console(file=StringIO(), width=WIDTH, record=True, highlight=False)
        console.print(self.__rich__())
        return console.export_html(inline_styles=True, code_format='<pre style="white-space:pre-wrap">{code}</pre>')


@dataclass(frozen=True, slots=True)
class SealCheck:
    """The seals of a document.

    Attributes:
        seal: The seal of the issuer over the document: `valid`, `invalid`, `absent`, or `not evaluated` for a version
            without a cadena original.
        stamp: The seal of the provider over the stamp, in the same words.
        findings: What is wrong with certificates, seals and stamp.
        not_evaluated: Codes of the checks whose data are missing: without `lists`, that the certificate is not revoked.
    """

    seal: SealState
    stamp: SealState
    findings: tuple[Finding, ...]
    not_evaluated: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the document has both seals and both are valid."""
        return self.seal == self.stamp == "valid"


def report_of(source: str | None, report: ValidationReport, row: Mapping[str, Any]) -> Report:
    """Return the report of a validation.

    Args:
        row: The document as a row of `documents`.
    """
    has_status = report.status_sat not in (None, "No Aplica")
    return Report(
        source,
        tuple(_finding(section, entry) for section in report.sections for entry in section.entries),
        tuple(dict.fromkeys(_public(rule.code) for rule in report.not_evaluated)),
        report.version,
        report.uuid,
        report.status_sat if has_status else None,
        report.is_cancelable if has_status else None,
        report.status_cancelation or None if has_status else None,
        _report=report,
        _row={**row, "source": source},
    )


def unreadable(source: str | None, error: ServiceError, row: Mapping[str, Any]) -> Report:
    """Return the report of a document that cannot be read: one error, with the code of the reason."""
    from timbra.rules.reference.messages import full_message

    place = error.location
    finding = Finding(
        code=error.code,
        severity="error",
        path=None if place is None else place.path,
        found=None if place is None else place.found,
        expected=None if place is None else place.expected,
        expected_value=None,
        message=full_message(error.code),
        detail=error.detail,
        hint=None,
        section="structure",
        caused_by=None,
        citation=None,
    )
    return Report(source, (finding,), error=error, _row={**row, "source": source})


def seal_check(report: ExaminedReport, *, is_sealed: bool) -> SealCheck:
    """Return what an examination found about the seals.

    Args:
        is_sealed: Whether the document has a seal of its issuer.
    """
    from timbra.rules.rulesets.certificates.evaluation import ISSUER
    from timbra.validation.models import STAMP, SectionKind

    issuer = {rule.code for rule in ISSUER[report.version]}
    seal_rules = {rule.code for rule in ISSUER[report.version] if rule.at == "@Sello"}
    invoice = [section for section in report.sections if section.kind is SectionKind.INVOICE]
    stamps = [section for section in report.sections if section.complement == STAMP]
    own = [(section, entry) for section in invoice for entry in section.entries if entry.code in issuer]
    of_stamp = [(section, entry) for section in stamps for entry in section.entries]
    missing = [rule.code for section in invoice for rule in section.not_evaluated if rule.code in issuer]
    missing_of_stamp = [rule.code for section in stamps for rule in section.not_evaluated]
    is_checked = not seal_rules.intersection(missing) and all(each.is_complete for each in invoice)
    return SealCheck(
        _state(own, is_checked=is_checked) if is_sealed else "absent",
        _state(of_stamp, is_checked=not missing_of_stamp) if stamps else "absent",
        tuple(_finding(*each) for each in (*own, *of_stamp)),
        tuple(dict.fromkeys(map(_public, (*missing, *missing_of_stamp)))),
    )


def _state(found: list[tuple[ReportSection, ReportEntry]], *, is_checked: bool) -> SealState:
    from timbra.validation.models import ReportEntryKind

    if any(entry.kind is ReportEntryKind.ERROR for _, entry in found):
        return "invalid"
    return "valid" if is_checked else "not evaluated"


def _finding(section: ReportSection, entry: ReportEntry) -> Finding:
    code = entry.code
    return Finding(
        code=None if code is None else _public(code),
        severity=entry.kind.value,
        path=entry.path,
        found=entry.found,
        expected=entry.expected,
        expected_value=entry.expected_value,
        message=entry.message if code is None else entry.message.replace(code, _public(code), 1),
        detail=entry.detail,
        hint=entry.hint,
        section=section.kind.value,
        caused_by=None if entry.caused_by is None else _public(entry.caused_by.code),
        citation=None if code is None else _citation(code),
    )


def _public(name: str) -> str:
    """Return the code of the name of a finding, as answers of the server have it."""
    from timbra.messages.codes import FINDING_CODES

    return FINDING_CODES.get(name, name)


@lru_cache(maxsize=4096)
def _citation(code: str) -> str | None:
    from timbra.rules.reference.lookup import rows

    return next((row.source for row in rows(code)), None)
