"""Where a private key lives: memory, an encrypted file, a PKCS#11 token. One interface."""

from __future__ import annotations

from typing import Protocol


class Signer(Protocol):
    """Signs with RSA PKCS#1 v1.5 and SHA-256."""

    def sign(self, data: bytes) -> bytes:
        """The raw signature of `data`; verified against the public key before it is returned."""
        ...
