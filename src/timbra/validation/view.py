"""Data of the validator page for an uploaded document: result, findings, the invoice and its XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from timbra.cfdi.qr import VerificationPages
from timbra.core.errors import ServiceError
from timbra.rendering.html import Mark, document_html, environment
from timbra.rendering.pdf_reading import is_pdf
from timbra.rendering.view import DocumentView
from timbra.validation.models import (
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    UnevaluatedRule,
    ValidationReport,
)
from timbra.validation.printed_totals import opened, with_total_of
from timbra.validation.services import ValidationServices
from timbra.validation.xml_view import XmlView, xml_view_of
from timbra.validation.xpath_view import nearest_path, normalize_path

if TYPE_CHECKING:
    from jinja2 import Environment

    from timbra.evaluation.processes import DocumentProcesses
    from timbra.pools import AccountPools
    from timbra.web.injection import Groups

MAX_SECTION_FINDINGS = 200
"""Findings of a section that are shown; the page counts the rest."""
MAX_FINDINGS = 500
"""Findings of a document that are shown."""
MAX_BRIEF_FINDINGS = 20
"""Findings of a document that are shown in a brief view."""
MAX_SECTIONS = 60
"""Sections of a document that are shown, those with findings first."""


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section of the report.

    Attributes:
        findings: Findings that are shown, those that follow from others last.
        hidden_findings: Number of findings that are not shown.
        not_evaluated: Rules whose data are missing, each code once.
        has_errors: Whether one of all findings is an error.
    """

    title: str
    findings: tuple[ReportEntry, ...]
    hidden_findings: int
    not_evaluated: tuple[UnevaluatedRule, ...]
    has_errors: bool

    @property
    def primary(self) -> list[ReportEntry]:
        """The findings that are shown and follow from no other one."""
        return [entry for entry in self.findings if entry.caused_by is None]

    @property
    def consequences(self) -> list[ReportEntry]:
        """The findings that are shown and follow from others, of this section or another."""
        return [entry for entry in self.findings if entry.caused_by is not None]


