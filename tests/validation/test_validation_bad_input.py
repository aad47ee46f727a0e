"""Invalid documents: each has a clear error or a complete report, in bounded time."""

from __future__ import annotations

import asyncio
import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, HashAlgorithm
from cryptography.hazmat.primitives.serialization import load_der_private_key
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra.core.errors import ServiceError
from timbra.examples import Change, ingreso, pago
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntry, ReportEntryKind, ValidationReport

MEBIBYTE = 1024 * 1024
END = b"</cfdi:Comprobante>"


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


def report(sandbox_app: SandboxApp, xml: bytes, *, status: bool = False) -> ValidationReport:
    return asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, status))


def rejection(sandbox_app: SandboxApp, xml: bytes) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        report(sandbox_app, xml)
    return caught.value


def errors(report: ValidationReport) -> list[ReportEntry]:
    return [entry for entry in report.entries if entry.kind is ReportEntryKind.ERROR]


def codes(report: ValidationReport) -> set[str | None]:
    return {entry.code for entry in errors(report)}


@pytest.fixture(scope="module")
def stamped(sandbox_app: SandboxApp) -> bytes:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app.issue(ingreso(fecha=FECHA).encode()).cfdi.encode()


def test_validate_ignores_addenda(sandbox_app: SandboxApp, stamped: bytes) -> None:
    for addenda in (
        b"",
        b"text alone",
        b'<a xmlns="urn:a"><b c="&#10;  d"><![CDATA[<x>]]></b></a><!-- c --><?p i?>',
        b'<x:y xmlns:x="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x odd"/>',
        b'<cfdi:Comprobante Version="4.0"/><cfdi:Complemento/>',
        b"<d>" * 80 + b"</d>" * 80,
    ):
        found = report(sandbox_app, stamped.replace(END, b"<cfdi:Addenda>" + addenda + b"</cfdi:Addenda>" + END))
        assert not found.wrong, (addenda, errors(found))


def test_validate_accepts_twenty_thousand_conceptos(sandbox_app: SandboxApp) -> None:
    concept = (
        '<cfdi:Concepto ClaveProdServ="84111506" Cantidad="1" ClaveUnidad="ACT" Descripcion="x" ValorUnitario="1.00" '
        'Importe="1.00" ObjetoImp="01"/>'
    )
    text = ingreso({"@SubTotal": "20000.00", "@Total": "20000.00"}, fecha=FECHA)
    start, end = text.index("<cfdi:Conceptos>"), text.index("</cfdi:Conceptos>")
    head, tail = text[:start], text[text.index("</cfdi:Comprobante>") :]
    many = head + "<cfdi:Conceptos>" + concept * 20_000 + text[end : end + len("</cfdi:Conceptos>")] + tail
    sealed = sandbox_app.sealed(many, sandbox_app.mint())
    assert not report(sandbox_app, sealed).wrong
    wrong = sealed.replace(b'ObjetoImp="01"', b'ObjetoImp="99"')
    found = [entry for entry in errors(report(sandbox_app, wrong)) if entry.code == "CFDI40170"]
    assert [entry.path for entry in found] == [f"Conceptos/Concepto[{place}]/@ObjetoImp" for place in range(1, 20_001)]


def test_validate_reports_place_of_twenty_thousand_faults(sandbox_app: SandboxApp) -> None:
    text = ingreso(fecha=FECHA)
    start, end = text.index("<cfdi:Concepto "), text.index("</cfdi:Conceptos>")
    wrong = text[start:end].replace("<cfdi:Concepto ", '<cfdi:Concepto Malo="1" ')
    found = errors(report(sandbox_app, (text[:start] + wrong * 20_000 + text[end:]).encode()))
    concept = "Conceptos/Concepto"
    assert [entry.path for entry in found if "Malo" in (entry.path or "")] == [
        f"{concept}[{place}]/@Malo" for place in range(1, 20_001)
    ]


