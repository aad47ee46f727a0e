"""Verification of stamps: a stamp of the sandbox is accepted, any change is rejected."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from lxml import etree
from tests.support.retenciones10 import retencion10, sealed10, stamped10
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from tests.support.stamped import stamped

from timbra import examples
from timbra.cfdi.tfd import read_stamp
from timbra.documents.build import document_services
from timbra.sandbox.build import sandbox_services

UNVERIFIED = "Documento sin timbre fiscal verificable: no es la representación impresa de un CFDI"

Change = Callable[[etree._Element, etree._Element], None]


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> SandboxApp:
    return SandboxApp(Path(tmp_path_factory.mktemp("stamp-check")))


@pytest.fixture(scope="module")
def cfdi(sandbox_app: SandboxApp) -> bytes:
    return stamped(sandbox_app, examples.ingreso({"@Fecha": FECHA}), NOW)


def stamp_of(root: etree._Element) -> etree._Element:
    found = root.find(".//{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital")
    assert found is not None
    return found


def without(_: etree._Element, stamp: etree._Element) -> None:
    parent = stamp.getparent()
    assert parent is not None
    parent.remove(stamp)


def twice(_: etree._Element, stamp: etree._Element) -> None:
    parent = stamp.getparent()
    assert parent is not None
    parent.append(etree.fromstring(etree.tostring(stamp)))


def attribute(name: str, value: str, *, of_stamp: bool = False) -> Change:
    def change(root: etree._Element, stamp: etree._Element) -> None:
        (stamp if of_stamp else root).set(name, value)

    return change


CHANGES: dict[str, Change] = {
    "no stamp": without,
    "two stamps": twice,
    "another total": attribute("Total", "1.00"),
    "another seal": attribute("Sello", "QUJD" * 86),
    "another certificate number": attribute("NoCertificado", "30001000000500003416"),
    "no certificate": attribute("Certificado", ""),
    "another version": attribute("Version", "3.2"),
    "another UUID": attribute("UUID", "00000000-0000-4000-8000-000000000000", of_stamp=True),
    "unknown provider": attribute("NoCertificadoSAT", "00001000000599999999", of_stamp=True),
    "another seal in the stamp": attribute("SelloCFD", "QUJD" * 86, of_stamp=True),
    "no provider's seal": attribute("SelloSAT", "", of_stamp=True),
}


def test_stamp_verifier_accepts_a_stamp_of_the_sandbox(sandbox_app: SandboxApp, cfdi: bytes) -> None:
    view = sandbox_app.container.get(document_services).views.view(etree.fromstring(cfdi))
    assert view.unverified == ""
    assert UNVERIFIED not in view.legends


def test_stamp_verifier_ignores_the_addenda(sandbox_app: SandboxApp, cfdi: bytes) -> None:
    root = etree.fromstring(cfdi)
    etree.SubElement(root, f"{{{etree.QName(root).namespace}}}Addenda").append(etree.Element("propia"))
    assert sandbox_app.container.get(document_services).views.view(root).unverified == ""


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_stamp_verifier_rejects_a_changed_document(sandbox_app: SandboxApp, cfdi: bytes, change: Change) -> None:
    root = etree.fromstring(cfdi)
    change(root, stamp_of(root))
    view = sandbox_app.container.get(document_services).views.view(root)
    assert view.unverified == UNVERIFIED
    assert view.legends[0] == UNVERIFIED


def test_stamp_verifier_rejects_an_untrusted_certificate(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    other = SandboxApp(tmp_path, own_keys=True)
    foreign = stamped(other, examples.ingreso({"@Fecha": FECHA}), NOW)
    assert sandbox_app.container.get(document_services).views.view(etree.fromstring(foreign)).unverified == UNVERIFIED


def test_pdf_of_a_changed_document_has_the_warning(sandbox_app: SandboxApp, cfdi: bytes) -> None:
    changed = cfdi.replace(b' Total="', b' Total="9', 1)
    texts = []
    for xml in (cfdi, changed):
        document = pypdfium2.PdfDocument(sandbox_app.container.get(document_services).printing.print(xml).pdf)
        texts.append(" ".join(page.get_textpage().get_text_range() for page in document))
    sandbox_app.container.get(document_services).printing.close()
    assert [("sin timbre fiscal verificable" in text) for text in texts] == [False, True]


def test_stamp_verifier_accepts_a_stamped_retencion(sandbox_app: SandboxApp) -> None:
    cfdi = stamped(sandbox_app, examples.retencion(fecha=FECHA), NOW)
    assert sandbox_app.container.get(document_services).views.view(etree.fromstring(cfdi)).unverified == ""


def test_stamp_verifier_rejects_a_changed_retencion(sandbox_app: SandboxApp) -> None:
    root = etree.fromstring(stamped(sandbox_app, examples.retencion(fecha=FECHA), NOW))
    root.set("CveRetenc", "02")
    assert sandbox_app.container.get(document_services).views.view(root).unverified == UNVERIFIED


def test_stamp_verifier_rejects_the_version_of_another_kind(sandbox_app: SandboxApp, cfdi: bytes) -> None:
    root = etree.fromstring(cfdi)
    root.set("Version", "2.0")
    assert sandbox_app.container.get(document_services).views.view(root).unverified == UNVERIFIED


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_stamp_verifier_accepts_retenciones_10(sandbox_app: SandboxApp, version: str) -> None:
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    xml = stamped10(sealed10(retencion10(), sandbox_app.mint()), provider, version)
    views = sandbox_app.container.get(document_services).views
    assert views.view(etree.fromstring(xml)).unverified == ""
    assert views.view(etree.fromstring(xml.replace(b'montoTotRet="100.00"', b'montoTotRet="101.00"'))).unverified


def test_stamp_verifier_rejects_a_seal_of_sha1_on_a_newer_document(sandbox_app: SandboxApp, cfdi: bytes) -> None:
    root = etree.fromstring(cfdi)
    stamp = stamp_of(root)
    stamp.set("Version", "1.0")
    written = read_stamp(stamp).cadena_original.encode()
    signer = sandbox_app.container.get(sandbox_services).authority_ca.provider.signer
    stamp.set("SelloSAT", b64encode(signer.sign(written, "sha1")).decode())
    assert sandbox_app.container.get(document_services).views.view(root).unverified == UNVERIFIED
