"""The section of a validation report about the list of article 69-B of the CFF."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra._native import ElementSearch
from timbra.cfdi.third_parties import third_parties
from timbra.rules.engine.ports import PresumedTaxpayers
from timbra.rules.reference.messages import full_message
from timbra.validation.models import ReportEntry, ReportEntryKind, ReportSection, SectionKind

CODES = {"Presunto": "69B-PRESUNTO", "Definitivo": "69B-DEFINITIVO"}
"""Code of each situation that is reported. The other situations are those of taxpayers who disproved the facts."""

PARTIES = (
    ("El emisor", "Emisor", ("Rfc", "RfcE", "RFCEmisor")),
    ("El receptor", "Receptor", ("Rfc", "rfc")),
    ("El receptor", "Receptor/Nacional", ("RfcR", "RFCRecep")),
)
"""Description, element and attributes of the parties of a CFDI, of Retenciones 2.0 and of Retenciones 1.0."""
_SEARCHES = tuple((*party, ElementSearch((party[1],), any_namespace=True)) for party in PARTIES)


def article_69b_section(root: etree._Element, listed: PresumedTaxpayers) -> ReportSection:
    """Return the section: a warning for each party of the document that is listed as Presunto or Definitivo.

    Source: article 69-B of the CFF.

    Args:
        root: The Comprobante or Retenciones.
        listed: The list.
    """
    entries: dict[str, ReportEntry] = {}
    for party, rfc, path in _parties(root):
        row = None if rfc in entries else listed.presumed(rfc)
        if row is not None and row.situation in CODES:
            code, text = CODES[row.situation], f"{party} {rfc} está en la lista con la situación {row.situation}."
            entries[rfc] = ReportEntry(full_message(code), text, ReportEntryKind.WARNING, code, path, rfc)
    return ReportSection(SectionKind.ARTICLE_69B, tuple(entries.values()))


def with_efos(section: ReportSection | None, warning: ReportEntry | None) -> ReportSection | None:
    """Add the warning about ValidacionEFOS, unless the section reports a definitive situation already.

    Args:
        section: The section of the list; None without a list.
        warning: The warning of the status query; None without one.

    Returns:
        The section; None without a list and without the warning.
    """
    if warning is None:
        return section
    section = section or ReportSection(SectionKind.ARTICLE_69B)
    if any(entry.code == CODES["Definitivo"] for entry in section.entries):
        return section
    return ReportSection(SectionKind.ARTICLE_69B, (*section.entries, warning))


def _parties(root: etree._Element) -> Iterator[tuple[str, str, str]]:
    """Yield description, RFC and XPath of each party."""
    for description, place, names, search in _SEARCHES:
        for node in search.find(root)[:1]:
            for name in names:
                if rfc := node.get(name):
                    yield description, rfc, f"{place}/@{name}"
    for rfc, path in third_parties(root):
        yield "El tercero por cuenta de quien se factura", rfc, path
