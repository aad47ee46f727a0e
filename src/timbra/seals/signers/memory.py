"""A signer whose private key lives in this process."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from timbra.seals.digests import ALGORITHMS, Digest
from timbra.seals.signers.checked import checked


class MemorySigner:
    """Signs with a key in memory. Keep it: the first signature of a fresh key costs twice the later ones."""

    def __init__(self, private_key: RSAPrivateKey, public_key: RSAPublicKey | None = None) -> None:
        self._private_key = private_key
        self._public_key = public_key or private_key.public_key()

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        signature = self._private_key.sign(data, PKCS1v15(), ALGORITHMS[digest]())
        return checked(self._public_key, data, signature, digest)
