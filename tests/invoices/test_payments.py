"""Payments of open invoices: balances, parts, and what is rejected."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select, update
from tests.invoices.test_form import INVOICE, PATH, send, stored
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp

from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.database.build import opened_database
from timbra.database.tables.stamps import STAMP

PAYMENTS = f"{PATH}/pagos"
TERMS = {"rfc": "URE180429TM6", "FechaPago": "2026-11-17T10:00", "FormaDePagoP": "03"}
TAXES = {"Concepto.1.RetencionISR": "10", "Concepto.1.IEPS": "8"}
PAGOS = "{http://www.sat.gob.mx/Pagos20}"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


@pytest.fixture
def ana(app: CancellationApp) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    visitor.get(PATH)
    return visitor


def invoice(visitor: Visitor, folio: str, **changes: str) -> str:
    visitor.get(PATH)
    uuid = send(visitor, "timbrar", {**INVOICE, "MetodoPago": "PPD", "FormaPago": "99", "Folio": folio, **changes})
    assert uuid, visitor.text[:2000]
    return uuid


def pay(visitor: Visitor, **fields: str) -> str:
    visitor.get(f"{PAYMENTS}?rfc=URE180429TM6")
    answer = visitor.post(PAYMENTS, {**TERMS, "envio": "x", **fields})
    location = answer.headers.get("location", "")
    return location.partition("?")[0].rpartition("/")[2] if answer.status_code == 303 else ""


def balances(visitor: Visitor) -> dict[str, tuple[str, str]]:
    """Return balance and next instalment of each open invoice."""
    visitor.get(f"{PAYMENTS}?rfc=URE180429TM6")
    assert visitor.page is not None
    return {
        str(row.xpath("string(th/span)")): (str(row[3].text_content()), str(row[4].text_content()))
        for row in visitor.page.xpath("//tbody/tr")
    }


def test_invoice_is_paid_in_parts_until_it_has_no_balance(app: CancellationApp, ana: Visitor) -> None:
    first, second = invoice(ana, "P1"), invoice(ana, "P2", **TAXES)
    paid_at_once = invoice(ana, "P3", MetodoPago="PUE", FormaPago="03")
    assert balances(ana)[first] == ("2,320.00", "1")
    assert paid_at_once not in balances(ana)

    ana.get(f"/portal/facturas/{first}")
    assert ana.page is not None
    assert ana.page.xpath("//a[normalize-space()='Registrar pago']/@href") == [
        f"{PAYMENTS}?rfc=URE180429TM6&factura={first}"
    ]

    payment = pay(ana, **{f"pago.{first}": "1,000", f"pago.{second}": "333.33"})

    documents = stored(app, payment).findall(f".//{PAGOS}DoctoRelacionado")
    assert {each.get("IdDocumento"): (each.get("ImpPagado"), each.get("ImpSaldoInsoluto")) for each in documents} == {
        first: ("1000.00", "1320.00"),
        second: ("333.33", "1972.27"),
    }
    assert balances(ana)[first] == ("1,320.00", "2")
    last = pay(ana, **{f"pago.{first}": "1320.00", "NumOperacion": "77", "Serie": "P", "Folio": "2"})
    assert stored(app, last).find(f".//{PAGOS}Pago").get("NumOperacion") == "77"  # type: ignore[union-attr]
    assert first not in balances(ana)

    request = CancellationRequest("EKU9003173C9", last, "02")
    app.container.get(cancellation_services).cancelling.by_uuid(app.caller, request, "request")
    assert balances(ana)[first] == ("1,320.00", "2")


def test_dollars_are_paid_with_their_rate(app: CancellationApp, ana: Visitor) -> None:
    uuid = invoice(ana, "D1", Moneda="USD", TipoCambio="18.5")

    assert pay(ana, **{f"pago.{uuid}": "20"}) == ""
    assert "Escriba el tipo de cambio de USD" in ana.text
    assert ana.page is not None
    assert ana.page.xpath("//input[@id='TipoCambio.USD']/@aria-invalid") == ["true"]
    payment = pay(ana, **{f"pago.{uuid}": "20", "TipoCambio.USD": "18.75"})

    totals = stored(app, payment).find(f".//{PAGOS}Totales")
    assert totals is not None
    assert totals.get("MontoTotalPagos") == "375.00"


def test_invoices_of_several_currencies_are_paid_in_another_one(app: CancellationApp, ana: Visitor) -> None:
    dollars = invoice(ana, "M1", Moneda="USD", TipoCambio="18.5", **TAXES)
    euros, pesos = invoice(ana, "M2", Moneda="EUR", TipoCambio="20.1"), invoice(ana, "M3")
    fields = {f"pago.{dollars}": "1160", f"pago.{euros}": "33.33", f"pago.{pesos}": "1000"}

    assert pay(ana, **fields) == ""
    assert "elija en cuál se recibió el pago" in ana.text
    rates = {"TipoCambio.USD": "18.6", "TipoCambio.EUR": "20.123456"}
    payment = pay(ana, **fields, **rates, MonedaP="MXN")

    pago = stored(app, payment).find(f".//{PAGOS}Pago")
    assert pago is not None
    documents = {each.get("IdDocumento"): each for each in pago.iterfind(f"{PAGOS}DoctoRelacionado")}
    assert (pago.get("MonedaP"), pago.get("TipoCambioP"), pago.get("Monto")) == ("MXN", "1", "23246.71")
    assert [documents[uuid].get("EquivalenciaDR") for uuid in (dollars, euros, pesos)] == [
        "0.0537634409",
        "0.0496932535",
        "1.0000000000",
    ]
    assert documents[dollars].get("ImpPagado") == "1160.00"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"MonedaP": "USD"}, "Escriba el tipo de cambio de USD"),
        ({"MonedaP": "USD", "TipoCambio.USD": "0"}, "es un número mayor que cero"),
        ({"MonedaP": "USD", "TipoCambio.USD": "18.6", "Monto": "x"}, "Escriba un importe mayor que cero"),
        ({"MonedaP": "USD", "TipoCambio.USD": "18.6", "Monto": "5"}, "Monto debe cubrir la suma"),
        ({"MonedaP": "ZZZ", "TipoCambio.ZZZ": "18.6"}, "MonedaP"),
    ],
)
def test_payment_in_another_currency_says_what_is_wrong(ana: Visitor, fields: dict[str, str], sentence: str) -> None:
    uuid = invoice(ana, f"W{len(sentence)}")

    assert pay(ana, **{f"pago.{uuid}": "186"}, **fields) == ""
    assert sentence in ana.text


def test_invoice_in_pesos_is_paid_in_dollars(app: CancellationApp, ana: Visitor) -> None:
    uuid = invoice(ana, "D2")

    payment = pay(ana, **{f"pago.{uuid}": "186", "MonedaP": "USD", "TipoCambio.USD": "18.6", "Monto": "10.01"})

    pago = stored(app, payment).find(f".//{PAGOS}Pago")
    assert pago is not None
    assert (pago.get("TipoCambioP"), pago.get("Monto")) == ("18.6", "10.01")
    (document,) = pago.iterfind(f"{PAGOS}DoctoRelacionado")
    assert document.get("EquivalenciaDR") == "18.6000000000"


def test_payment_that_is_sent_twice_gets_one_stamp(ana: Visitor) -> None:
    uuid = invoice(ana, "T1")
    page = {f"pago.{uuid}": "100", "envio": "twice"}
    first = pay(ana, **page)

    assert pay(ana, **page) == first != ""
    assert balances(ana)[uuid] == ("2,220.00", "2")


@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        ("2320.01", "El saldo es de 2,320.00"),
        ("0", "mayor que cero"),
        ("1.001", "mayor que cero"),
        ("uno", "mayor que cero"),
        ("", "al menos una factura"),
    ],
)
def test_amount_that_cannot_be_paid_is_said(ana: Visitor, amount: str, sentence: str) -> None:
    uuid = invoice(ana, f"E{amount}"[:10])

    assert pay(ana, **{f"pago.{uuid}": amount}) == ""

    assert sentence in ana.text


def test_customer_with_too_many_documents_is_paid_in_the_editor(ana: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    uuid = invoice(ana, "M1")
    monkeypatch.setattr("timbra.invoices.payments.MOST_DOCUMENTS", 0)

    answer = ana.get(f"{PAYMENTS}?rfc=URE180429TM6&factura={uuid}")

    assert answer.status_code == 422
    assert "escriba el pago en el editor de XML" in ana.text
    assert ana.page is not None
    assert ana.page.xpath("//a/@href[contains(., 'derivar')]") == [f"/portal/facturas/{uuid}/derivar/pago"]


def test_damaged_payment_is_said_and_no_balance_is_shown(app: CancellationApp, ana: Visitor) -> None:
    uuid = invoice(ana, "P9")
    payment = pay(ana, **{f"pago.{uuid}": "320.00"})
    assert balances(ana)[uuid][0] == "2,000.00"
    database = app.container.get(opened_database)

    def store(content: bytes) -> None:
        with database.write() as connection:
            connection.execute(update(STAMP).where(STAMP.c.uuid == payment).values(cfdi=content))

    with database.read() as connection:
        sound = connection.execute(select(STAMP.c.cfdi).where(STAMP.c.uuid == payment)).scalar_one()
    store(b"\x01damaged")
    assert balances(ana) == {}
    assert f"Sin saldos: {payment}" in ana.text
    store(sound)
    assert balances(ana)[uuid][0] == "2,000.00"
