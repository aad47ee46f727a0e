"""Complements without a schema: a warning in a report, a rejection of the stamp; in the invoice and in a Concepto."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.examples import DOCUMENTS, Change, ExampleNode, ingreso, ingreso33
from timbra.examples.comprobante import CFDI33, CFDI40, ExampleStandard, with_schema
from timbra.examples.pagos20 import NAMESPACE, SCHEMA
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.example_sealing import ExampleSealer
from timbra.stamping.build import stamping_services
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntryKind, ValidationReport

UNKNOWN = ExampleNode("n:Nuevo", {"Version": "1.0"})
LATER = ExampleNode("pago20:Pagos", {"Version": "2.1"})
DECLARED = {"n": ("urn:nuevo", "http://www.sat.gob.mx/nuevo.xsd"), "pago20": (NAMESPACE, SCHEMA)}
PLACES = {
    "Complemento": "cfdi:Complemento",
    "Conceptos/Concepto/ComplementoConcepto": "cfdi:ComplementoConcepto",
}


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("complements") / "data")
    sandbox_app.store(sandbox_app.mint())
    yield sandbox_app
    sandbox_app.container.close()


def document_with(place: str, complement: ExampleNode, standard: ExampleStandard = CFDI40) -> dict[str, Change]:
    prefix = complement.name.partition(":")[0]
    namespace, location = DECLARED[prefix]
    return {
        f"@xmlns:{prefix}": namespace,
        "@xsi:schemaLocation": with_schema(namespace, location, standard),
        place: ExampleNode(PLACES[place], children=[complement]),
    }


def report(sandbox_app: SandboxApp, text: str) -> ValidationReport:
    sealed = ExampleSealer(
        sandbox_app.container.get(sandbox_services).authority_ca, sandbox_app.container.get(stamping_services).checks
    ).seal(text)
    return asyncio.run(sandbox_app.container.get(validation_services).validation.validate(sealed, with_status=False))


every_case = pytest.mark.parametrize(
    ("place", "complement", "name"),
    [(place, node, name) for place in PLACES for node, name in ((UNKNOWN, "Nuevo 1.0"), (LATER, "Pagos 2.1"))],
)


@every_case
def test_stamp_rejects_unknown_complement(
    sandbox_app: SandboxApp, place: str, complement: ExampleNode, name: str
) -> None:
    rejection = sandbox_app.rejection(ingreso(document_with(place, complement), fecha=FECHA).encode(), issue=True)
    assert rejection.code == "301"
    assert f"No se conoce el complemento {name}. " in (rejection.detail or "")
    assert place.rpartition("/")[2] in (rejection.detail or "")


@every_case
def test_validate_reports_unknown_complement_as_error_when_it_is_to_be_stamped(
    sandbox_app: SandboxApp, place: str, complement: ExampleNode, name: str
) -> None:
    found = report(sandbox_app, ingreso(document_with(place, complement), fecha=FECHA))
    (entry,) = [entry for entry in found.entries if entry.kind is ReportEntryKind.ERROR]
    assert entry.code == "301"
    assert f"No hay esquema para el complemento {name}: " in (entry.detail or "")


@every_case
def test_validate_warns_of_unknown_complement_in_earlier_version(
    sandbox_app: SandboxApp, place: str, complement: ExampleNode, name: str
) -> None:
    found = report(sandbox_app, ingreso33(document_with(place, complement, CFDI33)))
    warnings = [entry for entry in found.entries if entry.kind is ReportEntryKind.WARNING]
    assert any(f"No hay esquema para el complemento {name}: " in (entry.detail or "") for entry in warnings)
    assert [entry for entry in found.entries if entry.kind is ReportEntryKind.ERROR] == []


@pytest.mark.parametrize("invoice", ["4.0", "3.3"])
def test_validate_checks_structure_of_complement_without_rule_set(sandbox_app: SandboxApp, invoice: str) -> None:
    text = DOCUMENTS["divisas"].make(invoice, FECHA if invoice == "4.0" else None)
    (entry,) = [
        entry for entry in report(sandbox_app, text.replace("compra", "trueque")).entries if entry.code == "301"
    ]
    assert "tipoOperacion" in (entry.path or "") + (entry.detail or "")
