"""One uploaded document as the validator page shows it: verdict, findings, the invoice, the XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from timbra.errors import ServiceError
from timbra.portal.listing import Listing, listing
from timbra.portal.places import nearest, normal
from timbra.rendering.html import Mark, invoice_html
from timbra.rendering.view import Branch, InvoiceView
from timbra.service.report import Entry, EntryKind, Report, Section

if TYPE_CHECKING:
    from jinja2 import Environment

    from timbra.wiring import House


MOST_FINDINGS = 200
"""Findings of a section that are shown; the rest is counted."""


@dataclass(frozen=True, slots=True)
class ShownSection:
    """unknown: codes that lacked data. fine: what is said of a section without errors."""

    name: str
    findings: tuple[Entry, ...]
    more: int
    unknown: tuple[str, ...]
    fine: str

    @property
    def is_wrong(self) -> bool:
        return any(entry.kind is EntryKind.ERROR for entry in self.findings)


@dataclass(frozen=True, slots=True)
class Examined:
    """refusal: why there is no report. number: tells the documents of one page apart, in anchors."""

    number: int
    name: str
    report: Report | None = None
    sections: tuple[ShownSection, ...] = ()
    refusal: ServiceError | None = None
    invoice: Markup | None = None
    source: Listing | None = None

    @property
    def errors(self) -> int:
        return self._count(EntryKind.ERROR)

    @property
    def warnings(self) -> int:
        return self._count(EntryKind.WARNING)

    def _count(self, kind: EntryKind) -> int:
        entries = self.report.entries if self.report else []
        return sum(entry.kind is kind and entry.is_finding for entry in entries)


async def examine(
    house: House, templates: Environment, number: int, name: str, xml: bytes, *, status: bool
) -> Examined:
    """A document through the service's own validation. Nothing is kept."""
    try:
        report = await house.validation.validate(xml, status)
        root = house.parser.parse(xml).root
    except ServiceError as error:
        return Examined(number, name, refusal=error)
    sections = [_shown(section) for section in report.sections]
    findings = [entry for section in sections for entry in section.findings]
    view = house.views.view(root)
    shown = invoice_html(templates, view, _Marks(view, findings))
    return Examined(number, name, report, tuple(sections), invoice=shown, source=listing(root, findings))


def _shown(section: Section) -> ShownSection:
    findings = [entry for entry in section.entries if entry.is_finding]
    unknown = dict.fromkeys(entry.code for entry in section.entries if not entry.evaluated and entry.code)
    fine = next((entry.detail for entry in section.entries if entry.kind is EntryKind.INFORMATION), None)
    return ShownSection(
        section.name, tuple(findings[:MOST_FINDINGS]), len(findings[MOST_FINDINGS:]), tuple(unknown), fine or ""
    )


class _Marks(Mapping[str, Mark]):
    """What was found, at the nearest part of the shown invoice; asked by that part's path."""

    def __init__(self, view: InvoiceView, findings: list[Entry]) -> None:
        places: dict[str, list[Entry]] = {normal(path): [] for path in _paths(view)}
        for entry in findings:
            place = nearest(entry.path, places) if entry.path else None
            if place is not None:
                places[place].append(entry)
        self._marks = {place: _mark(entries) for place, entries in places.items() if entries}

    def __getitem__(self, path: str) -> Mark:
        return self._marks[normal(path)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._marks)

    def __len__(self) -> int:
        return len(self._marks)


def _mark(entries: list[Entry]) -> Mark:
    wrong = any(entry.kind is EntryKind.ERROR for entry in entries)
    codes = dict.fromkeys(entry.code for entry in entries if entry.code)
    return Mark("error" if wrong else "warning", " ".join(codes) or "aviso")


def _paths(view: InvoiceView) -> Iterator[str]:
    """Everything of an invoice that a mark can stand at."""
    yield from (view.emisor.path, view.receptor.path)
    yield from (relation.path for relation in view.relations)
    yield from (line.path for line in view.lines)
    for branch in view.complements:
        yield from _branch_paths(branch)


def _branch_paths(branch: Branch) -> Iterator[str]:
    yield branch.path
    for child in branch.branches:
        yield from _branch_paths(child)
