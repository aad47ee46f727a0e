"""Private key files: the SAT's encrypted PKCS#8, older encryptions, plain PKCS#8 and PKCS#1."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPrivateNumbers
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
)

from timbra.asn1.der_reader import DerError, parse_der
from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import MAX_KEY_BITS, MIN_KEY_BITS
from timbra.seals.file_forms import KEY_LABELS, file_content, pem_blocks
from timbra.seals.keys.key_process import in_key_process
from timbra.seals.keys.password_encryption import read_encryption

MAX_KEY_FILE_BYTES = 16 * 1024
MAX_PASSWORD_LENGTH = 1024
MAX_INLINE_ITERATIONS = 10_000
"""Iterations up to which a key is decrypted in the calling process, some milliseconds; SAT's keys have 2,048."""
Load = Callable[..., object]
OPENSSL_ENCRYPTED = b"Proc-Type: 4,ENCRYPTED"


def load_private_key(data: bytes, password: str) -> RSAPrivateKey:
    """Load the RSA key of a file.

    The primes are not tested (28 ms); `pair_key` verifies with a signature that the key belongs to its certificate.

    Args:
        data: The file: DER, PEM, or base64 of either.
        password: The password; it is ignored for a key that is not encrypted.

    Raises:
        ServiceError: "key-password" if the password does not decrypt the file; "key-cipher" if the encryption is not
            supported; "key-unreadable" if the file has no RSA private key of 1024 to 8192 bits, or an inconsistent one.
    """
    content = file_content(data)
    if len(content) > MAX_KEY_FILE_BYTES:
        raise key_unreadable("El archivo excede 16 KiB.")
    pem = next(pem_blocks(content, KEY_LABELS), None)
    if pem is None:
        return _from_der(content, password)
    if OPENSSL_ENCRYPTED in pem.body:
        return _decrypt(pem.text + b"\n", password, load_pem_private_key)
    try:
        der = pem.der()
    except ValueError as cause:
        raise key_unreadable("El PEM no contiene base64.") from cause
    return _from_der(der, password)


def is_encrypted(data: bytes) -> bool:
    """Whether a key file, in a form that `load_private_key` reads, is encrypted with a password."""
    content = file_content(data)
    pem = next(pem_blocks(content, KEY_LABELS), None)
    if pem is None:
        return read_encryption(content) is not None
    return OPENSSL_ENCRYPTED in pem.body or pem.label.startswith("ENCRYPTED")


def key_unreadable(detail: str) -> ServiceError:
    return ServiceError("key-unreadable", detail)


def require_rsa_key(key: object) -> RSAPrivateKey:
    """Return the key. Raises ServiceError: "key-unreadable" unless it is a consistent RSA key of 1024 to 8192 bits."""
    if not isinstance(key, RSAPrivateKey):
        raise key_unreadable("La llave no es RSA.")
    if not MIN_KEY_BITS <= key.key_size <= MAX_KEY_BITS or not _is_consistent(key.private_numbers()):
        raise key_unreadable("La llave RSA está dañada o tiene un tamaño fuera de 1024 a 8192 bits.")
    return key


def encode_password(password: str) -> Iterator[bytes]:
    """Yield the encodings that the password may have in the file: UTF-8, then latin-1.

    Raises:
        ServiceError: "key-password" for a password of more than 1,024 characters.
    """
    if len(password) > MAX_PASSWORD_LENGTH:
        raise ServiceError("key-password", f"La contraseña tiene más de {MAX_PASSWORD_LENGTH} caracteres.")
    encoded = password.encode("utf-8", "surrogatepass")
    yield encoded
    latin = password.encode("latin-1", "ignore")
    if latin.decode("latin-1") == password and latin != encoded:
        yield latin


def to_plain_der(key: RSAPrivateKey) -> bytes:
    """Encode the key as PKCS#8 DER without password, to send it to another process."""
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def from_plain_der(der: bytes) -> RSAPrivateKey:
    """Load a key that `to_plain_der` encoded."""
    return require_rsa_key(load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True))


def _plain(der: bytes, password: str) -> bytes:
    return to_plain_der(_decrypt(der, password, load_der_private_key))


def _from_der(der: bytes, password: str) -> RSAPrivateKey:
    encryption = read_encryption(der)
    if encryption is not None:
        if encryption.iterations > MAX_INLINE_ITERATIONS:
            return from_plain_der(in_key_process(_plain, der, password))
        return _decrypt(der, password, load_der_private_key)
    try:
        parse_der(der)
        return require_rsa_key(load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True))
    except (DerError, ValueError, TypeError, UnsupportedAlgorithm) as cause:
        raise key_unreadable("El archivo no es una llave privada.") from cause


def _decrypt(encrypted: bytes, password: str, load: Load) -> RSAPrivateKey:
    for candidate in encode_password(password):
        try:
            key = load(encrypted, candidate, unsafe_skip_rsa_key_validation=True)
        except UnsupportedAlgorithm as cause:
            raise ServiceError("key-cipher", "El cifrado de la llave no está soportado.") from cause
        except (ValueError, TypeError):
            continue
        return require_rsa_key(key)
    raise ServiceError("key-password", "La contraseña no abre la llave privada.")


def _is_consistent(key: RSAPrivateNumbers) -> bool:
    e, n, p, q = key.public_numbers.e, key.public_numbers.n, key.p, key.q
    return (
        min(p, q) > 2
        and p * q == n
        and n & e & 1 == 1
        and e > 2
        and key.dmp1 * e % (p - 1) == 1
        and key.dmq1 * e % (q - 1) == 1
        and key.iqmp * q % p == 1
    )
