"""SAT's certificates as they really are."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey


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

    number: the serial as SAT writes it, 20 digits. rfc: the part of x500UniqueIdentifier before "/"; empty if none.
    issuer_key_id: authority key identifier (empty bytes if none). valid_from, valid_to: aware, UTC, both inclusive.
    """

    der: bytes = field(repr=False)
    number: str
    rfc: str
    name: str
    kind: Kind
    valid_from: datetime
    valid_to: datetime
    issuer_name: str
    public_key: RSAPublicKey = field(repr=False)
