"""Stamping in the browser without JavaScript: examples, review, stamps, and documents derived from an invoice."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from lxml import etree
from pypdf import PdfWriter
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp
from tests.support.sandbox_app import with_attribute

from timbra import examples
from timbra.accounts.build import account_services
from timbra.documents.build import document_services
from timbra.documents.editor_view import examples as example_names
from timbra.stamping.build import stamping_services
from timbra.stamps.search import StampFilter

PATH = "/portal/timbrar"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.account("bea@example.com")
    yield made
    made.container.close()


@pytest.fixture
def ana(app: CancellationApp) -> Visitor:
    visitor = Visitor(app)
    assert visitor.sign_in("ana@example.com").status_code == 303
    visitor.get(PATH)
    return visitor


def text_of(visitor: Visitor) -> str:
    assert visitor.page is not None
    [area] = visitor.page.xpath("//textarea[@name='documento']")
    return str(area.text_content()).lstrip()


def new_document(visitor: Visitor) -> str:
    """Return the example invoice with a folio of its own, because the clock stands still."""
    visitor.get(f"{PATH}?ejemplo=ingreso")
    return with_attribute(text_of(visitor).encode(), "Folio", uuid4().hex[:12]).decode()


def send(visitor: Visitor, text: str, action: str, **fields: str) -> str:
    """Send the editor; return the UUID of the stamp, or the empty string."""
    answer = visitor.post(PATH, {"documento": text, "accion": action, **fields}, files=[("archivo", ("", b""))])
    found = re.match(r"/portal/facturas/([0-9a-f-]{36})\?aviso=timbrada&ms=\d+$", answer.headers.get("location", ""))
    return found[1] if found else ""


def test_editor_and_its_links_need_the_right_to_stamp(app: CancellationApp, ana: Visitor) -> None:
    uuid = send(ana, new_document(ana), "timbrar")
    users = app.container.get(account_services).accounts.users
    for name, role, may_stamp in (("lee@example.com", "reader", False), ("opera@example.com", "operator", True)):
        users.create(app.caller.account_id, name, "una contraseña larga", role)
        visitor = Visitor(app)
        visitor.sign_in(name)

        assert visitor.get(PATH).status_code == (200 if may_stamp else 404), name
        assert visitor.get(f"/portal/facturas/{uuid}/derivar/duplicar").status_code == (200 if may_stamp else 404)
        fields, files = {"documento": "<a/>", "accion": "revisar"}, [("archivo", ("", b""))]
        assert visitor.post(PATH, fields, files=files).status_code == (422 if may_stamp else 404)
        for page in ("/portal", f"/portal/facturas/{uuid}"):
            assert visitor.get(page).status_code == 200
            assert visitor.page is not None
            links = [str(link) for link in visitor.page.xpath("//a/@href")]
            assert (PATH in links) is may_stamp, (name, page)
            derived = [link for link in links if "/derivar/" in link or "/nueva-factura/de/" in link]
            assert bool(derived) is (may_stamp and page != "/portal"), (name, page)


@pytest.mark.parametrize("name", ["ingreso", "egreso", "traslado", "nomina12", "cartaporte31", "retencion"])
def test_example_is_loaded_and_stamped(ana: Visitor, name: str) -> None:
    assert name in dict(example_names())
    ana.get(f"{PATH}?ejemplo={name}")

    uuid = send(ana, text_of(ana), "timbrar")

    assert uuid
    ana.get(f"/portal/facturas/{uuid}?aviso=timbrada&ms=12")
    assert "Timbrada en 12 ms" in ana.text
    assert f"/{'retencion' if name == 'retencion' else 'cfdi33'}/issue/v4" in ana.text
    ana.get(f"/portal/facturas/{uuid}?aviso=timbrada")
    assert "Se timbró." in ana.text
    assert "curl" not in ana.text


def test_unknown_example_is_an_error(ana: Visitor) -> None:
    assert ana.get(f"{PATH}?ejemplo=nada").status_code == 422


def test_review_shows_all_findings_with_their_lines_and_stamps_nothing(app: CancellationApp, ana: Visitor) -> None:
    ana.get(f"{PATH}?ejemplo=ingreso")
    wrong = with_attribute(with_attribute(text_of(ana).encode(), "UsoCFDI", "ZZZ"), "SubTotal", "7.77").decode()
    line = next(number for number, text in enumerate(wrong.split("\n"), 1) if "UsoCFDI" in text)
    before = app.container.get(document_services).listing.count(_all(app), 1000)

    send(ana, wrong, "revisar")

    assert ana.page is not None
    codes = [str(each) for each in ana.page.xpath("//article/@aria-label")]
    assert {"CFDI40160", "CFDI40108"} <= {*codes}
    assert str(line) in ana.page.xpath("//article[@aria-label='CFDI40160']//a/@data-line")
    assert f"{line}:error" in ana.page.xpath("//textarea/@data-marks")[0]
    assert text_of(ana) == wrong
    assert app.container.get(document_services).listing.count(_all(app), 1000) == before


def test_review_of_a_correct_document_says_so(ana: Visitor) -> None:
    send(ana, new_document(ana), "revisar")

    assert "Listo para timbrar" in ana.text


def test_review_states_what_only_stamping_would_reject(app: CancellationApp, ana: Visitor) -> None:
    text = new_document(ana)
    assert send(ana, text, "timbrar")
    stamps = app.container.get(document_services).listing.count(_all(app), 1000)

    send(ana, text, "revisar")

    assert "Listo para timbrar" not in ana.text
    assert "307" in ana.text
    assert app.container.get(document_services).listing.count(_all(app), 1000) == stamps


def test_rejected_document_stays_in_the_editor_with_the_place_of_the_error(ana: Visitor) -> None:
    ana.get(f"{PATH}?ejemplo=ingreso")
    wrong = with_attribute(text_of(ana).encode(), "UsoCFDI", "ZZZ").decode()

    assert send(ana, wrong, "timbrar") == ""

    assert ana.page is not None
    assert ana.page.xpath("//article[@aria-label='CFDI40160']//a/@data-line")
    assert text_of(ana) == wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "Escriba, pegue o elija"),
        ("<a", "301"),
        ("{", "301"),
        ("<script>alert(1)</script>", "301"),
        ("\x00", ""),
    ],
)
def test_unreadable_documents_are_errors(ana: Visitor, text: str, expected: str) -> None:
    assert send(ana, text, "timbrar") == ""

    assert expected in ana.text
    assert ana.page is not None
    assert ana.page.xpath("//script[not(@src)]") == []


def test_sealed_document_keeps_its_seal_unless_it_is_to_be_sealed_again(app: CancellationApp, ana: Visitor) -> None:
    sealed = app.sealed(examples.ingreso({"@Folio": "sellada"}, fecha=app.fecha), app.issuer).decode()
    seal = etree.fromstring(sealed.encode()).get("Sello")

    uuid = send(ana, sealed, "timbrar")

    record = app.container.get(stamping_services).stamps.by_uuid(uuid)
    assert record is not None
    assert etree.fromstring(record.cfdi).get("Sello") == seal
    assert send(ana, sealed, "timbrar") == ""
    assert "307" in ana.text
    broken = sealed.replace(str(seal), "AAAA")
    assert send(ana, broken, "timbrar") == ""
    assert send(ana, broken.replace("sellada", "otra"), "timbrar", resellar="si")


def test_json_is_converted(ana: Visitor) -> None:
    document = {"Version": "4.0", "Serie": "J", "Desconocido": "x", "Emisor": {"Rfc": examples.KEMPER.rfc}}

    send(ana, json.dumps(document), "revisar")

    assert 'Serie="J"' in text_of(ana)


def test_file_has_precedence_over_the_text(ana: Visitor) -> None:
    content = new_document(ana).encode()
    ana.post(PATH, {"documento": "<a/>", "accion": "revisar"}, files=[("archivo", ("a.xml", content))])
    assert "Listo para timbrar" in ana.text

    ana.post(PATH, {"documento": "", "accion": "revisar"}, files=[("archivo", ("a.xml", b"\xff\xfe"))])
    assert "no es texto en UTF-8" in ana.text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"%PDF-1.7 \xff", "factura.bin: El PDF está dañado o cifrado."),
        (b"PK\x03\x04\x14", "factura.bin es un ZIP"),
        (b"\x89PNG\r\n", "factura.bin es una imagen"),
    ],
)
def test_file_that_is_no_document_is_named(ana: Visitor, content: bytes, sentence: str) -> None:
    ana.post(PATH, {"documento": "", "accion": "revisar"}, files=[("archivo", ("factura.bin", content))])
    assert sentence in ana.text
    assert send(ana, "%PDF-1.7 texto", "revisar") == ""
    assert "Lo que se pegó es un PDF" in ana.text


def test_cfdi_attached_to_a_pdf_is_shown(app: CancellationApp, ana: Visitor) -> None:
    uuid = send(ana, new_document(ana), "timbrar")
    printed = ana.get(f"/portal/facturas/{uuid}/pdf").content
    ana.get(PATH)
    ana.post(PATH, {"documento": "", "accion": "revisar"}, files=[("archivo", ("factura.pdf", printed))])

    assert "Es el CFDI adjunto a factura.pdf." in ana.text
    assert uuid in text_of(ana)

    blank = io.BytesIO()
    PdfWriter().write(blank)
    ana.post(PATH, {"documento": "", "accion": "revisar"}, files=[("archivo", ("otra.pdf", blank.getvalue()))])
    assert "otra.pdf es un PDF que no lleva adjunto su CFDI." in ana.text


def test_mark_of_a_finding_names_its_attribute(ana: Visitor) -> None:
    ana.get(f"{PATH}?ejemplo=ingreso")
    send(ana, with_attribute(text_of(ana).encode(), "UsoCFDI", "ZZZ").decode(), "revisar")

    assert ana.page is not None
    assert ":error:UsoCFDI " in ana.page.xpath("//textarea/@data-marks")[0]


@pytest.mark.parametrize("how", ["duplicar", "sustituir", "nota-de-credito"])
def test_derived_document_can_be_stamped(app: CancellationApp, ana: Visitor, how: str) -> None:
    invoice = app.invoice(price="123.45").lower()
    ana.get(f"/portal/facturas/{invoice}/derivar/{how}")

    uuid = send(ana, text_of(ana), "timbrar")

    record = app.container.get(stamping_services).stamps.by_uuid(uuid)
    assert record is not None
    root = etree.fromstring(record.cfdi)
    assert record.total == "143.20"
    related = root.findall("{*}CfdiRelacionados")
    assert [each.get("TipoRelacion") for each in related] == {
        "duplicar": [],
        "sustituir": ["04"],
        "nota-de-credito": ["01"],
    }[how]
    assert record.kind == ("E" if how == "nota-de-credito" else "I")


def test_payment_of_an_invoice_has_its_taxes_and_can_be_stamped(app: CancellationApp, ana: Visitor) -> None:
    changes: dict[str, examples.Change] = {"@MetodoPago": "PPD", "@FormaPago": "99", "@Folio": "PPD"}
    text = examples.ingreso(changes, concepts=[examples.concepto(price="123.45")], fecha=app.fecha)
    invoice = app.issue(text.encode()).uuid.lower()
    ana.get(f"/portal/facturas/{invoice}")
    assert "Registrar pago" in ana.text
    ana.get(f"/portal/facturas/{invoice}/derivar/pago")

    uuid = send(ana, text_of(ana), "timbrar")

    record = app.container.get(stamping_services).stamps.by_uuid(uuid)
    assert record is not None
    root = etree.fromstring(record.cfdi)
    [totals] = root.iter("{http://www.sat.gob.mx/Pagos20}Totales")
    assert {str(name): value for name, value in totals.attrib.items()} == {
        "TotalTrasladosBaseIVA16": "123.45",
        "TotalTrasladosImpuestoIVA16": "19.75",
        "MontoTotalPagos": "143.20",
    }


@pytest.mark.parametrize("how", ["pago", "otra"])
def test_other_derivations_are_errors(app: CancellationApp, ana: Visitor, how: str) -> None:
    invoice = app.invoice().lower()

    assert ana.get(f"/portal/facturas/{invoice}/derivar/{how}").status_code == 422


def test_invoice_of_another_account_cannot_be_derived(app: CancellationApp) -> None:
    bea = Visitor(app)
    bea.sign_in("bea@example.com")

    assert bea.get(f"/portal/facturas/{app.invoice().lower()}/derivar/duplicar").status_code == 404
    bea.get(PATH)
    assert "No hay un CSD guardado" in bea.text


def _all(app: CancellationApp) -> StampFilter:
    return StampFilter(app.caller.account_id)
