"""Certificates of the SAT: CSD, e.firma, providers and authorities, read from DER."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from timbra.asn1.x509_reader import BASIC_CONSTRAINTS, KEY_USAGE, CertificateFields, read_certificate_fields
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.seals.base64_text import strict_base64
from timbra.seals.certificates.subject_reader import common_name, decode_number, decode_text, read_name, split_identity
from timbra.seals.file_forms import CERTIFICATE_LABELS, file_content, pem_blocks

MAX_CERTIFICATE_BYTES = 16 * 1024
MIN_KEY_BITS = 1024
MAX_KEY_BITS = 8192
SAT_RFC = frozenset({"SAT970701NN3", "SPR190613I52"})
TEST_PROVIDER_BRANCH = "PAC CFDI_PRUEBAS"
PROCESSED_EXTENSIONS = frozenset({BASIC_CONSTRAINTS, KEY_USAGE})
"""The extensions that the SAT's certificates mark as critical."""


class CertificateKind(StrEnum):
    """The purpose of a certificate, derived from key usage and subject."""

    CSD = "CSD"
    EFIRMA = "e.firma"
    AUTHORITY = "CA"
    PROVIDER = "PAC"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A decoded certificate.

    Attributes:
        der: The whole certificate.
        number: The serial in the SAT's form, 20 digits; hexadecimal when the serial is not 20 ASCII digits.
        rfc: The part of x500UniqueIdentifier before "/"; "" if absent.
        name: The holder's name.
        kind: The purpose of the certificate.
        valid_from: Start of the validity, aware, UTC, inclusive.
        valid_to: End of the validity, aware, UTC, inclusive.
        issuer_name: The issuer's common name.
        public_key: The RSA key, 1024 to 8192 bits.
        branch: The organizational unit: a CSD's Sucursal, a provider's series.
        representative_rfc: The part of x500UniqueIdentifier after "/"; "" if absent.
        curp: The CURP of the holder or of the representative, from serialNumber; "" if absent.
        path_length: How many authorities may follow an authority; None if unlimited.
        issuer: The issuer's distinguished name, encoded.
        subject: The holder's distinguished name, encoded.
        key_id: Subject key identifier; b"" if absent.
        issuer_key_id: Authority key identifier; b"" if absent (SAT's leaf certificates have none).
        tbs_certificate: The bytes that the issuer signed.
        signature: The issuer's signature.
        digest: The hash of that signature ("sha256"); "" when the algorithm is not RSA.
        is_processed: Whether all its critical extensions are processed; no other certificate is trusted.
    """

    der: bytes = field(repr=False)
    number: str
    rfc: str
    name: str
    kind: CertificateKind
    valid_from: datetime
    valid_to: datetime
    issuer_name: str
    public_key: RSAPublicKey = field(repr=False, compare=False)
    branch: str = ""
    representative_rfc: str = ""
    curp: str = ""
    path_length: int | None = None
    issuer: bytes = field(default=b"", repr=False, compare=False)
    subject: bytes = field(default=b"", repr=False, compare=False)
    key_id: bytes = b""
    issuer_key_id: bytes = b""
    tbs_certificate: bytes = field(default=b"", repr=False, compare=False)
    signature: bytes = field(default=b"", repr=False, compare=False)
    digest: str = ""
    is_processed: bool = True

    def __hash__(self) -> int:
        return hash(self.der)

    @property
    def can_seal(self) -> bool:
        """Whether the certificate may seal documents: a CSD, or the CSD of a provider."""
        return self.kind in (CertificateKind.CSD, CertificateKind.PROVIDER)

    def is_valid_at(self, instant: datetime) -> bool:
        """Whether the instant is inside the validity."""
        return self.valid_from <= instant <= self.valid_to


def read_certificate(der: bytes) -> Certificate:
    """Read a certificate with an RSA key.

    Args:
        der: The certificate in DER, at most 16 KiB.

    Raises:
        ServiceError: "certificate-unreadable" for anything else.
    """
    if len(der) > MAX_CERTIFICATE_BYTES:
        raise ServiceError("certificate-unreadable", "El certificado excede 16 KiB.")
    try:
        return _to_certificate(read_certificate_fields(bytes(der)))
    except (ValueError, OverflowError) as cause:
        raise ServiceError("certificate-unreadable", "El contenido no es un certificado X.509 en DER.") from cause


def read_certificate_content(data: bytes) -> Certificate:
    """Read the first certificate of a file that a user or a program sends: DER, PEM, or base64 of either.

    Raises:
        ServiceError: "certificate-unreadable" for anything else.
    """
    content = file_content(data)
    block = next(pem_blocks(content, CERTIFICATE_LABELS), None)
    if block is None:
        return read_certificate(content)
    try:
        return read_certificate(block.der())
    except ValueError as cause:
        raise ServiceError("certificate-unreadable", "El PEM no contiene base64.") from cause


def _to_certificate(fields: CertificateFields) -> Certificate:
    subject = read_name(fields.subject)
    rfc, representative = split_identity(subject.get("2.5.4.45", b""))
    curp, representative_curp = split_identity(subject.get("2.5.4.5", b""))
    branch = decode_text(subject.get("2.5.4.11", b""))
    return Certificate(
        der=fields.der,
        number=decode_number(fields.serial),
        rfc=rfc,
        name=decode_text(subject.get("2.5.4.41", b"")) or common_name(subject),
        kind=_kind(fields, rfc, branch),
        valid_from=fields.valid_from,
        valid_to=fields.valid_to,
        issuer_name=common_name(read_name(fields.issuer)),
        public_key=read_public_key(fields.public_key),
        branch=branch,
        representative_rfc=representative,
        curp=curp or representative_curp,
        path_length=fields.path_length,
        issuer=fields.issuer,
        subject=fields.subject,
        key_id=fields.key_id,
        issuer_key_id=fields.issuer_key_id,
        tbs_certificate=fields.tbs_certificate,
        signature=fields.signature,
        digest=fields.digest,
        is_processed=fields.critical <= PROCESSED_EXTENSIONS,
    )


def read_public_key(spki: bytes) -> RSAPublicKey:
    """Read the RSA key of a SubjectPublicKeyInfo.

    Raises:
        ValueError: The key is not RSA, or its size is outside 1024 to 8192 bits.
    """
    try:
        key = load_der_public_key(spki)
    except UnsupportedAlgorithm as cause:
        raise ValueError("a public key of an unknown algorithm") from cause
    if not isinstance(key, RSAPublicKey) or not MIN_KEY_BITS <= key.key_size <= MAX_KEY_BITS:
        raise ValueError("not an RSA key of 1024 to 8192 bits")
    return key


def _kind(fields: CertificateFields, rfc: str, branch: str) -> CertificateKind:
    if fields.is_authority:
        may_sign = not fields.key_usage or "keyCertSign" in fields.key_usage
        return CertificateKind.AUTHORITY if may_sign else CertificateKind.OTHER
    if "digitalSignature" not in fields.key_usage or "nonRepudiation" not in fields.key_usage:
        return CertificateKind.OTHER
    if fields.key_usage & {"keyAgreement", "dataEncipherment"}:
        return CertificateKind.EFIRMA if rfc else CertificateKind.OTHER
    if not rfc or not branch:
        return CertificateKind.OTHER
    return CertificateKind.PROVIDER if rfc in SAT_RFC or branch == TEST_PROVIDER_BRANCH else CertificateKind.CSD


class CertificateCache:
    """An LRU cache of certificates, by their DER and by their base64 text. Thread-safe."""

    def __init__(self, size: int = 2048) -> None:
        self._by_der = lru_cache(maxsize=size)(read_certificate)
        self._by_text = lru_cache(maxsize=size)(self._decoded)

    def read(self, der: bytes) -> Certificate:
        """Read a certificate as `read_certificate` does; errors are not cached."""
        return self._by_der(der)

    def read_base64(self, text: str) -> Certificate:
        """Read the certificate of a `Certificado` attribute. Raises ServiceError: "certificate-unreadable"."""
        return self._by_text(text)

    def _decoded(self, text: str) -> Certificate:
        try:
            der = strict_base64(text)
        except ValueError as cause:
            raise ServiceError("certificate-unreadable", "El contenido no es base64.") from cause
        return self._by_der(der)


BOUNDS = (
    Bound(
        "CertificateCache",
        BoundKind.CACHE,
        "2,048 certificates unless it is made with another number",
        "The entry that was used least recently is dropped.",
    ),
)
