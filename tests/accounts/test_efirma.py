"""The vault of the e.firma of taxpayers, in SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from sqlalchemy import select
from tests.accounts.support import ENVELOPE, KEY_PASSWORD, MASTER, MovableClock, key_file, rejected
from tests.seals.support import minted, rsa_key
from tests.support.events import list_audit_events

from timbra.accounts.vault.efirma import EfirmaVault, rotate_efirma_keys
from timbra.accounts.vault.tables import EFIRMA
from timbra.database.database import Database
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import UseCounter
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey

RFC = "EKU9003173C9"
USAGE = ("digital_signature", "content_commitment", "data_encipherment", "key_agreement")
ANA, BEA = 1, 2
NEW_MASTER = LocalMasterKey(bytes(32))


def efirma(number: str = "30001000000500009999", key: int = 1) -> bytes:
    return minted(usage=USAGE, branch=None, number=number, key=key)


def open_vault(database: Database, envelope: EnvelopeEncryption = ENVELOPE) -> EfirmaVault:
    wall = MovableClock()
    return EfirmaVault(database, envelope, wall, Audit(wall, wall), UseCounter(database, wall, wall))


@pytest.fixture
def vault(database: Database) -> EfirmaVault:
    return open_vault(database)


def signs(vault: EfirmaVault, key: int = 1) -> bool:
    signature = vault.credential(ANA, RFC).signer.sign(b"data", "sha1")
    rsa_key(key).public_key().verify(signature, b"data", PKCS1v15(), SHA1())
    return True


def test_save_stores_an_efirma_that_signs_for_its_account_only(database: Database, vault: EfirmaVault) -> None:
    stored = vault.save(ANA, efirma(), key_file(), KEY_PASSWORD)
    assert (stored.rfc, stored.number, stored.name) == (RFC, "30001000000500009999", "ESCUELA KEMPER URGATE")
    assert stored.valid_to == datetime(2029, 1, 1, tzinfo=UTC)
    assert vault.list_for(ANA) == [stored] == [vault.get(ANA, RFC.lower())]
    assert signs(vault)
    assert vault.list_for(BEA) == []
    for call in (vault.get, vault.credential, vault.delete):
        assert rejected(call, BEA, RFC).code == "efirma-unknown"
    with database.read() as connection:
        [sealed] = connection.execute(select(EFIRMA.c.sealed_key)).scalars()
    plain = rsa_key(1).private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    assert plain[100:140] not in sealed


def test_save_replaces_the_efirma_of_the_same_rfc(database: Database, vault: EfirmaVault) -> None:
    vault.save(ANA, efirma(), key_file(), KEY_PASSWORD)
    vault.save(ANA, efirma("30001000000500008888", key=2), key_file(2), KEY_PASSWORD)
    assert [one.number for one in vault.list_for(ANA)] == ["30001000000500008888"]
    assert signs(vault, key=2)
    vault.delete(ANA, RFC)
    assert vault.list_for(ANA) == []
    kinds = [event.kind for event in list_audit_events(database)]
    assert sorted(kind for kind in kinds if kind.startswith("efirma.")) == [
        "efirma.deleted",
        "efirma.stored",
        "efirma.stored",
    ]


@pytest.mark.parametrize(
    ("certificate", "key", "password", "code"),
    [
        (minted(), key_file(), KEY_PASSWORD, "certificate-not-efirma"),
        (minted(authority=True), key_file(), KEY_PASSWORD, "certificate-not-efirma"),
        (minted(rfc="NO ES RFC", usage=USAGE, branch=None), key_file(), KEY_PASSWORD, "certificate-not-efirma"),
        (efirma(), key_file(), "otra", "key-password"),
        (efirma(), key_file(2), KEY_PASSWORD, "key-mismatch"),
        (b"<html>", key_file(), KEY_PASSWORD, "certificate-unreadable"),
    ],
    ids=["csd", "authority", "rfc", "password", "pair", "html"],
)
def test_save_rejects_other_files(vault: EfirmaVault, certificate: bytes, key: bytes, password: str, code: str) -> None:
    assert rejected(vault.save, ANA, certificate, key, password).code == code
    assert vault.list_for(ANA) == []


def test_rotation_encrypts_keys_under_the_new_master_key(database: Database, vault: EfirmaVault) -> None:
    vault.save(ANA, efirma(), key_file(), KEY_PASSWORD)
    both = EnvelopeEncryption(NEW_MASTER, [MASTER])
    for count in (1, 0):
        with database.write() as transaction:
            assert rotate_efirma_keys(database, transaction, both) == count
    assert signs(open_vault(database, EnvelopeEncryption(NEW_MASTER)))
    assert rejected(vault.credential, ANA, RFC).code == "vault-key-unknown"
