"""Private keys as people have them: SAT's encrypted PKCS#8, older encryptions, plain PKCS#8 and PKCS#1; DER or PEM."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPrivateNumbers
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key

from timbra.errors import ServiceError
from timbra.seals.certificate import LARGEST_KEY_BITS, SMALLEST_KEY_BITS, Certificate
from timbra.seals.ciphers import encryption_of
from timbra.seals.der import DerError, whole
from timbra.seals.signers.memory import MemorySigner

LARGEST_KEY_FILE = 16 * 1024
PEM = re.compile(rb"\s*-----BEGIN ((?:ENCRYPTED |RSA )?PRIVATE KEY)-----\s(.*?)-----END \1-----", re.DOTALL)
Load = Callable[..., object]
OPENSSL_ENCRYPTED = b"Proc-Type: 4,ENCRYPTED"


def load_private_key(data: bytes, password: str) -> RSAPrivateKey:
    """The RSA key in a file, DER or PEM. A password given for a plain key is ignored.

    ServiceError("key-password"): the file is encrypted and the password does not open it.
    ServiceError("key-cipher"): encrypted in a way that is not supported.
    ServiceError("key-unreadable"): no RSA private key of 1024 to 8192 bits, or one whose numbers contradict.
    The key's primes are not tested (28 ms); `pair` proves by a signature that the key fits its certificate.
    """
    if len(data) > LARGEST_KEY_FILE:
        raise unreadable("El archivo excede 16 KiB.")
    pem = PEM.match(data)
    if pem is None:
        return _from_der(data, password)
    if OPENSSL_ENCRYPTED in pem[2]:
        return _opened(pem[0].strip() + b"\n", password, load_pem_private_key)
    try:
        return _from_der(base64.b64decode(b"".join(pem[2].split()), validate=True), password)
    except binascii.Error as cause:
        raise unreadable("El PEM no contiene base64.") from cause


def pair(certificate: Certificate, key: RSAPrivateKey) -> MemorySigner:
    """The signer of a certificate; one test signature has been made. ServiceError("key-mismatch") when they differ."""
    signer = MemorySigner(key, certificate.public_key)
    try:
        signer.sign(b"timbra")
    except (ServiceError, ValueError) as cause:
        raise ServiceError("key-mismatch", "La llave privada no corresponde al certificado.") from cause
    return signer


def unreadable(detail: str) -> ServiceError:
    return ServiceError("key-unreadable", detail)


def checked_key(key: object) -> RSAPrivateKey:
    """The key itself, when it is RSA, of a usual size, and its numbers agree. ServiceError("key-unreadable")."""
    if not isinstance(key, RSAPrivateKey):
        raise unreadable("La llave no es RSA.")
    if not SMALLEST_KEY_BITS <= key.key_size <= LARGEST_KEY_BITS or not _consistent(key.private_numbers()):
        raise unreadable("La llave RSA está dañada o tiene un tamaño fuera de 1024 a 8192 bits.")
    return key


def password_bytes(password: str) -> Iterator[bytes]:
    """How the password may have been encoded when the file was made: UTF-8, then latin-1."""
    encoded = password.encode("utf-8", "surrogatepass")
    yield encoded
    latin = password.encode("latin-1", "ignore")
    if latin.decode("latin-1") == password and latin != encoded:
        yield latin


def _from_der(der: bytes, password: str) -> RSAPrivateKey:
    if encryption_of(der) is not None:
        return _opened(der, password, load_der_private_key)
    try:
        whole(der)
        return checked_key(load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True))
    except (DerError, ValueError, TypeError, UnsupportedAlgorithm) as cause:
        raise unreadable("El archivo no es una llave privada.") from cause


def _opened(encrypted: bytes, password: str, load: Load) -> RSAPrivateKey:
    for candidate in password_bytes(password):
        try:
            key = load(encrypted, candidate, unsafe_skip_rsa_key_validation=True)
        except UnsupportedAlgorithm as cause:
            raise ServiceError("key-cipher", "El cifrado de la llave no está soportado.") from cause
        except (ValueError, TypeError):
            continue
        return checked_key(key)
    raise ServiceError("key-password", "La contraseña no abre la llave privada.")


def _consistent(key: RSAPrivateNumbers) -> bool:
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
