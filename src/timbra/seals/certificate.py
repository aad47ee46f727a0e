"""SAT's certificates as they really are."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from timbra.errors import ServiceError
from timbra.seals.names import common_name, decoded_text, number_of, read_name, split_identity
from timbra.seals.x509 import Parts, read_parts

LARGEST_CERTIFICATE = 16 * 1024
SMALLEST_KEY_BITS = 1024
LARGEST_KEY_BITS = 8192
SAT_RFC = frozenset({"SAT970701NN3", "SPR190613I52"})
TEST_PROVIDER_BRANCH = "PAC CFDI_PRUEBAS"


class Kind(StrEnum):
    """What a certificate is for, told by key usage and subject."""

    CSD = "CSD"
    EFIRMA = "e.firma"
    AUTHORITY = "CA"
    PROVIDER = "PAC"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What Timbra reads of a certificate.

    number: the serial as SAT writes it, 20 digits; hexadecimal when the serial is not SAT's ASCII digits.
    rfc: the part of x500UniqueIdentifier before "/"; empty if none. representative_rfc: the part after it.
    curp: the holder's or representative's CURP as serialNumber carries it; empty if none.
    branch: the organizational unit: a CSD's Sucursal, a provider's series. path_length: of a CA, None if unlimited.
    issuer, subject: the names as encoded. issuer_name: the issuer's common name.
    key_id, issuer_key_id: subject and authority key identifier (empty bytes if none; SAT's leaves have none).
    signed, signature, digest: what the issuer signed, its signature and the hash in it ("sha256"; "" if unknown).
    valid_from, valid_to: aware, UTC, both inclusive.
    """

    der: bytes = field(repr=False)
    number: str
    rfc: str
    name: str
    kind: Kind
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
    signed: bytes = field(default=b"", repr=False, compare=False)
    signature: bytes = field(default=b"", repr=False, compare=False)
    digest: str = ""

    def __hash__(self) -> int:
        return hash(self.der)

    @property
    def seals(self) -> bool:
        """Whether it may seal documents: a CSD, or the CSD of a provider."""
        return self.kind in (Kind.CSD, Kind.PROVIDER)

    def covers(self, instant: datetime) -> bool:
        """Whether the instant lies inside the validity."""
        return self.valid_from <= instant <= self.valid_to


def read_certificate(der: bytes) -> Certificate:
    """The certificate in `der`. ServiceError("certificate-unreadable") for anything else, other keys than RSA too."""
    if len(der) > LARGEST_CERTIFICATE:
        raise ServiceError("certificate-unreadable", "El certificado excede 16 KiB.")
    try:
        return _certificate(read_parts(bytes(der)))
    except (ValueError, OverflowError) as cause:
        raise ServiceError("certificate-unreadable", "El contenido no es un certificado X.509 en DER.") from cause


def _certificate(parts: Parts) -> Certificate:
    subject = read_name(parts.subject)
    rfc, representative = split_identity(subject.get("2.5.4.45", b""))
    curp, representative_curp = split_identity(subject.get("2.5.4.5", b""))
    branch = decoded_text(subject.get("2.5.4.11", b""))
    return Certificate(
        der=parts.der,
        number=number_of(parts.serial),
        rfc=rfc,
        name=decoded_text(subject.get("2.5.4.41", b"")) or common_name(subject),
        kind=_kind(parts, rfc, branch),
        valid_from=parts.valid_from,
        valid_to=parts.valid_to,
        issuer_name=common_name(read_name(parts.issuer)),
        public_key=read_public_key(parts.public_key),
        branch=branch,
        representative_rfc=representative,
        curp=curp or representative_curp,
        path_length=parts.path_length,
        issuer=parts.issuer,
        subject=parts.subject,
        key_id=parts.key_id,
        issuer_key_id=parts.issuer_key_id,
        signed=parts.signed,
        signature=parts.signature,
        digest=parts.digest,
    )


def read_public_key(spki: bytes) -> RSAPublicKey:
    """The RSA key of a SubjectPublicKeyInfo. ValueError for another kind of key or a size that nobody uses."""
    try:
        key = load_der_public_key(spki)
    except UnsupportedAlgorithm as cause:
        raise ValueError("a public key of an unknown algorithm") from cause
    if not isinstance(key, RSAPublicKey) or not SMALLEST_KEY_BITS <= key.key_size <= LARGEST_KEY_BITS:
        raise ValueError("not an RSA key of 1024 to 8192 bits")
    return key


def _kind(parts: Parts, rfc: str, branch: str) -> Kind:
    if parts.authority:
        return Kind.AUTHORITY
    if "digitalSignature" not in parts.key_usage or "nonRepudiation" not in parts.key_usage:
        return Kind.OTHER
    if parts.key_usage & {"keyAgreement", "dataEncipherment"}:
        return Kind.EFIRMA if rfc else Kind.OTHER
    if not rfc or not branch:
        return Kind.OTHER
    return Kind.PROVIDER if rfc in SAT_RFC or branch == TEST_PROVIDER_BRANCH else Kind.CSD
