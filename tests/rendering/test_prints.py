"""Every example document as PDF: all values, their labels, the QR codes and copies of the seals.

Some kinds run always, all examples with TIMBRA_TEST_LONG.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import pypdfium2
import pytest
import zxingcpp
from lxml import etree
from tests.rendering.rendered import SEAL, reader, texts_of, with_stamp
from tests.support.effort import LONG

from timbra import examples
from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.structure.standards import XmlStandards
from timbra.examples.documents import DOCUMENTS
from timbra.rendering.branding import TEMPLATES, Branding, PrintExtras
from timbra.rendering.pdf import pdf
from timbra.rendering.sections import standard_of
from timbra.rendering.view import CodeBlock, DocumentView, Field, InvoiceView, SideBySideBlock, SignatureBlock
from timbra.snapshot import locate, open_snapshot

CARTA_PORTE_PAGE = "https://verificacfdi.facturaelectronica.sat.gob.mx/verificaccp/default.aspx"

KINDS = (
    "ingreso",
    "egreso",
    "pagos20",
    "nomina12",
    "cartaporte31",
    "comercioexterior20",
    "iedu",
    "retencion-dividendos",
)
NAMES = tuple(DOCUMENTS) if LONG else KINDS
MAX_LINES = 2_000


def view_of(root: etree._Element) -> DocumentView:
    return reader(fiscal_effect=True).view(root, MAX_LINES)


def pages_of(content: bytes) -> list[str]:
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content)]


def compact(text: str) -> str:
    return re.sub(r"[\s\u200b\ufffe\x02]", "", text)


def named(name: str) -> etree._Element:
    return with_stamp(DOCUMENTS[name].make())


@pytest.mark.parametrize("name", NAMES)
def test_pdf_shows_every_value_of_the_view(name: str) -> None:
    view = view_of(named(name))
    printed = compact("".join(pages_of(pdf(view))))
    parts = [*view.head, *view.emisor.fields, *view.receptor.fields, *view.complements]
    parts += view.totals if view.title != "Comprobante de pago" else ()
    texts = [text for part in parts for text in texts_of(part)]
    if isinstance(view, InvoiceView):
        texts += [text for line in view.lines for text in (line.clave, line.producto, line.descripcion, line.unidad)]
        texts += [text for line in view.lines if view.shows_lines for each in line.fields for text in texts_of(each)]
    texts += [view.title, view.headline.amount, view.headline.words]
    assert [text for text in texts if compact(text) not in printed] == []


@pytest.mark.parametrize("name", NAMES)
def test_pdf_seals_are_copied_without_other_characters(name: str) -> None:
    root = named(name)
    stamp = view_of(root).stamp
    assert stamp is not None
    copied = "".join(pages_of(pdf(view_of(root)))).replace("\r\n", "")
    for seal in (SEAL, SEAL[::-1], stamp.cadena):
        assert seal in copied


@pytest.mark.parametrize("name", NAMES)
def test_pdf_codes_are_readable(name: str) -> None:
    view = view_of(named(name))
    document = pypdfium2.PdfDocument(pdf(view))
    read = {code.text for page in document for code in zxingcpp.read_barcodes(page.render(scale=4).to_pil())}
    expected = {block.url for section in view.complements for block in section.blocks if isinstance(block, CodeBlock)}
    assert expected <= read
    assert len(read) == 1 + len(expected)


def _labelled_keys(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the keys of complements whose catalog has texts, with their text."""
    snapshot = open_snapshot(locate(None))
    standards, labels = XmlStandards(snapshot), CatalogLabels(snapshot)
    for complement in root.iterfind("{*}Complemento/*"):
        standard = standards.find(complement)
        catalogs = {} if standard is None else standards.catalogs(standard)
        for path, attributes in catalogs.items():
            below = path.partition("/")[2]
            elements = (
                complement.iterfind("/".join(f"{{*}}{name}" for name in below.split("/"))) if below else [complement]
            )
            for element in elements:
                for attribute, catalog in attributes.items():
                    key = element.get(attribute, "")
                    name = standard_of(etree.QName(complement).localname, complement)
                    text = labels.get(catalog, key, name) or labels.get(catalog, key)
                    if key and text:
                        yield key, text


@pytest.mark.parametrize("name", NAMES)
def test_pdf_shows_keys_of_complements_with_their_texts(name: str) -> None:
    root = named(name)
    printed = compact("".join(pages_of(pdf(view_of(root)))))
    assert [key for key, text in _labelled_keys(root) if compact(f"{key} · {text}") not in printed] == []


def test_labels_cover_the_catalogs_of_complements() -> None:
    snapshot = open_snapshot(locate(None))
    labels = CatalogLabels(snapshot)
    missing = {
        catalog
        for standard in XmlStandards(snapshot).all
        for attributes in XmlStandards(snapshot).catalogs(standard).values()
        for catalog in attributes.values()
        if not any(labels.has(catalog, name) for name in ("cfdi40", "comercioexterior20", _own(standard.file)))
    }
    # Keys that are their own text, and catalogs for which the package of the SAT's data has no texts.
    assert missing == NO_TEXTS


def _own(file: str) -> str:
    return {"consumodeCombustibles11.xsd": "ecc12", "CartaPorte.xsd": "cartaporte10"}.get(
        file, file.partition(".")[0].lower()
    )


NO_TEXTS = {
    "c_TipoPermiso",
    "c_ClaveHYP",
    "c_CodigoPostal",
    "c_NumAutorizacionNaviero",
    "c_SubProductoHYP",
    "c_TipoFactor",
    "c_ClaveProdSTCC",
}


