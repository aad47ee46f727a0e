"""Seal certificates in the portal: upload, rejections, list and deactivation."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.browser import Visitor
from tests.support.key_forms import (
    CERTIFICATE_FORMS,
    KEY_FORMS,
    PASSWORD,
    certificate_file,
    is_encrypted,
    key_file,
)
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.accounts.certificates import certificate_services
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key

PATH = "/portal/certificados"
RFC = examples.KEMPER.rfc


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def csd(sandbox_app: SandboxApp) -> MintedCredential:
    return sandbox_app.mint(valid_to=sandbox_app.now + timedelta(days=45))


@pytest.fixture(scope="module")
def other(sandbox_app: SandboxApp) -> MintedCredential:
    return sandbox_app.mint(valid_to=sandbox_app.now + timedelta(days=10))


@pytest.fixture
def visitor(sandbox_app: SandboxApp, request: pytest.FixtureRequest) -> Visitor:
    """A new account, signed in."""
    user = f"{abs(hash(request.node.name))}@example.com"
    sandbox_app.account(user)
    made = Visitor(sandbox_app)
    made.sign_in(user)
    made.get(PATH)
    return made


def upload(visitor: Visitor, cer: bytes, key: bytes, password: str) -> int:
    files = [("cer", ("a.cer", cer)), ("key", ("a.key", key))]
    return visitor.post(PATH, {"password": password}, files=files).status_code


def files_of(credential: MintedCredential) -> tuple[bytes, bytes, str]:
    return credential.certificate_der, credential.key_der, credential.password


def test_upload_stores_and_lists_a_valid_pair(visitor: Visitor, csd: MintedCredential) -> None:
    assert upload(visitor, *files_of(csd)) == 303
    visitor.get(f"{PATH}?aviso=guardado")

    assert "El certificado se guardó" in visitor.text
    assert visitor.page is not None
    assert [RFC, csd.number] == visitor.page.xpath("//tbody//span[@class='code']/text()")
    assert visitor.page.xpath("//span[@class='badge warn']/text()") == ["45 días"]


@pytest.mark.parametrize("key_form", KEY_FORMS)
@pytest.mark.parametrize("text", [False, True])
def test_upload_stores_a_pair_in_every_form(visitor: Visitor, csd: MintedCredential, key_form: str, text: bool) -> None:
    """Also files that are base64 text; the password is sent only with an encrypted key."""
    key = key_file(key_form, load_private_key(csd.key_der, csd.password))
    certificate_form = CERTIFICATE_FORMS[list(KEY_FORMS).index(key_form) % len(CERTIFICATE_FORMS)]
    pair = certificate_file(certificate_form, csd.certificate_der), key
    cer, key = (b64encode(file) if text else file for file in pair)
    assert upload(visitor, cer, key, PASSWORD if is_encrypted(key_form) else "") == 303


def test_upload_names_the_holder_of_a_certificate_in_pem_when_it_is_rejected(
    visitor: Visitor, csd: MintedCredential
) -> None:
    assert upload(visitor, certificate_file("pem", csd.certificate_der), csd.key_der, "") == 422
    assert "La contraseña de la llave privada es incorrecta" in visitor.text
    assert csd.number in visitor.text


def test_list_marks_a_certificate_that_expires_soon(visitor: Visitor, other: MintedCredential) -> None:
    upload(visitor, *files_of(other))
    visitor.get(PATH)

    assert visitor.page is not None
    assert visitor.page.xpath("//span[@class='badge bad']/text()") == ["10 días"]


def test_upload_rejects_an_efirma_and_shows_its_data(visitor: Visitor, sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint(kind=CertificateKind.EFIRMA)

    assert upload(visitor, *files_of(credential)) == 422
    assert "es una e.firma; se necesita el certificado de sello digital" in visitor.text
    assert RFC in visitor.text
    assert credential.number in visitor.text


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [(-400, -5, "Venció el 2026-11-12"), (5, 400, "Vale desde el 2026-11-22")],
)
def test_upload_rejects_a_certificate_outside_its_validity(
    visitor: Visitor, sandbox_app: SandboxApp, since: int, until: int, words: str
) -> None:
    start, end = sandbox_app.now + timedelta(days=since), sandbox_app.now + timedelta(days=until)

    assert upload(visitor, *files_of(sandbox_app.mint(valid_from=start, valid_to=end))) == 422
    assert "no está vigente" in visitor.text
    assert words in visitor.text


def test_upload_rejects_an_invalid_pair(visitor: Visitor, csd: MintedCredential, other: MintedCredential) -> None:
    cer, key, password = files_of(csd)
    for pair, message in (
        ((cer, key, "otra"), "La contraseña de la llave privada es incorrecta"),
        ((cer, other.key_der, other.password), "La llave privada no corresponde al certificado"),
        ((key, cer, password), "Los archivos están cambiados"),
        ((b"x", key, password), "El certificado no se puede leer"),
        ((cer, b"x", password), "La llave privada no se puede leer"),
        ((b"", key, password), "Falta el archivo .cer"),
        ((cer, b"", password), "Falta el archivo .key"),
    ):
        assert upload(visitor, *pair) == 422
        assert message in visitor.text
    visitor.get(PATH)
    assert "No hay certificados guardados" in visitor.text


def test_upload_reports_an_unsupported_cipher(visitor: Visitor, csd: MintedCredential) -> None:
    """PKCS #8 under PBES2 with an unknown encryption scheme."""
    strange = csd.key_der.replace(bytes.fromhex("2a864886f70d0307"), bytes.fromhex("2a864886f70d037f"))
    assert strange != csd.key_der or pytest.fail("the key is not under the cipher that this test changes")

    assert upload(visitor, csd.certificate_der, strange, csd.password) == 422
    assert "El cifrado de la llave privada no está soportado" in visitor.text


def test_upload_rejects_a_body_above_the_limit(visitor: Visitor) -> None:
    assert upload(visitor, b"x" * 200_000, b"y", "z") == 413


def test_deactivate_keeps_the_certificate_in_the_list(visitor: Visitor, csd: MintedCredential) -> None:
    upload(visitor, *files_of(csd))
    visitor.get(PATH)
    answer = visitor.post(f"{PATH}/{csd.number}/desactivar", {})

    assert answer.status_code == 303
    visitor.get(answer.headers["location"])
    assert "desactivado" in visitor.text
    assert "Sí, desactivar" not in visitor.text


def test_deactivate_rejects_a_certificate_of_another_account(
    sandbox_app: SandboxApp, visitor: Visitor, csd: MintedCredential
) -> None:
    sandbox_app.store(csd)

    assert csd.number not in visitor.text
    assert visitor.post(f"{PATH}/{csd.number}/desactivar", {}).status_code == 400
    assert sandbox_app.container.get(certificate_services).vault.get(sandbox_app.caller.account_id, csd.number).active


def test_list_marks_an_untrusted_issuer(visitor: Visitor, tmp_path: Path) -> None:
    elsewhere = SandboxApp(tmp_path, own_keys=True)
    foreign = elsewhere.mint()
    elsewhere.container.close()
    upload(visitor, *files_of(foreign))
    visitor.get(PATH)

    assert "autoridad desconocida" in visitor.text


def test_list_marks_a_revoked_certificate(sandbox_app: SandboxApp, visitor: Visitor) -> None:
    revoked = sandbox_app.mint()
    sandbox_app.container.get(sandbox_services).certificates.revoke(revoked.number)
    sandbox_app.container.get(sandbox_services).registry.refresh()
    upload(visitor, *files_of(revoked))
    visitor.get(PATH)

    assert "no activo" in visitor.text
