"""Complements without a schema: a warning in a report, a refusal of the stamp; in the invoice and in a Concepto."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.support.desk import FECHA, Desk

from timbra.examples import DOCUMENTS, Change, Node, ingreso, ingreso33
from timbra.examples.comprobante import CFDI33, CFDI40, Standard, with_schema
from timbra.examples.pagos20 import NAMESPACE, SCHEMA
from timbra.service.example import ExampleSealer
from timbra.service.report import EntryKind, Report

UNKNOWN = Node("n:Nuevo", {"Version": "1.0"})
LATER = Node("pago20:Pagos", {"Version": "2.1"})
DECLARED = {"n": ("urn:nuevo", "http://www.sat.gob.mx/nuevo.xsd"), "pago20": (NAMESPACE, SCHEMA)}
PLACES = {
    "Complemento": "cfdi:Complemento",
    "Conceptos/Concepto/ComplementoConcepto": "cfdi:ComplementoConcepto",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("complements") / "data")
    desk.store(desk.mint())
    yield desk
    desk.house.close()


def holding(place: str, complement: Node, standard: Standard = CFDI40) -> dict[str, Change]:
    prefix = complement.name.partition(":")[0]
    namespace, location = DECLARED[prefix]
    return {
        f"@xmlns:{prefix}": namespace,
        "@xsi:schemaLocation": with_schema(namespace, location, standard),
        place: Node(PLACES[place], children=[complement]),
    }


def report(desk: Desk, text: str) -> Report:
    sealed = ExampleSealer(desk.house.authority_ca, desk.house.tools).seal(text)
    return asyncio.run(desk.house.validation.validate(sealed, with_status=False))


every_case = pytest.mark.parametrize(
    ("place", "complement", "name"),
    [(place, node, name) for place in PLACES for node, name in ((UNKNOWN, "Nuevo 1.0"), (LATER, "Pagos 2.1"))],
)


@every_case
def test_stamping_refuses_it(desk: Desk, place: str, complement: Node, name: str) -> None:
    refusal = desk.refusal(ingreso(holding(place, complement), fecha=FECHA).encode(), issue=True)
    assert refusal.code == "301"
    assert f"No se conoce el complemento {name}. " in (refusal.detail or "")
    assert place.rpartition("/")[2] in (refusal.detail or "")


@every_case
def test_validation_warns_of_it(desk: Desk, place: str, complement: Node, name: str) -> None:
    for text in (ingreso(holding(place, complement), fecha=FECHA), ingreso33(holding(place, complement, CFDI33))):
        found = report(desk, text)
        warnings = [entry for entry in found.entries if entry.kind is EntryKind.WARNING]
        assert any("No hay esquema" in (entry.detail or "") for entry in warnings)
        assert [entry for entry in found.entries if entry.kind is EntryKind.ERROR] == []


@pytest.mark.parametrize("invoice", ["4.0", "3.3"])
def test_a_complement_without_a_book_has_its_structure_judged(desk: Desk, invoice: str) -> None:
    text = DOCUMENTS["divisas"].make(invoice, FECHA if invoice == "4.0" else None)
    (entry,) = [entry for entry in report(desk, text.replace("compra", "trueque")).entries if entry.code == "301"]
    assert "tipoOperacion" in (entry.path or "") + (entry.detail or "")