def test_dates_are_printed_as_day_month_and_year() -> None:
    for name in KINDS:
        view = view_of(named(name))
        assert view.stamp is not None
        urls = [block.url for each in view.complements for block in each.blocks if isinstance(block, CodeBlock)]
        printed = compact("".join(pages_of(pdf(view))))
        for text in (view.stamp.cadena, *urls):
            printed = printed.replace(compact(text), "")
        assert "17/11/2026" in printed, name
        assert re.findall(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T?", printed.replace(view.stamp.uuid, "")) == [], name


def test_payment_has_the_currency_of_what_was_paid() -> None:
    root = named("pagos20")
    for payment in root.iterfind("{*}Complemento/{*}Pagos/{*}Pago"):
        payment.set("MonedaP", "USD")
    view = view_of(root)

    assert [each.value for each in view.head if each.label == "Moneda"] == ["USD · Dólar americano"]


def test_carta_porte_has_its_own_totals() -> None:
    printed = " ".join(pages_of(pdf(view_of(named("cartaporte31"))))[0].split())

    assert (
        "Totales de la Carta Porte Distancia total recorrida (km) 1.00 Total de mercancías 1 Peso bruto total 1 KGM"
    ) in printed


def test_ordinary_invoice_has_two_lines_for_each_concept_and_one_page() -> None:
    invoice = with_stamp(examples.ingreso(concepts=12))
    [page] = pages_of(pdf(view_of(invoice)))
    line = (
        "SAT: Servicios de facturación · Objeto de impuesto: 02 · Sí objeto de impuesto · Traslado IVA 16 % sobre"
        " 200.00: 32.00"
    )
    assert sum(each.endswith(line) for each in page.splitlines()) == 12


@pytest.mark.parametrize("count", [20, 30, 40])
def test_seals_are_never_alone_on_a_page(count: int) -> None:
    root = named("implocal")
    tax = root.find(".//{*}TrasladosLocales")
    assert tax is not None
    for _ in range(count):
        tax.addnext(deepcopy(tax))

    *_, last = pages_of(pdf(view_of(root)))

    before = last.partition("No. de certificado del SAT")[0]
    assert "DOSCIENTOS TREINTA Y DOS PESOS 00/100 M.N." in before or "ISH 0.00 0.00" in before


def test_payment_is_about_the_amount_paid() -> None:
    view = view_of(named("pagos20"))
    assert (view.title, view.headline.label, view.headline.amount) == ("Comprobante de pago", "Monto pagado", "232.00")
    assert view.headline.words == "DOSCIENTOS TREINTA Y DOS PESOS 00/100 M.N."
    assert "XXX" not in view.headline.moneda


def test_payroll_has_perceptions_beside_deductions_and_a_place_to_sign() -> None:
    (section,) = view_of(named("nomina12")).complements
    (tables,) = [block for block in section.blocks if isinstance(block, SideBySideBlock)]
    assert (tables.left.title, tables.right.title) == ("Percepciones", "Deducciones")
    assert isinstance(section.blocks[-1], SignatureBlock)


def test_carta_porte_has_the_code_of_the_sat() -> None:
    root = named("cartaporte31")
    complement = root.find("{*}Complemento/{*}CartaPorte")
    assert complement is not None
    start = complement.find("{*}Ubicaciones/{*}Ubicacion[@TipoUbicacion='Origen']").get("FechaHoraSalidaLlegada")  # type: ignore[union-attr]
    view = view_of(root)
    (code,) = [block for block in view.complements[0].blocks if isinstance(block, CodeBlock)]
    assert view.stamp is not None
    assert code.url == (
        f"{CARTA_PORTE_PAGE}?IdCCP={complement.get('IdCCP')}&FechaOrig={start}&FechaTimb={view.stamp.fecha}"
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_long_invoice_repeats_headings_and_numbers_its_pages(template: str) -> None:
    root = with_stamp(DOCUMENTS["ingreso"].builders["4.0"](concepts=120))  # type: ignore[call-arg]
    pages = pages_of(pdf(view_of(root), Branding(template=template, footer="Tel. 55 5555 5555")))
    assert len(pages) > 2
    for number, text in enumerate(pages, 1):
        assert f"Página {number} de {len(pages)}" in text
        assert "Tel. 55 5555 5555" in text
    assert all("Valor unitario" in text for text in pages[:-1])


def test_cancelled_document_says_so_on_every_page() -> None:
    root = with_stamp(DOCUMENTS["ingreso"].builders["4.0"](concepts=120))  # type: ignore[call-arg]
    pages = pages_of(pdf(replace(view_of(root), cancelled=True)))
    assert all("CANCELADO" in text for text in pages)
    assert "CANCELADO" not in pages_of(pdf(view_of(named("ingreso"))))[0]


HOSTILE = {
    "markup": '#eval("1+1") $x$ *a* _b_ `c` @d <e> = [f] // g /* h */ \\ {{i}} #import "@preview/x:1.0.0"',
    "no-blanks": "X" * 5_000,
    "right-to-left": "\u0645\u0631\u062d\u0628\u0627 \u202e abc",
    "emoji": "factura \U0001f9fe\U0001f1f2\U0001f1fd ok",
    "combining": "e" + "\u0301" * 200,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_pdf_prints_any_text_in_every_field(text: str) -> None:
    root = named("pagos20")
    for element in root.iter(etree.Element):
        for attribute in element.attrib:
            if attribute not in ("TipoDeComprobante", "Sello", "Total"):
                element.set(attribute, text)
    extras = PrintExtras((Field("EDIRECCION", text),), (Field("RDIRECCION", text),), (Field(text, text),))
    pages = pages_of(pdf(view_of(root), Branding(footer=text[:300]), extras))
    assert pages
    if text.isascii():
        assert compact(text) in compact("".join(pages))
