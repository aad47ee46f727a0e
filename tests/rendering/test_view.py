"""The view has the values of the document, also of invalid ones."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.rendering.rendered import reader, stamped

from timbra import examples
from timbra.rendering.texts import amount, rate
from timbra.rendering.view import FieldsBlock, TableBlock


def test_view_shows_names_of_catalog_keys() -> None:
    view = reader().invoice(stamped())

    assert (view.version, view.tipo) == ("4.0", "I · Ingreso")
    assert view.emisor.rfc == examples.KEMPER.rfc
    assert ("Uso del CFDI", "G03 · Gastos en general") in [(field.label, field.value) for field in view.receptor.fields]
    (line,) = view.lines
    assert line.impuestos[0].tasa == "16 %"
    assert line.impuestos[0].impuesto == "IVA"
    assert view.stamp is not None
    assert view.qr is not None
    assert view.qr.startswith(b"\x89PNG")


def test_view_counts_hidden_nodes() -> None:
    root = stamped()
    conceptos = root.find("{*}Conceptos")
    assert conceptos is not None
    for _ in range(4):
        conceptos.append(etree.fromstring(etree.tostring(conceptos[0])))

    view = reader().invoice(root, max_lines=2)

    assert (len(view.lines), view.lines_left_out) == (2, 3)


def test_view_shows_complements_as_blocks() -> None:
    root = etree.fromstring(
        b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/4"><c:Complemento><x:A xmlns:x="urn:x" n="1">'
        b'<x:B v="2"/><x:B v="3"/><x:C>word</x:C></x:A></c:Complemento></c:Comprobante>'
    )

    (section,) = reader().invoice(root).complements

    fields, table = section.blocks
    assert isinstance(fields, FieldsBlock)
    assert isinstance(table, TableBlock)
    assert (section.path, section.title) == ("Complemento/A", "A")
    assert [(field.label, field.value) for field in fields.fields] == [("N", "1"), ("C", "word")]
    assert [row.path for row in table.rows] == ["Complemento/A/B[1]", "Complemento/A/B[2]"]
    assert [row.cells for row in table.rows] == [("2",), ("3",)]
    assert [*section.paths()] == ["Complemento/A", "Complemento/A", "Complemento/A/B[1]", "Complemento/A/B[2]"]


@pytest.mark.parametrize("total", ["1E999999999", "NaN", "", "9" * 4000, "-5"])
def test_view_has_no_qr_code_when_the_total_is_invalid(total: str) -> None:
    root = stamped()
    root.set("Total", total)

    view = reader().invoice(root)

    assert view.total in (total, amount(total))


def test_view_of_an_empty_document_is_empty() -> None:
    view = reader().invoice(etree.fromstring(b"<a/>"))

    assert (view.lines, view.taxes, view.complements, view.stamp, view.qr) == ((), (), (), None, None)


@pytest.mark.parametrize(
    ("written", "formatted"),
    [("1234567.891", "1,234,567.891"), ("5", "5.00"), ("0.1", "0.10"), ("", ""), (None, ""), ("1e5", "1e5")],
)
def test_amount_keeps_the_decimals_of_the_document(written: str | None, formatted: str) -> None:
    assert amount(written) == formatted


@pytest.mark.parametrize(
    ("factor", "value", "formatted"),
    [
        ("Tasa", "0.160000", "16 %"),
        ("Tasa", "0.000000", "0 %"),
        ("Cuota", "6.4555", "Cuota 6.4555"),
        ("Exento", None, "Exento"),
    ],
)
def test_rate_formats_a_percentage(factor: str, value: str | None, formatted: str) -> None:
    assert rate(factor, value) == formatted
