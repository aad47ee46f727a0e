"""Retenciones on pages and prints: every example, every complement with labels, the QR code, invalid documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pypdfium2
import pytest
import zxingcpp
from lxml import etree
from lxml.html import HtmlElement, document_fromstring
from tests.rendering.rendered import FOLIO, SEAL, reader, stamped_retencion, texts_of
from tests.support.retenciones10 import retencion10

from timbra import examples
from timbra.cfdi.from_json.schema_shapes import ElementShape
from timbra.cfdi.from_json.standards import JsonStandards
from timbra.cfdi.structure.standards import XmlStandard
from timbra.examples.retenciones20 import BY_NAME, COMPLEMENTS_NAMESPACE, EARLIER, related, retencion, retencion_rif
from timbra.examples.tree import Change, ExampleNode
from timbra.rendering.complement_texts import texts
from timbra.rendering.html import Mark, document_html, environment
from timbra.rendering.pdf import pdf
from timbra.rendering.view import DocumentView, Field, FieldsBlock, RetencionView
from timbra.snapshot import locate, open_snapshot

RETENCIONES_ADDRESS = "https://prodretencionverificacion.clouda.sat.gob.mx/"
MAX_TAXES = 500

NAMES = [name for name in examples.DOCUMENTS if name.startswith("retencion")]


def view(name: str = "retencion", changes: Mapping[str, Change] | None = None) -> RetencionView:
    if changes is None:
        text = examples.DOCUMENTS[name].make()
    else:
        text = BY_NAME.get(name.removeprefix("retencion-"), retencion)(changes)
    return reader().retencion(stamped_retencion(text))


def value_of(fields: tuple[Field, ...], label: str) -> str:
    return next(field.value for field in fields if field.label == label)


def text_of(printed: bytes) -> str:
    document = pypdfium2.PdfDocument(printed)
    return "".join(page.get_textpage().get_text_range() for page in document).replace("\u200b", "").replace("\r\n", "")


def page_of(document: DocumentView, marks: Mapping[str, Mark] | None = None) -> HtmlElement:
    page: HtmlElement = document_fromstring(document_html(environment(), document, marks))
    return page


def page_text(document: DocumentView) -> str:
    return " ".join(page_of(document).text_content().split())


def test_view_shows_key_period_parties_and_totals() -> None:
    shown = view()
    assert (shown.version, shown.folio, shown.clave) == ("2.0", "1", "01 · Servicios profesionales")
    assert shown.periodo == "Noviembre de 2026"
    assert (shown.emisor.rfc, shown.emisor.nombre) == (examples.KEMPER.rfc, examples.KEMPER.name)
    assert value_of(shown.emisor.fields, "Régimen fiscal").startswith("601 · ")
    assert (shown.receptor.rfc, shown.receptor.nombre) == ("CACX7605101P8", "XOCHILT CASAS CHAVEZ")
    assert value_of(shown.receptor.fields, "Nacionalidad") == "Nacional"
    assert [(tax.impuesto, tax.pago, tax.base, tax.monto) for tax in shown.taxes] == [
        ("ISR", "04 · Pago provisional ISR", "1,000.00", "100.00")
    ]
    assert (shown.total, shown.retenido, shown.moneda) == ("1,000.00", "100.00", "MXN")
    assert value_of(shown.totals, "Monto total exento") == "0.00"


def test_view_shows_a_range_of_months() -> None:
    assert view(changes={"Periodo/@MesIni": "01", "Periodo/@MesFin": "03"}).periodo == "Enero a Marzo de 2026"


def test_view_shows_a_foreign_receiver_without_rfc() -> None:
    receiver = view("retencion-pagosaextranjeros").receptor
    assert (receiver.rfc, receiver.nombre) == ("", "ACME INC")
    assert value_of(receiver.fields, "Registro tributario") == "123456789"


def test_view_shows_the_relation() -> None:
    (relation,) = view(changes={"CfdiRetenRelacionados": related("04")}).relations
    assert relation.tipo.startswith("04 · ")
    assert relation.folios == (EARLIER,)


def test_view_shows_the_amounts_of_rif() -> None:
    totals = reader().retencion(etree.fromstring(retencion_rif().encode())).totals
    assert value_of(totals, "Utilidad bimestral") == "500.00"
    assert value_of(totals, "ISR correspondiente") == "50.00"


def test_view_shows_keys_of_a_complement_with_their_names() -> None:
    (dividendos,) = view("retencion-dividendos").complements
    (row,) = dividendos.blocks
    assert isinstance(row, FieldsBlock)
    assert (dividendos.title, row.title) == ("Dividendos", "Dividendo o utilidad")
    assert (dividendos.path, row.path) == ("Complemento/Dividendos", "Complemento/Dividendos/DividOUtil")
    assert value_of(row.fields, "Tipo de dividendo o utilidad") == "01 · Proviene de CUFIN"
    assert value_of(row.fields, "ISR acreditable retenido en México") == "100.00"


def test_view_counts_taxes_beyond_the_limit() -> None:
    row = ExampleNode("retenciones:ImpRetenidos", {"ImpuestoRet": "001", "MontoRet": "1.00", "TipoPagoRet": "04"})
    changes: dict[str, Change] = {"Totales": ExampleNode("retenciones:Totales", {}, [row] * (MAX_TAXES + 3))}
    root = etree.fromstring(retencion(changes).encode())
    shown = reader().retencion(root)
    assert (len(shown.taxes), shown.taxes_left_out) == (MAX_TAXES, 3)
    assert "y 3 impuestos más" in page_text(shown)


def _complements() -> Iterator[tuple[XmlStandard, ElementShape]]:
    standards = JsonStandards(open_snapshot(locate(None)))
    for document in examples.DOCUMENTS.values():
        if document.tag.startswith(f"{{{COMPLEMENTS_NAMESPACE}"):
            name = etree.QName(document.tag).localname
            standard = standards.complement(name, {"Version": document.version})
            assert standard is not None
            yield standard, standards.shape(standard)


def test_every_element_and_attribute_of_the_complements_has_a_text() -> None:
    shapes = [shape for _, shape in _complements()]
    assert len(shapes) == 12
    missing: set[str] = set()
    while shapes:
        shape = shapes.pop()
        shapes += shape.children.values()
        missing |= {shape.name} - set(texts()["element"]) | set(shape.attributes) - set(texts()["attribute"])
    assert missing == set()


@pytest.mark.parametrize("name", NAMES)
def test_page_and_pdf_show_every_value(name: str) -> None:
    shown = view(name)
    expected = [FOLIO, shown.clave, shown.periodo, shown.retenido, shown.receptor.nombre, "TIM010101SB9", "||1.1|"]
    expected += [text for section in shown.complements for text in texts_of(section)]
    printed, page = text_of(pdf(shown)).replace(" ", ""), page_text(shown)
    assert [text for text in expected if text.replace(" ", "") not in printed] == []
    assert [text for text in expected if " ".join(text.split()) not in page] == []
    for text in ("representación impresa de un CFDI de retenciones", "Monto total retenido"):
        assert text.replace(" ", "") in printed
        assert text in page


@pytest.mark.parametrize(
    ("name", "receiver"), [("retencion", "rr=CACX7605101P8"), ("retencion-pagosaextranjeros", "nr=123456789")]
)
def test_pdf_qr_code_encodes_the_verification_page_of_retenciones(name: str, receiver: str) -> None:
    picture = pypdfium2.PdfDocument(pdf(view(name)))[0].render(scale=3).to_pil()
    (code,) = zxingcpp.read_barcodes(picture)
    assert code.text == f"{RETENCIONES_ADDRESS}?id={FOLIO}&re=EKU9003173C9&{receiver}&tt=1000.0&fe={SEAL[-8:]}"


@pytest.mark.parametrize("total", ["NaN", "", "9" * 4000, "mil"])
def test_view_has_no_qr_code_when_the_total_is_invalid(total: str) -> None:
    root = stamped_retencion(retencion())
    root.find("{*}Totales").set("MontoTotOperacion", total)  # type: ignore[union-attr]
    assert reader().retencion(root).qr is None


def test_view_of_a_document_without_parts_is_empty() -> None:
    shown = view(changes={"Receptor": None, "Totales": None, "Periodo": None, "Emisor": None, "@CveRetenc": None})
    assert (shown.receptor.nombre, shown.emisor.rfc, shown.periodo, shown.retenido, shown.clave) == ("",) * 5
    assert (shown.taxes, shown.totals, shown.qr) == ((), (), None)
    assert "Sin impuestos retenidos" in page_text(shown)
    assert "Sin impuestos retenidos" in text_of(pdf(shown))


def test_page_escapes_texts_of_the_document() -> None:
    root, evil = stamped_retencion(BY_NAME["fideicomisonoempresarial"]()), "<script>alert(1)</script>\"'&{{ 7*7 }}"
    for element in root.iter("*"):
        for name in element.attrib:
            element.set(name, evil)
    page = page_of(reader().view(root))
    assert page.findall(".//script") == []
    assert evil in page.text_content()


def test_page_shows_marks_at_their_paths() -> None:
    shown = view("retencion-dividendos", {"CfdiRetenRelacionados": related("04")})
    marks = {path: Mark("error", path) for path in shown.part_paths()}
    page = page_of(shown, marks)
    assert sorted(mark.text_content() for mark in page.find_class("mark")) == sorted(marks)
    expected = {"Emisor", "Receptor", "Periodo", "Totales", "Totales/ImpRetenidos[1]", "CfdiRetenRelacionados"}
    assert expected | {"Complemento/Dividendos", "Complemento/Dividendos/DividOUtil"} == set(marks)


def test_view_reads_version_10() -> None:
    shown = reader().retencion(stamped_retencion(retencion10()))
    assert (shown.emisor.rfc, shown.receptor.rfc) == ("EKU9003173C9", "CACX7605101P8")
    assert (shown.total, shown.retenido, shown.periodo) == ("1,000.00", "100.00", "Enero a Diciembre de 2024")
    assert [(tax.impuesto, tax.pago, tax.monto) for tax in shown.taxes] == [("ISR", "Pago provisional", "100.00")]
    assert shown.qr is not None
    assert "Constancia de retenciones" in text_of(pdf(shown))
    foreign = reader().retencion(stamped_retencion(retencion10(foreign=True)))
    assert value_of(foreign.receptor.fields, "Registro tributario") == "123456789"
