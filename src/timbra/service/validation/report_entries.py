"""Makes entries of a validation report from the results of rules."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from timbra.rules.engine.result import EvaluationResult, Finding, NotEvaluated, Severity
from timbra.rules.reference.messages import full_message
from timbra.service.validation.models import EntryCause, ReportEntry, ReportEntryKind, UnevaluatedRule


def entries_of(result: EvaluationResult) -> Iterator[ReportEntry]:
    """Yield an entry for each finding."""
    return map(_finding_entry, result.findings)


def unevaluated_in(result: EvaluationResult) -> Iterator[UnevaluatedRule]:
    """Yield each rule that could not be evaluated."""
    return map(_unevaluated_rule, result.not_evaluated)


def warning(text: str, path: str | None = None, *, code: str | None = None, found: str | None = None) -> ReportEntry:
    """Return a warning that belongs to no rule.

    Args:
        text: Spanish detail.
        path: XPath of the place.
        code: code of the warning.
        found: value of the document.
    """
    return ReportEntry("Aviso", text, ReportEntryKind.WARNING, code, path, found)


def page_of(code: str) -> str:
    """Return the address of the page of a rule, below that of a server."""
    return f"/validador/reglas/{quote(code, safe='')}"


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
        page=page_of(finding.code),
        reported_as=finding.reported_as,
        expected_value=finding.expected_value,
        caused_by=None if finding.cause is None else EntryCause(finding.cause.code, finding.cause.path),
    )


def _unevaluated_rule(rule: NotEvaluated) -> UnevaluatedRule:
    return UnevaluatedRule(rule.code, full_message(rule.code), rule.missing, page_of(rule.code))
