"""Seal certificates in the portal: what may enter, what keeps a pair out, who sees it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.portal.browser import Visitor
from tests.support.desk import Desk

from timbra import examples
from timbra.authority.sandbox.ca import MintedCredential
from timbra.seals.certificate import Kind

PLACE = "/portal/certificados"
RFC = examples.KEMPER.rfc


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("desk"))
    yield made
    made.house.close()


@pytest.fixture(scope="module")
def csd(desk: Desk) -> MintedCredential:
    return desk.mint(valid_to=desk.now + timedelta(days=45))


@pytest.fixture(scope="module")
def other(desk: Desk) -> MintedCredential:
    return desk.mint(valid_to=desk.now + timedelta(days=10))


@pytest.fixture
def visitor(desk: Desk, request: pytest.FixtureRequest) -> Visitor:
    """Somebody new, who is in."""
    user = f"{abs(hash(request.node.name))}@example.com"
    desk.account(user)
    made = Visitor(desk)
    made.sign_in(user)
    made.get(PLACE)
    return made


def upload(visitor: Visitor, cer: bytes, key: bytes, password: str) -> int:
    files = [("cer", ("a.cer", cer)), ("key", ("a.key", key))]
    return visitor.post(PLACE, {"password": password}, files=files).status_code


def of(credential: MintedCredential) -> tuple[bytes, bytes, str]:
    return credential.certificate_der, credential.key_der, credential.password


def test_a_good_pair_is_kept_and_listed(visitor: Visitor, csd: MintedCredential) -> None:
    assert upload(visitor, *of(csd)) == 303
    visitor.get(f"{PLACE}?aviso=guardado")

    assert "El certificado se guardó" in visitor.text
    assert visitor.page is not None
    assert [RFC, csd.number] == visitor.page.xpath("//tbody//span[@class='code']/text()")
    assert visitor.page.xpath("//span[@class='badge warn']/text()") == ["45 días"]


def test_few_days_are_marked(visitor: Visitor, other: MintedCredential) -> None:
    upload(visitor, *of(other))
    visitor.get(PLACE)

    assert visitor.page is not None
    assert visitor.page.xpath("//span[@class='badge bad']/text()") == ["10 días"]


def test_an_efirma_is_told_apart_with_what_it_is(visitor: Visitor, desk: Desk) -> None:
    credential = desk.mint(kind=Kind.EFIRMA)

    assert upload(visitor, *of(credential)) == 422
    assert "es una e.firma; se necesita el certificado de sello digital" in visitor.text
    assert RFC in visitor.text
    assert credential.number in visitor.text


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [(-400, -5, "Venció el 2026-11-12"), (5, 400, "Vale desde el 2026-11-22")],
)
def test_out_of_its_term(visitor: Visitor, desk: Desk, since: int, until: int, words: str) -> None:
    start, end = desk.now + timedelta(days=since), desk.now + timedelta(days=until)

    assert upload(visitor, *of(desk.mint(valid_from=start, valid_to=end))) == 422
    assert "no está vigente" in visitor.text
    assert words in visitor.text


def test_what_is_wrong_with_a_pair_is_told(visitor: Visitor, csd: MintedCredential, other: MintedCredential) -> None:
    cer, key, password = of(csd)
    for sent, words in (
        ((cer, key, "otra"), "La contraseña de la llave privada es incorrecta"),
        ((cer, other.key_der, other.password), "La llave privada no corresponde al certificado"),
        ((key, cer, password), "Los archivos están cambiados"),
        ((b"x", key, password), "El certificado no se puede leer"),
        ((cer, b"x", password), "La llave privada no se puede leer"),
        ((b"", key, password), "Falta el archivo .cer"),
        ((cer, b"", password), "Falta el archivo .key"),
    ):
        assert upload(visitor, *sent) == 422
        assert words in visitor.text
    visitor.get(PLACE)
    assert "No hay ninguno" in visitor.text


def test_a_cipher_that_cannot_be_read_is_no_wrong_password(visitor: Visitor, csd: MintedCredential) -> None:
    """PKCS#8 under PBES2 with an encryption scheme that nobody knows."""
    strange = csd.key_der.replace(bytes.fromhex("2a864886f70d0307"), bytes.fromhex("2a864886f70d037f"))
    assert strange != csd.key_der or pytest.fail("the key is not under the cipher that this test changes")

    assert upload(visitor, csd.certificate_der, strange, csd.password) == 422
    assert "El cifrado de la llave privada no está soportado" in visitor.text


def test_huge_uploads_are_refused(visitor: Visitor) -> None:
    assert upload(visitor, b"x" * 200_000, b"y", "z") == 413


def test_a_disabled_one_stays_listed(visitor: Visitor, csd: MintedCredential) -> None:
    upload(visitor, *of(csd))
    visitor.get(PLACE)
    answer = visitor.post(f"{PLACE}/{csd.number}/desactivar", {})

    assert answer.status_code == 303
    visitor.get(answer.headers["location"])
    assert "desactivado" in visitor.text
    assert "Sí, desactivar" not in visitor.text


def test_nobody_disables_the_certificate_of_another(desk: Desk, visitor: Visitor, csd: MintedCredential) -> None:
    desk.store(csd)

    assert csd.number not in visitor.text
    assert visitor.post(f"{PLACE}/{csd.number}/desactivar", {}).status_code == 400
    assert desk.house.vault.one(desk.caller.account_id, csd.number).active


def test_one_of_an_unknown_authority_is_marked(visitor: Visitor, tmp_path: Path) -> None:
    elsewhere = Desk(tmp_path)
    foreign = elsewhere.mint()
    elsewhere.house.close()
    upload(visitor, *of(foreign))
    visitor.get(PLACE)

    assert "autoridad desconocida" in visitor.text


def test_a_revoked_one_is_marked(desk: Desk, visitor: Visitor) -> None:
    revoked = desk.mint()
    desk.house.registry.revoke(revoked.number)
    desk.house.registry.refresh()
    upload(visitor, *of(revoked))
    visitor.get(PLACE)

    assert "no activo" in visitor.text
