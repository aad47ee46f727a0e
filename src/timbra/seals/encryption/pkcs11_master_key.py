"""A master key inside a PKCS#11 token, which computes AES-256-GCM."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from timbra.core.errors import ServiceError
from timbra.seals.encryption.master_key import KEY_ID_BYTES, NONCE_BYTES
from timbra.seals.signers.pkcs11_session import KeyQuery, Pkcs11Session, load_driver


class Pkcs11MasterKey:
    """A `MasterKey`: the AES key with a label in a token.

    Its id is derived from the labels of token and key; another key must have another label.
    """

    def __init__(self, token: Pkcs11Session, label: str) -> None:
        self._token = token
        self._name = KeyQuery("SECRET_KEY", label)
        identity = f"timbra token key\0{token.label}\0{label}".encode()
        self.id = hashlib.sha256(identity).digest()[:KEY_ID_BYTES]

    def encrypt(self, nonce: bytes, plain: bytes, context: bytes) -> bytes:
        """See `MasterKey.encrypt`; ServiceError("signer-unavailable") when the token does not respond."""
        return self._token.use(self._name, lambda key: bytes(key.encrypt(plain, **_gcm(nonce, context))))

    def decrypt(self, nonce: bytes, sealed: bytes, context: bytes) -> bytes:
        """See `MasterKey.decrypt`; ServiceError("signer-unavailable") when the token does not respond."""
        try:
            return self._token.use(self._name, lambda key: bytes(key.decrypt(sealed, **_gcm(nonce, context))))
        except ServiceError as rejection:
            if self._works():
                raise ServiceError("vault-damaged") from rejection
            raise

    def _works(self) -> bool:
        """Whether the token encrypts. Tokens report a wrong tag by the same errors as a defect of the device."""
        try:
            self.encrypt(os.urandom(NONCE_BYTES), b"", b"")
        except ServiceError:
            return False
        return True


def _gcm(nonce: bytes, context: bytes) -> dict[str, Any]:
    pkcs11 = load_driver()
    return {"mechanism": pkcs11.Mechanism.AES_GCM, "mechanism_param": pkcs11.GCMParams(nonce, context)}
