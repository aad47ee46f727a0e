"""Reader of PKCS#12 files (.pfx), which contain a certificate and its key."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from math import prod

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from timbra.asn1.der_reader import (
    INTEGER,
    OBJECT_IDENTIFIER,
    OCTET_STRING,
    SEQUENCE,
    DerError,
    DerNode,
    integer,
    object_identifier,
    parse_der,
)
from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, read_certificate, read_certificate_content
from timbra.seals.file_forms import CERTIFICATE_LABELS, KEY_LABELS, file_content, pem_blocks
from timbra.seals.keys.key_process import in_key_process
from timbra.seals.keys.password_encryption import MAX_SCRYPT_WORK, SCRYPT, SCRYPT_ITERATIONS, require_bounded
from timbra.seals.keys.private_key import (
    encode_password,
    from_plain_der,
    key_unreadable,
    load_private_key,
    require_rsa_key,
    to_plain_der,
)

MAX_PFX_BYTES = 64 * 1024
MAX_DEPTH = 16
NO_PAIR = "El archivo PFX no contiene llave privada y certificado."
PFX_LABELS = frozenset({"PKCS12", "PFX"})
CONSTRUCTED = 0x20
BER_WARNING = "PKCS#12 bundle could not be parsed as DER"
"""Files that are not completely DER are common and accepted."""


def load_pfx(data: bytes, password: str) -> tuple[Certificate, RSAPrivateKey]:
    """Load the certificate and the key of a file.

    Args:
        data: The file: DER, PEM, or base64 of either. A PEM file may have the PFX, or the certificate and its key.
        password: The password of the file, or of the key of a PEM file.

    Raises:
        ServiceError: Those of `load_private_key` and of `in_key_process`, and "certificate-unreadable".
    """
    content = file_content(data)
    parts = [any(pem_blocks(content, labels)) for labels in (CERTIFICATE_LABELS, KEY_LABELS)]
    if all(parts):
        return read_certificate_content(content), load_private_key(content, password)
    if any(parts):
        raise key_unreadable(NO_PAIR)
    pem = next(pem_blocks(content, PFX_LABELS), None)
    try:
        pfx = content if pem is None else pem.der()
    except ValueError as cause:
        raise key_unreadable("El PEM no contiene base64.") from cause
    if len(pfx) > MAX_PFX_BYTES:
        raise key_unreadable("El archivo PFX excede 64 KiB.")
    certificate, key = in_key_process(_read, pfx, password)
    return read_certificate(certificate), from_plain_der(key)


def _read(data: bytes, password: str) -> tuple[bytes, bytes]:
    """Return certificate and key in DER, the key without password."""
    try:
        require_bounded(_total_iterations(parse_der(data)))
    except DerError as cause:
        raise key_unreadable("El archivo no es un PFX en DER.") from cause
    key, certificate = _decrypt(data, password)
    if key is None or certificate is None:
        raise key_unreadable(NO_PAIR)
    return certificate, to_plain_der(require_rsa_key(key))


def _decrypt(data: bytes, password: str) -> tuple[object | None, bytes | None]:
    for candidate in encode_password(password):
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


def _total_iterations(pfx: DerNode) -> int:
    """Return the iterations of all password-based algorithms outside of encrypted parts, that of the MAC included."""
    members = pfx.sequence()
    if len(members) < 2 or [member.tag for member in members[:2]] != [INTEGER, SEQUENCE]:
        raise DerError("no PFX")
    mac = _integers(members[2].sequence()) if len(members) > 2 else []
    return sum(mac) + sum(_derivations(member, 0) for member in members[1:])


def _derivations(node: DerNode, depth: int) -> int:
    """Return the iterations of every algorithm at or below the node, also inside octet strings that contain DER."""
    if depth > MAX_DEPTH:
        raise DerError("nested too deeply")
    if node.tag == CONSTRUCTED | OCTET_STRING:
        raise DerError("an octet string in pieces")
    if node.tag == OCTET_STRING:
        node = _unwrap_octets(node)
    if not node.tag & CONSTRUCTED:
        return 0
    members = list(node.children())
    return _parameters(members) + sum(_derivations(member, depth + 1) for member in members)


def _parameters(members: list[DerNode]) -> int:
    """Return the iterations of an AlgorithmIdentifier with these members; 0 for other structures."""
    if [member.tag for member in members] != [OBJECT_IDENTIFIER, SEQUENCE]:
        return 0
    numbers = _integers(members[1].children())
    if object_identifier(members[0]) == SCRYPT:
        return SCRYPT_ITERATIONS * require_bounded(prod(numbers), MAX_SCRYPT_WORK)
    return sum(numbers)


def _integers(members: Iterable[DerNode]) -> list[int]:
    return [integer(member) for member in members if member.tag == INTEGER]


def _unwrap_octets(octets: DerNode) -> DerNode:
    """Return the element inside an octet string; the octet string itself when it does not contain DER."""
    try:
        inner = parse_der(octets.body)
        list(inner.children() if inner.tag & CONSTRUCTED else ())
    except DerError:
        return octets
    return inner
