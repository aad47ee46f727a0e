"""Representations, logs and errors contain no password, no private key and no token secret."""

from __future__ import annotations

import asyncio
import base64
import logging
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.accounts.support import ENVELOPE, KEY_PASSWORD, START, MovableClock, key_file
from tests.seals.support import minted, rsa_key

from timbra.accounts.accounts import Accounts
from timbra.accounts.administration.certificates import CertificateService, CertificateUpload
from timbra.accounts.login.limits import LoginSubject
from timbra.accounts.login.login import LoginAttempt
from timbra.accounts.secrets import shared_secret
from timbra.accounts.vault.csd import read_csd
from timbra.accounts.vault.vault import Vault
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.database import Database

PASSWORD = "MuySecreta-91827"
RFC = "EKU9003173C9"


def forms(secret: bytes) -> Iterator[str]:
    """Yield the middle of a secret as text, representation, hexadecimal and base64."""
    middle = secret[len(secret) // 3 : len(secret) // 3 + 24]
    yield middle.decode("latin-1")
    yield repr(middle)[2:-1]
    yield middle.hex()
    yield base64.b64encode(secret[len(secret) // 3 // 3 * 3 :]).decode()[:32]


@pytest.fixture
def secrets(database: Database) -> list[str]:
    plain = rsa_key(1).private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    secret = shared_secret(database, ENVELOPE)
    private = rsa_key(1).private_numbers()
    return [PASSWORD, KEY_PASSWORD, str(private.p), str(private.d), *forms(plain), *forms(key_file()), *forms(secret)]


def output_of(call: Callable[[], Any]) -> str:
    """Return the result of a call, or its error with the traceback, as text."""
    try:
        result = call()
    except ServiceError as error:
        return "".join(traceback.format_exception(error)) + repr(error) + str(error)
    return f"{result!r} {result}"


def test_secrets_are_absent_from_results_errors_and_logs(
    database: Database, accounts: Accounts, wall: MovableClock, secrets: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    vault = Vault(database, ENVELOPE, wall, wall)
    certificates = CertificateService(vault)
    caller = Caller(1, "ana", "account")
    good = base64.b64encode(minted()).decode(), base64.b64encode(key_file()).decode()
    upload = CertificateUpload("stamp", *good, KEY_PASSWORD)
    calls: list[Callable[[], Any]] = [
        lambda: accounts.create("ana", PASSWORD),
        lambda: accounts.create("ana", PASSWORD),
        lambda: accounts.set_password("ana", PASSWORD),
        lambda: accounts.set_password("nadie", PASSWORD),
        lambda: asyncio.run(accounts.authenticate("ana", PASSWORD)),
        lambda: asyncio.run(accounts.authenticate("nadie", PASSWORD)),
        lambda: LoginAttempt(LoginSubject("ana", 1, "ana", ""), "id:1", 1, "$argon2id$", PASSWORD),
        lambda: accounts._cache.find_by_name("ana"),
        lambda: upload,
        lambda: read_csd(minted(), key_file(), KEY_PASSWORD),
        lambda: vault.save(1, minted(), key_file(), KEY_PASSWORD),
        lambda: vault.save(1, minted(key=2), key_file(), KEY_PASSWORD),
        lambda: vault.save(1, key_file(), minted(), KEY_PASSWORD),
        lambda: vault.save(1, minted(), key_file(1, "otra"), KEY_PASSWORD),
        lambda: certificates.save(caller, upload),
        lambda: certificates.save(caller, CertificateUpload("stamp", good[1], good[1], KEY_PASSWORD)),
        lambda: certificates.save(caller, CertificateUpload("stamp", good[0], good[1] + "!", KEY_PASSWORD)),
        lambda: vault.signer_for(1, RFC, START),
        lambda: vault.signer_for(2, RFC, START),
        lambda: vault.list_certificates(1),
        lambda: vars(accounts),
        lambda: vars(vault),
    ]
    with caplog.at_level(logging.DEBUG):
        seen = " ".join(output_of(call) for call in calls) + caplog.text
    assert "AU2000" in seen
    assert "key-mismatch" in seen
    assert [secret for secret in secrets if secret in seen] == []


def test_password_hash_is_absent_from_results_errors_and_logs(
    accounts: Accounts, caplog: pytest.LogCaptureFixture
) -> None:
    accounts.create("ana", PASSWORD)
    with caplog.at_level(logging.DEBUG):
        seen = output_of(lambda: accounts.create("ana", PASSWORD)) + output_of(
            lambda: accounts._cache.find_by_name("ana")
        )
        seen += output_of(lambda: accounts.list_accounts())
    assert "account-exists" in seen
    assert "$argon2id$" not in seen


def test_session_repr_hides_its_token(accounts: Accounts) -> None:
    accounts.create("ana", PASSWORD)
    session = accounts.session_token("ana")
    assert session.token not in repr(session)
