"""Manifests signed by e.firma: links, the page of the taxpayer, its evidence, and the register of the operator."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from tests.accounts.support import rejected
from tests.support.browser import Visitor
from tests.support.data_folder import create_data
from tests.support.sandbox_app import FECHA, SandboxApp
from typer.testing import CliRunner

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.database.build import opened_database
from timbra.examples import ingreso
from timbra.manifests.build import manifest_signing
from timbra.manifests.signed_document import fill, verify
from timbra.manifests.signing import ManifestSigning
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.ports import trust_store
from timbra.settings import Settings
from timbra.web.portal.dispatch.log_path import loggable_path

KEMPER, OTHER = "EKU9003173C9", "URE180429TM6"
EFIRMA = CertificateKind.EFIRMA
JEFA, PASSWORD = "jefa@example.com", "una contraseña larga"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[SandboxApp]:
    app = SandboxApp(tmp_path / "data", manifests_required=True)
    yield app
    app.container.close()


@pytest.fixture
def signing(made: SandboxApp) -> ManifestSigning:
    return made.container.get(manifest_signing)


def files(credential: MintedCredential) -> list[tuple[str, tuple[str, bytes]]]:
    return [("cer", ("e.cer", credential.certificate_der)), ("key", ("e.key", credential.key_der))]


def signed(signing: ManifestSigning, credential: MintedCredential, rfc: str = KEMPER) -> None:
    signing.sign(rfc, credential.certificate_der, credential.key_der, credential.password, "192.0.2.7")


def test_taxpayer_signs_on_the_page_of_the_link_and_is_stamped(made: SandboxApp, signing: ManifestSigning) -> None:
    made.store(made.mint())
    invoice = ingreso({"@Folio": "1"}, fecha=FECHA).encode()
    assert made.rejection(invoice, issue=True).code == "AU2003"
    efirma, path = made.mint(kind=EFIRMA), signing.link(KEMPER)[0]
    visitor = Visitor(made)
    page = visitor.get(path)
    assert page.status_code == 200
    assert f"RFC {KEMPER}, declara" in page.text
    answer = visitor.post(path, {"password": efirma.password}, files=files(efirma))
    assert (answer.status_code, answer.headers["location"]) == (303, path)
    page = visitor.get(path)
    assert "El manifiesto está firmado" in page.text
    assert efirma.certificate.number in page.text
    document = visitor.get(f"{path}/firmado.xml").content
    found = verify(document, made.container.get(trust_store))
    assert (found.rfc, found.name, found.signed_at) == (
        KEMPER,
        "ESCUELA KEMPER URGATE",
        made.now.replace(microsecond=0),
    )
    assert "ESCUELA KEMPER URGATE, con RFC EKU9003173C9, declara:" in found.text
    printed = visitor.get(f"{path}/firmado.pdf")
    reader = PdfReader(BytesIO(printed.content))
    assert reader.attachments["manifiesto.xml"] == [document]
    assert efirma.certificate.number in reader.pages[0].extract_text()
    assert made.issue(invoice).uuid


@pytest.mark.parametrize(
    ("kind", "rfc", "days", "code", "detail"),
    [
        (CertificateKind.CSD, KEMPER, 30, "certificate-not-efirma", "Es un certificado de sello digital (CSD)"),
        (EFIRMA, OTHER, 30, "manifest-invalid", "La e.firma es de URE180429TM6; el manifiesto es de EKU9003173C9."),
        (EFIRMA, KEMPER, -1, "certificate-expired", "La e.firma venció el 2026-11-16."),
    ],
)
def test_signing_rejects_other_certificates(
    made: SandboxApp, signing: ManifestSigning, kind: CertificateKind, rfc: str, days: int, code: str, detail: str
) -> None:
    ends = made.now.replace(microsecond=0) + timedelta(days=days)
    credential = made.mint(rfc, kind, valid_to=ends)
    error = rejected(signed, signing, credential)
    assert error.code == code
    assert detail in (error.detail or "")
    assert signing.manifests.all() == []


def test_signing_rejects_wrong_keys_other_authorities_and_a_second_signature(
    made: SandboxApp, signing: ManifestSigning, tmp_path: Path
) -> None:
    efirma, other = made.mint(kind=EFIRMA), made.mint(kind=EFIRMA)
    sign = signing.sign
    wrong = rejected(sign, KEMPER, efirma.certificate_der, efirma.key_der, "otra contraseña", "")
    mixed = rejected(sign, KEMPER, efirma.certificate_der, other.key_der, other.password, "")
    missing = rejected(sign, KEMPER, efirma.certificate_der, b"", efirma.password, "")
    assert (wrong.code, mixed.code, missing.detail) == ("key-password", "key-mismatch", "Falta el archivo .key.")
    stranger = SandboxApp(tmp_path / "other", own_keys=True)
    foreign = rejected(signed, signing, stranger.mint(kind=EFIRMA))
    stranger.container.close()
    assert foreign.detail == "La e.firma no la emitió una autoridad del SAT."
    signed(signing, efirma)
    assert rejected(signed, signing, other).detail == f"El manifiesto de {KEMPER} ya está firmado."


def test_signing_rejects_a_revoked_efirma(made: SandboxApp, signing: ManifestSigning) -> None:
    efirma = made.mint(kind=EFIRMA)

    class Revoked:
        status = "R"

    class Listed:
        def certificate(self, rfc: str, number: str) -> object:
            return Revoked() if (rfc, number) == (KEMPER, efirma.certificate.number) else None

    current = signing._reference_data
    signing._reference_data = lambda: replace(current(), obligations=Listed())  # type: ignore[arg-type]
    assert "está revocada" in (rejected(signed, signing, efirma).detail or "")


def test_page_shows_why_and_keeps_nothing_of_the_key(
    made: SandboxApp, signing: ManifestSigning, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    csd, path = made.mint(), signing.link(KEMPER)[0]
    visitor = Visitor(made)
    visitor.get(path)
    answer = visitor.post(path, {"password": csd.password}, files=files(csd))
    assert answer.status_code == 422
    assert "el manifiesto se firma con la e.firma" in answer.text
    assert csd.password not in answer.text + caplog.text
    assert loggable_path(path) == "/portal/manifiesto/..."


def test_link_is_of_one_taxpayer_and_expires(made: SandboxApp, signing: ManifestSigning) -> None:
    path, expires = signing.link(KEMPER.lower(), 2)
    token = path.rpartition("/")[2]
    assert signing.rfc_of(token) == KEMPER
    assert timedelta(days=1) < expires - datetime.now(UTC) <= timedelta(days=2)
    changed = "A" + token[1:] if token[0] != "A" else "B" + token[1:]
    for bad in (changed, token[:-4], "", "ñ"):
        assert rejected(signing.rfc_of, bad).code == "TB4041"
    wall = made.container.wall

    class Later:
        def now(self) -> datetime:
            return wall.now() + timedelta(days=3)

    signing.manifests.wall = Later()
    assert rejected(signing.rfc_of, token).code == "TB4041"
    assert Visitor(made).get(path).status_code == 404
    for rfc, days in (("no rfc", 30), (KEMPER, 0), (KEMPER, 366)):
        assert rejected(signing.link, rfc, days).code == "manifest-invalid"


def test_changed_document_does_not_verify(made: SandboxApp, signing: ManifestSigning) -> None:
    signed(signing, made.mint(kind=EFIRMA))
    document, trust = signing.manifests.document(KEMPER), made.container.get(trust_store)
    assert document is not None
    assert verify(document, trust).address == "192.0.2.7"
    for changed in (
        document.replace(b"192.0.2.7", b"192.0.2.8"),
        document.replace(b"autoriza", b"prohibe "),
        b"<Manifiesto/>",
        b"%PDF-1.7",
    ):
        assert changed != document
        assert rejected(verify, changed, trust).code == "manifest-invalid"


def test_template_with_an_unknown_field_is_rejected() -> None:
    assert fill("{rfc} {fecha}", {"rfc": KEMPER}) == KEMPER
    assert rejected(fill, "{rfc} {sueldo}", {}).detail == "La plantilla tiene campos que no existen: sueldo."
    assert rejected(fill, " \n", {}).code == "manifest-invalid"
    assert rejected(fill, "a\x01", {}).code == "manifest-invalid"


def test_operator_sees_who_signed_and_sends_links(made: SandboxApp, signing: ManifestSigning) -> None:
    made.container.get(account_services).accounts.create(JEFA, PASSWORD, "administrator")
    visitor = Visitor(made)
    visitor.sign_in(JEFA)
    assert "Ningún contribuyente ha firmado." in visitor.get("/portal/manifiestos").text
    page = visitor.post("/portal/manifiestos", {"rfc": KEMPER, "dias": "5"})
    assert page.status_code == 200
    assert "/portal/manifiesto/" in page.text
    assert visitor.post("/portal/manifiestos", {"rfc": "no", "dias": "5"}).status_code == 422
    signed(signing, made.mint(kind=EFIRMA))
    signing.manifests.register(OTHER, made.container.wall.now() - timedelta(days=1), "papel.pdf", b"%PDF-1.7 paper")
    listed = visitor.get("/portal/manifiestos").text
    assert KEMPER in listed
    assert "papel.pdf" in listed
    assert "la firma es válida" in visitor.get(f"/portal/manifiestos/{KEMPER}").text
    assert "sin firma que se pueda verificar" in visitor.get(f"/portal/manifiestos/{OTHER}").text
    assert visitor.get(f"/portal/manifiestos/{OTHER}/firmado.xml").content == b"%PDF-1.7 paper"
    assert visitor.get(f"/portal/manifiestos/{OTHER}/firmado.pdf").status_code == 404
    assert visitor.get("/portal/manifiestos/AAA010101AAA").status_code == 404
    ana = Visitor(made)
    ana.sign_in(made.caller.user)
    assert ana.get("/portal/manifiestos").status_code == 404


def test_signed_manifest_is_stored_on_both_databases(address: str, tmp_path: Path) -> None:
    made = SandboxApp(tmp_path / "data", database_url=address)
    signing = made.container.get(manifest_signing)
    signed(signing, made.mint(kind=EFIRMA))
    found = signing.signed(KEMPER)
    assert found is not None
    assert [each.digest for each in signing.manifests.all()] == [found.digest]
    assert signing.rfc_of(signing.link(OTHER)[0].rpartition("/")[2]) == OTHER
    assert opened_database(made.container).dialect in ("sqlite", "postgresql")
    made.container.close()


def test_commands_link_verify_and_export(tmp_path: Path) -> None:
    data = create_data(tmp_path / "data")
    with open_container(Settings(data=data)) as container:
        now = container.wall.now().replace(microsecond=0)
        authority = container.get(sandbox_services).authority_ca
        efirma = authority.mint(
            KEMPER, EFIRMA, "ESCUELA KEMPER URGATE", now - timedelta(days=9), now + timedelta(days=9)
        )
        signed(container.get(manifest_signing), efirma)

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["manifest", *arguments, "--data", str(data)])
        return result.exit_code, result.stdout

    assert run("link", OTHER)[1].startswith("/portal/manifiesto/")
    code, line = run("verify", KEMPER)
    assert (code, line.split("\t")[:3]) == (0, [KEMPER, "ESCUELA KEMPER URGATE", efirma.certificate.number])
    file, printed = tmp_path / "m.xml", tmp_path / "m.pdf"
    assert run("export", KEMPER, "--to", str(file))[0] == 0
    assert run("export", KEMPER, "--to", str(printed))[0] == 0
    assert printed.read_bytes().startswith(b"%PDF-")
    assert run("verify", str(file)) == (code, line)
    file.write_bytes(file.read_bytes().replace(b"autoriza", b"prohibe "))
    assert run("verify", str(file))[0] == 1
    assert run("verify", OTHER)[0] == 1
    assert run("export", OTHER, "--to", str(file))[0] == 1
