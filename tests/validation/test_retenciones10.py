"""Validation of Retenciones 1.0, a withdrawn version: structure, certificate, seal and stamp; no rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from lxml import etree
from tests.support.retenciones10 import UUID, retencion10, sealed10, stamped10
from tests.support.sandbox_app import SandboxApp, with_attribute, without_attribute
from tests.support.stylesheets import document_stylesheet, stamp_stylesheet

from timbra.cfdi.header_reader import read_header
from timbra.cfdi.tfd import read_stamps
from timbra.examples.tree import ExampleNode
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import StatusQuery
from timbra.seals.certificates.certificate import CertificateKind
from timbra.stamping.models import DocumentKind
from timbra.validation.build import validation_services
from timbra.validation.fiscal_status import retencion_query
from timbra.validation.models import ValidationReport

TFD_TAG = "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital"

COMPLEMENTS = "http://www.sat.gob.mx/esquemas/retencionpago/1/"
RULES = "RET10-REGLAS"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("retenciones10") / "data")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def credential(sandbox_app: SandboxApp) -> MintedCredential:
    return sandbox_app.mint()


@pytest.fixture(scope="module")
def valid(sandbox_app: SandboxApp, credential: MintedCredential) -> bytes:
    return stamped(sandbox_app, sealed10(retencion10(), credential))


def stamped(sandbox_app: SandboxApp, sealed: bytes, version: str = "1.0") -> bytes:
    return stamped10(sealed, sandbox_app.container.get(sandbox_services).authority_ca.provider, version)


def report(sandbox_app: SandboxApp, xml: bytes, *, with_status: bool = False) -> ValidationReport:
    validation = sandbox_app.container.get(validation_services).validation
    return asyncio.run(validation.validate(xml, with_status=with_status, kind=DocumentKind.RETENCIONES))


def found(sandbox_app: SandboxApp, xml: bytes) -> list[tuple[str | None, str | None]]:
    return [(entry.code, entry.path) for entry in report(sandbox_app, xml).entries]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("foreign", [False, True])
def test_validate_accepts_a_document_with_either_stamp(
    sandbox_app: SandboxApp, credential: MintedCredential, version: str, foreign: bool
) -> None:
    sealed = sealed10(retencion10(foreign=foreign), credential)
    made = report(sandbox_app, stamped(sandbox_app, sealed, version))
    assert (made.entries, made.version, made.uuid) == ([], "1.0", UUID)


def test_validate_says_that_no_rules_were_evaluated(sandbox_app: SandboxApp, valid: bytes) -> None:
    (rule,) = report(sandbox_app, valid).not_evaluated
    assert (rule.code, rule.page) == (RULES, "/validador/reglas/RET10-REGLAS")
    assert "se revisaron estructura y sellos" in rule.missing


def test_validate_shows_the_cadenas_of_the_stylesheets(sandbox_app: SandboxApp, valid: bytes) -> None:
    root = etree.fromstring(valid)
    stamp = etree.fromstring(etree.tostring(next(root.iter(TFD_TAG))))
    made = report(sandbox_app, valid)
    assert made.cadena_original_comprobante == str(document_stylesheet("1.0")(root))
    assert made.cadena_original_sat == str(stamp_stylesheet("1.0")(stamp))


def test_validate_without_a_stamp_has_a_warning(sandbox_app: SandboxApp, credential: MintedCredential) -> None:
    assert found(sandbox_app, sealed10(retencion10(), credential)) == [("SIN-TIMBRE", None)]


SEAL, STAMP = ("T302", "@Sello"), "Complemento/TimbreFiscalDigital/"
TAMPERED: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "amount": ("montoTotRet", "1.00", [SEAL]),
    "seal": ("Sello", "AAAA", [SEAL, ("TFD-SELLO-CFD", f"{STAMP}@selloCFD")]),
    "key": ("CveRetenc", "27", [("T301", "@CveRetenc"), SEAL]),
    "tax": ("Impuesto", "001", [("T301", "Totales/ImpRetenidos[1]/@Impuesto"), SEAL]),
    "date without offset": ("FechaExp", "2026-11-17T11:00:00", [("T301", "@FechaExp"), SEAL]),
    "certificate": ("Cert", "texto", [("T301", "@Cert"), SEAL]),
    "certificate number": ("NumCert", "0" * 20, [("T301", "@NumCert"), SEAL]),
    "seal of the stamp": ("selloSAT", "AAAA", [("TFD11303", f"{STAMP}@selloSAT")]),
    "seal in the stamp": (
        "selloCFD",
        "AAAA",
        [("TFD-SELLO-CFD", f"{STAMP}@selloCFD"), ("TFD11303", f"{STAMP}@selloSAT")],
    ),
    "provider": ("noCertificadoSAT", "1" * 20, [("TFD-PROVEEDOR", f"{STAMP}@noCertificadoSAT")]),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_validate_reports_a_changed_value(sandbox_app: SandboxApp, valid: bytes, change: str) -> None:
    name, value, expected = TAMPERED[change]
    assert found(sandbox_app, with_attribute(valid, name, value)) == expected


@pytest.mark.parametrize(
    ("name", "path"),
    [("RFCEmisor", "Emisor/@RFCEmisor"), ("montoTotGrav", "Totales/@montoTotGrav"), ("CveRetenc", "@CveRetenc")],
)
def test_validate_reports_a_missing_attribute(sandbox_app: SandboxApp, valid: bytes, name: str, path: str) -> None:
    assert found(sandbox_app, without_attribute(valid, name)) == [("T301", path), SEAL]


def test_validate_names_the_hash_of_a_seal_with_another_one(
    sandbox_app: SandboxApp, credential: MintedCredential
) -> None:
    (entry,) = report(sandbox_app, stamped(sandbox_app, sealed10(retencion10(), credential, SHA256()))).entries
    assert entry.code == "T302"
    assert entry.hint == "El sello es de esta cadena con SHA-256; debe ser con SHA-1."


@pytest.mark.parametrize(("version", "other"), [("1.0", "sha256"), ("1.1", "sha1")])
def test_validate_verifies_the_stamp_with_the_hash_of_its_version(
    sandbox_app: SandboxApp, credential: MintedCredential, version: str, other: str
) -> None:
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    xml = stamped10(sealed10(retencion10(), credential), provider, version, "sha256" if other == "sha256" else "sha1")
    assert [code for code, _ in found(sandbox_app, xml)] == ["TFD11303"]


def test_validate_rejects_another_version_of_the_stamp(sandbox_app: SandboxApp, valid: bytes) -> None:
    root = etree.fromstring(valid)
    next(root.iter(TFD_TAG)).set("version", "2.0")
    assert ("TFD-VERSION", f"{STAMP}@Version") in found(sandbox_app, etree.tostring(root))


def test_validate_reports_the_certificate_of_another_rfc(sandbox_app: SandboxApp) -> None:
    xml = stamped(sandbox_app, sealed10(retencion10(), sandbox_app.mint("URE180429TM6")))
    assert found(sandbox_app, xml) == [("T303", "Emisor/@RFCEmisor")]


def test_validate_reports_an_efirma(sandbox_app: SandboxApp) -> None:
    xml = stamped(sandbox_app, sealed10(retencion10(), sandbox_app.mint(kind=CertificateKind.EFIRMA)))
    assert found(sandbox_app, xml) == [("T306", "@Cert")]


@pytest.mark.parametrize(
    ("date", "codes"),
    [
        ("2026-10-18T12:00:00-06:00", []),
        ("2026-10-18T11:59:59-06:00", ["T305"]),
        ("2026-10-18T12:00:00-05:00", ["T305"]),
        ("2015-03-06T05:59:08-06:00", ["T305"]),
    ],
)
def test_validate_compares_the_instant_of_the_date_with_the_certificate(
    sandbox_app: SandboxApp, credential: MintedCredential, date: str, codes: list[str]
) -> None:
    """The certificate is valid from 2026-10-18T18:00:00Z."""
    xml = stamped(sandbox_app, sealed10(retencion10({"@FechaExp": date}), credential))
    assert [code for code, _ in found(sandbox_app, xml)] == codes


@pytest.mark.parametrize(("interest", "expected"), [("10.00", []), ("diez", ["T301"])])
def test_validate_checks_planes_de_retiro_10(
    sandbox_app: SandboxApp, credential: MintedCredential, interest: str, expected: list[str]
) -> None:
    space = f"{COMPLEMENTS}planesderetiro"
    node = {"Version": "1.0", "SistemaFinanc": "SI", "MontIntRealesDevengAniooInmAnt": interest}
    node |= {"HuboRetirosAnioInmAntPer": "NO", "HuboRetirosAnioInmAnt": "NO"}
    plan = ExampleNode("planesderetiro:Planesderetiro", node)
    own = COMPLEMENTS.rstrip("/")
    text = retencion10(
        {
            "@xmlns:planesderetiro": space,
            "@xsi:schemaLocation": f"{own} {own}/retencionpagov1.xsd {space} {space}/planesderetiro.xsd",
            "Complemento": ExampleNode("retenciones:Complemento", children=[plan]),
        }
    )
    xml = stamped(sandbox_app, sealed10(text, credential))
    assert [code for code, _ in found(sandbox_app, xml)] == expected
    assert [code for code, _ in found(sandbox_app, with_attribute(xml, "SistemaFinanc", "NO"))] == [*expected, "T302"]


@pytest.mark.parametrize(("foreign", "receiver"), [(False, "CACX7605101P8"), (True, "123456789")])
def test_status_query_has_the_values_of_the_document(
    sandbox_app: SandboxApp, credential: MintedCredential, foreign: bool, receiver: str
) -> None:
    root = etree.fromstring(stamped(sandbox_app, sealed10(retencion10(foreign=foreign), credential)))
    (stamp,) = read_stamps(root)
    tail = str(root.get("Sello"))[-8:]
    expected = StatusQuery(UUID, "EKU9003173C9", receiver, "1000.00", tail, is_retencion=True)
    assert retencion_query(root, stamp) == expected


def test_header_has_the_parties_of_the_document() -> None:
    header = read_header(retencion10().encode())
    assert (header.issuer_rfc, header.receiver_rfc, header.folio) == ("EKU9003173C9", "CACX7605101P8", "R 7")


def test_stamp_rejects_the_document(sandbox_app: SandboxApp, credential: MintedCredential) -> None:
    sealed = sealed10(retencion10(), credential)
    assert sandbox_app.rejection(sealed, kind=DocumentKind.RETENCIONES).code == "TB4022"
    assert sandbox_app.rejection(sealed, issue=True, kind=DocumentKind.RETENCIONES).code == "TB4022"
