"""Drafts, and the customers, products and issuers that an account remembers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.invoices.test_form import INVOICE, LINE, PATH, fields_of, send
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp

from timbra.invoices.services import InvoiceServices
from timbra.invoices.store import InvoiceRepository
from timbra.web.injection import Groups


@pytest.fixture
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.account("bea@example.com")
    yield made
    made.container.close()


@pytest.fixture
def repository(app: CancellationApp) -> InvoiceRepository:
    groups: Groups = app.container.groups
    services: InvoiceServices = groups[InvoiceServices]()
    return services.repository


def signed_in(app: CancellationApp, user: str = "ana@example.com") -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in(user)
    visitor.get(PATH)
    return visitor


def test_draft_is_saved_listed_opened_and_deleted_by_its_stamp(app: CancellationApp) -> None:
    ana = signed_in(app)
    answer = ana.post(PATH, {**fields_of(ana), **INVOICE, "accion": "guardar"})
    location = answer.headers["location"]
    assert location == f"{PATH}/borradores/1?aviso=guardado"

    bea = signed_in(app, "bea@example.com")
    assert bea.get(location).status_code == 404
    bea.get(PATH)
    bea.post(f"{PATH}/borradores/1/eliminar", {})
    ana.get(f"{PATH}/borradores")
    assert "URE180429TM6 UNIVERSIDAD ROBOTICA ESPAÑOLA" in ana.text
    assert "2,320.00 MXN" in ana.text

    ana.get(location)
    assert fields_of(ana)["Concepto.1.Descripcion"] == LINE["Concepto.1.Descripcion"]
    assert send(ana, "timbrar")
    ana.get(f"{PATH}/borradores")
    assert "No hay borradores" in ana.text
    assert ana.get(location).status_code == 404


def test_draft_that_is_saved_again_stays_one_and_is_deleted_by_its_button(
    app: CancellationApp, repository: InvoiceRepository
) -> None:
    ana = signed_in(app)
    for folio in ("1", "2"):
        answer = ana.post(PATH, {**fields_of(ana), **INVOICE, "Folio": folio, "accion": "guardar"})
        ana.get(answer.headers["location"])
    assert [draft.number for draft in repository.drafts(app.caller.account_id)] == [1]
    assert fields_of(ana)["Folio"] == "2"

    ana.post(f"{PATH}/borradores/1/eliminar", {})

    assert repository.drafts(app.caller.account_id) == []


def test_next_invoice_has_issuer_folio_customer_and_product_of_the_last_one(app: CancellationApp) -> None:
    ana = signed_in(app)
    assert send(ana, "timbrar", {**INVOICE, "Serie": "A", "Folio": "0099"})

    ana.get(PATH)
    fields = fields_of(ana)
    assert (fields["Serie"], fields["Folio"], fields["LugarExpedicion"]) == ("A", "0100", "42501")
    assert fields["Emisor.RegimenFiscal"] == "601"
    send(ana, "calcular", {"Receptor.Rfc": "URE180429TM6", "Concepto.1.Descripcion": "Servicio de facturación"})
    fields = fields_of(ana)
    assert fields["Receptor.DomicilioFiscalReceptor"] == "86991"
    assert fields["Concepto.1.ClaveProdServ"] == "84111506"
    assert fields["Concepto.1.ValorUnitario"] == "1000.00"
    assert send(ana, "timbrar", {"FormaPago": "03"})

    ana.get(f"{PATH}/borradores")
    ana.post(f"{PATH}/borradores/olvidar", {"tipo": "customer", "clave": "URE180429TM6"})
    ana.get(f"{PATH}/borradores")
    assert "URE180429TM6" not in ana.text
