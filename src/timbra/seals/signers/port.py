"""Where a private key lives: memory, an encrypted file, a PKCS#11 token. One interface."""

from __future__ import annotations

from typing import Protocol

from timbra.seals.digests import Digest


class Signer(Protocol):
    """Signs with RSA PKCS#1 v1.5."""

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        """The raw signature of `data`; verified against the public key before it is returned."""
        ...
