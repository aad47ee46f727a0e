"""Envelope encryption at rest: AES-256-GCM with a master key, which can be rotated.

A sealed value is: version (1 byte, 1), master key's id (8), nonce (12), ciphertext with its tag (length + 16).
The header and the caller's context are authenticated too, so that a value cannot be moved to another row.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from timbra.core.errors import ServiceError
from timbra.seals.encryption.master_key import KEY_ID_BYTES, NONCE_BYTES, MasterKey

VERSION = 1
TAG_BYTES = 16
HEADER_BYTES = 1 + KEY_ID_BYTES


class EnvelopeEncryption:
    """Envelope encryption: encrypts with the current master key, decrypts with it or with a previous one."""

    def __init__(self, current: MasterKey, previous: Sequence[MasterKey] = ()) -> None:
        self._current = current
        self._keys = {key.id: key for key in (*previous, current)}

    @property
    def key_id(self) -> bytes:
        """The id of the current master key."""
        return self._current.id

    def has_key(self, key_id: bytes) -> bool:
        """Whether a master key with this id is configured."""
        return key_id in self._keys

    def has_key_of(self, sealed: bytes) -> bool:
        """Whether the master key that encrypted the value is configured; False for another form of value."""
        return sealed[:1] == bytes([VERSION]) and self.has_key(sealed[1:HEADER_BYTES])

    def close(self, plain: bytes, context: bytes) -> bytes:
        """Encrypt a value. `context`: Data that `open` must get again, such as b"csd:7:30001000000500003416"."""
        header = bytes([VERSION]) + self._current.id
        nonce = os.urandom(NONCE_BYTES)
        return header + nonce + self._current.encrypt(nonce, plain, header + context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Decrypt a value.

        Args:
            sealed: A result of `close`.
            context: The context with which it was encrypted.

        Raises:
            ServiceError: "vault-key-unknown" if the master key is not available; "vault-damaged" if the value was
                changed, truncated, or encrypted for another context.
        """
        header, rest = sealed[:HEADER_BYTES], sealed[HEADER_BYTES:]
        if len(rest) < NONCE_BYTES + TAG_BYTES or header[0] != VERSION:
            raise ServiceError("vault-damaged")
        key = self._keys.get(header[1:])
        if key is None:
            raise ServiceError("vault-key-unknown")
        return key.decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], header + context)

    def needs_rotation(self, sealed: bytes) -> bool:
        """Whether the value is encrypted with another master key than the current one."""
        return sealed[:HEADER_BYTES] != bytes([VERSION]) + self._current.id

    def rotate(self, sealed: bytes, context: bytes) -> bytes:
        """Encrypt the value again with the current master key."""
        return self.close(self.open(sealed, context), context)
