"""The total that a PDF prints, compared with that of its attached CFDI."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.rendering.rendered import reader, with_stamp

from timbra import examples
from timbra.rendering.pdf import pdf
from timbra.rendering.pdf_reading import PdfContent, read_pdf
from timbra.validation.models import ReportEntry, ReportSection, SectionKind, ValidationReport
from timbra.validation.printed_totals import with_printed_total

REPORT = ValidationReport((ReportSection(SectionKind.STRUCTURE), ReportSection(SectionKind.INVOICE)))
INVOICE = etree.fromstring(b'<Comprobante TipoDeComprobante="I" Total="1234.5" Moneda="MXN"/>')


def _compared(root: etree._Element, text: str, *, is_own: bool = False) -> list[ReportEntry]:
    report = with_printed_total(REPORT, root, PdfContent(b"", text, is_own))
    assert report.sections[0].entries == ()
    return report.entries


@pytest.mark.parametrize("name", ["ingreso", "pagos20", "nomina12", "cartaporte31", "retencion"])
def test_total_of_our_own_print_is_that_of_the_document(name: str) -> None:
    root = with_stamp(examples.DOCUMENTS[name].make())
    xml = etree.tostring(root)

    assert with_printed_total(REPORT, root, read_pdf(pdf(reader().view(root), xml=xml))).entries == []


@pytest.mark.parametrize(
    "text",
    ["Subtotal 9.00\nTotal: $1,234.50", "TOTAL MXN 1234.50", "Total a pagar = $ 1,234.50 M.N.", "Total\n\n1,234.5"],
)
def test_total_of_another_print_is_read_after_its_label(text: str) -> None:
    assert _compared(INVOICE, text) == []


def test_another_total_on_our_print_is_an_error() -> None:
    [entry] = _compared(INVOICE, "Total 1,234.50\nTotal $ 9,999.00 MXN", is_own=True)

    assert (entry.kind.value, entry.code, entry.path) == ("error", "TOTAL-IMPRESO", "@Total")
    assert (entry.found, entry.expected) == ("9,999.00", "1,234.50")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Subtotal 1,234.50\nTotal $9,999.00",
            "no es una impresión de este programa; en su texto el total se lee como",
        ),
        ("Importe 1,234.50", "no tiene un total que se reconozca"),
        (" \n", "no tiene texto"),
    ],
)
def test_print_that_cannot_be_compared_has_a_warning_that_says_so(text: str, words: str) -> None:
    [entry] = _compared(INVOICE, text)

    assert (entry.kind.value, entry.code, entry.path) == ("warning", None, "@Total")
    assert words in (entry.detail or "")


def test_document_that_is_no_pdf_is_not_compared() -> None:
    assert with_printed_total(REPORT, INVOICE, None) is REPORT
