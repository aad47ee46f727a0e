"""Twelve typical mistakes of an accountant: each is said at its field, and following what it says ends in a stamp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from tests.invoices.test_form import INVOICE, PATH, messages, send, stored
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp


@dataclass(frozen=True)
class Mistake:
    """A mistake in the form.

    Attributes:
        wrong: fields with the mistake.
        at: the field at which the page says it.
        says: what the sentence contains.
        follows: what an accountant does after reading it; a button that the page offers when it is a text.
    """

    name: str
    wrong: dict[str, str]
    at: str
    says: tuple[str, ...]
    follows: dict[str, str] | str = field(default_factory=dict)


GLOBAL = {
    "Receptor.Rfc": "XAXX010101000",
    "Receptor.Nombre": "PUBLICO EN GENERAL",
    "Receptor.DomicilioFiscalReceptor": "42501",
    "Receptor.RegimenFiscalReceptor": "616",
    "Receptor.UsoCFDI": "S01",
    "FormaPago": "01",
    "Concepto.1.ClaveProdServ": "01010101",
    "Concepto.1.ClaveUnidad": "ACT",
    "Concepto.1.Descripcion": "Venta",
    "Concepto.1.NoIdentificacion": "T-1",
    "Concepto.1.Cantidad": "1",
}
MISTAKES = (
    Mistake(
        "a regime of persons for a company",
        {"Receptor.RegimenFiscalReceptor": "612", "Receptor.UsoCFDI": "G03"},
        "Receptor.RegimenFiscalReceptor",
        ("un régimen de una persona moral", "CFDI40158"),
        {"Receptor.RegimenFiscalReceptor": "601"},
    ),
    Mistake(
        "régimen de capital in the name",
        {"Receptor.Nombre": "UNIVERSIDAD ROBOTICA ESPAÑOLA SA DE CV"},
        "Receptor.Nombre",
        ("UNIVERSIDAD ROBOTICA ESPAÑOLA", "sin el régimen de capital"),
        "usar:Receptor.Nombre:UNIVERSIDAD ROBOTICA ESPAÑOLA",
    ),
    Mistake(
        "the postal code of the delivery",
        {"Receptor.DomicilioFiscalReceptor": "01000"},
        "Receptor.DomicilioFiscalReceptor",
        ("se esperaba 86991", "Constancia de Situación Fiscal"),
        "usar:Receptor.DomicilioFiscalReceptor:86991",
    ),
    Mistake(
        "a use of persons for a company",
        {"Receptor.UsoCFDI": "D01"},
        "Receptor.UsoCFDI",
        ("un uso que aplique al tipo de persona", "CFDI40161"),
        {"Receptor.UsoCFDI": "G03"},
    ),
    Mistake(
        "a key of products that does not exist",
        {"Concepto.1.ClaveProdServ": "99999999"},
        "Concepto.1.ClaveProdServ",
        ("No es una clave vigente de productos y servicios", "CFDI40162"),
        {"Concepto.1.ClaveProdServ": "84111506"},
    ),
    Mistake(
        "a discount larger than the amount",
        {"Concepto.1.Descuento": "2500"},
        "Concepto.1.Descuento",
        ("mayor que el importe", "2,000.00"),
        {"Concepto.1.Descuento": "250"},
    ),
    Mistake(
        "a taxed line without a tax",
        {"Concepto.1.IVA": ""},
        "Concepto.1.IVA",
        ("objeto de impuesto (02) y no tiene ninguno", "CFDI40171"),
        {"Concepto.1.IVA": "0.160000"},
    ),
    Mistake(
        "one payment that is not defined",
        {"FormaPago": "99"},
        "FormaPago",
        ("Con PUE elija la forma en que se paga", "PPD"),
        {"MetodoPago": "PPD"},
    ),
    Mistake(
        "the general public without the period",
        GLOBAL,
        "InformacionGlobal.Periodicidad",
        ("elija la periodicidad, el mes y el año",),
        {"InformacionGlobal.Periodicidad": "01", "InformacionGlobal.Meses": "11", "InformacionGlobal.Año": "2026"},
    ),
    Mistake(
        "dollars without their rate",
        {"Moneda": "USD"},
        "TipoCambio",
        ("Escriba el tipo de cambio", "CFDI40115"),
        {"TipoCambio": "18.5"},
    ),
    Mistake(
        "a relation to nothing",
        {"CfdiRelacionados.TipoRelacion": "02"},
        "CfdiRelacionados.UUID",
        ("folio fiscal (UUID)",),
        {"CfdiRelacionados.UUID": str(uuid4())},
    ),
    Mistake(
        "a place of issue that does not exist",
        {"LugarExpedicion": "00001"},
        "LugarExpedicion",
        ("No es un código postal vigente", "CFDI40126"),
        {"LugarExpedicion": "42501"},
    ),
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


def test_mistake_is_said_at_its_field_and_its_correction_is_stamped(app: CancellationApp) -> None:
    ana = Visitor(app)
    ana.sign_in("ana@example.com")
    assert len(MISTAKES) == 12
    for mistake in MISTAKES:
        ana.get(PATH)
        assert send(ana, "timbrar", {**INVOICE, "Folio": uuid4().hex[:12], **mistake.wrong}) == "", mistake.name
        said = messages(ana, mistake.at)
        for words in mistake.says:
            assert words in said, (mistake.name, said)
        if isinstance(mistake.follows, str):
            assert ana.page is not None
            assert ana.page.xpath("//button[@value=$value]", value=mistake.follows), mistake.name
            send(ana, mistake.follows)
            uuid = send(ana, "timbrar")
        else:
            uuid = send(ana, "timbrar", mistake.follows)
        assert uuid, (mistake.name, ana.text[:3000])
        assert stored(app, uuid).tag.endswith("Comprobante")
