"""Verification that a certificate was issued with a key."""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.certificates.certificate import Certificate
from timbra.seals.rsa_signature import verify_digest

DIGESTS = ("sha1", "sha256", "sha384", "sha512")


def is_issued_by(certificate: Certificate, key: RSAPublicKey) -> bool:
    """Whether the key verifies the certificate's signature with SHA-1 (the SAT's until 2015) or SHA-2, never MD5.

    Args:
        key: The key of the possible issuer.
    """
    if certificate.digest not in DIGESTS:
        return False
    digest = hashlib.new(certificate.digest, certificate.tbs_certificate, usedforsecurity=False).digest()
    return verify_digest(key, certificate.digest, digest, certificate.signature)
