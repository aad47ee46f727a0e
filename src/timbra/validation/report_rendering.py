"""Output of validation results: text for terminals, JSON lines for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from timbra.console.language import translate
from timbra.console.services_option import rejection_line
from timbra.core.bounds import Bound, BoundKind
from timbra.validation.amounts import shortest_amount
from timbra.validation.models import EntryCause

if TYPE_CHECKING:
    from timbra.validation.folders import DocumentResult
    from timbra.validation.models import ReportEntry, ReportSection, ValidationReport

COLOURS = {"ERROR": "red", "WARNING": "yellow"}
KIND_LABELS = {"ERROR": "error", "WARNING": "warning"}
DOCUMENT_VALUES = (
    "kind",
    "tipo_de_comprobante",
    "serie",
    "folio",
    "issuer_rfc",
    "issuer_name",
    "receiver_rfc",
    "receiver_name",
    "fecha",
    "total",
    "moneda",
)
"""Columns of `documents` in a line of JSON."""
NOT_ASKED = "No Aplica"
MAX_VALUE_LENGTH = 300
"""Characters of a value that are printed."""


MISSING_SANDBOX = (
    "The certificates were issued by a sandbox of Timbra, not by the SAT, and the data of that sandbox are missing: "
    "give its folder with --data. Without it these rules fail: {codes}."
)


class JsonLine(NamedTuple):
    """The result of one document as JSON, with what the exit code depends on.

    Attributes:
        is_rejected: Whether there is no report.
        is_wrong: Whether the report has an error.
        is_clean: Whether the report has neither errors nor warnings.
        result: The result without its report, for the tables; None when it has neither rows nor a rejection.
    """

    text: str
    is_rejected: bool
    is_wrong: bool
    is_clean: bool
    result: DocumentResult | None

    @property
    def is_valid(self) -> bool:
        """Whether the document could be read and has no error."""
        return not self.is_rejected and not self.is_wrong


class BatchSummary:
    """Counts over all documents of a run."""

    def __init__(self) -> None:
        self.valid = self.wrong = self.warned = self.rejected = self.missing_sandbox = 0
        self.codes: Counter[str] = Counter()

    def count(self, result: DocumentResult) -> None:
        """Add one result."""
        if result.report is None:
            self.rejected += 1
            return
        self.wrong += result.report.wrong
        self.warned += result.is_valid and not result.is_clean
        self.valid += result.is_valid
        self.missing_sandbox += bool(result.missing_sandbox)
        self.codes.update(entry.code for entry in _findings(result) if entry.code and entry.caused_by is None)

    @property
    def documents(self) -> int:
        return self.valid + self.wrong + self.rejected

    def count_line(self, line: JsonLine) -> None:
        """Add one result as JSON; codes are not counted."""
        self.rejected += line.is_rejected
        self.wrong += line.is_wrong
        self.valid += line.is_valid

    def print(self, console: Console) -> None:
        """Print a table of the counts and of the ten most frequent codes."""
        table = Table(title_justify="left", show_header=False)
        table.title = translate("{count} documents").format(count=self.documents)
        table.add_row(translate("without errors"), str(self.valid))
        table.add_row(translate("of them, with warnings"), str(self.warned))
        table.add_row(translate("with errors"), str(self.wrong))
        table.add_row(translate("not readable as CFDI or Retenciones"), str(self.rejected))
        if self.missing_sandbox:
            table.add_row(translate("of a sandbox whose data were not given"), str(self.missing_sandbox))
        for code, times in self.codes.most_common(10):
            table.add_row(f"  {code}", str(times))
        console.print(table)


def print_result(console: Console, result: DocumentResult, *, everything: bool) -> None:
    """Print the result of one document: valid or not, its status at the authority, and the findings.

    Args:
        everything: Whether to print all sections, and the codes of rules that were not evaluated.
    """
    if result.rejection is not None:
        console.print(Text.assemble(("✗ ", "red"), (result.name, "bold"), f"  {rejection_line(result.rejection)}"))
        return
    report = result.report
    if report is None:
        raise ValueError("a result has a report or a rejection")
    mark = ("✓ ", "green") if result.is_valid else ("✗ ", "red")
    summary = "  ".join(filter(None, (report.uuid, _status(report))))
    console.print(Text.assemble(mark, (result.name, "bold"), f"  {summary}"))
    if everything:
        _print_sections(console, report)
    if result.missing_sandbox:
        console.print(Padding(Text(_explanation(result)), (0, 0, 0, 2)))
    findings = _findings(result)
    consequences = Counter(entry.caused_by for entry in findings if entry.caused_by is not None)
    for entry in findings:
        if everything or entry.caused_by is None:
            _print_finding(console, entry)
        if not everything and (count := consequences[EntryCause(entry.code or "", entry.path)]):
            text = translate("findings that follow from it, shown with --all: {count}")
            console.print(Padding(Text(text.format(count=count), style="dim"), (0, 0, 0, 9)))
    if report.not_evaluated:
        console.print(Text(f"  {_unevaluated_line(report, everything=everything)}", style="dim"))


def _findings(result: DocumentResult) -> list[ReportEntry]:
    """Return the errors and warnings, except those that `_explanation` explains."""
    entries = result.report.entries if result.report else []
    return [entry for entry in entries if entry not in result.missing_sandbox]


def _unevaluated_line(report: ValidationReport, *, everything: bool) -> str:
    """Return how many rules were not evaluated; with all details their codes and the data that they need."""
    codes = sorted({rule.code for rule in report.not_evaluated})
    if not everything:
        return translate("rules not evaluated for lack of data: {count}").format(count=len(codes))
    missing = ", ".join(sorted({rule.missing for rule in report.not_evaluated}))
    return translate("not evaluated, without {missing}: {codes}").format(missing=missing, codes=", ".join(codes))


def _explanation(result: DocumentResult) -> str:
    """Return why a document of another sandbox has errors, with their codes."""
    codes = ", ".join(dict.fromkeys(entry.code for entry in result.missing_sandbox if entry.code))
    return translate(MISSING_SANDBOX).format(codes=codes)


def _status(report: ValidationReport) -> str:
    if report.status_sat in (None, "No Aplica"):
        return ""
    return " · ".join(filter(None, (report.status_sat, report.is_cancelable, report.status_cancelation)))


def _print_sections(console: Console, report: ValidationReport) -> None:
    for section in report.sections:
        mark = ("✗ ", "red") if section.has_errors else ("· ", "yellow") if section.entries else ("✓ ", "green")
        console.print(Text.assemble("  ", mark, section.title))


def _print_finding(console: Console, entry: ReportEntry) -> None:
    """Print kind, code and path in one line; below it the message, the found and expected values, and the hint."""
    heading = (
        (f"{translate(KIND_LABELS[entry.kind.name]):>8}", COLOURS[entry.kind.name]),
        f" {entry.code or ''} ",
        (entry.path or "", "cyan"),
    )
    console.print(Text.assemble(*heading))
    lines = [Text(_message(entry))]
    if entry.found is not None or entry.expected is not None:
        found, expected = translate("found: {value}"), translate("expected: {value}")
        lines.append(Text(found.format(value=_truncate(entry.found))))
        lines.append(Text(expected.format(value=_truncate(entry.expected))))
    elif entry.detail:
        lines.append(Text(_truncate(entry.detail)))
    lines += [Text(entry.hint, style="italic")] if entry.hint else []
    if (cause := entry.caused_by) is not None:
        lines.append(
            Text(translate("follows from {code} {path}").format(code=cause.code, path=cause.path or ""), "dim")
        )
    console.print(Padding(Group(*lines), (0, 0, 0, 9)))


def _message(entry: ReportEntry) -> str:
    """Return the message without its code, which the line above has."""
    return entry.message.removeprefix(f"{entry.code} - ")


def _truncate(text: str | None) -> str:
    if text is None:
        return translate("nothing")
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[: MAX_VALUE_LENGTH - 1]}…"


def to_json_line(result: DocumentResult) -> JsonLine:
    import orjson

    values = to_json(result)
    has_rows = result.rows is not None or result.rejection is not None
    return JsonLine(
        orjson.dumps(values).decode(),
        result.report is None,
        bool(values.get("wrong")),
        result.is_clean,
        replace(result, report=None, missing_sandbox=(), header=None) if has_rows else None,
    )


def to_json(result: DocumentResult) -> dict[str, object]:
    """Convert a result to a JSON object.

    Returns:
        `file`, and either `error`, or `wrong`, `findings` with the title of their section, `not_evaluated`, the values
        of the document by column, the fields of the report and its sections; `explanation` when data of another sandbox
        are missing. Some parts are dataclasses, which orjson serializes.
    """
    from timbra.rules.reference.messages import full_message

    if result.rejection is not None or result.report is None:
        code = result.rejection.code if result.rejection else "CO1000"
        detail = result.rejection.detail if result.rejection else None
        return {"file": result.name, "error": {"code": code, "message": full_message(code), "detail": detail}}
    report = result.report
    skipped = [rule.code for rule in report.not_evaluated]
    findings = [
        {"section": section.title, **_values(entry)} for section in report.sections for entry in section.entries
    ]
    summary = {"file": result.name, "wrong": report.wrong, "findings": findings, "not_evaluated": skipped}
    explanation = {"explanation": _explanation(result)} if result.missing_sandbox else {}
    sections = [
        {"title": section.title, **{name: value for name, value in _values(section).items() if name != "entries"}}
        for section in report.sections
    ]
    return {**summary, **explanation, **_document_values(result), **_values(report), "sections": sections}


def _document_values(result: DocumentResult) -> dict[str, object]:
    """Return kind, parties, date, total, currency and state by the columns of `documents`; amounts are texts."""
    values = {name: (result.header or {}).get(name) for name in DOCUMENT_VALUES}
    total = values["total"]
    status = result.report.status_sat if result.report else None
    known = None if status == NOT_ASKED else status
    return {**values, "total": None if total is None else shortest_amount(total), "status": known}


def _values(record: ValidationReport | ReportSection | ReportEntry) -> dict[str, object]:
    """Return the fields of a dataclass by name, without copies of their values."""
    return {name: getattr(record, name) for name in _field_names(type(record))}  # type: ignore[arg-type]


@cache
def _field_names(record: type[ValidationReport | ReportSection | ReportEntry]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


BOUNDS = (Bound("_field_names", BoundKind.CACHE, "one for each class of a report", "There are no further classes."),)
