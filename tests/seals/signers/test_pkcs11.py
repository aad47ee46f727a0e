"""Keys in a token: signing, the master key, invalidated sessions, forked processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key
from tests.seals.support import rejection_of, rsa_key
from tests.support.softhsm import SoftToken, soft_token

from timbra.core.errors import ServiceError
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey
from timbra.seals.encryption.pkcs11_master_key import Pkcs11MasterKey
from timbra.seals.seal import seal, verify
from timbra.seals.signers.pkcs11 import Pkcs11Signer
from timbra.seals.signers.pkcs11_session import KeyQuery, Pkcs11Session

CADENA = "||1.1|Ñ||"


@pytest.fixture(scope="module")
def soft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftToken]:
    with soft_token(tmp_path_factory.mktemp("softhsm")) as token:
        yield token


@pytest.fixture(scope="module")
def public_key(soft: SoftToken) -> RSAPublicKey:
    """Generate a key pair labelled "pac" with id 01, and an AES key labelled "master"."""
    from pkcs11 import KeyType
    from pkcs11.util.rsa import encode_rsa_public_key

    with soft.session() as session:
        public, _ = session.generate_keypair(KeyType.RSA, 2048, label="pac", id=b"\1", store=True)
        session.generate_key(KeyType.AES, 256, label="master", store=True)
        encoded = encode_rsa_public_key(public)
    key = load_der_public_key(encoded)
    assert isinstance(key, RSAPublicKey)
    return key


def token(soft: SoftToken, pin: str | None = None, label: str | None = None) -> Pkcs11Session:
    return Pkcs11Session(soft.module, label or soft.label, pin or soft.pin)


@pytest.mark.parametrize("name", [{"label": "pac"}, {"key_id": b"\1"}, {"label": "pac", "key_id": b"\1"}], ids=str)
def test_sign_uses_key_found_by_label_or_id(
    soft: SoftToken, public_key: RSAPublicKey, name: dict[str, str | bytes]
) -> None:
    signer = Pkcs11Signer(token(soft), public_key, **name)  # type: ignore[arg-type]
    assert verify(public_key, CADENA, seal(signer, CADENA))


def test_use_reopens_a_dead_session(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signer = Pkcs11Signer(token(soft), public_key, label="pac")
    for _ in range(3):
        assert verify(public_key, CADENA, seal(signer, CADENA))
        soft.restart()


def test_session_of_before_an_initialization_closes_no_later_one(soft: SoftToken, public_key: RSAPublicKey) -> None:
    from pkcs11 import Mechanism

    first, second = token(soft), token(soft)

    def handle(session: Pkcs11Session) -> int:
        def sign(key: Any) -> int:
            assert key.sign(b"x", mechanism=Mechanism.SHA256_RSA_PKCS)
            return int(key.session.handle)

        return session.use(KeyQuery("PRIVATE_KEY", "pac"), sign)

    soft.restart()
    assert handle(first) != handle(second)
    soft.restart()
    opened = handle(second)
    assert handle(first) != opened
    assert handle(second) == opened


def error_of(signer: Pkcs11Signer) -> ServiceError:
    with pytest.raises(ServiceError) as found:
        seal(signer, CADENA)
    return found.value


def test_use_reports_a_disconnected_token_as_unavailable_and_uses_it_again(
    soft: SoftToken, public_key: RSAPublicKey
) -> None:
    used = Pkcs11Signer(token(soft), public_key, label="pac")
    for _ in range(3):
        assert verify(public_key, CADENA, seal(used, CADENA))
        with soft.away():
            for signer in (used, Pkcs11Signer(token(soft), public_key, label="pac"), used):
                error = error_of(signer)
                assert (error.code, error.retry_after) == ("signer-unavailable", 5)
                assert (error.detail or "").rpartition(": ")[2], error.detail
        assert verify(public_key, CADENA, seal(used, CADENA))


def test_use_reports_why_a_module_cannot_be_loaded(tmp_path: Path, public_key: RSAPublicKey) -> None:
    module = Pkcs11Session(tmp_path / "absent.so", "timbra-test", "1234")
    error = error_of(Pkcs11Signer(module, public_key, label="pac"))
    assert error.code == "signer-unavailable"
    assert "absent.so: PKCS11Error OS exception" in (error.detail or "")


def test_threads_use_a_token_again_after_it_was_disconnected(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signers = [Pkcs11Signer(token(soft), public_key, label="pac") for _ in range(4)]

    def outcome(signer: Pkcs11Signer) -> str:
        try:
            return "ok" if verify(public_key, CADENA, seal(signer, CADENA)) else "wrong"
        except ServiceError as error:
            return error.code

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(outcome, signers)) == {"ok"}
        with soft.away():
            assert set(threads.map(outcome, signers * 2)) == {"signer-unavailable"}
        assert set(threads.map(outcome, signers * 2)) == {"ok"}


def test_sessions_of_one_token_share_the_login(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signers = [Pkcs11Signer(token(soft), public_key, label="pac") for _ in range(2)]
    assert seal(signers[0], CADENA) == seal(signers[1], CADENA)


def test_use_serializes_threads(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signer = Pkcs11Signer(token(soft), public_key, label="pac")
    with ThreadPoolExecutor(4) as pool:
        seals = set(pool.map(lambda _: seal(signer, CADENA), range(40)))
    assert len(seals) == 1


def test_sign_rejects_signature_of_another_key(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signer = Pkcs11Signer(token(soft), rsa_key().public_key(), label="pac")
    assert rejection_of(signer.sign, b"x") == "signature-faulty"


def test_use_names_missing_token_or_key(soft: SoftToken, public_key: RSAPublicKey) -> None:
    soft.restart()
    for wrong, label in (
        (token(soft, pin="9999"), "pac"),
        (token(soft, label="otro"), "pac"),
        (token(soft), "otra"),
        (Pkcs11Session(Path("/absent.so"), soft.label, soft.pin), "pac"),
    ):
        with pytest.raises(ServiceError) as rejection:
            Pkcs11Signer(wrong, public_key, label=label).sign(b"x")
        assert rejection.value.code == "signer-unavailable"
        assert rejection.value.retry_after == 5
        assert "9999" not in str(rejection.value)


def test_use_does_not_retry_a_wrong_pin(soft: SoftToken, public_key: RSAPublicKey) -> None:
    soft.restart()
    for _ in range(5):
        assert rejection_of(Pkcs11Signer(token(soft, pin="9999"), public_key, label="pac").sign, b"x")
    assert verify(public_key, CADENA, seal(Pkcs11Signer(token(soft), public_key, label="pac"), CADENA))


def test_load_driver_names_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pkcs11", None)
    with pytest.raises(ServiceError, match="python-pkcs11 no está instalado"):
        Pkcs11Signer(Pkcs11Session(Path("any.so"), "t", "1"), rsa_key().public_key(), label="k").sign(b"x")


def test_pkcs11_master_key_encrypts_and_decrypts(soft: SoftToken, public_key: RSAPublicKey) -> None:
    envelope = EnvelopeEncryption(Pkcs11MasterKey(token(soft), "master"))
    sealed = envelope.close(b"secreto", b"csd:1")
    assert b"secreto" not in sealed
    assert envelope.open(sealed, b"csd:1") == b"secreto"
    soft.restart()
    assert envelope.open(sealed, b"csd:1") == b"secreto"
    assert rejection_of(envelope.open, sealed, b"csd:2") == "vault-damaged"
    assert rejection_of(envelope.open, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"csd:1") == "vault-damaged"


def test_rotate_moves_secrets_from_file_key_to_token_key(soft: SoftToken, public_key: RSAPublicKey) -> None:
    old = LocalMasterKey(bytes(32))
    sealed = EnvelopeEncryption(old).close(b"secreto", b"csd:1")
    envelope = EnvelopeEncryption(Pkcs11MasterKey(token(soft), "master"), [old])
    assert envelope.needs_rotation(sealed)
    assert envelope.open(envelope.rotate(sealed, b"csd:1"), b"csd:1") == b"secreto"


def test_decrypt_reports_unavailable_token_instead_of_damage(soft: SoftToken, public_key: RSAPublicKey) -> None:
    sealed = EnvelopeEncryption(Pkcs11MasterKey(token(soft), "master")).close(b"secreto", b"csd:1")
    absent = Pkcs11MasterKey(token(soft), "absent")
    assert rejection_of(absent.decrypt, bytes(12), sealed[21:], b"") == "signer-unavailable"


FORKING = """
import os, sys
from pathlib import Path
from timbra.seals.signers.pkcs11_session import KeyQuery, Pkcs11Session
from pkcs11 import Mechanism

token = Pkcs11Session(Path(sys.argv[1]), sys.argv[2], sys.argv[3])

def sign():
    name = KeyQuery("PRIVATE_KEY", "pac")
    return token.use(name, lambda key: key.sign(b"x", mechanism=Mechanism.SHA256_RSA_PKCS))

before = sign() if sys.argv[4] == "opened" else None
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        os._exit(0 if len(sign()) == 256 else 1)
    children.append(child)
statuses = [os.waitpid(child, 0)[1] for child in children]
assert statuses == [0] * 4, statuses
assert before in (None, sign())
"""


@pytest.mark.parametrize("state", ["opened", "unopened"])
def test_use_opens_a_session_per_process(soft: SoftToken, public_key: RSAPublicKey, state: str) -> None:
    command = [sys.executable, "-c", FORKING, str(soft.module), soft.label, soft.pin, state]
    subprocess.run(command, check=True, timeout=30)
