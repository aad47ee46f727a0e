"""Key files of common programs; wrong passwords, unsupported ciphers and other files have different codes."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateNumbers, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import damaged, minted, rejection_of, rsa_key
from tests.support.corpus import Entry, corpus_path, credentials
from tests.support.requirements import need

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.keys.password_encryption import read_encryption
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.rsa_signature import verify_signature
from timbra.seals.signers.memory import pair_key

WITH_KEYS = [entry for entry in credentials() if entry.key]
PASSWORD = "contraseña 1"


def saved(
    encryption: KeySerializationEncryption | None = None,
    form: PrivateFormat = PrivateFormat.PKCS8,
    encoding: Encoding = Encoding.DER,
) -> bytes:
    encryption = encryption or BestAvailableEncryption(PASSWORD.encode())
    return rsa_key().private_bytes(encoding, form, encryption)


def code_of(data: bytes, password: str) -> str:
    with pytest.raises(ServiceError) as rejection:
        load_private_key(data, password)
    return rejection.value.code


@pytest.mark.parametrize("entry", WITH_KEYS, ids=str)
def test_load_private_key_opens_every_key_of_the_corpus(entry: Entry) -> None:
    assert entry.key is not None
    assert entry.password is not None
    data = entry.key.read_bytes()
    encryption = read_encryption(data)
    assert encryption is not None
    assert encryption.cipher == "des-EDE3-CBC"
    assert encryption.iterations in {1024, 2048}
    certificate = read_certificate(entry.read())
    signer = pair_key(certificate, load_private_key(data, entry.password))
    assert verify_signature(certificate.public_key, b"||4.0||", signer.sign(b"||4.0||"))
    assert code_of(data, entry.password + " ") == "key-password"
    assert code_of(data, "") == "key-password"


def test_load_private_key_reads_plain_key_of_the_corpus() -> None:
    folder = corpus_path() / "certificates" / "pac-test"
    certificate = read_certificate((folder / "20001000000300022323.cer").read_bytes())
    pair_key(certificate, load_private_key((folder / "20001000000300022323.key.pem").read_bytes(), ""))


@pytest.mark.parametrize("encoding", [Encoding.DER, Encoding.PEM])
@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_load_private_key_ignores_password_of_plain_keys(encoding: Encoding, form: PrivateFormat) -> None:
    data = saved(NoEncryption(), form, encoding)
    for password in ("", "superflua"):
        assert load_private_key(data, password).private_numbers() == rsa_key().private_numbers()


@pytest.mark.parametrize(
    "data",
    [
        saved(),
        saved(encoding=Encoding.PEM),
        saved(encoding=Encoding.PEM).replace(b"\n", b"\r\n"),
        saved(form=PrivateFormat.TraditionalOpenSSL, encoding=Encoding.PEM),
    ],
    ids=["der", "pem", "pem-crlf", "openssl-pem"],
)
def test_load_private_key_decrypts_supported_ciphers(data: bytes) -> None:
    assert load_private_key(data, PASSWORD).private_numbers() == rsa_key().private_numbers()
    assert code_of(data, "otra") == "key-password"


def test_load_private_key_tries_password_in_latin1() -> None:
    data = saved(BestAvailableEncryption(PASSWORD.encode("latin-1")))
    assert load_private_key(data, PASSWORD).private_numbers() == rsa_key().private_numbers()


@pytest.mark.parametrize("password", ["\ud800", "\0", "日本", "x" * 2000])
def test_load_private_key_rejects_unusual_passwords(password: str) -> None:
    assert code_of(saved(), password) == "key-password"


OPENSSL_SCHEMES = {
    "-v1 PBE-MD5-DES": True,
    "-v1 PBE-SHA1-3DES": True,
    "-v1 PBE-SHA1-RC2-40": True,
    "-v1 PBE-SHA1-RC4-128": True,
    "-v1 PBE-SHA1-DES": False,
    "-v1 PBE-SHA1-2DES": False,
    "-v1 PBE-SHA1-RC2-128": False,
    "-v2 des3": True,
    "-v2 aes-128-cbc": True,
    "-v2 aes-256-cbc": True,
    "-v2 rc2": True,
    "-v2 des": False,
    "-v2 camellia-128-cbc": False,
    "-scrypt": True,
}


@pytest.mark.parametrize(("scheme", "supported"), OPENSSL_SCHEMES.items())
def test_load_private_key_reads_files_of_openssl(scheme: str, supported: bool, tmp_path: Path) -> None:
    source = tmp_path / "plain.pem"
    source.write_bytes(saved(NoEncryption(), encoding=Encoding.PEM))
    command = ["openssl", "pkcs8", "-topk8", "-provider", "default", "-provider", "legacy", "-in", str(source)]
    command += ["-passout", "pass:12345678a", "-outform", "DER", *scheme.split()]
    try:
        made = subprocess.run(command, capture_output=True, check=False, timeout=30)
    except FileNotFoundError:
        need("openssl", False, "no openssl command")
        raise
    need("openssl", made.returncode == 0, f"this openssl cannot write {scheme}")
    if supported:
        assert load_private_key(made.stdout, "12345678a").private_numbers() == rsa_key().private_numbers()
        assert code_of(made.stdout, "otra") == "key-password"
    else:
        assert code_of(made.stdout, "12345678a") == "key-cipher"


def test_load_private_key_rejects_expensive_derivation_at_once() -> None:
    assert code_of(with_iterations(0x7FFFFFFF), PASSWORD) == "key-cipher"
    assert code_of(with_iterations(2048), PASSWORD) == "key-password"


def with_iterations(iterations: int) -> bytes:
    """Return an EncryptedPrivateKeyInfo in the form of the SAT (PBES2, PBKDF2, 3DES) with a ciphertext of zeros."""

    def element(tag: int, *parts: bytes) -> bytes:
        body = b"".join(parts)
        return bytes([tag, 0x81, len(body)]) + body

    def identifier(text: str) -> bytes:
        return bytes.fromhex(text)

    count = element(0x02, iterations.to_bytes(4, "big"))
    derivation = element(0x30, identifier("06092a864886f70d01050c"), element(0x30, element(0x04, bytes(8)), count))
    cipher = element(0x30, identifier("06082a864886f70d0307"), element(0x04, bytes(8)))
    scheme = element(0x30, identifier("06092a864886f70d01050d"), element(0x30, derivation, cipher))
    return element(0x30, scheme, element(0x04, bytes(64)))


def test_load_private_key_rejects_other_files() -> None:
    curve = ec.generate_private_key(ec.SECP256R1())
    for data in (
        b"",
        b"0",
        minted(),
        saved()[:-1],
        saved() + b"\0",
        base64.b64encode(saved()[:-1]),
        b"-----BEGIN PRIVATE KEY-----\n*\n-----END PRIVATE KEY-----\n",
        curve.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()),
        curve.private_bytes(Encoding.DER, PrivateFormat.PKCS8, BestAvailableEncryption(PASSWORD.encode())),
        bytes(1 << 20),
    ):
        assert code_of(data, PASSWORD) == "key-unreadable"


def test_load_private_key_rejects_inconsistent_numbers() -> None:
    numbers = rsa_key().private_numbers()
    spoiled = RSAPrivateNumbers(
        numbers.p, numbers.q, numbers.d, numbers.dmp1 ^ 2, numbers.dmq1, numbers.iqmp, numbers.public_numbers
    )
    key = spoiled.private_key(unsafe_skip_rsa_key_validation=True)
    data = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    assert code_of(data, "") == "key-unreadable"


def test_pair_key_rejects_key_of_another_certificate() -> None:
    with pytest.raises(ServiceError, match="key-mismatch"):
        pair_key(read_certificate(minted(key=1)), rsa_key(2))
    with pytest.raises(ServiceError, match="key-mismatch"):
        pair_key(read_certificate(minted(key=1)), generate_private_key(65537, 1024))


@given(st.binary(max_size=300), st.text(max_size=10))
def test_load_private_key_raises_only_service_errors_for_random_bytes(data: bytes, password: str) -> None:
    with pytest.raises(ServiceError):
        load_private_key(data, password)


@given(damaged([saved(), saved(NoEncryption()), saved(NoEncryption(), PrivateFormat.TraditionalOpenSSL)]))
def test_load_private_key_raises_only_service_errors_for_damaged_keys(data: bytes) -> None:
    assert rejection_of(load_private_key, data, PASSWORD) in {None, "key-password", "key-cipher", "key-unreadable"}
