"""Cancellation of CFDI of hydrocarbons and fuel: since 2026 by express acceptance only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cancellation_app import RECEIVER, CancellationApp
from tests.support.sandbox_support import PARSER, stamped

from timbra import examples
from timbra.examples.hidroypetro10 import permit
from timbra.examples.tree import ExampleNode
from timbra.sandbox.authority.ledger.document_index import index_document
from timbra.sandbox.build import sandbox_services

WAITING = ("Vigente", "Cancelable con aceptación", "En proceso")
REJECTED = ("Vigente", "Cancelable con aceptación", "Solicitud rechazada")
GAS = "15111510"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancellationApp:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("template") / "data")
    sandbox_app.container.close()
    return sandbox_app


@pytest.fixture(params=["working-days", "72h"])
def sandbox_app(request: pytest.FixtureRequest, template: CancellationApp, tmp_path: Path) -> Iterator[CancellationApp]:
    sandbox_app = template.copied(tmp_path / "data", cancellation_term=request.param)
    yield sandbox_app
    sandbox_app.container.close()


def fuel(sandbox_app: CancellationApp) -> str:
    return sandbox_app.issue(examples.gasolina(fecha=sandbox_app.fecha).encode()).uuid


def test_fuel_waits_for_an_answer_however_long_the_receiver_is_silent(sandbox_app: CancellationApp) -> None:
    uuid = fuel(sandbox_app)
    assert sandbox_app.status(uuid).cancelable == "Cancelable con aceptación"
    assert sandbox_app.cancel(uuid) == "201"
    assert sandbox_app.state(uuid) == WAITING
    sandbox_app.advance("400d")
    assert sandbox_app.container.get(sandbox_services).ledger.settle() == 0
    assert sandbox_app.state(uuid) == WAITING
    assert sandbox_app.cancel(uuid) == "202"
    assert sandbox_app.answer(uuid, "Aceptacion") == "1000"
    assert sandbox_app.state(uuid)[2] == "Cancelado con aceptación"
    assert sandbox_app.history(uuid) == ["requested", "accepted"]


def test_fuel_that_the_receiver_rejects_may_be_requested_again(sandbox_app: CancellationApp) -> None:
    uuid = fuel(sandbox_app)
    assert sandbox_app.cancel(uuid) == "201"
    assert sandbox_app.answer(uuid, "Rechazo") == "1000"
    assert sandbox_app.state(uuid) == REJECTED
    assert sandbox_app.cancel(uuid) == "201"
    assert sandbox_app.state(uuid) == WAITING


def test_automatic_reply_of_the_receiver_is_an_express_answer(sandbox_app: CancellationApp) -> None:
    uuid = fuel(sandbox_app)
    sandbox_app.container.get(sandbox_services).cancellation_service.scripts.set(RECEIVER, "accept", "10d")
    assert sandbox_app.cancel(uuid) == "201"
    sandbox_app.advance("9d")
    assert sandbox_app.state(uuid) == WAITING
    sandbox_app.advance("1d")
    assert sandbox_app.state(uuid)[2] == "Cancelado con aceptación"


def test_other_invoices_keep_their_term(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    assert sandbox_app.cancel(uuid) == "201"
    sandbox_app.advance("10d")
    assert sandbox_app.state(uuid)[2] == "Plazo vencido"


def concept(product: str, *complements: ExampleNode) -> ExampleNode:
    line = examples.concepto({"@ClaveProdServ": product})
    if complements:
        line.children.append(ExampleNode("cfdi:ComplementoConcepto", children=list(complements)))
    return line


@pytest.mark.parametrize(
    ("line", "is_fuel"),
    [
        (concept("15101505"), True),
        (concept("15101514"), True),
        (concept("15101515"), True),
        (concept(GAS), False),
        (concept(GAS, permit({"@ClaveHYP": GAS})), True),
        (concept("50211503"), False),
    ],
)
def test_fuel_is_known_by_product_or_by_complement(line: ExampleNode, is_fuel: bool) -> None:
    space = {"@xmlns:hidrocarburospetroliferos": "http://www.sat.gob.mx/hidrocarburospetroliferos"}
    xml = stamped(examples.ingreso({"@Sello": "YmFzZTY0", **space}, concepts=[line]))
    assert index_document(PARSER.parse(xml)).fuel is is_fuel