def test_validate_accepts_40_mib_and_rejects_more(sandbox_app: SandboxApp, stamped: bytes) -> None:
    room = 40 * MEBIBYTE - len(stamped) - len(b"<cfdi:Addenda></cfdi:Addenda>")
    rows = b"<r>" + b"x" * 993 + b"</r>"
    filled = rows * (room // len(rows))
    whole = stamped.replace(END, b"<cfdi:Addenda>" + filled.ljust(room) + b"</cfdi:Addenda>" + END)
    assert len(whole) == 40 * MEBIBYTE
    assert not report(sandbox_app, whole).wrong
    assert rejection(sandbox_app, whole + b"\n").code == "301"


def test_validate_reports_second_stamp(sandbox_app: SandboxApp, stamped: bytes) -> None:
    start = stamped.index(b"<tfd:")
    stamp = stamped[start : stamped.index(b"/>", start) + 2]
    assert codes(report(sandbox_app, stamped.replace(stamp, stamp + stamp))) == {"TFD-UNICO"}
    close = b"</cfdi:Complemento>"
    apart = stamped.replace(close, close + b"<cfdi:Complemento>" + stamp + close)
    assert "TFD-UNICO" in codes(report(sandbox_app, apart))


@pytest.mark.parametrize("place", ["Comprobante", "Conceptos", "Emisor"])
def test_validate_reports_misplaced_stamp(sandbox_app: SandboxApp, stamped: bytes, place: str) -> None:
    start, end = stamped.index(b"<cfdi:Complemento>"), stamped.index(b"</cfdi:Complemento>")
    stamp = stamped[start + len(b"<cfdi:Complemento>") : end]
    bare = stamped[:start] + stamped[end + len(b"</cfdi:Complemento>") :]
    if place == "Emisor":
        at = bare.index(b"/>", bare.index(b"<cfdi:Emisor"))
        moved = bare[:at] + b">" + stamp + b"</cfdi:Emisor>" + bare[at + 2 :]
    else:
        moved = bare.replace(f"</cfdi:{place}>".encode(), stamp + f"</cfdi:{place}>".encode())
    found = report(sandbox_app, moved)
    assert {"301", "TFD-LUGAR"} <= codes(found)
    assert found.uuid is None


def test_validate_reports_unknown_provider(sandbox_app: SandboxApp, stamped: bytes) -> None:
    found = report(sandbox_app, with_attribute(stamped, "NoCertificadoSAT", "00001000000599999999"))
    assert codes(found) == {"TFD-PROVEEDOR"}
    assert "TFD11303" in {rule.code for rule in found.not_evaluated}


@pytest.mark.parametrize(
    ("padding", "digest", "says"),
    [
        (PKCS1v15(), SHA1(), "SHA-1"),
        (PSS(MGF1(SHA256()), 32), SHA256(), "PSS"),
    ],
)
def test_validate_diagnoses_wrong_seals(
    sandbox_app: SandboxApp, padding: AsymmetricPadding, digest: HashAlgorithm, says: str
) -> None:
    credential = sandbox_app.mint()
    sealed = sandbox_app.sealed(ingreso(fecha=FECHA), credential)
    cadena = report(sandbox_app, sealed).cadena_original_comprobante
    key = load_der_private_key(credential.key_der, credential.password.encode())
    assert isinstance(key, RSAPrivateKey)
    other = base64.b64encode(key.sign((cadena or "").encode(), padding, digest)).decode()
    found = report(sandbox_app, with_attribute(sealed, "Sello", other))
    (entry,) = [entry for entry in errors(found) if entry.code == "CFDI40102"]
    assert (entry.detail or "") == f"CadenaOriginal: {cadena}"
    assert says in (entry.hint or "")


def test_validate_diagnoses_seal_over_unnormalized_text(sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint()
    text = ingreso(fecha=FECHA).replace('Descripcion="', 'Descripcion="Dos  espacios ', 1)
    sealed = sandbox_app.sealed(text, credential)
    cadena = report(sandbox_app, sealed).cadena_original_comprobante or ""
    theirs = cadena.replace("Dos espacios", "Dos  espacios")
    key = load_der_private_key(credential.key_der, credential.password.encode())
    assert isinstance(key, RSAPrivateKey)
    other = base64.b64encode(key.sign(theirs.encode(), PKCS1v15(), SHA256())).decode()
    (entry,) = [
        one for one in errors(report(sandbox_app, with_attribute(sealed, "Sello", other))) if one.code == "CFDI40102"
    ]
    assert "sin normalizar los espacios" in (entry.hint or "")
    assert "Primera diferencia" in (entry.hint or "")


@pytest.mark.parametrize(("namespace", "version"), [("1", "2.0"), ("2", "1.0")])
def test_validate_rejects_other_versions_of_retenciones(sandbox_app: SandboxApp, namespace: str, version: str) -> None:
    space = f"http://www.sat.gob.mx/esquemas/retencionpago/{namespace}"
    error = rejection(sandbox_app, f'<r:Retenciones xmlns:r="{space}" Version="{version}"/>'.encode())
    assert error.code == "T301"


@pytest.mark.parametrize(
    ("space", "version", "expected"),
    [("cfd/3", "4.0", "cfd/4"), ("cfd/4", "3.3", "cfd/3")],
)
def test_validate_rejects_namespace_of_other_version(
    sandbox_app: SandboxApp, space: str, version: str, expected: str
) -> None:
    xml = f'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/{space}" Version="{version}"/>'
    error = rejection(sandbox_app, xml.encode())
    assert error.code == "CC3002"
    assert f"se esperaba http://www.sat.gob.mx/{expected}." in (error.detail or "")


@pytest.mark.parametrize(
    "xml",
    [
        b"<cfdi:Comprobante",
        b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
        b'<?xml version="1.0" encoding="latin-1"?><x/>',
        b"\xff\xfe<\x00x\x00",
        b"<a>" * 300 + b"</a>" * 300,
        b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/3" version="3.0"/>',
        b'<Comprobante Version="4.0"/>',
        b'<cfdi:Comprobante xmlns:cfdi="urn:otro" Version="4.0"/>',
    ],
)
def test_validate_rejects_other_documents(sandbox_app: SandboxApp, xml: bytes) -> None:
    assert rejection(sandbox_app, xml).code == "301"


@pytest.mark.parametrize(
    "xml",
    [
        b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0"/>',
        b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/3" Version="3.3"/>',
        b'<Comprobante xmlns="http://www.sat.gob.mx/cfd/4" Version="4.0" Total="NaN"><Complemento/></Comprobante>',
    ],
)
def test_validate_reports_minimal_documents(sandbox_app: SandboxApp, xml: bytes) -> None:
    found = report(sandbox_app, xml, status=True)
    assert {"301", "CC3001"} <= codes(found)
    assert found.status_sat == "No Encontrado"


def test_validate_reports_repeated_and_wrong_namespaces(sandbox_app: SandboxApp) -> None:
    changes: dict[str, Change] = {"@xmlns:otro": "http://www.sat.gob.mx/Pagos20", "@xmlns:nada": "urn:nada"}
    found = report(sandbox_app, sandbox_app.sealed(pago(changes, fecha=FECHA), sandbox_app.mint()))
    assert not found.wrong, errors(found)
    warned = {entry.code for entry in found.entries if entry.kind is ReportEntryKind.WARNING}
    assert warned == {"NS-REPETIDO", "NS-SIN-USO", "SIN-TIMBRE"}
    other = pago(fecha=FECHA).replace("http://www.sat.gob.mx/Pagos20", "http://www.sat.gob.mx/Pagos2")
    assert "SELLO-COMPLEMENTO" in {
        entry.code for entry in report(sandbox_app, sandbox_app.sealed(other, sandbox_app.mint())).entries
    }


def test_validate_warns_of_stale_list(sandbox_app: SandboxApp) -> None:
    """The sandbox's lists are of its own date and prove nothing about an old invoice."""
    old = sandbox_app.sealed(
        ingreso({"Receptor/@Rfc": "CACX7605101P8"}, fecha="2025-03-03T12:00:00"), sandbox_app.mint()
    )
    entries = [
        entry for entry in report(sandbox_app, old).entries if entry.code in ("CFDI40145", "CFDI40147", "CFDI40148")
    ]
    assert {entry.kind for entry in entries} == {ReportEntryKind.WARNING}
    assert all("La l_RFC consultada es del 2026-11-17" in (entry.hint or "") for entry in entries)
