"""Encryption at rest: AES-256-GCM under a master key, with room for a change of that key.

A sealed value is: version (1 byte, 1), master key's id (8), nonce (12), ciphertext with its tag (length + 16).
The header and the caller's context are authenticated too, so that a value cannot be moved to another row.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from timbra.errors import ServiceError
from timbra.seals.master_key import KEY_ID_BYTES, NONCE_BYTES, MasterKey

VERSION = 1
TAG_BYTES = 16
HEADER_BYTES = 1 + KEY_ID_BYTES


class Envelope:
    """Closes under the current master key; opens what it or a previous one closed."""

    def __init__(self, current: MasterKey, previous: Sequence[MasterKey] = ()) -> None:
        self._current = current
        self._keys = {key.id: key for key in (*previous, current)}

    def close(self, plain: bytes, context: bytes) -> bytes:
        """`plain` sealed for `context`, e.g. b"csd:7:30001000000500003416"."""
        header = bytes([VERSION]) + self._current.id
        nonce = os.urandom(NONCE_BYTES)
        return header + nonce + self._current.encrypt(nonce, plain, header + context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """What was closed for the same context.

        ServiceError("vault-key-unknown"): closed under a master key that is not here.
        ServiceError("vault-damaged"): changed, cut off, or closed for another context.
        """
        header, rest = sealed[:HEADER_BYTES], sealed[HEADER_BYTES:]
        if len(rest) < NONCE_BYTES + TAG_BYTES or header[0] != VERSION:
            raise ServiceError("vault-damaged")
        key = self._keys.get(header[1:])
        if key is None:
            raise ServiceError("vault-key-unknown")
        return key.decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], header + context)

    def needs_rotation(self, sealed: bytes) -> bool:
        """Whether `sealed` was closed under another master key than the current one."""
        return sealed[:HEADER_BYTES] != bytes([VERSION]) + self._current.id

    def rotate(self, sealed: bytes, context: bytes) -> bytes:
        """The same value closed anew under the current master key."""
        return self.close(self.open(sealed, context), context)
