"""Build certificates in SAT's form: serial of 20 ASCII digits, SAT's extensions, SHA-256 with RSA."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from timbra.asn1 import der_writer as der

BASIC_CONSTRAINTS = "2.5.29.19"
KEY_USAGE = "2.5.29.15"
EXTENDED_KEY_USAGE = "2.5.29.37"
NETSCAPE_TYPE = "2.16.840.1.113730.1.1"
SUBJECT_KEY_ID = "2.5.29.14"
_SHA256_WITH_RSA = der.sequence(der.object_identifier("1.2.840.113549.1.1.11"), der.null())
_NOT_AN_AUTHORITY = der.sequence()
_AUTHORITY = der.sequence(der.boolean(True), der.integer(0))


def _extension(identifier: str, value: bytes, *, critical: bool = False) -> bytes:
    flag = (der.boolean(True),) if critical else ()
    return der.sequence(der.object_identifier(identifier), *flag, der.octets(value))


_LEAF = _extension(BASIC_CONSTRAINTS, _NOT_AN_AUTHORITY, critical=True)
# digitalSignature and nonRepudiation
SEAL_EXTENSIONS = (_LEAF, _extension(KEY_USAGE, der.bits(b"\xc0", 6)))
# digitalSignature, nonRepudiation, dataEncipherment, keyAgreement; SSL client, S/MIME; mail protection, client auth
EFIRMA_EXTENSIONS = (
    _LEAF,
    _extension(KEY_USAGE, der.bits(b"\xd8", 3)),
    _extension(NETSCAPE_TYPE, der.bits(b"\xa0", 5)),
    _extension(
        EXTENDED_KEY_USAGE,
        der.sequence(der.object_identifier("1.3.6.1.5.5.7.3.4"), der.object_identifier("1.3.6.1.5.5.7.3.2")),
    ),
)


@dataclass(frozen=True, slots=True)
class UnsignedCertificate:
    """A certificate before it is signed.

    Attributes:
        number: 20 digits.
        issuer: The issuer's distinguished name in DER.
        subject: The holder's distinguished name in DER.
        valid_from: Start of the validity, aware.
        valid_to: End of the validity, aware.
        public_key: The holder's key.
        extensions: The encoded extensions.
    """

    number: str
    issuer: bytes
    subject: bytes
    valid_from: datetime
    valid_to: datetime
    public_key: RSAPublicKey
    extensions: tuple[bytes, ...]


def authority_extensions(public_key: RSAPublicKey) -> tuple[bytes, ...]:
    """Return key identifier, path length 0 and the key usage of SAT's authorities."""
    key = public_key.public_bytes(Encoding.DER, PublicFormat.PKCS1)
    identifier = hashlib.sha1(key, usedforsecurity=False).digest()
    return (
        _extension(SUBJECT_KEY_ID, der.octets(identifier)),
        _extension(BASIC_CONSTRAINTS, _AUTHORITY, critical=True),
        _extension(KEY_USAGE, der.bits(b"\xf6", 1), critical=True),
    )


def sign_certificate(unsigned: UnsignedCertificate, sign: Callable[[bytes], bytes]) -> bytes:
    """Sign a certificate.

    Args:
        sign: Returns the issuer's RSA signature with SHA-256 of the given bytes.

    Returns:
        The certificate in DER.
    """
    body = der.sequence(
        der.explicit(0, der.integer(2)),
        der.element(0x02, unsigned.number.encode("ascii")),
        _SHA256_WITH_RSA,
        unsigned.issuer,
        der.sequence(der.time(unsigned.valid_from), der.time(unsigned.valid_to)),
        unsigned.subject,
        unsigned.public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        der.explicit(3, der.sequence(*unsigned.extensions)),
    )
    return der.sequence(body, _SHA256_WITH_RSA, der.bits(sign(body)))
