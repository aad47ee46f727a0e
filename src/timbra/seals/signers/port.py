"""The interface of signers: a private key in memory, in an encrypted file or in a PKCS#11 token."""

from __future__ import annotations

from typing import Protocol

from timbra.seals.rsa_signature import Digest


class Signer(Protocol):
    """Signs with RSA PKCS#1 v1.5."""

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        """Return the raw signature of `data`, which the signer has verified with the public key.

        Args:
            digest: The hash of the signature.

        Raises:
            ServiceError: "signature-faulty" when the signature does not verify.
        """
        ...
