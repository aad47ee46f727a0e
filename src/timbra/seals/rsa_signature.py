"""Verification of raw RSA signatures, PKCS#1 v1.5, with SHA-256; with SHA-1 where services of the SAT require it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, HashAlgorithm

from timbra.core.errors import ServiceError

ALGORITHMS: Mapping[Digest, Callable[[], HashAlgorithm]] = {"sha256": SHA256, "sha1": SHA1}


Digest = Literal["sha256", "sha1"]


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
