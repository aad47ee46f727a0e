"""Verification that a certificate was issued with a key."""

from __future__ import annotations

import hashlib
import hmac

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.certificates.certificate import Certificate

DIGEST_INFO = {
    "sha1": bytes.fromhex("3021300906052b0e03021a05000414"),
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}
"""The DigestInfo prefix of each hash (RFC 8017, section 9.2, note 1)."""


def is_issued_by(certificate: Certificate, key: RSAPublicKey) -> bool:
    """Whether the key verifies the certificate's signature with SHA-1 (the SAT's until 2015) or SHA-2, never MD5.

    The digest is compared here, because system policies may forbid the cryptographic library to verify SHA-1.

    Args:
        key: The key of the possible issuer.
    """
    prefix = DIGEST_INFO.get(certificate.digest)
    if prefix is None:
        return False
    digest = hashlib.new(certificate.digest, certificate.tbs_certificate, usedforsecurity=False).digest()
    try:
        block = key.recover_data_from_signature(certificate.signature, PKCS1v15(), None)
    except InvalidSignature:
        return False
    return hmac.compare_digest(block, prefix + digest)
