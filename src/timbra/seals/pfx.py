"""Certificate and key in one PKCS#12 file (.pfx)."""

from __future__ import annotations

import warnings

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate, read_certificate
from timbra.seals.ciphers import MOST_ITERATIONS
from timbra.seals.der import INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, DerError, Node, integer, whole
from timbra.seals.keys import checked_key, password_bytes, unreadable

LARGEST_FILE = 64 * 1024
DEEPEST = 16
CONSTRUCTED = 0x20
BER_WARNING = "PKCS#12 bundle could not be parsed as DER"
"""Files that are not wholly DER are common and accepted."""


def load_pfx(data: bytes, password: str) -> tuple[Certificate, RSAPrivateKey]:
    """The certificate and its key. ServiceError codes as `load_private_key`, and "certificate-unreadable"."""
    if len(data) > LARGEST_FILE:
        raise unreadable("El archivo PFX excede 64 KiB.")
    try:
        pfx = whole(data)
        _bound_work(pfx)
    except DerError as cause:
        raise unreadable("El archivo no es un PFX en DER.") from cause
    key, certificate = _opened(data, password)
    if key is None or certificate is None:
        raise unreadable("El archivo PFX no contiene llave privada y certificado.")
    return read_certificate(certificate), checked_key(key)


def _opened(data: bytes, password: str) -> tuple[object | None, bytes | None]:
    for candidate in password_bytes(password):
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=BER_WARNING, category=UserWarning)
                key, certificate, _ = pkcs12.load_key_and_certificates(data, candidate)
        except UnsupportedAlgorithm as cause:
            raise ServiceError("key-cipher", "El cifrado del archivo PFX no está soportado.") from cause
        except (ValueError, TypeError):
            continue
        return key, certificate.public_bytes(Encoding.DER) if certificate else None
    raise ServiceError("key-password", "La contraseña no abre el archivo PFX.")


def _bound_work(pfx: Node) -> None:
    members = pfx.sequence()
    if len(members) < 2 or [member.tag for member in members[:2]] != [INTEGER, SEQUENCE]:
        raise DerError("no PFX")
    if len(members) > 2:
        _bound([member for member in members[2].sequence() if member.tag == INTEGER])
    _bound_algorithms(members[1], 0)


def _bound_algorithms(node: Node, depth: int) -> None:
    """Bound the iterations of every password-based algorithm that shows before decryption."""
    if depth > DEEPEST:
        raise DerError("nested too deeply")
    if node.tag == OCTET_STRING:
        node = _inside(node)
    if not node.tag & CONSTRUCTED:
        return
    members = list(node.children())
    if len(members) == 2 and [member.tag for member in members] == [OBJECT_IDENTIFIER, SEQUENCE]:
        _bound([member for member in members[1].children() if member.tag == INTEGER])
    for member in members:
        _bound_algorithms(member, depth + 1)


def _inside(octets: Node) -> Node:
    try:
        inner = whole(octets.body)
        list(inner.children() if inner.tag & CONSTRUCTED else ())
    except DerError:
        return octets
    return inner


def _bound(iterations: list[Node]) -> None:
    if any(integer(number) > MOST_ITERATIONS for number in iterations):
        raise ServiceError("key-cipher", "El archivo PFX exige demasiadas iteraciones.")
