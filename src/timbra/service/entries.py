"""From findings to the entries and sections of a report."""

from __future__ import annotations

from collections.abc import Iterator

from timbra.messages import full_message
from timbra.rules.finding import Finding, NotEvaluated, Outcome, Severity
from timbra.service.report import Entry, EntryKind, Section


def section(name: str, entries: list[Entry], fine: str) -> Section:
    """The section; without errors it begins with an OK line."""
    if any(entry.kind is EntryKind.ERROR for entry in entries):
        return Section(name, tuple(entries))
    return Section(name, (Entry("OK", fine, EntryKind.INFORMATION), *entries))


def entries_of(outcome: Outcome) -> Iterator[Entry]:
    """What was found, then what could not be judged."""
    yield from map(_of_finding, outcome.findings)
    yield from map(_of_unknown, outcome.not_evaluated)


def warning(text: str, path: str | None = None, *, code: str | None = None, found: str | None = None) -> Entry:
    """Something that is no breach of a rule."""
    return Entry("Aviso", text, EntryKind.WARNING, code, path, found)


def information(text: str) -> Entry:
    """Something that speaks neither for nor against the document."""
    return Entry("Aviso", text, EntryKind.INFORMATION)


def page_of(book: str) -> str:
    """The page of the repository that lists the rules of a book."""
    return f"docs/rules/{book}.md"


def _of_finding(finding: Finding) -> Entry:
    kind = EntryKind.ERROR if finding.severity is Severity.ERROR else EntryKind.WARNING
    return Entry(
        message=full_message(finding.code),
        detail=finding.detail,
        kind=kind,
        code=finding.code,
        path=finding.path,
        found=finding.found,
        expected=finding.expected,
        hint=finding.hint,
        page=page_of(finding.book),
    )


def _of_unknown(missing: NotEvaluated) -> Entry:
    text = f"No evaluada: faltan datos ({missing.lacks})."
    page = page_of(missing.book)
    return Entry(full_message(missing.code), text, EntryKind.WARNING, missing.code, evaluated=False, page=page)
