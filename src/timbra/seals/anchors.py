"""What is trusted: the keys of issuing authorities and of providers, as facts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from timbra.seals.certificate import SAT_RFC, Certificate, read_public_key

PROVIDER_BRANCH = re.compile(r"PAC([A-ZÑ&]{3}[0-9]{6}[A-Z0-9]{3})[0-9]{5,6}")
"""SAT issues a provider's certificate to itself and writes the provider's RFC and a series into the unit."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An authority that issues certificates. path_length: how many authorities may follow it, None if unlimited."""

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

    @property
    def issues_authorities(self) -> bool:
        return self.path_length is None or self.path_length > 0

    def covers(self, instant: datetime) -> bool:
        return self.valid_from <= instant <= self.valid_to


@dataclass(frozen=True, slots=True)
class ProviderCertificate:
    """A certificate that stamps. rfc: the provider's own, as RfcProvCertif names it; SAT's where it is not told."""

    number: str
    rfc: str
    environment: str
    valid_from: datetime
    valid_to: datetime
    spki: bytes = field(repr=False)

    @property
    def public_key(self) -> RSAPublicKey:
        return cached_public_key(self.spki)

    def covers(self, instant: datetime) -> bool:
        return self.valid_from <= instant <= self.valid_to


cached_public_key = lru_cache(maxsize=1024)(read_public_key)


def anchor_of(authority: Certificate, environment: str) -> Anchor:
    return Anchor(
        number=authority.number,
        holder=authority.name,
        environment=environment,
        valid_from=authority.valid_from,
        valid_to=authority.valid_to,
        path_length=authority.path_length,
        spki=spki_of(authority),
    )


def provider_of(certificate: Certificate, environment: str) -> ProviderCertificate:
    return ProviderCertificate(
        number=certificate.number,
        rfc=provider_rfc(certificate),
        environment=environment,
        valid_from=certificate.valid_from,
        valid_to=certificate.valid_to,
        spki=spki_of(certificate),
    )


def provider_rfc(certificate: Certificate) -> str:
    """The RFC of the provider that a certificate was made for."""
    series = PROVIDER_BRANCH.fullmatch(certificate.branch) if certificate.rfc in SAT_RFC else None
    return series[1] if series else certificate.rfc


def spki_of(certificate: Certificate) -> bytes:
    """The public key as SubjectPublicKeyInfo."""
    return certificate.public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
