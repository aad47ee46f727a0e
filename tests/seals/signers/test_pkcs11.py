"""Keys inside a token: signing, the master key, sessions that die, processes that fork."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key
from tests.seals.support import refusal_of, rsa_key
from tests.support.softhsm import SoftToken, soft_token

from timbra.errors import ServiceError
from timbra.seals.envelope import Envelope
from timbra.seals.master_key import LocalKey
from timbra.seals.seal import seal, verify
from timbra.seals.signers.pkcs11 import TokenSigner
from timbra.seals.token import Token
from timbra.seals.token_key import TokenKey

CADENA = "||1.1|Ñ||"


@pytest.fixture(scope="module")
def soft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftToken]:
    with soft_token(tmp_path_factory.mktemp("softhsm")) as token:
        yield token


@pytest.fixture(scope="module")
def public_key(soft: SoftToken) -> RSAPublicKey:
    """Of a pair that the token made, labelled "pac", id 01; with it an AES key labelled "master"."""
    from pkcs11 import KeyType
    from pkcs11.util.rsa import encode_rsa_public_key

    with soft.session() as session:
        public, _ = session.generate_keypair(KeyType.RSA, 2048, label="pac", id=b"\1", store=True)
        session.generate_key(KeyType.AES, 256, label="master", store=True)
        encoded = encode_rsa_public_key(public)
    key = load_der_public_key(encoded)
    assert isinstance(key, RSAPublicKey)
    return key


def token(soft: SoftToken, pin: str | None = None, label: str | None = None) -> Token:
    return Token(soft.module, label or soft.label, pin or soft.pin)


@pytest.mark.parametrize("name", [{"label": "pac"}, {"key_id": b"\1"}, {"label": "pac", "key_id": b"\1"}], ids=str)
def test_signs_with_the_key_that_label_or_id_find(
    soft: SoftToken, public_key: RSAPublicKey, name: dict[str, str | bytes]
) -> None:
    signer = TokenSigner(token(soft), public_key, **name)  # type: ignore[arg-type]
    assert verify(public_key, CADENA, seal(signer, CADENA))


def test_a_session_that_died_is_opened_anew(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signer = TokenSigner(token(soft), public_key, label="pac")
    for _ in range(3):
        assert verify(public_key, CADENA, seal(signer, CADENA))
        soft.restart()


def test_two_users_of_one_token_share_the_login(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signers = [TokenSigner(token(soft), public_key, label="pac") for _ in range(2)]
    assert seal(signers[0], CADENA) == seal(signers[1], CADENA)


def test_threads_follow_one_another(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signer = TokenSigner(token(soft), public_key, label="pac")
    with ThreadPoolExecutor(4) as pool:
        seals = set(pool.map(lambda _: seal(signer, CADENA), range(40)))
    assert len(seals) == 1


def test_a_signature_of_another_key_never_leaves(soft: SoftToken, public_key: RSAPublicKey) -> None:
    signer = TokenSigner(token(soft), rsa_key().public_key(), label="pac")
    assert refusal_of(signer.sign, b"x") == "signature-faulty"


def test_what_is_missing_is_named(soft: SoftToken, public_key: RSAPublicKey) -> None:
    soft.restart()
    for wrong, label in (
        (token(soft, pin="9999"), "pac"),
        (token(soft, label="otro"), "pac"),
        (token(soft), "otra"),
        (Token(Path("/absent.so"), soft.label, soft.pin), "pac"),
    ):
        with pytest.raises(ServiceError) as refusal:
            TokenSigner(wrong, public_key, label=label).sign(b"x")
        assert refusal.value.code == "signer-unavailable"
        assert refusal.value.retry_after == 5
        assert "9999" not in str(refusal.value)


def test_a_wrong_pin_is_tried_once(soft: SoftToken, public_key: RSAPublicKey) -> None:
    soft.restart()
    for _ in range(5):
        assert refusal_of(TokenSigner(token(soft, pin="9999"), public_key, label="pac").sign, b"x")
    assert verify(public_key, CADENA, seal(TokenSigner(token(soft), public_key, label="pac"), CADENA))


def test_without_the_package_the_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pkcs11", None)
    with pytest.raises(ServiceError, match="python-pkcs11 no está instalado"):
        TokenSigner(Token(Path("any.so"), "t", "1"), rsa_key().public_key(), label="k").sign(b"x")


def test_the_master_key_in_the_token(soft: SoftToken, public_key: RSAPublicKey) -> None:
    envelope = Envelope(TokenKey(token(soft), "master"))
    sealed = envelope.close(b"secreto", b"csd:1")
    assert b"secreto" not in sealed
    assert envelope.open(sealed, b"csd:1") == b"secreto"
    soft.restart()
    assert envelope.open(sealed, b"csd:1") == b"secreto"
    assert refusal_of(envelope.open, sealed, b"csd:2") == "vault-damaged"
    assert refusal_of(envelope.open, sealed[:-1] + b"\0", b"csd:1") == "vault-damaged"


def test_rotation_from_a_file_into_the_token(soft: SoftToken, public_key: RSAPublicKey) -> None:
    old = LocalKey(bytes(32))
    sealed = Envelope(old).close(b"secreto", b"csd:1")
    envelope = Envelope(TokenKey(token(soft), "master"), [old])
    assert envelope.needs_rotation(sealed)
    assert envelope.open(envelope.rotate(sealed, b"csd:1"), b"csd:1") == b"secreto"


def test_a_token_out_of_reach_is_not_taken_for_damage(soft: SoftToken, public_key: RSAPublicKey) -> None:
    sealed = Envelope(TokenKey(token(soft), "master")).close(b"secreto", b"csd:1")
    absent = TokenKey(token(soft), "absent")
    assert refusal_of(absent.decrypt, bytes(12), sealed[21:], b"") == "signer-unavailable"


FORKING = """
import os, sys
from pathlib import Path
from timbra.seals.token import KeyName, Token
from pkcs11 import Mechanism

token = Token(Path(sys.argv[1]), sys.argv[2], sys.argv[3])

def sign():
    name = KeyName("PRIVATE_KEY", "pac")
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
def test_each_process_opens_its_own_session(soft: SoftToken, public_key: RSAPublicKey, state: str) -> None:
    command = [sys.executable, "-c", FORKING, str(soft.module), soft.label, soft.pin, state]
    subprocess.run(command, check=True, timeout=30)
