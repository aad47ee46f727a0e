"""Certificates of an account in the shapes and texts of the contract."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounts.support import ENVELOPE, KEY_PASSWORD, MovableClock, key_file, rejected
from tests.seals.support import minted, rejection_of

from timbra.accounts.accounts import Accounts
from timbra.accounts.administration.certificates import CertificateItem, CertificateService, CertificateUpload
from timbra.accounts.vault.vault import Vault
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.database import open_database
from timbra.rules.reference.messages import full_message

RFC = "EKU9003173C9"
NUMBER = "30001000000500009999"
OTHER_NUMBER = "30001000000500008888"


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


UPLOAD = CertificateUpload("stamp", base64_of(minted()), base64_of(key_file()), KEY_PASSWORD)
ITEM = CertificateItem(
    issuer_rfc=RFC,
    certificate_number=NUMBER,
    csd_certificate=UPLOAD.certificate,
    is_active=True,
    issuer_business_name="ESCUELA KEMPER URGATE",
    valid_from="2025-01-01T00:00:00Z",
    valid_to="2029-01-01T00:00:00Z",
    certificate_type="stamp",
)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Accounts, CertificateService]]:
    database = open_database(f"sqlite:///{tmp_path_factory.mktemp('certificates') / 'timbra.db'}")
    wall = MovableClock()
    accounts = Accounts(database, ENVELOPE, "sandbox", wall, wall)
    yield accounts, CertificateService(Vault(database, ENVELOPE, wall, wall))
    accounts.close()
    database.close()


@pytest.fixture
def certificates(container: tuple[Accounts, CertificateService]) -> CertificateService:
    return container[1]


@pytest.fixture
def caller(container: tuple[Accounts, CertificateService]) -> Caller:
    """Return a new account."""
    accounts = container[0]
    made = accounts.create(f"cuenta-{len(accounts.list_accounts())}", "x")
    return Caller(made.account_id, made.user, made.role)


def detail_of(rejection: ServiceError) -> str:
    assert full_message(rejection.code) == "Certificados"
    assert rejection.detail is not None
    return rejection.detail


def test_save_returns_text_of_wire_contract(certificates: CertificateService, caller: Caller) -> None:
    assert certificates.save(caller, UPLOAD) == "CSD Guardados Correctamente."


def test_item_has_fields_of_wire_contract(certificates: CertificateService, caller: Caller) -> None:
    certificates.save(caller, UPLOAD)
    assert certificates.list_all(caller) == [ITEM]
    assert certificates.by_type(caller, "stamp") == [ITEM]
    assert certificates.by_rfc(caller, RFC) == [ITEM]
    assert certificates.get(caller, NUMBER) == ITEM
    assert certificates.active(caller, RFC.lower(), "STAMP") == ITEM
    assert len(fields(ITEM)) == 8


def test_lists_are_empty_without_certificates(certificates: CertificateService, caller: Caller) -> None:
    assert certificates.list_all(caller) == []
    assert certificates.by_type(caller, "otro\x00") == []
    assert certificates.by_rfc(caller, RFC) == []


def test_save_accepts_line_breaks_and_missing_type(certificates: CertificateService, caller: Caller) -> None:
    lines = "\r\n".join(UPLOAD.certificate[start : start + 76] for start in range(0, len(UPLOAD.certificate), 76))
    certificates.save(caller, replace(UPLOAD, kind="", certificate=lines, active=False))
    assert certificates.list_all(caller) == [replace(ITEM, is_active=False)]


def test_disable_keeps_inactive_certificate(certificates: CertificateService, caller: Caller) -> None:
    certificates.save(caller, UPLOAD)
    assert certificates.disable(caller, NUMBER)
    assert certificates.list_all(caller) == [replace(ITEM, is_active=False)]
    assert detail_of(rejected(certificates.active, caller, RFC, "stamp")) == (
        f"No se encontró el CSD correspondiente al RFC {RFC} ."
    )


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"password": "otra"}, "No se pudo cargar la llave privada, asegúrese de que la contraseña sea válida."),
        ({"certificate": "no es base64"}, "b64Cer"),
        ({"certificate": ""}, "Falta el certificado"),
        ({"key": "ñ"}, "b64Key"),
        ({"key": ""}, "Falta el archivo de la llave"),
        ({"certificate": base64_of(b"no es DER")}, "certificado"),
        ({"key": base64_of(key_file(2))}, "no corresponde"),
        ({"kind": "cancel"}, "tipo"),
        (
            {
                "certificate": base64_of(
                    minted(usage=("digital_signature", "content_commitment", "key_agreement"), branch=None)
                )
            },
            "e.firma",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_save_rejects_with_cause(
    certificates: CertificateService, caller: Caller, changed: dict[str, Any], says: str
) -> None:
    assert says in detail_of(rejected(certificates.save, caller, replace(UPLOAD, **changed)))
    assert certificates.list_all(caller) == []


@pytest.mark.parametrize("rfc", ["", "X", "EKU9003173C", "EKU9003173C9X", "\x00" * 12])
def test_by_rfc_rejects_malformed_rfc(certificates: CertificateService, caller: Caller, rfc: str) -> None:
    expected = "El Rfc proporcionado es invalido. Favor de verificar."
    assert detail_of(rejected(certificates.by_rfc, caller, rfc)) == expected
    assert detail_of(rejected(certificates.active, caller, rfc, "stamp")) == expected


@pytest.mark.parametrize("number", ["", "1", NUMBER + "0", "x" * 20, "٣" * 20, "\x00" * 20])
def test_get_rejects_malformed_number(certificates: CertificateService, caller: Caller, number: str) -> None:
    assert detail_of(rejected(certificates.get, caller, number)) == "Numero certificado invalido."
    assert detail_of(rejected(certificates.disable, caller, number)) == "Numero certificado invalido."


def test_get_rejects_unknown_number(certificates: CertificateService, caller: Caller) -> None:
    for call in (certificates.get, certificates.disable):
        detail = detail_of(rejected(call, caller, OTHER_NUMBER))
        assert detail.startswith("One or more errors occurred.")
        assert OTHER_NUMBER in detail


def test_get_rejects_certificate_of_other_account(certificates: CertificateService, caller: Caller) -> None:
    certificates.save(caller, UPLOAD)
    other = Caller(caller.account_id + 1000, "otra", "account")
    assert detail_of(rejected(certificates.disable, other, NUMBER))
    assert certificates.list_all(other) == []
    assert certificates.list_all(caller) == [ITEM]


TEXTS = st.one_of(st.text(), st.sampled_from([UPLOAD.certificate, UPLOAD.key, KEY_PASSWORD, "stamp"]))


@settings(deadline=None, max_examples=50)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
@pytest.mark.usefixtures("caller")
def test_save_stores_or_rejects_any_text(
    container: tuple[Accounts, CertificateService],
    kind: str,
    certificate: str,
    key: str,
    password: str,
) -> None:
    owner = Caller(container[0].list_accounts()[0].account_id, "", "account")
    upload = CertificateUpload(kind, certificate, key, password)
    assert rejection_of(container[1].save, owner, upload) in {None, "certificates"}
