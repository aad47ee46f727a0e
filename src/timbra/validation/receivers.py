"""The check that a document was issued to one of the expected receivers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from timbra.rules.reference.messages import full_message
from timbra.validation.models import ReportEntry, ReportEntryKind, SectionKind, ValidationReport

OTHER_RECEIVER = "RECEPTOR-AJENO"
PATH = "Receptor/@Rfc"


def with_receiver(report: ValidationReport, receiver: str | None, expected: Collection[str]) -> ValidationReport:
    """Return the report with one more error when the receiver is none of the expected ones.

    Args:
        receiver: RFC of the receiver as the document writes it; None when it has none.
        expected: RFC in upper case.
    """
    if receiver is not None and receiver.upper() in expected:
        return report
    entry = ReportEntry(
        full_message(OTHER_RECEIVER),
        None,
        ReportEntryKind.ERROR,
        OTHER_RECEIVER,
        PATH,
        receiver,
        " o ".join(sorted(expected)),
    )
    sections = tuple(
        replace(section, entries=(*section.entries, entry)) if section.kind is SectionKind.INVOICE else section
        for section in report.sections
    )
    return replace(report, sections=sections)
