"""Verification of own signatures: a signature with a computation fault would reveal the primes of the key."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.core.errors import ServiceError
from timbra.seals.digest_algorithms import Digest
from timbra.seals.rsa_signature import verify_signature


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
