"""A signer whose private key is inside a PKCS#11 token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.core.errors import ServiceError
from timbra.seals.rsa_signature import Digest, verify_own_signature
from timbra.seals.signers.pkcs11_session import RETRY_AFTER, KeyQuery, load_driver

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
            ServiceError: "signer-unavailable" when the token does not respond; "signature-faulty" when its signature
                does not verify.
        """
        mechanism = load_driver().Mechanism[MECHANISMS[digest]]

        def sign_and_verify(key: Any) -> bytes:
            """Verify within the operation, so that a pool knows that this token failed."""
            signature = bytes(key.sign(data, mechanism=mechanism))
            try:
                return verify_own_signature(self._public_key, data, signature, digest)
            except ServiceError as error:
                raise ServiceError(error.code, error.detail, retry_after=RETRY_AFTER) from error

        return self._token.use(self._name, sign_and_verify)
