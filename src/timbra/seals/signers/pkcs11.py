"""A signer whose private key is inside a PKCS#11 token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.digest_algorithms import Digest
from timbra.seals.signers.checked import verify_own_signature
from timbra.seals.signers.pkcs11_session import KeyQuery, load_driver

Result = TypeVar("Result")


class KeyAccess(Protocol):
    """Runs operations on keys of a token: one session, or a pool of them."""

    def use(self, name: KeyQuery, operation: Callable[[Any], Result]) -> Result:
        """Run an operation; ServiceError("signer-unavailable") when the token does not respond."""
        ...


MECHANISMS = {"sha256": "SHA256_RSA_PKCS", "sha1": "SHA1_RSA_PKCS"}


class Pkcs11Signer:
    """A `Signer` that signs inside the token."""

    def __init__(
        self, token: KeyAccess, public_key: RSAPublicKey, *, label: str | None = None, key_id: bytes | None = None
    ) -> None:
        """Use a key of the token.

        Args:
            token: A session of the token, or a pool of sessions.
            public_key: The key of the certificate.
            label: The label of the private key; None for any.
            key_id: The identifier of the private key; None for any.
        """
        self._token = token
        self._name = KeyQuery("PRIVATE_KEY", label, key_id)
        self._public_key = public_key

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        """See `Signer.sign`.

        Raises:
            ServiceError: "signer-unavailable" when the token does not respond.
        """
        mechanism = load_driver().Mechanism[MECHANISMS[digest]]
        signature = self._token.use(self._name, lambda key: bytes(key.sign(data, mechanism=mechanism)))
        return verify_own_signature(self._public_key, data, signature, digest)
