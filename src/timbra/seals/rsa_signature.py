"""Verification of raw RSA signatures, PKCS#1 v1.5, with SHA-256; with SHA-1 where services of the SAT require it."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, HashAlgorithm

from timbra.core.errors import ServiceError

ALGORITHMS: Mapping[Digest, Callable[[], HashAlgorithm]] = {"sha256": SHA256, "sha1": SHA1}

Digest = Literal["sha256", "sha1"]
DIGEST_INFOS = {
    "md5": bytes.fromhex("3020300c06082a864886f70d020505000410"),
    "sha1": bytes.fromhex("3021300906052b0e03021a05000414"),
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}
"""The DigestInfo prefix of each hash (RFC 8017, section 9.2, note 1)."""


def verify_signature(public_key: RSAPublicKey, data: bytes, signature: bytes, digest: Digest = "sha256") -> bool:
    """Whether a raw signature verifies.

    Args:
        public_key: The key of the signer.
        data: The signed bytes.
        digest: The hash of the signature.
    """
    try:
        public_key.verify(signature, data, PKCS1v15(), ALGORITHMS[digest]())
    except InvalidSignature:
        return False
    return True


def verify_digest(public_key: RSAPublicKey, digest_name: str, digest: bytes, signature: bytes) -> bool:
    """Whether a raw signature is one of a digest.

    The digest is compared here, because system policies may forbid the cryptographic library to verify SHA-1.

    Args:
        public_key: The key of the signer.
        digest_name: A name of `DIGEST_INFOS`.
    """
    if len(signature) != (public_key.key_size + 7) // 8:
        return False
    try:
        block = public_key.recover_data_from_signature(signature, PKCS1v15(), None)
    except InvalidSignature:
        return False
    return hmac.compare_digest(block, DIGEST_INFOS[digest_name] + digest)


def verify_own_signature(public_key: RSAPublicKey, data: bytes, signature: bytes, digest: Digest = "sha256") -> bytes:
    """Return the signature after its verification.

    Args:
        public_key: The key of the certificate.
        data: The signed bytes.
        digest: The hash of the signature.

    Raises:
        ServiceError: "signature-faulty" when the signature does not verify; it must not be published.
    """
    if not verify_signature(public_key, data, signature, digest):
        raise ServiceError("signature-faulty", "La firma producida no corresponde al certificado.")
    return signature
