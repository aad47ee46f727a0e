"""Documents that are given as PDF: the attached CFDI, and the comparison of the printed total with the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

from lxml import etree

from timbra.cfdi.document import DocumentParser, is_retenciones
from timbra.console.language import translate
from timbra.console.texts import spanish_texts
from timbra.core.errors import ServiceError
from timbra.rendering.kinds import headline_of
from timbra.rendering.parts import attributes_of, first
from timbra.rendering.pdf_reading import PdfContent, is_pdf, read_pdf
from timbra.rendering.texts import number
from timbra.rules.reference.messages import full_message
from timbra.validation.models import (
    ExaminedReport,
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    SectionKind,
    ValidationReport,
)
from timbra.validation.report_entries import warning

Report = TypeVar("Report", ValidationReport, ExaminedReport)
OTHER_TOTAL = "TOTAL-IMPRESO"
NO_CFDI = "This is a PDF without an attached CFDI; give the XML."
NO_TEXT = "El PDF no tiene texto, como una hoja digitalizada: no se comparó su total con el del CFDI adjunto."
NO_TOTAL = "El texto del PDF no tiene un total que se reconozca: no se comparó con el del CFDI adjunto."
FOREIGN = (
    "El PDF no es una impresión de este programa; en su texto el total se lee como {printed} y en el CFDI adjunto es"
    " {total}."
)
_AMOUNT = r"(\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?|\d{1,18}(?:\.\d{1,6})?)(?![\d.,]*\d)"
_OWN = re.compile(rf"\$ {_AMOUNT}")
"""The amount that a print of this program is about; no other amount of it has the sign."""
_LABELLED = re.compile(
    rf"(?<!sub)(?<!sub )(?<!sub-)\b(?:total|neto)(?: a pagar| neto| retenido| pagado)?(?:[\s:=$]|MXN|USD|EUR|M\.N\.)*"
    rf"{_AMOUNT}",
    re.IGNORECASE,
)


def opened(content: bytes, *, in_spanish: bool = False) -> tuple[bytes, PdfContent | None]:
    """Return the XML of a document, and what its PDF has besides; None for one that is no PDF. It may take seconds.

    Args:
        in_spanish: whether the sentence of an error is Spanish, whatever the language of the command line is.

    Raises:
        ServiceError: "source-not-xml" for a PDF without an attached CFDI, and what `read_pdf` raises.
    """
    if not is_pdf(content):
        return content, None
    read = read_pdf(content)
    if read.xml is None:
        raise ServiceError("source-not-xml", spanish_texts().gettext(NO_CFDI) if in_spanish else translate(NO_CFDI))
    return read.xml, read


def with_printed_total(report: Report, root: etree._Element, read: PdfContent | None) -> Report:
    """Return the report of the CFDI attached to a PDF, with a finding when the printed total is another one.

    A total of another program's print is read from the text after the word; a difference there is a warning.

    Args:
        root: the document.
        read: the PDF; None for a document that was given as XML.
    """
    entry = None if read is None else _compared(root, read)
    if entry is None:
        return report
    return replace(report, sections=tuple(_with_entry(section, entry) for section in report.sections))


def _with_entry(section: ReportSection, entry: ReportEntry) -> ReportSection:
    if section.kind is not SectionKind.INVOICE:
        return section
    return replace(section, entries=(*section.entries, entry))


def with_total_of(report: ValidationReport, xml: bytes, read: PdfContent) -> ValidationReport:
    """Return the report of a document that another thread or process has parsed, as `with_printed_total`."""
    return with_printed_total(report, DocumentParser().parse(xml).root, read)


def _compared(root: etree._Element, read: PdfContent) -> ReportEntry | None:
    """Return the finding of the comparison; None for the same total."""
    path, total = _total(root)
    if not read.text.strip():
        return warning(NO_TEXT, path)
    printed = list(_printed(read))
    if not printed or total is None:
        return warning(NO_TOTAL, path)
    if total in printed:
        return None
    shown = f"{printed[-1]:,.2f}"
    if not read.is_own:
        return warning(FOREIGN.format(printed=shown, total=f"{total:,.2f}"), path)
    return ReportEntry(
        full_message(OTHER_TOTAL), None, ReportEntryKind.ERROR, OTHER_TOTAL, path, shown, f"{total:,.2f}"
    )


def _printed(read: PdfContent) -> Iterator[Decimal]:
    pattern = _OWN if read.is_own else _LABELLED
    for found in pattern.finditer(read.text):
        value = number(found[1].replace(",", ""))
        if value is not None:
            yield value


def _total(root: etree._Element) -> tuple[str, Decimal | None]:
    """Return path and value of the amount that a document is about, as its print has it."""
    if is_retenciones(root):
        totals = attributes_of(root.find("{*}Totales"))
        return "Totales/@MontoTotRet", number(first(totals, "MontoTotRet", "montoTotRet"))
    if root.get("TipoDeComprobante") == "P":
        return "Complemento/Pagos", number(headline_of(root).amount.replace(",", ""))
    return "@Total", number(root.get("Total") or root.get("total"))
