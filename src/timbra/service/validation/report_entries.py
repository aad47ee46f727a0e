"""Makes entries and sections of a validation report from findings."""

from __future__ import annotations

from collections.abc import Iterator

from timbra.messages import full_message
from timbra.rules.engine.result import EvaluationResult, Finding, NotEvaluated, Severity
from timbra.service.validation.models import ReportEntry, ReportEntryKind, ReportSection


def section(name: str, entries: list[ReportEntry], ok_detail: str) -> ReportSection:
    """Return the section; without errors it begins with an OK entry.

    Args:
        name: name of the section.
        entries: its entries.
        ok_detail: detail of the OK entry.
    """
    if any(entry.kind is ReportEntryKind.ERROR for entry in entries):
        return ReportSection(name, tuple(entries))
    return ReportSection(name, (ReportEntry("OK", ok_detail, ReportEntryKind.INFORMATION), *entries))


def entries_of(result: EvaluationResult) -> Iterator[ReportEntry]:
    """Yield an entry for each finding, then for each rule that could not be evaluated."""
    yield from map(_finding_entry, result.findings)
    yield from map(_not_evaluated_entry, result.not_evaluated)


def warning(text: str, path: str | None = None, *, code: str | None = None, found: str | None = None) -> ReportEntry:
    """Return a warning that belongs to no rule.

    Args:
        text: Spanish detail.
        path: XPath of the place.
        code: code of the warning.
        found: value of the document.
    """
    return ReportEntry("Aviso", text, ReportEntryKind.WARNING, code, path, found)


def information(text: str) -> ReportEntry:
    """Return an entry that is neither an error nor a warning."""
    return ReportEntry("Aviso", text, ReportEntryKind.INFORMATION)


def page_of(rule_set: str) -> str:
    """Return the page of the repository that lists the rules of a rule set."""
    return f"docs/rules/{rule_set}.md"


def _finding_entry(finding: Finding) -> ReportEntry:
    kind = ReportEntryKind.ERROR if finding.severity is Severity.ERROR else ReportEntryKind.WARNING
    return ReportEntry(
        message=full_message(finding.code),
        detail=finding.detail,
        kind=kind,
        code=finding.code,
        path=finding.path,
        found=finding.found,
        expected=finding.expected,
        hint=finding.hint,
        page=page_of(finding.rule_set),
    )


def _not_evaluated_entry(missing: NotEvaluated) -> ReportEntry:
    text = f"No evaluada: faltan datos ({missing.missing})."
    page = page_of(missing.rule_set)
    return ReportEntry(
        full_message(missing.code), text, ReportEntryKind.WARNING, missing.code, evaluated=False, page=page
    )
