"""Stamping and validation of CFDI de retenciones e información de pagos."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from lxml import etree
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra.cfdi.tfd import read_stamps
from timbra.core.errors import ServiceError
from timbra.examples import DOCUMENTS, ROBOTICA, ingreso, retencion
from timbra.examples.codes.nodos import UNLISTED
from timbra.examples.retenciones20 import BY_NAME, NAMESPACE, SCHEMA
from timbra.examples.tree import ExampleNode
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampResult
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntry

RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"

RETENCIONES = DocumentKind.RETENCIONES
OLD = (
    b'<retenciones:Retenciones xmlns:retenciones="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.0"'
    b' Sello="" NumCert="" Cert="" CveRetenc="01"/>'
)
NAMES = [name for name in DOCUMENTS if name.startswith("retencion")]


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("retenciones") / "data")
    sandbox_app.store(sandbox_app.mint())
    yield sandbox_app
    sandbox_app.container.close()


def document(changes: dict[str, str | ExampleNode | None] | None = None) -> bytes:
    return retencion(changes, fecha=FECHA).encode()


def issued(sandbox_app: SandboxApp, xml: bytes) -> StampResult:
    return sandbox_app.issue(xml, kind=RETENCIONES)


def findings(sandbox_app: SandboxApp, xml: bytes) -> list[ReportEntry]:
    validation = sandbox_app.container.get(validation_services).validation
    return asyncio.run(validation.validate(xml, with_status=True)).entries


@pytest.mark.parametrize("name", NAMES)
def test_issue_stamps_every_example_document(sandbox_app: SandboxApp, name: str) -> None:
    result = issued(sandbox_app, DOCUMENTS[name].make("2.0", FECHA).encode())
    root = etree.fromstring(result.cfdi.encode())
    (stamp,) = read_stamps(root)
    assert (stamp.uuid, stamp.sello_cfd) == (result.uuid, root.get("Sello"))
    assert findings(sandbox_app, result.cfdi.encode()) == []


def test_stamp_stores_the_document_with_its_kind(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(retencion({"@FolioInt": "A7"}, fecha=FECHA), sandbox_app.mint())
    result = sandbox_app.stamp(sealed, kind=RETENCIONES)
    record = sandbox_app.container.get(stamping_services).stamps.by_uuid(result.uuid)
    assert record is not None
    assert (record.version, record.kind, record.folio, record.total) == ("2.0", "R", "A7", "1000.00")
    assert (record.issuer_rfc, record.receiver_rfc) == ("EKU9003173C9", "CACX7605101P8")
    assert record.cfdi == result.cfdi.encode()


def test_stamp_keeps_addenda_after_the_complement(sandbox_app: SandboxApp) -> None:
    addenda = ExampleNode("retenciones:Addenda", children=[ExampleNode("nota", text="Nota")])
    root = etree.fromstring(issued(sandbox_app, document({"@FolioInt": "AD1", "Addenda": addenda})).cfdi.encode())
    assert [etree.QName(child).localname for child in root][-2:] == ["Complemento", "Addenda"]


def test_verification_query_has_rfc_and_total(sandbox_app: SandboxApp) -> None:
    result = issued(sandbox_app, document({"@FolioInt": "QR1"}))
    expected = f"?id={result.uuid}&re=EKU9003173C9&rr=CACX7605101P8&tt=1000.0&fe="
    assert result.verification_query.text.startswith(expected)


def test_verification_query_has_the_tax_id_of_a_foreigner(sandbox_app: SandboxApp) -> None:
    xml = BY_NAME["pagosaextranjeros"]({"@FolioInt": "QR2"}, fecha=FECHA).encode()
    assert "&nr=123456789&tt=1000.0&" in issued(sandbox_app, xml).verification_query.text


@pytest.mark.parametrize("issue", [True, False])
def test_stamp_rejects_a_cfdi(sandbox_app: SandboxApp, issue: bool) -> None:
    error = sandbox_app.rejection(ingreso(fecha=FECHA).encode(), issue=issue, kind=RETENCIONES)
    assert error.code == "TB4020"


@pytest.mark.parametrize("issue", [True, False])
def test_stamp_of_cfdi_rejects_a_retencion(sandbox_app: SandboxApp, issue: bool) -> None:
    assert sandbox_app.rejection(document(), issue=issue).code == "TB4021"


@pytest.mark.parametrize("changed", [document().replace(b'Version="2.0"', b'Version="2.1"'), b"<a/>"])
def test_stamp_rejects_another_version_and_another_document(sandbox_app: SandboxApp, changed: bytes) -> None:
    assert b'Version="2.0"' not in changed
    error = sandbox_app.rejection(changed, kind=RETENCIONES)
    assert (error.code, "Se timbran Retenciones 2.0" in str(error.detail)) == ("T301", True)


def test_stamp_rejects_retenciones_10(sandbox_app: SandboxApp) -> None:
    assert sandbox_app.rejection(OLD, kind=RETENCIONES).code == "TB4022"


REJECTED: dict[str, dict[str, str | ExampleNode | None]] = {
    "T301": {"Totales/@MontoTotGrav": "mil"},
    "Reten20126": {"Periodo/@Ejercicio": "2020"},
    "Reten20105": {"@CveRetenc": "99"},
    "Reten20103": {"@FechaExp": "ayer"},
    "TB4023": {
        "@FolioInt": "CO1",
        "@xmlns:leyendasFisc": "http://www.sat.gob.mx/leyendasFiscales",
        "@xsi:schemaLocation": (
            "http://www.sat.gob.mx/esquemas/retencionpago/2"
            " http://www.sat.gob.mx/esquemas/retencionpago/2/retencionpagov2.xsd"
            " http://www.sat.gob.mx/leyendasFiscales"
            " http://www.sat.gob.mx/sitio_internet/cfd/leyendasFiscales/leyendasFisc.xsd"
        ),
        "Complemento": ExampleNode(
            "retenciones:Complemento",
            children=[
                ExampleNode(
                    "leyendasFisc:LeyendasFiscales",
                    {"version": "1.0"},
                    [ExampleNode("leyendasFisc:Leyenda", {"textoLeyenda": "Leyenda"})],
                )
            ],
        ),
    },
}


@pytest.mark.parametrize("code", REJECTED)
def test_issue_rejects_with_the_code_of_the_cause(sandbox_app: SandboxApp, code: str) -> None:
    error = sandbox_app.rejection(document(REJECTED[code]), issue=True, kind=RETENCIONES)
    assert error.code == code
    assert error.detail


def test_issue_rejects_bytes_that_are_not_xml(sandbox_app: SandboxApp) -> None:
    assert sandbox_app.rejection(b"<a", issue=True, kind=RETENCIONES).code == "T301"


def test_stamp_rejects_a_changed_document(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(document().decode(), sandbox_app.mint())
    error = sandbox_app.rejection(with_attribute(sealed, "FolioInt", "2"), kind=RETENCIONES)
    assert error.code == "Reten20101"
    assert (error.detail or "").startswith("CadenaOriginal: ||2.0|")


def test_stamp_rejects_the_certificate_of_another_taxpayer(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(document().decode(), sandbox_app.mint(ROBOTICA.rfc))
    assert sandbox_app.rejection(sealed, kind=RETENCIONES).code == "T303"


def test_stamp_rejects_an_old_document(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(retencion(fecha="2026-11-14T10:00:00"), sandbox_app.mint())
    error = sandbox_app.rejection(sealed, kind=RETENCIONES)
    assert error.code == "T401"
    assert "hora de LugarExpRetenc 42501" in (error.detail or "")


def test_stamp_rejects_an_efirma(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(document().decode(), sandbox_app.mint(kind=CertificateKind.EFIRMA))
    assert sandbox_app.rejection(sealed, kind=RETENCIONES).code == "T305"


def test_stamp_rejects_an_expired_certificate(sandbox_app: SandboxApp) -> None:
    ended = sandbox_app.now - timedelta(days=2)
    sealed = sandbox_app.sealed(document().decode(), sandbox_app.mint(valid_to=ended))
    assert sandbox_app.rejection(sealed, kind=RETENCIONES).code == "T305"


def test_stamp_of_a_stamped_document_returns_the_earlier_stamp(sandbox_app: SandboxApp) -> None:
    first = issued(sandbox_app, document({"@FolioInt": "D1"}))
    error = sandbox_app.rejection(first.cfdi.encode(), kind=RETENCIONES)
    assert error.code == "T307"
    assert isinstance(error.data, StampResult)
    assert error.data.uuid == first.uuid


def test_stamp_of_the_same_seal_returns_the_earlier_stamp(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(retencion({"@FolioInt": "D2"}, fecha=FECHA), sandbox_app.mint())
    first = sandbox_app.stamp(sealed, kind=RETENCIONES)
    error = sandbox_app.rejection(sealed, kind=RETENCIONES)
    assert error.code == "T307"
    assert isinstance(error.data, StampResult)
    assert error.data.cfdi == first.cfdi


def test_issue_needs_a_csd_of_the_issuer(sandbox_app: SandboxApp) -> None:
    xml = retencion(fecha=FECHA, issuer=UNLISTED).encode()
    assert sandbox_app.rejection(xml, issue=True, kind=RETENCIONES).code == "csd-missing"


def test_validate_reports_every_finding(sandbox_app: SandboxApp) -> None:
    changes: dict[str, str | ExampleNode | None] = {"Periodo/@Ejercicio": "2020", "Totales/@MontoTotRet": "1.00"}
    sealed = sandbox_app.sealed(retencion(changes, fecha=FECHA), sandbox_app.mint())
    assert [entry.code for entry in findings(sandbox_app, sealed)] == ["Reten20126", "Reten20131", "SIN-TIMBRE"]


@pytest.mark.parametrize(
    ("with_status", "stamped", "status"),
    [(False, True, "No Aplica"), (True, False, "No Encontrado"), (True, True, "Vigente")],
)
def test_validate_queries_the_status_of_a_stamp(
    sandbox_app: SandboxApp, with_status: bool, stamped: bool, status: str
) -> None:
    xml = document({"@FolioInt": f"S{with_status}{stamped}"})
    sent = issued(sandbox_app, xml).cfdi.encode() if stamped else sandbox_app.sealed(xml.decode(), sandbox_app.mint())
    validation = sandbox_app.container.get(validation_services).validation
    report = asyncio.run(validation.validate(sent, with_status=with_status))
    assert (report.version, report.status_sat) == ("2.0", status)


@pytest.mark.parametrize("tax_id", ["123456789", None])
def test_validate_queries_the_status_of_a_foreigner_by_its_tax_id(sandbox_app: SandboxApp, tax_id: str | None) -> None:
    changes = {"@FolioInt": f"F{tax_id}", "Receptor/Extranjero/@NumRegIdTribR": tax_id}
    xml = issued(sandbox_app, BY_NAME["pagosaextranjeros"](changes, fecha=FECHA).encode()).cfdi.encode()
    validation = sandbox_app.container.get(validation_services).validation
    assert asyncio.run(validation.validate(xml, with_status=True)).status_sat == "Vigente"
    other = (
        with_attribute(xml, "NumRegIdTribR", "9")
        if tax_id
        else xml.replace(b"<retenciones:Extranjero", b'<retenciones:Extranjero NumRegIdTribR="9"')
    )
    assert asyncio.run(validation.validate(other, with_status=True)).status_sat == "No Encontrado"


def test_validate_reports_a_structure_fault(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(document().decode(), sandbox_app.mint())
    found = findings(sandbox_app, with_attribute(sealed, "MontoTotGrav", "mil"))
    assert "T301" in [entry.code for entry in found]
    assert "Reten20101" in [entry.code for entry in found]


def test_validate_rejects_another_version(sandbox_app: SandboxApp) -> None:
    other = OLD.replace(b'Version="1.0"', b'Version="3.0"')
    with pytest.raises(ServiceError) as caught:
        asyncio.run(sandbox_app.container.get(validation_services).validation.validate(other, with_status=False))
    assert caught.value.code == "T301"


def test_stamp_rejects_planes_de_retiro_10(sandbox_app: SandboxApp) -> None:
    space = f"{RETENCIONES1}/planesderetiro"
    yes_or_no = {"SistemaFinanc": "SI", "HuboRetirosAnioInmAntPer": "NO", "HuboRetirosAnioInmAnt": "NO"}
    plan = ExampleNode(
        "planesderetiro:Planesderetiro", {"Version": "1.0", "MontIntRealesDevengAniooInmAnt": "1", **yes_or_no}
    )
    changes: dict[str, str | ExampleNode | None] = {
        "@FolioInt": "P10",
        "@xmlns:planesderetiro": space,
        "@xsi:schemaLocation": f"{NAMESPACE} {SCHEMA} {space} {space}/planesderetiro.xsd",
        "Complemento": ExampleNode("retenciones:Complemento", children=[plan]),
    }
    assert sandbox_app.rejection(document(changes), issue=True, kind=RETENCIONES).code == "TB4023"


def test_authority_knows_delivered_retenciones(sandbox_app: SandboxApp) -> None:
    result = issued(sandbox_app, document({"@FolioInt": "L1"}))
    entry = sandbox_app.container.get(sandbox_services).ledger.inspect(result.uuid).document
    assert (entry.kind, entry.total) == ("R", "1000.00")
