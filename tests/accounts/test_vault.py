"""The vault: accepted certificates, access by account, the signer at an instant, and a change of the master key."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, select, update
from tests.accounts.support import ENVELOPE, KEY_PASSWORD, MASTER, START, MovableClock, key_file, rejected
from tests.seals.support import damaged, minted, on_a_curve, rejection_of, rsa_key
from tests.support.corpus import credential, needs_corpus
from tests.support.events import list_audit_events
from tests.support.softhsm import soft_token

from timbra.accounts.accounts import Accounts
from timbra.accounts.vault.csd import read_csd
from timbra.accounts.vault.vault import Vault
from timbra.database.database import Database, open_database
from timbra.database.tables.accounts import CSD
from timbra.database.tables.audit import AUDIT_COUNT
from timbra.events.audit.counts import UseCounter
from timbra.rules.reference.messages import full_message
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey, MasterKey
from timbra.seals.encryption.pkcs11_master_key import Pkcs11MasterKey
from timbra.seals.signers.pkcs11_session import Pkcs11Session

KEY_USED = "key.used"

RFC = "EKU9003173C9"
NUMBER = "30001000000500009999"
OTHER_NUMBER = "30001000000500008888"
EFIRMA_USAGE = ("digital_signature", "content_commitment", "data_encipherment", "key_agreement")
NEW_MASTER = LocalMasterKey(bytes(32))


@pytest.fixture
def owners(any_database: Database, wall: MovableClock) -> Iterator[tuple[int, int]]:
    """Two accounts."""
    accounts = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    yield accounts.create("ana", "x").account_id, accounts.create("luis", "x").account_id
    accounts.close()


@pytest.fixture
def ana(owners: tuple[int, int]) -> int:
    return owners[0]


def open_vault(database: Database, *keys: MasterKey) -> Vault:
    """Return a vault with these master keys, the current one first."""
    current, *previous = keys or (MASTER,)
    wall = MovableClock()
    return Vault(database, EnvelopeEncryption(current, previous), wall, wall)


@pytest.fixture
def vault(any_database: Database) -> Vault:
    return open_vault(any_database)


def store(vault: Vault, account: int, number: str = NUMBER, key: int = 1, **minting: object) -> bytes:
    """Store a minted CSD and return its DER."""
    der = minted(number=number, key=key, **minting)  # type: ignore[arg-type]
    vault.save(account, der, key_file(key), KEY_PASSWORD)
    return der


def signs(vault: Vault, account: int, key: int = 1, at: datetime = START) -> bool:
    signature = vault.signer_for(account, RFC, at).signer.sign(b"cadena")
    rsa_key(key).public_key().verify(signature, b"cadena", PKCS1v15(), SHA256())
    return True


def test_save_stores_a_csd_that_seals(vault: Vault, ana: int) -> None:
    der = minted()
    stored = vault.save(ana, der, key_file(), KEY_PASSWORD)
    assert (stored.number, stored.rfc, stored.kind, stored.active) == (NUMBER, RFC, "stamp", True)
    assert (stored.certificate, stored.name) == (der, "ESCUELA KEMPER URGATE")
    assert stored.valid_from == datetime(2025, 1, 1, tzinfo=UTC)
    assert vault.list_certificates(ana) == [stored] == [vault.get(ana, NUMBER)]
    assert vault.get_active(ana, RFC.lower()) == stored
    assert vault.signer_for(ana, RFC, START).certificate.der == der
    assert signs(vault, ana)


@needs_corpus
def test_save_stores_a_csd_of_the_sat(vault: Vault, ana: int) -> None:
    sample = credential("CACX7605101P8")
    assert sample.key is not None
    assert sample.password is not None
    vault.save(ana, sample.read(), sample.key.read_bytes(), sample.password)
    assert vault.signer_for(ana, "CACX7605101P8", sample.valid_from).signer.sign(b"x")


@needs_corpus
def test_save_rejects_an_efirma(vault: Vault, ana: int) -> None:
    sample = credential("CACX7605101P8", "FIEL")
    assert sample.key is not None
    rejection = rejected(vault.save, ana, sample.read(), sample.key.read_bytes(), str(sample.password))
    assert rejection.code == "certificate-not-csd"


@pytest.mark.parametrize(
    ("certificate", "key", "password", "code", "says"),
    [
        (minted(usage=EFIRMA_USAGE, branch=None), key_file(), KEY_PASSWORD, "certificate-not-csd", "e.firma"),
        (minted(authority=True), key_file(), KEY_PASSWORD, "certificate-not-csd", "no es un certificado de sello"),
        (minted(rfc="NO ES RFC"), key_file(), KEY_PASSWORD, "certificate-not-csd", "RFC"),
        (minted(serial=7), key_file(), KEY_PASSWORD, "certificate-not-csd", "20 dígitos"),
        (on_a_curve(), key_file(), KEY_PASSWORD, "certificate-unreadable", ""),
        (b"<html>", key_file(), KEY_PASSWORD, "certificate-unreadable", ""),
        (minted(), minted(), KEY_PASSWORD, "key-unreadable", ""),
        (minted(), b"", KEY_PASSWORD, "key-unreadable", ""),
        (minted(), key_file(), "otra", "key-password", ""),
        (minted(), key_file(), "", "key-password", ""),
        (minted(), key_file(), "\ud800", "key-password", ""),
        (minted(), key_file(2), KEY_PASSWORD, "key-mismatch", ""),
        (key_file(), minted(), KEY_PASSWORD, "certificate-unreadable", ""),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() else "",
)
def test_save_rejects_invalid_pairs(certificate: bytes, key: bytes, password: str, code: str, says: str) -> None:
    rejection = rejected(read_csd, certificate, key, password)
    assert (rejection.code, says in (rejection.detail or "")) == (code, True)
    assert full_message(code)


def test_save_rejects_other_kinds(vault: Vault, ana: int) -> None:
    assert rejected(vault.save, ana, minted(), key_file(), KEY_PASSWORD, "cancel").code == "certificate-kind"
    assert vault.save(ana, minted(), key_file(), KEY_PASSWORD, "Stamp").kind == "stamp"
    assert [len(vault.list_certificates(ana, kind)) for kind in ("STAMP", "cancel", "\x00")] == [1, 0, 0]


def test_save_writes_nothing_when_rejected(vault: Vault, ana: int, any_database: Database) -> None:
    before = any_database.cache_version("certificates")
    rejected(vault.save, ana, minted(), key_file(), "otra")
    assert vault.list_certificates(ana) == []
    assert any_database.cache_version("certificates") == before


def test_vault_separates_accounts(vault: Vault, owners: tuple[int, int]) -> None:
    ana, luis = owners
    store(vault, ana)
    assert vault.list_certificates(luis) == []
    assert rejected(vault.get, luis, NUMBER).code == "certificate-unknown"
    assert rejected(vault.disable, luis, NUMBER).code == "certificate-unknown"
    assert rejected(vault.signer_for, luis, RFC, START).code == "csd-missing"
    store(vault, luis)
    vault.disable(luis, NUMBER)
    assert signs(vault, ana)
    assert rejected(vault.signer_for, luis, RFC, START).code == "csd-missing"


def test_csd_missing_has_the_message_that_clients_expect(vault: Vault, ana: int) -> None:
    for rejection in (
        rejected(vault.signer_for, ana, "XAXX010101000", START),
        rejected(vault.get_active, ana, "XAXX010101000"),
    ):
        assert rejection.code == "csd-missing"
        assert rejection.detail == "No se encontró el CSD correspondiente al RFC XAXX010101000 ."


def test_disable_keeps_a_certificate_until_it_is_saved_again(vault: Vault, ana: int) -> None:
    store(vault, ana)
    assert signs(vault, ana)
    vault.disable(ana, NUMBER)
    assert [stored.active for stored in vault.list_certificates(ana)] == [False]
    assert rejected(vault.get_active, ana, RFC).code == "csd-missing"
    assert rejected(vault.signer_for, ana, RFC, START).code == "csd-missing"
    store(vault, ana)
    assert [stored.active for stored in vault.list_certificates(ana)] == [True]
    assert signs(vault, ana)


def test_signer_for_ignores_inactive_certificates(vault: Vault, ana: int) -> None:
    vault.save(ana, minted(), key_file(), KEY_PASSWORD, active=False)
    assert rejected(vault.signer_for, ana, RFC, START).code == "csd-missing"


def test_signer_for_returns_the_newest_in_force(vault: Vault, ana: int) -> None:
    renewal = START + timedelta(days=30)
    store(vault, ana, NUMBER, 1)
    store(vault, ana, OTHER_NUMBER, 2, valid_from=renewal, valid_to=renewal + timedelta(days=1))
    assert signs(vault, ana, 1, START)
    assert signs(vault, ana, 2, renewal)
    assert signs(vault, ana, 1, renewal + timedelta(days=2))
    assert [stored.number for stored in vault.list_certificates(ana, rfc=RFC)] == [OTHER_NUMBER, NUMBER]
    vault.disable(ana, OTHER_NUMBER)
    assert signs(vault, ana, 1, renewal)


def test_signer_for_returns_the_newest_when_none_is_in_force(vault: Vault, ana: int) -> None:
    store(vault, ana)
    assert vault.signer_for(ana, RFC, START + timedelta(days=3650)).certificate.number == NUMBER


def test_signer_for_uses_the_cache(vault: Vault, ana: int, any_database: Database) -> None:
    store(vault, ana)
    first = vault.signer_for(ana, RFC, START)
    statements: list[str] = []
    event.listen(any_database.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert all(vault.signer_for(ana, RFC, START) is first for _ in range(3))
    assert statements == []


def test_signer_cache_keeps_keys_after_a_change_of_another_certificate(vault: Vault, owners: tuple[int, int]) -> None:
    ana, luis = owners
    store(vault, ana)
    first = vault.signer_for(ana, RFC, START)
    store(vault, luis, OTHER_NUMBER, 2)
    assert vault.signer_for(ana, RFC, START) is first


def test_signer_for_reads_changes_of_other_processes(vault: Vault, ana: int, any_address: str) -> None:
    elsewhere = open_database(any_address)
    other = open_vault(elsewhere)
    assert rejected(other.signer_for, ana, RFC, START).code == "csd-missing"
    store(vault, ana)
    elsewhere.poll()
    assert signs(other, ana)
    vault.disable(ana, NUMBER)
    elsewhere.poll()
    assert rejected(other.signer_for, ana, RFC, START).code == "csd-missing"
    elsewhere.close()


def test_save_calls_on_stored(any_database: Database, ana: int, wall: MovableClock) -> None:
    stored_certificates: list[Certificate] = []
    vault = Vault(any_database, ENVELOPE, wall, wall, stored_certificates.append)
    rejected(vault.save, ana, minted(), key_file(), "otra")
    assert stored_certificates == []
    store(vault, ana)
    assert [(certificate.number, certificate.rfc) for certificate in stored_certificates] == [(NUMBER, RFC)]


def test_vault_writes_the_audit_log(vault: Vault, ana: int, any_database: Database) -> None:
    store(vault, ana)
    vault.disable(ana, NUMBER)
    rows = [event for event in list_audit_events(any_database) if event.subject == NUMBER]
    assert [(row.kind, row.account_id) for row in rows] == [
        ("certificate.stored", ana),
        ("certificate.disabled", ana),
    ]


def test_signatures_are_counted_by_key_and_account(accounts: Accounts, database: Database, wall: MovableClock) -> None:
    account_id = accounts.create("luis", "contraseña 1").account_id
    uses = UseCounter(database, wall, wall)
    vault = Vault(database, ENVELOPE, wall, wall, uses=uses)
    store(vault, account_id)
    for _ in range(2):
        vault.signer_for(account_id, RFC, START).signer.sign(b"cadena")
    uses.flush()
    with database.read() as connection:
        [row] = connection.execute(select(AUDIT_COUNT)).all()
    assert (row.kind, row.account_id, row.subject, row._mapping["count"]) == (KEY_USED, account_id, NUMBER, 2)


def stored_row(database: Database, account: int) -> bytes:
    with database.read() as connection:
        sealed: bytes = connection.execute(select(CSD.c.sealed_key).where(CSD.c.account_id == account)).scalar_one()
    return sealed


def test_save_encrypts_the_key(vault: Vault, ana: int, any_database: Database) -> None:
    store(vault, ana)
    plain = rsa_key(1).private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    assert ENVELOPE.open(stored_row(any_database, ana), f"csd:{ana}:{NUMBER}".encode()) == plain
    with any_database.read() as connection:
        everything = b"".join(
            value if isinstance(value, bytes) else str(value).encode()
            for row in connection.execute(select(CSD))
            for value in row
        )
    assert plain[-64:] not in everything
    assert KEY_PASSWORD.encode() not in everything


def test_encrypted_key_is_bound_to_its_account(vault: Vault, owners: tuple[int, int], any_database: Database) -> None:
    ana, luis = owners
    store(vault, ana)
    store(vault, luis)
    with any_database.write() as connection:
        connection.execute(update(CSD).where(CSD.c.account_id == luis).values(sealed_key=stored_row(any_database, ana)))
    assert rejected(open_vault(any_database).signer_for, luis, RFC, START).code == "vault-damaged"


def test_rotate_encrypts_everything_under_the_new_master_key(
    vault: Vault, owners: tuple[int, int], any_database: Database, wall: MovableClock
) -> None:
    ana, luis = owners
    store(vault, ana)
    store(vault, luis, OTHER_NUMBER, 2)
    assert rejected(open_vault(any_database, NEW_MASTER).signer_for, ana, RFC, START).code == "vault-key-unknown"
    both = open_vault(any_database, NEW_MASTER, MASTER)
    assert both.rotate() == 3, "two certificates and the secret of tokens"
    assert both.rotate() == 0
    alone = open_vault(any_database, NEW_MASTER)
    assert signs(alone, ana, 1)
    assert signs(alone, luis, 2)
    assert rejected(open_vault(any_database, MASTER).signer_for, ana, RFC, START).code == "vault-key-unknown"


def test_rotate_keeps_tokens_valid_and_runs_other_rotations(any_database: Database, wall: MovableClock) -> None:
    before = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    before.create("ana", "x")
    token = before.create_infinite_token("ana")
    new = EnvelopeEncryption(NEW_MASTER, [MASTER])
    assert Vault(any_database, new, wall, wall, rotations=[lambda connection, envelope: 40]).rotate() == 41
    after = Accounts(any_database, EnvelopeEncryption(NEW_MASTER), "sandbox", wall, wall)
    assert after.caller(f"Bearer {token}").user == "ana"
    for accounts in (before, after):
        accounts.close()


def test_rotate_reads_all_pages(
    vault: Vault, ana: int, monkeypatch: pytest.MonkeyPatch, any_database: Database
) -> None:
    monkeypatch.setattr("timbra.accounts.store.certificate_repository.KEYS_PER_PAGE", 2)
    for last in range(5):
        store(vault, ana, f"3000100000050000999{last}")
    assert open_vault(any_database, NEW_MASTER, MASTER).rotate() == 6
    assert signs(open_vault(any_database, NEW_MASTER), ana)


def test_rotate_continues_after_an_interruption(
    vault: Vault, owners: tuple[int, int], any_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, luis = owners
    store(vault, ana)
    store(vault, luis)
    monkeypatch.setattr("timbra.accounts.store.certificate_repository.KEYS_PER_PAGE", 1)
    both = open_vault(any_database, NEW_MASTER, MASTER)
    with any_database.write() as connection:
        good = stored_row(any_database, luis)
        connection.execute(update(CSD).where(CSD.c.account_id == luis).values(sealed_key=good[:-1]))
    assert rejected(both.rotate).code == "vault-damaged"
    with any_database.write() as connection:
        connection.execute(update(CSD).where(CSD.c.account_id == luis).values(sealed_key=good))
    assert signs(both, ana)
    assert both.rotate() == 1
    assert signs(open_vault(any_database, NEW_MASTER), luis)


def test_vault_works_with_a_master_key_in_a_token(
    vault: Vault, ana: int, any_database: Database, tmp_path: Path
) -> None:
    store(vault, ana)
    with soft_token(tmp_path / "softhsm", "timbra-vault") as soft:
        import pkcs11

        with soft.session() as session:
            session.generate_key(pkcs11.KeyType.AES, 256, label="master", store=True)
        inside = Pkcs11MasterKey(Pkcs11Session(soft.module, soft.label, soft.pin), "master")
        assert open_vault(any_database, inside, MASTER).rotate() == 2
        alone = open_vault(any_database, inside)
        assert signs(alone, ana)
        assert store(alone, ana, OTHER_NUMBER, 2)
        assert rejected(open_vault(any_database).signer_for, ana, RFC, START).code == "vault-key-unknown"


PAIRS = [minted(), key_file()]
REJECTIONS = {
    "certificate-unreadable",
    "certificate-not-csd",
    "key-password",
    "key-cipher",
    "key-unreadable",
    "key-mismatch",
}


@settings(deadline=None)
@given(
    st.one_of(st.binary(max_size=200), damaged(PAIRS)), st.one_of(st.binary(max_size=200), damaged(PAIRS)), st.text()
)
def test_read_csd_rejects_any_other_bytes(certificate: bytes, key: bytes, password: str) -> None:
    assert rejection_of(read_csd, certificate, key, password) in REJECTIONS
    assert rejection_of(read_csd, PAIRS[0], key, KEY_PASSWORD) in {None, *REJECTIONS}
    assert rejection_of(read_csd, certificate, PAIRS[1], KEY_PASSWORD) in {None, *REJECTIONS}
