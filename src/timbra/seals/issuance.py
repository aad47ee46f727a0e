"""Whether a certificate was issued by the holder of a key."""

from __future__ import annotations

import hashlib
import hmac

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.certificate import Certificate

DIGEST_INFO = {
    "sha1": bytes.fromhex("3021300906052b0e03021a05000414"),
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}
"""RFC 8017, section 9.2, note 1: what precedes the digest."""


def issued_with(certificate: Certificate, key: RSAPublicKey) -> bool:
    """Whether the certificate's signature is the key's: SHA-1 (SAT's until 2015) or SHA-2, never MD5.

    The digest is compared here, not by the cryptographic library: system policies forbid it SHA-1 even for
    certificates whose issuer is known by its key.
    """
    prefix = DIGEST_INFO.get(certificate.digest)
    if prefix is None:
        return False
    digest = hashlib.new(certificate.digest, certificate.signed, usedforsecurity=False).digest()
    try:
        opened = key.recover_data_from_signature(certificate.signature, PKCS1v15(), None)
    except InvalidSignature:
        return False
    return hmac.compare_digest(opened, prefix + digest)
