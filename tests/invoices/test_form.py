"""The form of an invoice without JavaScript: amounts, findings at their fields, stamps."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from uuid import uuid4

import pytest
from httpx2 import ASGITransport, AsyncClient
from lxml import etree
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.front_controller import page_environment
from timbra.app.portal_factory import PAGES, build
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
    send(ana, "timbrar", {"Emisor.RegimenFiscal": "601", "LugarExpedicion": "42501"})

    assert messages(ana, "Receptor.Rfc") == "Escriba el RFC del cliente."
    assert messages(ana, "Receptor.RegimenFiscalReceptor") == "Elija el régimen fiscal del cliente."
    assert messages(ana, "Concepto.1.ValorUnitario") == "Escriba el precio unitario."
    assert ana.page is not None
    assert ana.page.xpath("//*[@autofocus]/@name") == ["Receptor.Rfc"]


def test_lines_are_added_and_removed_by_buttons(ana: Visitor) -> None:
    send(ana, "agregar", INVOICE)
    send(ana, "calcular", {"Concepto.2.Descripcion": "Segundo", "Concepto.2.ValorUnitario": "1"})
    assert sums(ana)["Subtotal"] == "2,001.00"

    send(ana, "quitar:1")

    assert fields_of(ana)["Concepto.1.Descripcion"] == "Segundo"
    assert sums(ana)["Subtotal"] == "1.00"


def test_words_of_a_product_are_searched_and_chosen_by_a_button(ana: Visitor) -> None:
    send(ana, "calcular", {**INVOICE, "Concepto.1.ClaveProdServ": "servicio de facturación"})
    assert ana.page is not None
    assert ana.page.xpath("//button[@value='usar:Concepto.1.ClaveProdServ:84111506']")

    send(ana, "usar:Concepto.1.ClaveProdServ:84111506")

    assert fields_of(ana)["Concepto.1.ClaveProdServ"] == "84111506"
    assert "Servicios de facturación" in ana.text


def test_search_answers_with_keys_that_one_of_the_words_finds(ana: Visitor) -> None:
    found = ana.get(f"{PATH}/claves?campo=ClaveUnidad&q=kilogramo").json()
    assert {"value": "KGM", "text": "KGM · Kilogramo"} in found
    assert ana.get(f"{PATH}/claves?campo=ClaveProdServ&q=asesoria+contabilidad").json()
    assert ana.get(f"{PATH}/claves?campo=otro&q=x").status_code == 400


def test_options_follow_the_kind_of_person_and_the_regime(ana: Visitor) -> None:
    send(ana, "calcular", {"Receptor.Rfc": "CACX7605101P8"})
    assert options(ana, "Receptor.RegimenFiscalReceptor")[:2] == ["", "605"]

    send(ana, "calcular", {"Receptor.RegimenFiscalReceptor": "605"})

    assert options(ana, "Receptor.UsoCFDI")[:3] == ["", "D01", "D02"]
    send(ana, "calcular", {"Receptor.UsoCFDI": "G03"})
    assert "G03 · no corresponde" in ana.text


def options(visitor: Visitor, name: str) -> list[str]:
    assert visitor.page is not None
    return [str(each) for each in visitor.page.xpath("//select[@name=$name]/option/@value", name=name)]


def test_prices_with_taxes_withholdings_and_ieps(ana: Visitor) -> None:
    line = {"Concepto.1.Cantidad": "1", "Concepto.1.ValorUnitario": "1160"}

    send(ana, "calcular", {**INVOICE, **line, "precios": "con"})
    assert sums(ana) == {"Subtotal": "1,000.00", "IVA 16 %": "160.00", "Total MXN": "1,160.00"}

    taxes = {"Concepto.1.IEPS": "8", "Concepto.1.RetencionISR": "10", "Concepto.1.RetencionIVA": "10.6667"}
    send(ana, "calcular", {"precios": "sin", "Concepto.1.ValorUnitario": "1000", **taxes})
    assert sums(ana) == {
        "Subtotal": "1,000.00",
        "IVA 16 %": "172.80",
        "IEPS 8 %": "80.00",
        "ISR retenido": "-100.00",
        "IVA retenido": "-115.20",
        "Total MXN": "1,037.60",
    }


def test_rate_that_does_not_exist_is_said_at_its_tax(ana: Visitor) -> None:
    send(ana, "revisar", {**INVOICE, "Concepto.1.RetencionISR": "99"})
    assert "CFDI40" in messages(ana, "Concepto.1.RetencionISR")

    send(ana, "calcular", {"Concepto.1.RetencionISR": "diez"})
    assert "se encontró «diez»" in messages(ana, "Concepto.1.RetencionISR").lower()
    assert ana.page is not None
    assert "«diez»" in ana.page.get_element_by_id("totals").text_content()


def test_document_of_the_editor_passes_to_the_form_and_back(app: CancellationApp, ana: Visitor) -> None:
    ana.get("/portal/timbrar?ejemplo=leyendasfiscales")
    addenda = '<cfdi:Addenda><p:Pedido xmlns:p="urn:p" numero="7"><p:Nota>ñ</p:Nota></p:Pedido></cfdi:Addenda>'
    text = examples.DOCUMENTS["leyendasfiscales"].make(fecha=app.fecha)
    text = text.replace("</cfdi:Comprobante>", f"{addenda}</cfdi:Comprobante>")
    assert ana.page is not None
    (action,) = ana.page.xpath("//button[starts-with(@formaction, '/portal/nueva-factura/abrir')]/@formaction")

    ana.post(str(action), {"documento": text}, files=[("archivo", ("", b""))], csrf_token="")

    assert "Se conserva, aunque el formulario no lo muestra: leyendasFisc:LeyendasFiscales, Addenda." in ana.text
    uuid = send(ana, "timbrar", {"Folio": uuid4().hex[:12], "Fecha": ""})
    root = stored(app, uuid)
    assert root.find(".//{http://www.sat.gob.mx/leyendasFiscales}Leyenda") is not None
    assert root.findtext("{*}Addenda/{urn:p}Pedido[@numero='7']/{urn:p}Nota") == "ñ"


def test_document_that_the_form_cannot_show_stays_in_the_editor(app: CancellationApp, ana: Visitor) -> None:
    ana.get("/portal/timbrar?ejemplo=nomina12")
    assert ana.page is not None
    (action,) = ana.page.xpath("//button[starts-with(@formaction, '/portal/nueva-factura/abrir')]/@formaction")
    text = examples.DOCUMENTS["nomina12"].make(fecha=app.fecha)

    ana.post(str(action), {"documento": text}, files=[("archivo", ("", b""))], csrf_token="")

    assert "CFDI 4.0 de ingreso y de egreso" in ana.text
    assert ana.page.xpath("//textarea[@name='documento']")


def test_taxes_that_the_form_cannot_show_are_kept(ana: Visitor) -> None:
    quota = {
        "Traslados": [{"Impuesto": "003", "TipoFactor": "Cuota", "TasaOCuota": "3.000000", "Base": "2"}],
    }
    kept = json.dumps({"Impuestos": quota, "CuentaPredial": [{"Numero": "1"}]})

    send(ana, "calcular", {**INVOICE, "Concepto.1.IVA": "conservar", "Concepto.1.conservado": kept})

    assert sums(ana) == {"Subtotal": "2,000.00", "IEPS Cuota 3.000000": "6.00", "Total MXN": "2,006.00"}


def test_hostile_fields_are_rejected(ana: Visitor) -> None:
    for fields in (
        {"conservado": "[]"},
        {"conservado": '{"Complemento": 5}'},
        {"Concepto.1.conservado": "{"},
        {"conceptos": "101"},
        {"Concepto.1.Descripcion": "x" * 1001},
    ):
        answer = ana.post(PATH, {**fields_of(ana), **fields, "accion": "calcular"})
        assert answer.status_code in (400, 422), fields
        ana.get(PATH)
    for fields in ({"conservado": '{"Complemento": {"a:b": 1}}'}, {"Concepto.1.RetencionISR": "1e99999"}):
        answer = ana.post(PATH, {**fields_of(ana), **INVOICE, **fields, "accion": "timbrar"})
        assert answer.status_code == 422, fields


def test_texts_are_escaped_and_inputs_have_their_attributes(ana: Visitor) -> None:
    texts = {"Receptor.Nombre": '"><script>alert(1)</script>', "CfdiRelacionados.UUID": "</textarea><script>"}

    send(ana, "revisar", {**INVOICE, **texts})

    assert ana.page is not None
    assert ana.page.xpath("//script[not(@src)]") == []
    assert {name: fields_of(ana)[name] for name in texts} == texts
    (rfc,) = ana.page.xpath("//input[@name='Receptor.Rfc']")
    assert (rfc.get("maxlength"), rfc.get("list")) == ("13", "customers")


def test_reader_has_no_form_and_an_operator_has(app: CancellationApp) -> None:
    users = app.container.get(account_services).accounts.users
    for name, role, status in (("lee@example.com", "reader", 404), ("opera@example.com", "operator", 200)):
        users.create(app.caller.account_id, name, "una contraseña larga", role)
        visitor = Visitor(app)
        visitor.sign_in(name)
        for path in (PATH, f"{PATH}/borradores", f"{PATH}/claves?campo=ClaveUnidad&q=pieza"):
            assert visitor.get(path).status_code == status, (name, path)
        assert visitor.post(PATH, {"accion": "calcular"}).status_code == status
        assert ("Nueva factura" in visitor.text) is (role == "operator")


def test_credit_note_of_an_invoice_is_stamped_by_the_form(app: CancellationApp, ana: Visitor) -> None:
    invoice = send(ana, "timbrar", {**INVOICE, "Folio": uuid4().hex[:12], "Fecha": ""})
    ana.get(f"/portal/facturas/{invoice}")
    assert ana.page is not None
    (link,) = ana.page.xpath("//a[normalize-space()='Nota de crédito']/@href")

    ana.get(str(link))
    uuid = send(ana, "timbrar", {"Concepto.1.Cantidad": "1", "FormaPago": "03"})

    root = stored(app, uuid)
    assert (root.get("TipoDeComprobante"), root.get("Total")) == ("E", "1160.00")
    (related,) = root.findall("{*}CfdiRelacionados")
    assert related.get("TipoRelacion") == "01"
    assert related[0].get("UUID", "").lower() == invoice
    answer = ana.get(f"{PATH}/de/{uuid}/pago")
    assert answer.status_code == 400
    assert ana.get(f"{PATH}/de/{invoice}/nada").status_code == 400


def test_invoice_that_the_form_cannot_show_is_derived_in_the_editor(app: CancellationApp, ana: Visitor) -> None:
    text = examples.DOCUMENTS["implocal"].make(fecha=app.fecha)
    (row,) = re.findall("<implocal:TrasladosLocales[^>]*>", text)
    invoice = app.issue(text.replace(row, row * 5).encode()).uuid.lower()

    answer = ana.get(f"{PATH}/de/{invoice}/duplicar")

    assert answer.headers["location"] == f"/portal/facturas/{invoice}/derivar/duplicar"


def test_local_taxes_and_quotas_are_computed_stamped_and_shown_again(app: CancellationApp, ana: Visitor) -> None:
    local = {"Local.1.Nombre": "ISH", "Local.1.Tasa": "3", "Local.2.Nombre": "Cedular", "Local.2.Tipo": "retenido"}
    local |= {"Local.2.Tasa": "1.5 %", "Local.2.Base": "500"}
    quota = {"Concepto.1.IEPSCuota": "3.0818", "Concepto.1.IEPSUnidades": "7.5"}
    send(ana, "calcular", {**INVOICE, "Folio": "L1", **local, **quota})
    expected = {
        "Subtotal": "2,000.00",
        "IVA 16 %": "323.70",
        "IEPS Cuota 3.081800": "23.11",
        "Cedular 1.50 %": "-7.50",
        "ISH 3.00 %": "60.00",
        "Total MXN": "2,399.31",
    }
    assert sums(ana) == expected

    uuid = send(ana, "timbrar")

    document = stored(app, uuid)
    complement = document.find("{*}Complemento/{*}ImpuestosLocales")
    assert complement is not None
    assert (complement.get("TotaldeTraslados"), complement.get("TotaldeRetenciones")) == ("60.00", "7.50")
    assert document.get("Total") == "2399.31"
    ana.get(f"{PATH}/de/{uuid}/duplicar")
    assert sums(ana) == expected
    fields = fields_of(ana)
    assert (fields["Local.1.Nombre"], fields["Local.1.Base"], fields["Local.2.Base"]) == ("Cedular", "500.00", "")
    assert (fields["Concepto.1.IEPSCuota"], fields["Concepto.1.IEPSBaseIVA"]) == ("3.0818", "si")


def test_quota_of_a_fuel_is_not_part_of_the_base_of_the_iva(ana: Visitor) -> None:
    quota = {"Concepto.1.IEPSCuota": "6.7001", "Concepto.1.ClaveProdServ": "15101514"}
    send(ana, "calcular", {**INVOICE, **quota})
    assert sums(ana)["IVA 16 %"] == "320.00"
    send(ana, "calcular", {"Concepto.1.IEPSBaseIVA": "si"})
    assert sums(ana)["IVA 16 %"] == "322.14"


def test_local_tax_that_is_not_complete_is_said_at_its_field(ana: Visitor) -> None:
    send(ana, "revisar", {**INVOICE, "Local.2.Nombre": "ISH"})
    assert "se esperaba un número" in messages(ana, "Local.2.Tasa")
    send(ana, "revisar", {**INVOICE, "Local.2.Nombre": "", "Local.2.Tasa": "2.555"})
    assert "el nombre del impuesto" in messages(ana, "Local.2.Nombre")


def test_global_invoice_of_this_month_is_filled_in(app: CancellationApp, ana: Visitor) -> None:
    ana.get(f"{PATH}?tipo=global")
    send(ana, "calcular", {"LugarExpedicion": "42501", "Emisor.RegimenFiscal": "601"})
    assert fields_of(ana)["Receptor.DomicilioFiscalReceptor"] == "42501"

    uuid = send(ana, "timbrar", {"Concepto.1.NoIdentificacion": "N-1", "Concepto.1.ValorUnitario": "500"})

    information = stored(app, uuid).find("{*}InformacionGlobal")
    assert information is not None
    assert {str(name): value for name, value in information.attrib.items()} == {
        "Periodicidad": "04",
        "Meses": "11",
        "Año": "2026",
    }


def test_key_of_confirmation_is_shown_when_the_document_has_one(ana: Visitor) -> None:
    answer = ana.post(PATH, {**fields_of(ana), **INVOICE, "Confirmacion": "ABC12", "accion": "revisar"})

    assert answer.status_code == 200
    assert fields_of(ana)["Confirmacion"] == "ABC12"
    assert "CFDI40128" in messages(ana, "Confirmacion")


def test_sign_in_without_a_home_page_leads_to_a_page_that_readers_have(app: CancellationApp) -> None:
    pages = [page for page in PAGES if page.path != "/portal"]
    portal = build(page_environment(app.container), app.container.groups, pages)

    async def location() -> str:
        async with AsyncClient(transport=ASGITransport(app=portal), base_url="http://testserver") as client:
            return (await client.get("/portal")).headers["location"]

    assert asyncio.run(location()) == "/portal/facturas"
