"""The fields of an X.509 certificate (RFC 5280), declared for the DER decoder of `cryptography`.

`cryptography.x509` cannot read the names of SAT's certificates, which carry latin-1 text in T61String. This module
therefore leaves names encoded, and `timbra.seals.certificates.subject_reader` decodes them. The fields are read, not
validated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from cryptography.hazmat import asn1
from cryptography.x509 import ObjectIdentifier

UTC_TIME_TAG = 0x17
SEQUENCE_TAG = b"\x30"
INTEGER_TAG = b"\x02"
SIGNATURE_DIGESTS = {
    asn1.encode_der(ObjectIdentifier(identifier)): digest
    for identifier, digest in (
        ("1.2.840.113549.1.1.4", "md5"),
        ("1.2.840.113549.1.1.5", "sha1"),
        ("1.2.840.113549.1.1.11", "sha256"),
        ("1.2.840.113549.1.1.12", "sha384"),
        ("1.2.840.113549.1.1.13", "sha512"),
    )
}
"""The hash of each RSA signature algorithm, by the encoded object identifier."""
_IDENTIFIER_LENGTH = 11
"""Bytes of each key of `SIGNATURE_DIGESTS`."""
KEY_USAGES = (
    "digitalSignature",
    "nonRepudiation",
    "keyEncipherment",
    "dataEncipherment",
    "keyAgreement",
    "keyCertSign",
    "cRLSign",
)
KEY_USAGE = "2.5.29.15"
BASIC_CONSTRAINTS = "2.5.29.19"
SUBJECT_KEY_ID = "2.5.29.14"
AUTHORITY_KEY_ID = "2.5.29.35"


@asn1.sequence
class _Validity:
    not_before: asn1.UTCTime | asn1.GeneralizedTime
    not_after: asn1.UTCTime | asn1.GeneralizedTime


@asn1.sequence
class _Extension:
    extn_id: ObjectIdentifier
    critical: bool | None
    """An encoded FALSE is accepted, although DER omits a default."""
    extn_value: bytes


@asn1.sequence
class _TbsCertificate:
    version: Annotated[int | None, asn1.Explicit(0)]
    serial_number: asn1.TLV
    signature: asn1.TLV
    issuer: asn1.TLV
    validity: _Validity
    subject: asn1.TLV
    subject_public_key_info: asn1.TLV
    issuer_unique_id: Annotated[asn1.BitString | None, asn1.Implicit(1)]
    subject_unique_id: Annotated[asn1.BitString | None, asn1.Implicit(2)]
    extensions: Annotated[list[_Extension] | None, asn1.Explicit(3)]


@asn1.sequence
class _Certificate:
    tbs_certificate: asn1.TLV
    signature_algorithm: asn1.TLV
    signature_value: asn1.BitString


@asn1.sequence
class _BasicConstraints:
    ca: bool | None
    path_len_constraint: int | None


@asn1.sequence
class _AuthorityKeyIdentifier:
    key_identifier: Annotated[bytes | None, asn1.Implicit(0)]
    authority_cert_issuer: Annotated[list[asn1.TLV] | None, asn1.Implicit(1)]
    authority_cert_serial_number: Annotated[int | None, asn1.Implicit(2)]


@dataclass(frozen=True, slots=True)
class CertificateFields:
    """The fields of one certificate.

    Attributes:
        der: The whole certificate.
        tbs_certificate: The bytes that the issuer signed.
        signature: The issuer's signature.
        digest: The hash of that signature ("sha256"); "" when the algorithm is not RSA.
        serial: The content bytes of the serial number.
        issuer: The issuer's distinguished name, encoded.
        subject: The holder's distinguished name, encoded.
        valid_from: Start of the validity, aware, UTC.
        valid_to: End of the validity, aware, UTC.
        public_key: The SubjectPublicKeyInfo, encoded.
        is_authority: Whether the basic constraints declare a certificate authority.
        path_length: How many authorities may follow this one; None if unlimited or no authority.
        key_usage: Names of `KEY_USAGES`.
        key_id: The subject key identifier; b"" if absent.
        issuer_key_id: The authority key identifier; b"" if absent.
        critical: The object identifiers of the critical extensions.
    """

    der: bytes
    tbs_certificate: bytes
    signature: bytes
    digest: str
    serial: bytes
    issuer: bytes
    subject: bytes
    valid_from: datetime
    valid_to: datetime
    public_key: bytes
    is_authority: bool
    path_length: int | None
    key_usage: frozenset[str]
    key_id: bytes
    issuer_key_id: bytes
    critical: frozenset[str]


def read_certificate_fields(der: bytes) -> CertificateFields:
    """Decode the fields of a certificate.

    Raises:
        ValueError: `der` is no certificate in DER.

    Source: RFC 5280, section 4.1.
    """
    certificate = asn1.decode_der(_Certificate, der)
    tbs = certificate.tbs_certificate.parse(_TbsCertificate)
    if _encoded_sequence(tbs.signature) != _encoded_sequence(certificate.signature_algorithm):
        raise ValueError("the certificate names two signature algorithms")
    extensions = _extension_values(tbs.extensions or ())
    is_authority, path_length = _basic_constraints(extensions.get(BASIC_CONSTRAINTS))
    return CertificateFields(
        der=der,
        tbs_certificate=asn1.encode_der(certificate.tbs_certificate),
        signature=certificate.signature_value.as_bytes(),
        digest=_signature_digest(tbs.signature),
        serial=_content(tbs.serial_number, INTEGER_TAG),
        issuer=_encoded_sequence(tbs.issuer),
        subject=_encoded_sequence(tbs.subject),
        valid_from=_to_datetime(tbs.validity.not_before),
        valid_to=_to_datetime(tbs.validity.not_after),
        public_key=_encoded_sequence(tbs.subject_public_key_info),
        is_authority=is_authority,
        path_length=path_length,
        key_usage=_key_usage(extensions.get(KEY_USAGE)),
        key_id=_key_id(extensions.get(SUBJECT_KEY_ID)),
        issuer_key_id=_authority_key_id(extensions.get(AUTHORITY_KEY_ID)),
        critical=frozenset(each.extn_id.dotted_string for each in tbs.extensions or () if each.critical),
    )


def read_time(encoded: bytes) -> datetime:
    """Decode a UTCTime or GeneralizedTime into an aware datetime in UTC.

    Raises:
        ValueError: `encoded` is neither, or has fractions of a second.

    Source: RFC 5280, section 4.1.2.5.
    """
    if encoded[:1] == bytes((UTC_TIME_TAG,)):
        return _to_datetime(asn1.decode_der(asn1.UTCTime, encoded))
    return _to_datetime(asn1.decode_der(asn1.GeneralizedTime, encoded))


def _to_datetime(value: asn1.UTCTime | asn1.GeneralizedTime) -> datetime:
    instant = value.as_datetime()
    if instant.microsecond:
        raise ValueError("an instant of X.509 has no fractions of a second")
    return instant.replace(tzinfo=UTC)


def _content(tlv: asn1.TLV, tag: bytes) -> bytes:
    if tlv.tag_bytes != tag:
        raise ValueError(f"tag {tlv.tag_bytes.hex()} in place of {tag.hex()}")
    return bytes(tlv.data)


def _encoded_sequence(tlv: asn1.TLV) -> bytes:
    if tlv.tag_bytes != SEQUENCE_TAG:
        raise ValueError(f"tag {tlv.tag_bytes.hex()} in place of a SEQUENCE")
    return asn1.encode_der(tlv)


def _signature_digest(algorithm: asn1.TLV) -> str:
    return SIGNATURE_DIGESTS.get(bytes(algorithm.data[:_IDENTIFIER_LENGTH]), "")


def _extension_values(extensions: list[_Extension] | tuple[()]) -> Mapping[str, bytes]:
    values = {extension.extn_id.dotted_string: extension.extn_value for extension in extensions}
    if len(values) != len(extensions):
        raise ValueError("an extension occurs twice")
    return values


def _basic_constraints(encoded: bytes | None) -> tuple[bool, int | None]:
    if encoded is None:
        return False, None
    constraints = asn1.decode_der(_BasicConstraints, encoded)
    path_length = constraints.path_len_constraint
    if path_length is not None and path_length < 0:
        raise ValueError("the path length is negative")
    return bool(constraints.ca), path_length if constraints.ca else None


def _key_usage(encoded: bytes | None) -> frozenset[str]:
    if encoded is None:
        return frozenset()
    bits = asn1.decode_der(asn1.BitString, encoded).as_bytes()
    return frozenset(name for position, name in enumerate(KEY_USAGES) if bits and bits[0] & 0x80 >> position)


def _key_id(encoded: bytes | None) -> bytes:
    return b"" if encoded is None else asn1.decode_der(bytes, encoded)


def _authority_key_id(encoded: bytes | None) -> bytes:
    if encoded is None:
        return b""
    return asn1.decode_der(_AuthorityKeyIdentifier, encoded).key_identifier or b""
