"""PKCS#12 files with expensive key derivations: their total, and derivations inside encrypted contents."""

from __future__ import annotations

import hashlib
import hmac
from functools import cache

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12
from cryptography.x509 import load_der_x509_certificate
from tests.seals.support import minted, rsa_key

from timbra.asn1.der_reader import parse_der
from timbra.asn1.der_writer import element, explicit, integer, octets, sequence
from timbra.core.errors import ServiceError
from timbra.pools import ProcessPool
from timbra.seals.keys import key_process, pfx
from timbra.seals.keys.pfx import load_pfx

PASSWORD = "x"
GENEROUS_SECONDS = 600
SHORT_SECONDS = 0.5
IV = bytes(16)


def identifier(text: str) -> bytes:
    return element(0x06, bytes.fromhex(text))


DATA = identifier("2a864886f70d010701")
ENCRYPTED_DATA = identifier("2a864886f70d010706")
PBES2 = identifier("2a864886f70d01050d")
PBKDF2 = identifier("2a864886f70d01050c")
HMAC_SHA256 = identifier("2a864886f70d0209")
AES256 = identifier("60864801650304012a")
SHA256_IDENTIFIER = sequence(identifier("608648016503040201"), element(0x05, b""))
SHROUDED_KEY = identifier("2a864886f70d010c0a0102")


@cache
def made(iterations: int, scheme: pkcs12.PBES = pkcs12.PBES.PBESv2SHA256AndAES256CBC) -> bytes:
    """Return a PFX with a MAC of one iteration, and certificate and key encrypted with the given iterations."""
    encryption = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(iterations).key_cert_algorithm(scheme)
    certificate = load_der_x509_certificate(minted())
    return pkcs12.serialize_key_and_certificates(
        None, rsa_key(1), certificate, None, encryption.hmac_hash(SHA256()).build(PASSWORD.encode())
    )


def repeated(pfx: bytes, times: int) -> bytes:
    """Return the file with repeated encrypted contents and without MAC."""
    contents = parse_der(parse_der(pfx).sequence()[1].sequence()[1].encoded)
    (octet_string,) = contents.children()
    encrypted, plain = (member.encoded for member in parse_der(octet_string.body).sequence())
    return with_contents(encrypted * times + plain)


def with_contents(contents: bytes, password: str = PASSWORD) -> bytes:
    """Return a file with these contents and a valid MAC."""
    safe = sequence(contents)
    key = mac_key(password)
    mac = sequence(sequence(SHA256_IDENTIFIER, octets(hmac.digest(key, safe, "sha256"))), octets(bytes(8)), integer(1))
    return sequence(integer(3), sequence(DATA, explicit(0, octets(safe))), mac)


def mac_key(password: str) -> bytes:
    """Derive a key by RFC 7292, appendix B.2, with one iteration, a zero salt and purpose 3."""
    text = password.encode("utf-16-be") + b"\0\0"
    filled = (text * 64)[: -(-len(text) // 64) * 64]
    return hashlib.sha256(bytes([3]) * 64 + bytes(64) + filled).digest()


def encryption(iterations: int) -> bytes:
    derivation = sequence(octets(bytes(8)), integer(iterations), sequence(HMAC_SHA256, element(0x05, b"")))
    return sequence(PBES2, sequence(sequence(PBKDF2, derivation), sequence(AES256, octets(IV))))


def hidden_key(iterations: int) -> bytes:
    """Return a file whose key bag is inside an encrypted content and requires the given iterations."""
    bag = sequence(SHROUDED_KEY, explicit(0, sequence(encryption(iterations), octets(bytes(64)))))
    plain = sequence(bag)
    padding = 16 - len(plain) % 16
    encryptor = Cipher(AES(hashlib.pbkdf2_hmac("sha256", b"x", bytes(8), 1, 32)), CBC(IV)).encryptor()
    secret = encryptor.update(plain + bytes([padding]) * padding) + encryptor.finalize()
    content = sequence(DATA, encryption(1), element(0x80, secret))
    return with_contents(sequence(ENCRYPTED_DATA, explicit(0, sequence(integer(0), content))))


def code_of(data: bytes) -> str:
    with pytest.raises(ServiceError) as rejection:
        load_pfx(data, PASSWORD)
    return rejection.value.code


@pytest.mark.parametrize("iterations", [2_000, 2_048, 10_000, 600_000])
@pytest.mark.parametrize("scheme", [pkcs12.PBES.PBESv2SHA256AndAES256CBC, pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC])
def test_load_pfx_accepts_files_of_common_programs(iterations: int, scheme: pkcs12.PBES) -> None:
    certificate, key = load_pfx(made(iterations, scheme), PASSWORD)
    assert certificate.der == minted()
    assert key.private_numbers() == rsa_key(1).private_numbers()


def test_load_pfx_bounds_the_sum_of_iterations() -> None:
    assert load_pfx(repeated(made(50_000), 3), PASSWORD)
    assert code_of(repeated(made(50_000), 40)) == "key-cipher"


def test_load_pfx_stops_hidden_derivations_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ProcessPool(1, key_process.MEMORY_BYTES, GENEROUS_SECONDS)
    monkeypatch.setattr(key_process, "POOL", pool)
    assert code_of(hidden_key(1)) == "key-password"
    pool._seconds = SHORT_SECONDS
    assert code_of(hidden_key(0x7FFFFFFF)) == "key-cipher"
    pool._seconds = GENEROUS_SECONDS
    assert load_pfx(made(2_048), PASSWORD)
    pool.close()


def test_load_pfx_rejects_constructed_octet_string() -> None:
    pieces = element(0x24, octets(b"\x30") + octets(b"\0"))
    assert code_of(sequence(integer(3), sequence(DATA, explicit(0, pieces)))) == "key-unreadable"


def test_load_pfx_rejects_password_over_1024_characters() -> None:
    with pytest.raises(ServiceError, match="key-password"):
        load_pfx(made(2_048), "x" * 1_025)


def test_load_pfx_decrypts_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSSL holds the interpreter lock while it derives keys; the calling process must not derive them."""

    def derive(*_arguments: object) -> None:
        raise AssertionError("a key is derived in the calling process")

    file = made(2_048)
    monkeypatch.setattr(pkcs12, "load_key_and_certificates", derive)
    certificate, _ = load_pfx(file, PASSWORD)
    assert certificate.der == minted()
    with pytest.raises(AssertionError, match="calling process"):
        pfx._read(file, PASSWORD)
