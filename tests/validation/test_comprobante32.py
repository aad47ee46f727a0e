"""Validation of CFDI 3.2 and CFD 2.2: structure, certificate, seal and stamp where the data have them; no rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from tests.support.comprobante32 import FECHA32, cfd22, comprobante32, sealed32, stamped32
from tests.support.corpus import CORPUS, needs_corpus
from tests.support.retenciones10 import UUID
from tests.support.sandbox_app import SandboxApp, with_attribute, without_attribute
from tests.support.stylesheets import document_stylesheet

from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.tfd import read_stamps
from timbra.examples.tree import ExampleNode
from timbra.received.examination import Examiner, examine_entries
from timbra.received.files import Entry
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import StatusQuery
from timbra.seals.certificates.certificate import CertificateKind
from timbra.snapshot import locate, open_snapshot
from timbra.stamping.models import DocumentKind
from timbra.validation.build import validation_services
from timbra.validation.fiscal_status import status_query
from timbra.validation.models import ValidationReport
from timbra.validation.serializers import report_answer
from timbra.validation.tables import concept_rows, document_row


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("comprobante32") / "data")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def credential(sandbox_app: SandboxApp) -> MintedCredential:
    return sandbox_app.mint()


@pytest.fixture(scope="module")
def valid(sandbox_app: SandboxApp, credential: MintedCredential) -> bytes:
    return stamped32(
        sealed32(comprobante32(), credential), sandbox_app.container.get(sandbox_services).authority_ca.provider
    )


def report(sandbox_app: SandboxApp, xml: bytes) -> ValidationReport:
    validation = sandbox_app.container.get(validation_services).validation
    return asyncio.run(validation.validate(xml, with_status=False, kind=DocumentKind.CFDI))


def found(sandbox_app: SandboxApp, xml: bytes) -> list[tuple[str | None, str | None]]:
    return [(entry.code, entry.path) for entry in report(sandbox_app, xml).entries]


def test_validate_accepts_a_document_and_says_that_its_rules_do_not_exist(
    sandbox_app: SandboxApp, valid: bytes
) -> None:
    made = report(sandbox_app, valid)
    assert (made.entries, made.version, made.uuid) == ([], "3.2", UUID)
    (rule,) = made.not_evaluated
    assert (rule.code, rule.page) == ("CFDI32-REGLAS", "/validador/reglas/CFDI32-REGLAS")
    assert "se revisaron estructura y sellos" in rule.missing
    assert made.cadena_original_comprobante == str(document_stylesheet("3.2")(etree.fromstring(valid)))
    assert made.cadena_original_sat is not None
    assert made.cadena_original_sat.startswith("||1.0|")
    answer = report_answer(made)
    assert answer.detail[0].section == "CFDI32 - Validacion de Estructura"
    assert [section.detail[0]["type"] for section in answer.detail] == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("total", "233.00", ("302", "@sello")),
        ("sello", "AAAA", ("302", "@sello")),
        ("tipoDeComprobante", "pago", ("301", "@tipoDeComprobante")),
        ("noCertificado", "30001000000300023708", ("301", "@noCertificado")),
        ("rfc", "AAA010101AAA", ("303", "Emisor/@rfc")),
        ("fecha", "2011-11-17T11:00:00", ("305", "@fecha")),
        ("selloSAT", "AAAA", ("TFD11303", "Complemento/TimbreFiscalDigital/@selloSAT")),
        ("selloCFD", "AAAA", ("TFD-SELLO-CFD", "Complemento/TimbreFiscalDigital/@selloCFD")),
    ],
)
def test_validate_reports_what_is_wrong(
    sandbox_app: SandboxApp, valid: bytes, name: str, value: str, expected: tuple[str, str]
) -> None:
    assert expected in found(sandbox_app, with_attribute(valid, name, value))


def test_validate_reports_a_missing_attribute_and_the_broken_seal(sandbox_app: SandboxApp, valid: bytes) -> None:
    assert found(sandbox_app, without_attribute(valid, "metodoDePago")) == [
        ("301", "@metodoDePago"),
        ("302", "@sello"),
    ]


def test_validate_reports_an_efirma(sandbox_app: SandboxApp) -> None:
    efirma = sandbox_app.mint(kind=CertificateKind.EFIRMA)
    assert ("306", "@certificado") in found(sandbox_app, sealed32(comprobante32(), efirma))


def test_validate_warns_of_a_missing_stamp(sandbox_app: SandboxApp, credential: MintedCredential) -> None:
    assert found(sandbox_app, sealed32(comprobante32(), credential)) == [("SIN-TIMBRE", None)]


def test_cfd_22_is_read_and_its_report_says_what_was_not_checked(
    sandbox_app: SandboxApp, credential: MintedCredential
) -> None:
    made = report(sandbox_app, cfd22(credential))
    assert (made.version, made.uuid, made.wrong, made.cadena_original_comprobante) == ("2.2", None, False, None)
    assert [entry.detail for entry in made.entries] == [
        "La estructura no se revisó: los datos del SAT no tienen el esquema de CFD 2.2.",
        "El sello no se verificó: los datos del SAT no tienen la cadena original de CFD 2.2.",
    ]
    (rule,) = made.not_evaluated
    assert rule.code == "CFD22-REGLAS"
    answer = report_answer(made)
    assert [section.detail[0]["typeValue"] for section in answer.detail[:2]] == ["Warning", "Warning"]


def test_certificate_of_a_cfd_22_is_checked(sandbox_app: SandboxApp, credential: MintedCredential) -> None:
    xml = with_attribute(cfd22(credential), "rfc", "AAA010101AAA")
    assert ("303", "Emisor/@rfc") in found(sandbox_app, xml)


@pytest.mark.parametrize("issue", [True, False])
def test_stamping_rejects_both_versions(sandbox_app: SandboxApp, credential: MintedCredential, issue: bool) -> None:
    sandbox_app.store(sandbox_app.mint())
    for xml in (sealed32(comprobante32(), credential), cfd22(credential)):
        assert sandbox_app.rejection(xml, issue=issue).code == "301"


def test_tables_and_status_have_the_values_of_the_document(sandbox_app: SandboxApp, valid: bytes) -> None:
    root = etree.fromstring(valid)
    row = document_row(root, report(sandbox_app, valid))
    shown = [
        "kind",
        "version",
        "serie",
        "folio",
        "issuer_rfc",
        "receiver_rfc",
        "receiver_name",
        "seal",
        "stamp",
        "uuid",
    ]
    assert [row[name] for name in shown] == [
        "cfdi", "3.2", "A", "7", "EKU9003173C9", "CACX7605101P8", "XOCHILT CASAS CHAVEZ", "valid", "valid", UUID,
    ]  # fmt: skip
    assert (str(row["fecha"]), str(row["total"])) == (FECHA32.replace("T", " "), "232.000000")
    (concept,) = concept_rows(root)
    assert (concept["descripcion"], str(concept["importe"])) == ("Un  cuaderno", "200.000000")
    query = status_query(root, read_stamps(root)[0])
    assert query == StatusQuery(UUID, "EKU9003173C9", "CACX7605101P8", "232.00", str(root.get("sello"))[-8:])


def test_received_files_are_examined(
    sandbox_app: SandboxApp, credential: MintedCredential, valid: bytes, tmp_path: Path
) -> None:
    files = {"32.xml": valid, "22.xml": cfd22(credential)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    entries = [Entry(name, str(tmp_path / name), None, len(content), False) for name, content in files.items()]
    services = sandbox_app.container.get(validation_services)
    examiner = Examiner(services.validation, services.taxpayer_lookup)
    found = asyncio.run(examine_entries(examiner, entries, "1", require_stamp=True))
    assert [(entry.rejection, entry.row["version"], entry.row["result"]) for entry in found] == [
        (None, "3.2", "valid"),
        (None, "2.2", "warned"),
    ]


def payroll(version: str) -> ExampleNode:
    attributes = {"RegistroPatronal": "Y1", "NumEmpleado": "7", "CURP": "XXXX", "TipoRegimen": "2", "CLABE": "1"}
    return ExampleNode(
        "nomina:Nomina", {"xmlns:nomina": "http://www.sat.gob.mx/nomina", "Version": version, **attributes}
    )


@pytest.mark.parametrize(
    "complement",
    [
        None,
        payroll("1.0"),
        payroll("1.1"),
        payroll("9"),
        ExampleNode("ine:INE", {"xmlns:ine": "http://www.sat.gob.mx/ine", "Version": "1.0", "TipoProceso": "a"}),
        ExampleNode("ine:INE", {"xmlns:ine": "http://www.sat.gob.mx/ine", "Version": "1.1", "TipoComite": "b"}),
    ],
)
def test_cadena_original_is_that_of_the_stylesheet(complement: ExampleNode | None) -> None:
    changes = {} if complement is None else {"Complemento": ExampleNode("cfdi:Complemento", children=[complement])}
    root = etree.fromstring(comprobante32(changes).encode())
    cadena = CadenaOriginal(open_snapshot(locate(None)))
    assert cadena.build(root, "3.2") == str(document_stylesheet("3.2")(root))


@needs_corpus
def test_cadena_original_of_public_documents_is_that_of_the_stylesheet() -> None:
    cadena, compared = CadenaOriginal(open_snapshot(locate(None))), 0
    for path in CORPUS.rglob("cfdv32*.xml"):
        root = etree.parse(path).getroot()
        assert cadena.build(root, "3.2") == str(document_stylesheet("3.2")(root))
        compared += 1
    assert compared
