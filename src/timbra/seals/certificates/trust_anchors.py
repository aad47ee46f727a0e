"""Trust anchors: the keys of issuing authorities and of providers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from timbra.seals.certificates.certificate import SAT_RFC, Certificate, read_public_key

PROVIDER_BRANCH = re.compile(r"PAC([A-ZÑ&]{3}[0-9]{6}[A-Z0-9]{3})[0-9]{5,6}")
"""SAT issues a provider's certificate to itself and writes the provider's RFC and a series into the unit."""


@dataclass(frozen=True, slots=True)
class TrustAnchor:
    """An authority that issues certificates.

    Attributes:
        holder: The common name.
        environment: "production", "test" or "local".
        valid_from: Start of the validity, inclusive.
        valid_to: End of the validity, inclusive.
        path_length: How many authorities may follow it; None if unlimited.
        spki: The encoded SubjectPublicKeyInfo.
    """

    number: str
    holder: str
    environment: str
    valid_from: datetime
    valid_to: datetime
    path_length: int | None
    spki: bytes = field(repr=False)

    @property
    def public_key(self) -> RSAPublicKey:
        return cached_public_key(self.spki)

    def is_valid_at(self, instant: datetime) -> bool:
        return self.valid_from <= instant <= self.valid_to


@dataclass(frozen=True, slots=True)
class ProviderCertificate:
    """A provider certificate.

    Attributes:
        number: The certificate number, 20 digits.
        rfc: The RFC in RfcProvCertif; the SAT's RFC if the certificate does not name the provider.
        environment: "production", "test" or "local".
        valid_from: Start of the validity, inclusive.
        valid_to: End of the validity, inclusive.
        spki: The encoded SubjectPublicKeyInfo.
    """

    number: str
    rfc: str
    environment: str
    valid_from: datetime
    valid_to: datetime
    spki: bytes = field(repr=False)

    @property
    def public_key(self) -> RSAPublicKey:
        return cached_public_key(self.spki)

    def is_valid_at(self, instant: datetime) -> bool:
        return self.valid_from <= instant <= self.valid_to


cached_public_key = lru_cache(maxsize=1024)(read_public_key)


def to_anchor(authority: Certificate, environment: str) -> TrustAnchor:
    return TrustAnchor(
        number=authority.number,
        holder=authority.name,
        environment=environment,
        valid_from=authority.valid_from,
        valid_to=authority.valid_to,
        path_length=authority.path_length,
        spki=encode_public_key(authority),
    )


def to_subordinate_anchor(authority: Certificate, issuer: TrustAnchor, environment: str) -> TrustAnchor | None:
    """Return the anchor of an authority that another one issued; None if the issuer's path length forbids it.

    Source: RFC 5280, section 6.1.4.
    """
    anchor = to_anchor(authority, environment)
    if issuer.path_length is None:
        return anchor
    is_self_issued = authority.issuer == authority.subject
    remaining = issuer.path_length - (not is_self_issued)
    own = remaining if anchor.path_length is None else anchor.path_length
    return replace(anchor, path_length=min(own, remaining)) if remaining >= 0 else None


def to_provider_certificate(certificate: Certificate, environment: str) -> ProviderCertificate:
    return ProviderCertificate(
        number=certificate.number,
        rfc=provider_rfc(certificate),
        environment=environment,
        valid_from=certificate.valid_from,
        valid_to=certificate.valid_to,
        spki=encode_public_key(certificate),
    )


def provider_rfc(certificate: Certificate) -> str:
    """Return the RFC of the provider to which a certificate was issued."""
    series = PROVIDER_BRANCH.fullmatch(certificate.branch) if certificate.rfc in SAT_RFC else None
    return series[1] if series else certificate.rfc


def encode_public_key(certificate: Certificate) -> bytes:
    """Encode the public key as SubjectPublicKeyInfo."""
    return certificate.public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
