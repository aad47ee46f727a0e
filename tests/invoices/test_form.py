"""The form of an invoice without JavaScript: amounts, findings at their fields, stamps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from uuid import uuid4

import pytest
from lxml import etree
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp

from timbra.documents.build import document_services
from timbra.stamping.build import stamping_services
from timbra.stamps.search import StampFilter

PATH = "/portal/nueva-factura"
RECEIVER = {
    "Receptor.Rfc": "URE180429TM6",
    "Receptor.Nombre": "UNIVERSIDAD ROBOTICA ESPAÑOLA",
    "Receptor.DomicilioFiscalReceptor": "86991",
    "Receptor.RegimenFiscalReceptor": "601",
    "Receptor.UsoCFDI": "G03",
}
LINE = {
    "Concepto.1.ClaveProdServ": "84111506",
    "Concepto.1.ClaveUnidad": "E48",
    "Concepto.1.Cantidad": "2",
    "Concepto.1.Descripcion": "Servicio de facturación",
    "Concepto.1.ValorUnitario": "1,000.00",
}
INVOICE = {
    "Emisor.Rfc": "EKU9003173C9",
    "Emisor.RegimenFiscal": "601",
    "LugarExpedicion": "42501",
    "FormaPago": "03",
    "Emisor.Nombre": "ESCUELA KEMPER URGATE",
    **RECEIVER,
    **LINE,
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


@pytest.fixture
def ana(app: CancellationApp) -> Visitor:
    visitor = Visitor(app)
    assert visitor.sign_in("ana@example.com").status_code == 303
    visitor.get(PATH)
    return visitor


def fields_of(visitor: Visitor) -> dict[str, str]:
    """Return the fields of the form on the last page, as a browser sends them."""
    assert visitor.page is not None
    (form,) = visitor.page.xpath("//form[@id='invoice']")
    return {name: value or "" for name, value in form.fields.items()}


def send(visitor: Visitor, action: str, changes: Mapping[str, str] | None = None) -> str:
    """Change fields of the last page and press a button; return the UUID of the stamp, or the empty string."""
    answer = visitor.post(PATH, {**fields_of(visitor), **(changes or {}), "accion": action})
    location = answer.headers.get("location", "")
    return location.partition("?")[0].rpartition("/")[2] if answer.status_code == 303 else ""


def messages(visitor: Visitor, name: str) -> str:
    """Return what the page says below a field."""
    assert visitor.page is not None
    (field,) = visitor.page.xpath(f"//*[@name='{name}']")
    described = (field.get("aria-describedby") or "").split()
    texts = [visitor.page.get_element_by_id(each).text_content() for each in described if "-error-" in each]
    return " ".join(" ".join(text.split()) for text in texts)


def sums(visitor: Visitor) -> dict[str, str]:
    assert visitor.page is not None
    rows = visitor.page.xpath("//*[@id='totals']//div")
    return {" ".join(row[0].text_content().split()): str(row[1].text_content()) for row in rows}


def stamps(app: CancellationApp) -> int:
    listing = app.container.get(document_services).listing
    return listing.count(StampFilter(account_id=app.caller.account_id), 1000)


def stored(app: CancellationApp, uuid: str) -> etree._Element:
    record = app.container.get(stamping_services).stamps.by_uuid(uuid)
    assert record is not None
    return etree.fromstring(record.cfdi)


def test_form_computes_the_amounts_and_stamps(app: CancellationApp, ana: Visitor) -> None:
    send(ana, "calcular", {**INVOICE, "Folio": "A1"})
    assert sums(ana) == {"Subtotal": "2,000.00", "IVA 16 %": "320.00", "Total MXN": "2,320.00"}

    uuid = send(ana, "timbrar")

    root = stored(app, uuid)
    assert root.get("Total") == "2320.00"
    assert root.get("Fecha") == "2026-11-17T11:58:00"
    ana.get(f"/portal/facturas/{uuid}")
    assert "A1" in ana.text


def test_form_that_is_sent_twice_gets_one_stamp(app: CancellationApp, ana: Visitor) -> None:
    send(ana, "calcular", {**INVOICE, "Folio": uuid4().hex[:12]})
    before = stamps(app)
    page = ana.page

    first = send(ana, "timbrar")
    ana.page = page

    assert send(ana, "timbrar") == first != ""
    assert stamps(app) == before + 1


def test_review_stamps_nothing(app: CancellationApp, ana: Visitor) -> None:
    before = stamps(app)

    send(ana, "revisar", {**INVOICE, "Folio": uuid4().hex[:12]})

    assert "Lista para timbrar" in ana.text
    assert stamps(app) == before


def test_empty_form_names_what_is_missing_at_its_fields(ana: Visitor) -> None:
    send(ana, "timbrar")

    assert messages(ana, "Receptor.Rfc") == "Escriba el RFC del cliente."
    assert messages(ana, "LugarExpedicion") == "Escriba el código postal del lugar de expedición."
    assert messages(ana, "Concepto.1.ValorUnitario") == "Escriba el precio unitario."
