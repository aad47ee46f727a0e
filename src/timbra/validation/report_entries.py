"""Makes entries of a validation report from the results of rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from timbra.rules.engine.result import EvaluationResult, Finding, NotEvaluated, Severity
from timbra.rules.reference.messages import full_message
from timbra.validation.models import EntryCause, ReportEntry, ReportEntryKind, UnevaluatedRule

MAX_OF_ELEMENT = 50
"""Entries of one element in a section, besides the first of each code."""
MORE = "Hay {count} hallazgos más de este elemento."
ONE_MORE = "Hay un hallazgo más de este elemento."


def entries_of(result: EvaluationResult) -> Iterator[ReportEntry]:
    """Yield an entry for each finding."""
    return map(_finding_entry, result.findings)


def bounded(entries: Sequence[ReportEntry]) -> tuple[ReportEntry, ...]:
    """Return the entries of a section, of one element `MAX_OF_ELEMENT` at most and then one that counts the others.

    The first entry of each code is always kept, and so is one that another follows from.
    """
    if len(entries) <= MAX_OF_ELEMENT:
        return tuple(entries)
    numbers: dict[str | None, int] = {}
    codes: set[tuple[str | None, str | None]] = set()
    causes = {(each.caused_by.code, each.caused_by.path) for each in entries if each.caused_by is not None}
    others: dict[str | None, list[ReportEntry]] = {}
    kept: list[ReportEntry | list[ReportEntry]] = []
    for entry in entries:
        element = _element_of(entry.path)
        number = numbers[element] = numbers.get(element, 0) + 1
        is_cause = (entry.code, entry.path) in causes
        if number <= MAX_OF_ELEMENT or is_cause or (element, entry.code) not in codes:
            codes.add((element, entry.code))
            kept.append(entry)
        elif element in others:
            others[element].append(entry)
        else:
            others[element] = [entry]
            kept.append(others[element])
    return tuple(each if isinstance(each, ReportEntry) else _count_of(each) for each in kept)


def _count_of(others: Sequence[ReportEntry]) -> ReportEntry:
    """Return one entry for several of one element, an error when one of them is."""
    first, count = others[0], len(others)
    is_wrong = any(entry.kind is ReportEntryKind.ERROR for entry in others)
    return ReportEntry(
        message=first.message,
        detail=ONE_MORE if count == 1 else MORE.format(count=f"{count:,}"),
        kind=ReportEntryKind.ERROR if is_wrong else ReportEntryKind.WARNING,
        code=first.code,
        path=_element_of(first.path),
        page=first.page,
        reported_as=first.reported_as,
    )


def _element_of(path: str | None) -> str | None:
    if path is None:
        return None
    element, attribute, _ = path.rpartition("@")
    return element.rstrip("/") if attribute else path


def unevaluated_in(result: EvaluationResult) -> Iterator[UnevaluatedRule]:
    """Yield each rule that could not be evaluated."""
    return map(_unevaluated_rule, result.not_evaluated)


def warning(text: str, path: str | None = None, *, code: str | None = None, found: str | None = None) -> ReportEntry:
    """Return a warning that belongs to no rule.

    Args:
        text: Spanish detail.
        path: XPath of the place.
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