@dataclass(frozen=True, slots=True)
class ValidationView:
    """One uploaded document.

    Attributes:
        number: Number of the document on the page, for anchors.
        name: File name.
        report: The validation report; None when the document cannot be parsed.
        sections: Sections that are shown.
        hidden_sections: Number of sections that are not shown.
        rejection: Why there is no report; None if there is one.
        invoice: The invoice as HTML, with marks.
        source: The XML with the findings.
        is_pdf: Whether the document is attached to a PDF.
        has_same_total: Whether the PDF prints the total of its document.
    """

    number: int
    name: str
    report: ValidationReport | None = None
    sections: tuple[SectionView, ...] = ()
    hidden_sections: int = 0
    rejection: ServiceError | None = None
    invoice: Markup | None = None
    source: XmlView | None = None
    is_pdf: bool = False
    has_same_total: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether the document cannot be read or has an error."""
        return self.report is None or self.report.wrong

    @property
    def errors(self) -> int:
        """Number of errors in the report."""
        return self._count(ReportEntryKind.ERROR)

    @property
    def warnings(self) -> int:
        """Number of warnings in the report."""
        return self._count(ReportEntryKind.WARNING)

    @property
    def consequences(self) -> int:
        """Number of findings that follow from others."""
        return len(self.report.entries) - len(self.report.primary_entries) if self.report else 0

    @property
    def not_evaluated(self) -> int:
        """Number of rules whose data are missing."""
        return len({rule.code for rule in self.report.not_evaluated}) if self.report else 0

    def _count(self, kind: ReportEntryKind) -> int:
        entries = self.report.primary_entries if self.report else []
        return sum(entry.kind is kind for entry in entries)


async def examine(
    validation: ValidationServices,
    templates: Environment,
    number: int,
    name: str,
    content: bytes,
    *,
    with_status: bool,
    require_stamp: bool,
    pages: VerificationPages,
    pools: AccountPools,
    processes: DocumentProcesses | None = None,
    leniency: str | None = None,
    is_brief: bool = False,
) -> ValidationView:
    """Validate one uploaded document; nothing is stored.

    Args:
        validation: Makes the report, parses and displays the document.
        templates: Renders the invoice.
        number: Number of the document on the page, from 1.
        name: File name.
        content: XML, or a PDF with the CFDI attached.
        with_status: Whether to query its status at the authority.
        require_stamp: Whether a document without a stamp has an error.
        pages: Addresses of the pages that QR codes lead to.
        pools: Thread pools of the worker, for the account that queries are counted for.
        processes: Child processes for large documents; None in a process that serves no other requests meanwhile.
        leniency: The choice of the account, see `timbra.accounts.vendor_leniency`; None for that of the server.
        is_brief: Whether fewer findings are shown, and neither the invoice nor its XML.
    """
    from_pdf = is_pdf(content)
    try:
        xml, read = await pools.run_files(opened, content, in_spanish=True) if from_pdf else (content, None)
        report = await validation.validation.validate(
            xml, with_status, pools.account, pools.run_database, require_stamp=require_stamp, leniency=leniency
        )
        compared = report if read is None else await pools.run_files(with_total_of, report, xml, read)
        has_same_total = from_pdf and compared is report
        report = compared
        sections = _sections(report, MAX_BRIEF_FINDINGS if is_brief else MAX_FINDINGS)
        findings = [entry for section in sections for entry in section.findings]
        if is_brief:
            presented = PresentedDocument(None, None)
        elif processes is not None and processes.is_costly(xml):
            presented = await processes.run(pools.account, None, present_in_child, xml, findings, pages, size=len(xml))
        else:
            presented = _present(validation, templates, xml, findings, pages)
    except ServiceError as error:
        return ValidationView(number, name, rejection=error, is_pdf=from_pdf)
    return ValidationView(
        number,
        name,
        report,
        tuple(sections),
        len(report.sections) - len(sections),
        invoice=presented.invoice,
        source=presented.source,
        is_pdf=from_pdf,
        has_same_total=has_same_total,
    )


@dataclass(frozen=True, slots=True)
class PresentedDocument:
    """A document as the page shows it.

    Attributes:
        invoice: The invoice as HTML, with marks; None in a brief view.
        source: The XML with the findings; None in a brief view.
    """

    invoice: Markup | None
    source: XmlView | None


def _present(
    services: ValidationServices,
    templates: Environment,
    xml: bytes,
    findings: list[ReportEntry],
    pages: VerificationPages,
) -> PresentedDocument:
    root = services.parser.parse(xml).root
    view = services.views.view(root, pages=pages)
    return PresentedDocument(document_html(templates, view, _Marks(view, findings)), xml_view_of(root, findings))


def present_in_child(
    groups: Groups, xml: bytes, findings: list[ReportEntry], pages: VerificationPages
) -> PresentedDocument:
    """Present a document; runs in the child."""
    return _present(groups[ValidationServices](), _templates_of_documents(), xml, findings, pages)


@cache
def _templates_of_documents() -> Environment:
    return environment()


def _sections(report: ValidationReport, max_findings: int) -> list[SectionView]:
    """Select at most `MAX_SECTIONS` sections, the worst ones, in the order of the report."""
    indexes = range(len(report.sections))
    selected = sorted(indexes, key=lambda index: _severity(report.sections[index]), reverse=True)[:MAX_SECTIONS]
    views, remaining = [], max_findings
    for index in sorted(selected):
        view = _section_view(report.sections[index], min(remaining, MAX_SECTION_FINDINGS))
        remaining -= len(view.findings)
        views.append(view)
    return views


def _severity(section: ReportSection) -> int:
    """Return 2 for a section with errors, 1 with warnings, 0 without findings."""
    return 2 if section.has_errors else int(bool(section.entries))


def _section_view(section: ReportSection, limit: int) -> SectionView:
    not_evaluated = {rule.code: rule for rule in section.not_evaluated}
    entries = sorted(section.entries, key=lambda entry: entry.caused_by is not None)
    return SectionView(
        section.title,
        tuple(entries[:limit]),
        len(entries[limit:]),
        tuple(not_evaluated.values()),
        section.has_errors,
    )


class _Marks(Mapping[str, Mark]):
    """Marks by path of the displayed invoice; each finding marks the nearest displayed part."""

    def __init__(self, view: DocumentView, findings: list[ReportEntry]) -> None:
        entries_by_path: dict[str, list[ReportEntry]] = {normalize_path(path): [] for path in view.part_paths()}
        for entry in findings:
            path = nearest_path(entry.path, entries_by_path) if entry.path else None
            if path is not None:
                entries_by_path[path].append(entry)
        self._marks = {path: _mark(entries) for path, entries in entries_by_path.items() if entries}

    def __getitem__(self, path: str) -> Mark:
        return self._marks[normalize_path(path)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._marks)

    def __len__(self) -> int:
        return len(self._marks)


def _mark(entries: list[ReportEntry]) -> Mark:
    has_errors = any(entry.kind is ReportEntryKind.ERROR for entry in entries)
    codes = dict.fromkeys(entry.code for entry in entries if entry.code)
    return Mark("error" if has_errors else "warning", " ".join(codes) or "aviso")
